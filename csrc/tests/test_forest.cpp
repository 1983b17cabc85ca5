// Two small trees: leaves, means, weights and shared leaves, on one thread and on several.
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "check.hpp"
#include "forest/forest.hpp"

using namespace lookalike;

namespace {

constexpr std::size_t kRows = 3000;

std::int32_t bits(float value) { return std::bit_cast<std::int32_t>(value); }

// Tree 0: x0 <= 1 to leaf 0, else x1 <= 5 to leaf 1, else leaf 2; missing x0 goes left. Tree 1: one
// leaf, number 3.
struct Trees {
  std::vector<TreeNode> node{{0 + missing_left, 2, bits(1.0f)},
                             {-1, 0, 0},
                             {1, 4, bits(5.0f)},
                             {-1, 1, 0},
                             {-1, 2, 0},
                             {-1, 3, 0}};
  std::vector<std::int64_t> root{0, 5};
  // Training rows 0, 1 in leaf 0, 2 in leaf 1, 3 in leaf 2, all in leaf 3; row 1 out of its bag.
  std::vector<std::int64_t> start{0, 2, 3, 4, 8};
  std::vector<std::int32_t> row{0, 1, 2, 3, 0, 1, 2, 3};
  std::vector<std::uint16_t> drawn{2, 1, 1, 1, 1, 0, 1, 2};
  std::vector<double> inverse_weight{1.0 / 3, 1.0, 1.0, 1.0 / 4};

  Forest forest() const { return {node, root}; }
  LeafRows members() const { return {start, row, drawn, {}, inverse_weight}; }
};

std::vector<float> queries() {
  float const missing = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> X;
  for (std::size_t i = 0; i < kRows; ++i) {
    std::vector<float> const row = i % 4 == 0   ? std::vector<float>{1.0f, 9.0f}
                                   : i % 4 == 1 ? std::vector<float>{1.5f, 5.0f}
                                   : i % 4 == 2 ? std::vector<float>{2.0f, 5.5f}
                                                : std::vector<float>{missing, missing};
    X.insert(X.end(), row.begin(), row.end());
  }
  return X;
}

void rows_fall_into_leaves(std::size_t threads) {
  Trees const trees;
  auto const X = queries();
  std::vector<std::int32_t> leaf(2 * kRows);
  find_leaves(trees.forest(), {X.data(), kRows, 2, 2}, threads, {leaf.data(), kRows, 2, 2});
  std::int32_t const first[] = {0, 1, 2, 0};
  for (std::size_t i = 0; i < kRows; ++i) {
    CHECK(leaf[2 * i] == first[i % 4]);
    CHECK(leaf[2 * i + 1] == 3);
  }
  std::vector<double> const value{1.0, 2.0, 4.0, 10.0};
  std::vector<double> mean(kRows);
  mean_leaf_values(trees.forest(), {X.data(), kRows, 2, 2}, {value.data(), 4, 1, 1}, threads,
                   {mean.data(), kRows, 1, 1});
  double const expected[] = {5.5, 6.0, 7.0, 5.5};
  for (std::size_t i = 0; i < kRows; ++i) CHECK(mean[i] == expected[i % 4]);
}

void weights_sum_to_one(std::size_t threads) {
  Trees const trees;
  std::vector<std::int32_t> const leaf{0, 3, 1, 3, 2, 3};
  auto const weights = forest_weights({leaf.data(), 3, 2, 2}, trees.members(), 4, threads);
  CHECK((weights.start == std::vector<std::int64_t>{0, 4, 7, 10}));
  CHECK((weights.row == std::vector<std::int64_t>{0, 1, 2, 3, 0, 2, 3, 0, 2, 3}));
  for (std::size_t query = 0; query < 3; ++query) {
    double sum = 0.0;
    for (auto i = weights.start[query]; i < weights.start[query + 1]; ++i)
      sum += weights.key[static_cast<std::size_t>(i)];
    CHECK(std::abs(sum - 1.0) < 1e-15);
  }
  CHECK(std::abs(weights.key[0] - (2.0 / 3 + 1.0 / 4) / 2) < 1e-15);
}

void neighbors_share_leaves(std::size_t threads) {
  Trees const trees;
  std::vector<std::int32_t> const leaf{0, 3, 2, 3};
  std::vector<std::int64_t> const exclude{0, -1};
  std::vector<std::int32_t> shared(6);
  std::vector<std::int64_t> row(6);
  most_shared_leaves({leaf.data(), 2, 2, 2}, trees.members(), 4, exclude, threads,
                     {shared.data(), 2, 3, 3}, {row.data(), 2, 3, 3});
  CHECK((row == std::vector<std::int64_t>{1, 2, 3, 3, 0, 1}));
  CHECK((shared == std::vector<std::int32_t>{2, 1, 1, 2, 1, 1}));
  most_shared_leaves({leaf.data(), 2, 1, 2}, trees.members(), 4, {}, threads,
                     {shared.data(), 2, 3, 3}, {row.data(), 2, 3, 3});
  CHECK((row == std::vector<std::int64_t>{0, 1, 2, 3, 0, 1}));  // rows that share none go by number
  CHECK((shared == std::vector<std::int32_t>{1, 1, 0, 1, 0, 0}));
}

}  // namespace

int main() {
  for (std::size_t const threads : {1, 4}) {
    rows_fall_into_leaves(threads);
    weights_sum_to_one(threads);
    neighbors_share_leaves(threads);
  }
}
