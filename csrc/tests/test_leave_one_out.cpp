// Votes and means of rows left out against a sort of all distances, columns added and removed.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "check.hpp"
#include "neighbors/leave_one_out.hpp"

using namespace lookalike;

namespace {

constexpr std::size_t kRows = 53, kColumns = 9;

std::vector<double> table(bool grid) {
  std::vector<double> columns(kRows * kColumns);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    double const value = 3.0 * std::sin(static_cast<double>(i * i % 1009));
    columns[i] = grid ? std::round(value) : value;
  }
  return columns;
}

// Rows in the order of their distance, equal ones by number.
std::vector<std::size_t> sorted_by_distance(std::vector<double> const& columns,
                                            std::vector<std::int64_t> const& set, std::size_t i) {
  std::vector<double> key(kRows, 0.0);
  for (std::size_t j = 0; j < kRows; ++j) {
    double lanes[8] = {};
    for (std::size_t place = 0; place < set.size(); ++place) {
      double const* const x = columns.data() + static_cast<std::size_t>(set[place]) * kRows;
      lanes[place % 8] += (x[i] - x[j]) * (x[i] - x[j]);
    }
    key[j] = ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
             ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
  }
  std::vector<std::size_t> order(kRows);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t j) { return key[j]; });
  std::erase(order, i);
  return order;
}

void means_are_of_the_nearest(bool grid, SetChange move, std::size_t k, std::size_t threads) {
  auto const columns = table(grid);
  std::vector<double> target(kRows);
  for (std::size_t i = 0; i < kRows; ++i) target[i] = std::cos(static_cast<double>(i));
  std::vector<std::int64_t> chosen{0, 2, 5, 6}, candidates{1, 3, 8};
  if (move == SetChange::remove) candidates = {2, 6};
  ColumnSets const sets{{columns.data(), kColumns, kRows, kRows}, chosen, candidates, move};
  std::vector<double> prediction(candidates.size() * kRows);
  leave_one_out_means(sets, target, k, threads,
                      {prediction.data(), candidates.size(), kRows, kRows});
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    auto set = chosen;
    if (move == SetChange::add)
      set.insert(std::ranges::lower_bound(set, candidates[c]), candidates[c]);
    else
      std::erase(set, candidates[c]);
    for (std::size_t i = 0; i < kRows; ++i) {
      auto order = sorted_by_distance(columns, set, i);
      order.resize(k);
      std::ranges::sort(order);
      double total = 0.0;
      for (std::size_t const row : order) total += target[row];
      CHECK(prediction[c * kRows + i] == total / static_cast<double>(k));
    }
  }
}

void equal_rows_vote_together() {
  std::vector<double> const column{0.0, 1.0, 1.0, 1.0, 5.0};
  std::vector<std::int64_t> const code{0, 1, 1, 0, 0}, chosen, candidates{0};
  ColumnSets const sets{{column.data(), 1, 5, 5}, chosen, candidates, SetChange::add};
  std::vector<double> prediction(5);
  leave_one_out_classes(sets, code, 2, 1, 2, {prediction.data(), 1, 5, 5});
  CHECK((prediction == std::vector<double>{1, 0, 0, 1, 1}));
}

}  // namespace

int main() {
  for (bool const grid : {false, true})
    for (SetChange const move : {SetChange::add, SetChange::remove})
      for (std::size_t const k : {1u, 4u, 40u, 52u})
        for (std::size_t const threads : {1u, 2u}) means_are_of_the_nearest(grid, move, k, threads);
  equal_rows_vote_together();
}
