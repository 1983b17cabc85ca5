// The loss of three rows worked out by hand, and its derivative against differences.
#include <cmath>
#include <vector>

#include "check.hpp"
#include "neighbors/softmax_loss.hpp"

using namespace lookalike;

namespace {

struct Result {
  double loss;
  std::vector<double> gradient;
};

Result evaluate(std::vector<double> const& z, std::vector<double> const& y, bool classes,
                std::size_t threads) {
  std::size_t const n = y.size(), d = z.size() / n;
  std::vector<double> loss(n), gradient(z.size());
  softmax_loss({z.data(), n, d, d}, y, classes, threads, loss, {gradient.data(), n, d, d});
  double total = 0.0;
  for (double one : loss) total += one;
  return {total, gradient};
}

void derivative_agrees_with_differences(bool classes) {
  std::vector<double> z;
  std::vector<double> y;
  for (int i = 0; i < 40; ++i) {
    z.push_back(std::sin(3.0 * i));
    z.push_back(std::cos(5.0 * i * i));
    y.push_back(classes ? i % 3 : std::sin(1.0 * i));
  }
  Result const whole = evaluate(z, y, classes, 2);
  for (std::size_t place : {0UL, 7UL, 33UL}) {
    double const step = 1e-6;
    std::vector<double> up = z, down = z;
    up[place] += step;
    down[place] -= step;
    double const slope =
        (evaluate(up, y, classes, 1).loss - evaluate(down, y, classes, 1).loss) / (2 * step);
    CHECK(std::abs(slope - whole.gradient[place]) < 1e-6);
  }
  CHECK(evaluate(z, y, classes, 1).gradient == whole.gradient);
}

}  // namespace

int main() {
  // Row 0 has its class in row 1, at distance 1, and another in row 2, at distance 2.
  double const share = std::exp(-1.0) / (std::exp(-1.0) + std::exp(-4.0));
  Result const three = evaluate({0.0, 1.0, -2.0}, {0, 0, 1}, true, 1);
  double const of_one = std::exp(-1.0) / (std::exp(-1.0) + std::exp(-9.0));
  CHECK(std::abs(three.loss + share + of_one) < 1e-12);
  derivative_agrees_with_differences(true);
  derivative_agrees_with_differences(false);
  return 0;
}
