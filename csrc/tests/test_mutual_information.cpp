// Information by neighbors against the counts written out, and the grid against all distances.
#include <algorithm>
#include <cmath>
#include <vector>

#include "check.hpp"
#include "stats/mutual_information.hpp"
#include "stats/rank_grid.hpp"

using namespace lookalike;

namespace {

std::vector<double> wave(std::size_t count, double step, double power) {
  std::vector<double> x(count);
  for (std::size_t i = 0; i < count; ++i) {
    double const value = std::sin(step * static_cast<double>(i * i + 1));
    x[i] = std::copysign(std::pow(std::abs(value), power), value);
  }
  return x;
}

void the_grid_finds_the_kth_neighbor(std::size_t count, std::size_t k) {
  auto const x = wave(count, 0.7, 5.0), y = wave(count, 1.3, 1.0);
  RankGrid const grid(x, y);
  std::vector<double> slots(k), all;
  for (std::size_t i = 0; i < count; ++i) {
    all.clear();
    for (std::size_t j = 0; j < count; ++j)
      if (j != i) all.push_back(std::max(std::abs(x[j] - x[i]), std::abs(y[j] - y[i])));
    std::ranges::sort(all);
    CHECK(grid.kth_distance(i, slots) == all[k - 1]);
    CHECK(grid.sorted_x()[grid.rank_x(i)] == x[i]);
    CHECK(grid.sorted_y()[grid.rank_y(i)] == y[i]);
  }
}

void threads_do_not_show() {
  constexpr std::size_t kRows = 200, kColumns = 5;
  std::vector<double> columns;
  for (std::size_t j = 0; j < kColumns; ++j) {
    auto const one = wave(kRows, 0.3 + static_cast<double>(j), 1.0);
    columns.insert(columns.end(), one.begin(), one.end());
  }
  std::vector<std::int64_t> code(kRows);
  for (std::size_t i = 0; i < kRows; ++i) code[i] = columns[i] > 0.0 ? 1 : 0;
  View<double const> const X{columns.data(), kColumns, kRows, kRows};
  std::vector<double> one(2 * kColumns), two(2 * kColumns);
  mutual_information_with_classes(X, code, 2, 3, 1, {one.data(), kColumns, 2, 2});
  mutual_information_with_classes(X, code, 2, 3, 2, {two.data(), kColumns, 2, 2});
  CHECK(one == two);
  CHECK(one[0] > 0.6);  // the column that makes the classes: log 2, nearly
  std::span<double const> const target(columns.data(), kRows);
  mutual_information_with_numbers(X, target, 3, 1, {one.data(), kColumns, 2, 2});
  mutual_information_with_numbers(X, target, 3, 2, {two.data(), kColumns, 2, 2});
  CHECK(one == two);
  CHECK(one[0] > 2.0);
}

}  // namespace

int main() {
  for (std::size_t const count : {2u, 3u, 17u, 150u})
    for (std::size_t const k : {1u, 3u})
      if (k < count) the_grid_finds_the_kth_neighbor(count, k);
  threads_do_not_show();
}
