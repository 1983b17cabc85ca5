// Donors of missing cells against the obvious double loop, near ties and far values included.
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "neighbors/donors.hpp"
#include "tests/check.hpp"

using namespace lookalike;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<double> some_rows(std::size_t rows, std::size_t cols, bool whole, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_int_distribution<int> number(0, 3), percent(0, 99);
  std::normal_distribution<double> normal;
  std::vector<double> data(rows * cols);
  for (double& x : data)
    x = percent(generator) < 25 ? kNaN : whole ? number(generator) : normal(generator);
  return data;
}

double reference_key(double const* q, double const* x, std::size_t cols) {
  double lane[kLanes] = {};
  std::size_t shared = 0;
  for (std::size_t j = 0; j < cols; ++j) {
    double const gap = q[j] - x[j];
    if (std::isnan(gap)) continue;
    lane[j % kLanes] += gap * gap;
    ++shared;
  }
  return shared == 0 ? HUGE_VAL
                     : fold_lanes(lane) * (static_cast<double>(cols) / static_cast<double>(shared));
}

void expect_donors(std::size_t rows, std::size_t cols, bool whole, double far,
                   std::size_t threads) {
  auto X = some_rows(rows, cols, whole, static_cast<unsigned>(rows + cols));
  if (far != 0.0) X[cols / 2] = far;
  std::size_t const k = 3;
  std::vector<std::int64_t> start{0}, column;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < cols; ++j)
      if (std::isnan(X[i * cols + j])) column.push_back(static_cast<std::int64_t>(j));
    start.push_back(static_cast<std::int64_t>(column.size()));
  }
  std::vector<double> key(column.size() * k);
  std::vector<std::int64_t> row(column.size() * k);
  View<double const> const view{X.data(), rows, cols, cols};
  nearest_donors(view, view, {start, column}, threads,
                 {{key.data(), column.size(), k, k}, {row.data(), column.size(), k, k}});
  for (std::size_t i = 0; i < rows; ++i)
    for (auto cell = start[i]; cell < start[i + 1]; ++cell) {
      auto const c = static_cast<std::size_t>(cell);
      std::vector<Neighbor> all;
      for (std::size_t r = 0; r < rows; ++r) {
        if (std::isnan(X[r * cols + static_cast<std::size_t>(column[c])])) continue;
        double const distance = reference_key(&X[i * cols], &X[r * cols], cols);
        if (distance < HUGE_VAL) all.push_back({distance, static_cast<std::int64_t>(r)});
      }
      std::sort(all.begin(), all.end());
      for (std::size_t n = 0; n < k; ++n) {
        CHECK(row[c * k + n] == (n < all.size() ? all[n].row : -1));
        CHECK(key[c * k + n] == (n < all.size() ? all[n].key : HUGE_VAL));
      }
    }
}

}  // namespace

int main() {
  for (std::size_t const rows : {1UL, 7UL, 300UL, 600UL})
    for (std::size_t const cols : {1UL, 3UL, 9UL, 70UL})
      for (bool const whole : {true, false})
        for (double const far : {0.0, 1e9}) expect_donors(rows, cols, whole, far, rows % 3 + 1);
}
