// TopK keeps the smallest keys, equal keys by row number, whatever the order of arrival.
#include <cstdio>
#include <random>
#include <vector>

#include "check.hpp"
#include "core/topk.hpp"

using namespace lookalike;

namespace {

std::vector<Neighbor> sorted_prefix(std::vector<Neighbor> all, std::size_t k, double limit) {
  std::erase_if(all, [&](Neighbor const& one) { return one.key > limit; });
  std::sort(all.begin(), all.end());
  all.resize(std::min(all.size(), k));
  return all;
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
  if (expected.size() == k) CHECK(best.worst() == expected.back().key);
  auto const found = best.sorted();
  CHECK(found.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    CHECK(found[i].key == expected[i].key && found[i].row == expected[i].row);
}

}  // namespace

int main() {
  std::mt19937 random(1);
  for (std::size_t k : {1u, 2u, 7u, 59u, 60u, 100u})
    for (double limit : {0.0, 3.0, 100.0})
      for (int round = 0; round < 20; ++round) keeps_the_smallest(random, k, limit);
  return 0;
}
