// Trees as plain arrays: in which leaves rows fall, the means of leaf values, rows that share them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/topk.hpp"
#include "core/view.hpp"

namespace lookalike {

// In depth-first order: the left child follows its parent. Rows with x <= threshold go left.
struct TreeNode {
  std::int32_t feature;    // of a leaf -1; plus missing_left where missing values go left
  std::int32_t right;      // the right child among the nodes of all trees; of a leaf its number
  std::int32_t threshold;  // the bits of a float
};
inline constexpr std::int32_t missing_left = 1 << 30;

struct Forest {
  std::span<TreeNode const> node;      // of all trees, one tree after the other
  std::span<std::int64_t const> root;  // (trees,)
};

// Writes the leaf of every row in every tree, by its number among the leaves of all trees.
void find_leaves(Forest const& forest, View<float const> X, std::size_t threads,
                 View<std::int32_t> leaf);

// Writes the mean over the trees of the values (leaves, outputs) of the leaves of every row.
void mean_leaf_values(Forest const& forest, View<float const> X, View<double const> value,
                      std::size_t threads, View<double> mean);

// The training rows in every leaf, and how often each was drawn for the tree.
struct LeafRows {
  std::span<std::int64_t const> start;     // (leaves + 1,)
  std::span<std::int32_t const> row;       // (rows of all leaves,)
  std::span<std::uint16_t const> drawn;    // likewise; 0 out of bag
  std::span<double const> weight;          // (rows,) or empty: each counts once
  std::span<double const> inverse_weight;  // (leaves,) 1 / the weight of what was drawn
};

// The weights of the training rows in the answers for some leaves (queries, trees), which sum to 1:
// of every query its rows in rising order, key = weight.
RadiusNeighbors forest_weights(View<std::int32_t const> leaf, LeafRows const& members,
                               std::size_t rows, std::size_t threads);

// The k rows that share the most leaves with every query, ties by number, and in how many trees
// they do. `exclude` is empty, or a row that is none of the neighbors of each query.
void most_shared_leaves(View<std::int32_t const> leaf, LeafRows const& members, std::size_t rows,
                        std::span<std::int64_t const> exclude, std::size_t threads,
                        View<std::int32_t> shared, View<std::int64_t> row);

}  // namespace lookalike
