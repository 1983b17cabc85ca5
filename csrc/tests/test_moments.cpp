// Column moments against the plain two-pass sums, at an offset, with gaps and weights.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "check.hpp"
#include "stats/moments.hpp"

using namespace lookalike;

namespace {

struct Owned {
  explicit Owned(std::size_t cols) : values(6 * cols), cols_(cols) {}
  ColumnMoments moments() { return {part(0), part(1), part(2), part(3), part(4), part(5)}; }
  std::span<double> part(std::size_t which) { return {values.data() + which * cols_, cols_}; }

  std::vector<double> values;
  std::size_t cols_;
};

double value(std::size_t row, std::size_t col) {
  return 1e8 + std::sin(static_cast<double>(7 * row + col)) * static_cast<double>(col + 1);
}

template <class T>
void moments_equal_the_plain_sums(std::size_t rows, std::size_t cols, bool weighted) {
  std::size_t const stride = cols + 3;
  std::vector<T> X(rows * stride);
  std::vector<double> weight(weighted ? rows : 0);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < cols; ++j) X[i * stride + j] = static_cast<T>(value(i, j));
    if (weighted) weight[i] = static_cast<double>(i % 3);
  }
  if (rows > 2) X[2 * stride] = std::numeric_limits<T>::quiet_NaN();
  Owned ours(cols);
  column_moments<T>(View<T const>{X.data(), rows, cols, stride}, weight, ours.moments());
  for (std::size_t j = 0; j < cols; ++j) {
    double count = 0, sum = 0, scatter = 0;
    double least = std::numeric_limits<double>::infinity();
    auto const w = [&](std::size_t i) { return weighted ? weight[i] : 1.0; };
    auto const x = [&](std::size_t i) { return static_cast<double>(X[i * stride + j]); };
    for (std::size_t i = 0; i < rows; ++i) {
      if (std::isnan(x(i)) || w(i) == 0.0) continue;
      count += w(i);
      sum += w(i) * (x(i) - 1e8);
      least = std::min(least, x(i));
    }
    for (std::size_t i = 0; i < rows; ++i)
      if (!std::isnan(x(i))) scatter += w(i) * std::pow(x(i) - 1e8 - sum / count, 2);
    CHECK(ours.part(0)[j] == count);
    if (count == 0) continue;
    double const mean = (ours.part(1)[j] - 1e8) + ours.part(2)[j];
    CHECK(std::abs(mean - sum / count) <= 1e-9);
    CHECK(std::abs(ours.part(3)[j] - scatter) <= 1e-9 * (1 + scatter));
    CHECK(ours.part(4)[j] == least);
  }
}

}  // namespace

int main() {
  for (std::size_t rows : {0, 1, 5, 127, 128, 129, 1000})
    for (std::size_t cols : {1, 3, 8, 33})
      for (bool weighted : {false, true}) {
        moments_equal_the_plain_sums<double>(rows, cols, weighted);
        moments_equal_the_plain_sums<float>(rows, cols, weighted);
      }
}
