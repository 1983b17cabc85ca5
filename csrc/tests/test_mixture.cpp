// Shares, densities and sums of a mixture against plain loops, on any number of threads.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "density/mixture.hpp"
#include "tests/check.hpp"

using namespace lookalike;

namespace {

struct Owned {
  std::size_t count, cols;
  bool diagonal;
  std::vector<double> shift, mean, factor, constant;

  Owned(std::size_t count_, std::size_t cols_, bool diagonal_)
      : count(count_),
        cols(cols_),
        diagonal(diagonal_),
        shift(cols_),
        mean(count_ * cols_),
        factor(count_ * cols_ * (diagonal_ ? 1 : cols_)),
        constant(count_) {
    auto const wave = [](std::size_t i) { return std::sin(static_cast<double>(3 * i + 1)); };
    for (std::size_t i = 0; i < shift.size(); ++i) shift[i] = wave(i);
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] = wave(i + 7);
    for (std::size_t i = 0; i < constant.size(); ++i) constant[i] = wave(i + 11);
    for (std::size_t i = 0; i < factor.size(); ++i) {
      std::size_t const row = i / cols % cols, col = i % cols;
      factor[i] = diagonal ? 1.5 + wave(i) : row == col ? 2.0 : row > col ? wave(i) : 0.0;
    }
  }
  Components view() const {
    return {shift,
            {mean.data(), count, cols, cols},
            {factor.data(), factor.size() / cols, cols, cols},
            constant,
            diagonal};
  }
  double joint(std::size_t k, double const* x) const {
    double square = 0.0;
    for (std::size_t j = 0; j < cols; ++j) {
      double along = 0.0;
      for (std::size_t i = diagonal ? j : 0; i <= j; ++i) {
        double const w = diagonal ? factor[k * cols + j] : factor[(k * cols + j) * cols + i];
        along += w * (x[i] - shift[i] - mean[k * cols + i]);
      }
      square += along * along;
    }
    return constant[k] - square / 2;
  }
};

void answers_and_sums_are_the_plain_ones(std::size_t rows, std::size_t count, std::size_t cols,
                                         bool diagonal) {
  Owned const owned(count, cols, diagonal);
  std::vector<double> X(rows * cols), weight(rows);
  for (std::size_t i = 0; i < X.size(); ++i) X[i] = 2 * std::cos(static_cast<double>(i));
  for (std::size_t i = 0; i < rows; ++i) weight[i] = static_cast<double>(i % 3);
  View<double const> const view{X.data(), rows, cols, cols};
  std::vector<double> share(rows * count), density(rows);
  mixture_responsibilities(view, owned.view(), 2, {share.data(), rows, count, count}, density);
  std::size_t const height = diagonal ? 2 : cols + 1, width = sums_width(cols);
  std::vector<double> sums(count * height * width), again(sums.size()), given(sums.size());
  View<double> const out{sums.data(), count * height, width, width};
  double const total = mixture_sums(view, weight, owned.view(), Assignment::soft, {}, 1, out);
  double const same = mixture_sums(view, weight, owned.view(), Assignment::soft, {}, 4,
                                   {again.data(), count * height, width, width});
  mixture_sums(view, weight, owned.view(), Assignment::given, {share.data(), rows, count, count}, 2,
               {given.data(), count * height, width, width});
  CHECK(total == same && sums == again && sums == given);
  double expected = 0.0;
  for (std::size_t n = 0; n < rows; ++n) {
    double most = -std::numeric_limits<double>::infinity(), sum = 0.0, shares = 0.0;
    for (std::size_t k = 0; k < count; ++k)
      most = std::max(most, owned.joint(k, X.data() + n * cols));
    for (std::size_t k = 0; k < count; ++k)
      sum += std::exp(owned.joint(k, X.data() + n * cols) - most);
    CHECK(std::abs(density[n] - (most + std::log(sum))) < 1e-10 * (1 + std::abs(most)));
    for (std::size_t k = 0; k < count; ++k) {
      double const r = std::exp(owned.joint(k, X.data() + n * cols) - most) / sum;
      CHECK(std::abs(share[n * count + k] - r) < 1e-11);
      shares += share[n * count + k];
    }
    CHECK(std::abs(shares - 1) < 1e-14);
    expected += weight[n] * density[n];
  }
  CHECK(std::abs(total - expected) <= 1e-10 * (1 + std::abs(expected)));
  for (std::size_t k = 0; k < count; ++k) {
    double weight_of_component = 0.0;
    for (std::size_t n = 0; n < rows; ++n) weight_of_component += weight[n] * share[n * count + k];
    CHECK(std::abs(sums[(k * height + (diagonal ? 0 : cols)) * width + cols] -
                   weight_of_component) < 1e-10);
  }
}

void far_rows_stay_finite() {
  for (bool const diagonal : {false, true}) {
    Owned const owned(3, 2, diagonal);
    std::vector<double> const X{1e200, -1e200, 1e308, 1e308, 1e6, 0.0};
    std::vector<double> share(9), density(3);
    mixture_responsibilities(View<double const>{X.data(), 3, 2, 2}, owned.view(), 1,
                             {share.data(), 3, 3, 3}, density);
    for (std::size_t n = 0; n < 3; ++n) {
      CHECK(std::isfinite(density[n]));
      CHECK(std::abs(share[3 * n] + share[3 * n + 1] + share[3 * n + 2] - 1) < 1e-14);
    }
  }
}

}  // namespace

int main() {
  for (bool const diagonal : {false, true})
    for (std::size_t const rows : {1, 31, 33, 1030})
      for (std::size_t const cols : {1, 4, 9})
        for (std::size_t const count : {1, 3})
          answers_and_sums_are_the_plain_ones(rows, count, cols, diagonal);
  far_rows_stay_finite();
}
