// Codes of a quantizer: right, whatever the threads, and honest about what they leave over.
#include <cmath>
#include <random>
#include <vector>

#include "check.hpp"
#include "density/quantize.hpp"

using namespace lookalike;

namespace {

struct Coded {
  std::vector<std::int8_t> code;
  std::vector<double> off;
};

template <class T>
Coded coded(std::vector<T> const& X, std::size_t cols, Quantizer const& quantizer,
            std::size_t threads) {
  std::size_t const rows = X.size() / cols, width = (cols + 3) / 4 * 4;
  Coded result{std::vector<std::int8_t>(rows * width, 77), std::vector<double>(rows, -1.0)};
  View<T const> const view{X.data(), rows, cols, cols};
  quantize_rows(AnyRows(view), quantizer, threads, {result.code.data(), rows, width, width},
                result.off);
  return result;
}

void whole_numbers_leave_nothing() {
  std::vector<double> const least{-3.0, 100.0, 0.0};
  std::vector<float> const X{-3, 355, 7, 252, 100, 255};
  Coded const result = coded(X, 3, {least, 1.0, false}, 2);
  std::vector<std::int8_t> const expected{-128, 127, -121, 0, 127, -128, 127, 0};
  CHECK(result.code == expected);
  CHECK(result.off[0] == 0.0 && result.off[1] == 0.0);
}

void rows_off_the_grid_have_infinite_error() {
  std::vector<double> const least{0.0, 0.0};
  std::vector<double> const X{0.5, 1.0, 0.25, 0.0, -0.5, 0.0, 128.0, 0.0, 127.5, 0.0};
  Coded const result = coded(X, 2, {least, 0.5, false}, 1);
  CHECK(result.off[0] < 1e-14 && std::isinf(result.off[1]) && std::isinf(result.off[2]));
  CHECK(std::isinf(result.off[3]) && result.off[4] < 1e-12 && result.code[4 * 4] == 127);
}

void what_is_left_is_bounded_whatever_the_threads() {
  std::mt19937 random(4);
  std::normal_distribution<double> draw(0.0, 2.0);
  std::size_t const cols = 37, rows = 4000;
  std::vector<double> X(rows * cols);
  for (double& value : X) value = draw(random);
  std::vector<double> const least(cols, -3.0);
  Quantizer const grid{least, 6.0 / 255, true};
  Coded const result = coded(X, cols, grid, 1), again = coded(X, cols, grid, 3);
  CHECK(result.code == again.code && result.off == again.off);
  for (std::size_t i = 0; i < rows; ++i) {
    double squares = 0.0;
    for (std::size_t j = 0; j < cols; ++j) {
      double const inside = std::min(std::max(X[i * cols + j], -3.0), 3.0);
      double const stands = -3.0 + grid.step * (result.code[i * 40 + j] + 128);
      squares += (inside - stands) * (inside - stands);
    }
    CHECK(std::sqrt(squares) <= result.off[i] && result.off[i] <= std::sqrt(squares) + 1e-6);
  }
}

}  // namespace

int main() {
  whole_numbers_leave_nothing();
  rows_off_the_grid_have_infinite_error();
  what_is_left_is_bounded_whatever_the_threads();
  return 0;
}
