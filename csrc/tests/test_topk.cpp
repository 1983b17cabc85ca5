// TopK keeps the smallest keys, RadiusCollector those up to a limit, whatever the order of arrival.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "check.hpp"
#include "core/largest_key.hpp"
#include "core/topk.hpp"

using namespace lookalike;

namespace {

std::vector<Neighbor> sorted_prefix(std::vector<Neighbor> all, std::size_t k, double limit) {
  std::erase_if(all, [&](Neighbor const& one) { return one.key > limit; });
  std::sort(all.begin(), all.end());
  all.resize(std::min(all.size(), k));
  return all;
}

void check_equal(std::span<Neighbor const> neighbors, std::vector<Neighbor> const& expected) {
  CHECK(neighbors.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    CHECK(neighbors[i].key == expected[i].key && neighbors[i].row == expected[i].row);
}

void keeps_the_smallest(std::mt19937& random, std::size_t k, double limit) {
  std::vector<Neighbor> all;
  for (std::int64_t row = 0; row < 60; ++row)
    all.push_back({static_cast<double>(random() % 7), row});
  std::shuffle(all.begin(), all.end(), random);
  std::vector<Neighbor> slots(k);
  TopK best(slots, limit);
  for (Neighbor const& one : all) best.offer(one);
  auto const expected = sorted_prefix(all, k, limit);
  if (expected.size() == k) CHECK(best.bound() == expected.back().key);
  check_equal(best.sorted(), expected);
  RadiusCollector within(limit);
  for (Neighbor const& one : all) within.offer(one);
  CHECK(within.bound() == limit);
  check_equal(within.sorted(), sorted_prefix(all, all.size(), limit));
}

void joins_the_neighbors_of_all_queries() {
  std::vector<std::vector<Neighbor>> of_query{{{0.5, 3}, {1.0, 1}}, {}, {{2.0, 0}}};
  RadiusNeighbors const joined = join_queries(std::move(of_query));
  CHECK((joined.key == std::vector<double>{0.5, 1.0, 2.0}));
  CHECK((joined.row == std::vector<std::int64_t>{3, 1, 0}));
  CHECK((joined.start == std::vector<std::int64_t>{0, 2, 2, 3}));
}

// The next double is outside, the key itself inside; wherever the guess lies.
void finds_the_largest_key(double radius, double unit) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  auto const within = [&](double key) { return std::sqrt(key) * unit <= radius; };
  for (double const guess : {0.0, -1.0, 1.0, 1e-320, 1e308, kInfinity, radius * radius}) {
    double const key = largest_key_within(guess, within);
    if (radius < 0.0) {
      CHECK(key == -1.0);
    } else {
      CHECK(within(key));
      CHECK(key == kInfinity || !within(std::nextafter(key, kInfinity)));
    }
  }
}

}  // namespace

int main() {
  std::mt19937 random(1);
  for (std::size_t k : {1u, 2u, 7u, 59u, 60u, 100u})
    for (double limit : {0.0, 3.0, 100.0})
      for (int round = 0; round < 20; ++round) keeps_the_smallest(random, k, limit);
  joins_the_neighbors_of_all_queries();
  for (double const radius : {-1.0, 0.0, 5e-324, 1e-200, 0.3, 2.0, 1e200, 1.7e308})
    for (double const unit : {1.0, 0x1p-1000, 0x1p1000, 0x1p-30})
      finds_the_largest_key(radius, unit);
  finds_the_largest_key(std::numeric_limits<double>::infinity(), 1.0);
  return 0;
}
