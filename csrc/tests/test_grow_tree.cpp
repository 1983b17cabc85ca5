// A stump of classes and one of numbers, pairs sorted in any order, and classes that do not exist.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "forest/grow_tree.hpp"
#include "forest/sort_pairs.hpp"

using namespace lookalike;

namespace {

constexpr std::size_t kRows = 4;
std::vector<float> const column{0.0f, 1.0f, 2.0f, 3.0f};

GrowthPlan stump(bool random_thresholds) { return {random_thresholds, 1, 1, 1}; }

GrownTree grow(std::vector<double> const& target, std::size_t classes,
               std::vector<double> const& weight, bool random_thresholds) {
  GrowthRows const rows{
      {column.data(), 1, kRows, kRows}, {target.data(), kRows, 1, 1}, classes, weight};
  return grow_tree(rows, stump(random_thresholds), 7);
}

void a_stump_parts_two_classes() {
  auto const tree = grow({0.0, 0.0, 1.0, 1.0}, 2, {}, false);
  CHECK(tree.node.size() == 9 && std::bit_cast<float>(tree.node[2]) == 1.5f);
  CHECK((tree.value == std::vector<double>{1.0, 0.0, 0.0, 1.0}));
  CHECK((tree.importance == std::vector<double>{0.5}));
}

void rows_without_weight_do_not_count() {
  auto const tree = grow({5.0, 1.0, 1.0, 3.0}, 0, {0.0, 1.0, 2.0, 1.0}, false);
  CHECK(std::bit_cast<float>(tree.node[2]) == 2.5f);
  CHECK((tree.value == std::vector<double>{1.0, 3.0}));
}

void a_random_threshold_lies_between_the_values() {
  auto const tree = grow({0.0, 1.0, 2.0, 3.0}, 0, {}, true);
  float const threshold = std::bit_cast<float>(tree.node[2]);
  CHECK(tree.node.size() == 9 && threshold >= 0.0f && threshold < 3.0f);
}

void a_class_that_does_not_exist_is_refused() {
  bool refused = false;
  try {
    grow({0.0, 1.0, 2.0, 1.0}, 2, {}, false);
  } catch (std::invalid_argument const&) {
    refused = true;
  }
  CHECK(refused);
}

void pairs_are_sorted(std::size_t n, std::uint32_t step) {
  std::vector<float> value(n);
  std::vector<std::uint32_t> item(n);
  for (std::size_t i = 0; i < n; ++i) {
    item[i] = static_cast<std::uint32_t>(i);
    value[i] = static_cast<float>((i * step) % 101);
  }
  auto const given = value;
  sort_pairs(value.data(), item.data(), n);
  CHECK(std::ranges::is_sorted(value));
  for (std::size_t i = 0; i < n; ++i) CHECK(given[item[i]] == value[i]);
}

}  // namespace

int main() {
  a_stump_parts_two_classes();
  rows_without_weight_do_not_count();
  a_random_threshold_lies_between_the_values();
  a_class_that_does_not_exist_is_refused();
  for (std::size_t const n : {0, 1, 2, 15, 16, 1000})
    for (std::uint32_t const step : {0u, 1u, 37u}) pairs_are_sorted(n, step);
}
