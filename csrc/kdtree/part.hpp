// One balanced KD-tree in flat arrays: rows in tree order, leaves as small blocks of columns.
#pragma once
#include <cstddef>
#include <cstdint>

#include "core/lines.hpp"
#include "core/view.hpp"

namespace lookalike {

struct KDTreeShape {
  std::size_t leaf_size = 16;
  bool random_split = false;  // split a random column, not the one of largest variance
  std::uint64_t seed = 0;
};

// Where a node lies: nodes are numbered in preorder, so that three numbers describe it. All
// leaves but the last are full, and the tree is as deep as its number of leaves requires, never
// more.
struct KDNode {
  std::uint32_t id;
  std::uint32_t leaf;    // the first leaf below it
  std::uint32_t leaves;  // how many leaves lie below it
};

// Functions of internal linkage, as kernels of every vector level compile them for themselves.
static inline std::uint32_t left_leaves(KDNode node) { return (node.leaves + 1) / 2; }
static inline KDNode left_child(KDNode node) { return {node.id + 1, node.leaf, left_leaves(node)}; }
static inline KDNode right_child(KDNode node) {
  std::uint32_t const left = left_leaves(node);
  return {node.id + 2 * left, node.leaf + left, node.leaves - left};
}

// A borrowed tree, for kernels.
template <class T>
struct KDPartView {
  T const* values;                 // leaf after leaf, in a leaf column after column
  std::uint32_t const* row;        // the number of the row at each place
  T const* box;                    // of each node: the least value of every column, then the most
  std::uint32_t const* least_row;  // of each node
  std::size_t rows;
  std::size_t cols;
  std::size_t leaf_size;
  std::size_t first;  // places before this part, and the number of its first row
};

template <class T>
static inline KDNode root_of(KDPartView<T> const& part) {
  return {0, 0, static_cast<std::uint32_t>((part.rows + part.leaf_size - 1) / part.leaf_size)};
}
template <class T>
static inline std::size_t leaf_rows(KDPartView<T> const& part, std::size_t leaf) {
  std::size_t const left = part.rows - leaf * part.leaf_size;
  return left < part.leaf_size ? left : part.leaf_size;
}
template <class T>
static inline T const* leaf_values(KDPartView<T> const& part, std::size_t leaf) {
  return part.values + leaf * part.leaf_size * part.cols;
}

template <class T>
struct KDPart {
  static constexpr std::size_t kPadding = 16;  // values a kernel may read past the last

  std::size_t rows = 0;
  std::size_t cols = 0;
  std::size_t leaf_size = 1;
  std::size_t first = 0;
  double largest = 0.0;  // the largest |value|
  Lines<T> values;
  Lines<std::uint32_t> row;
  Lines<T> box;
  Lines<std::uint32_t> least_row;
  Lines<std::uint32_t> split_column;  // of each node; leaves have none
  Lines<T> split_value;               // rows below it went left

  KDPartView<T> view() const {
    return {values.data(), row.data(), box.data(), least_row.data(), rows, cols, leaf_size, first};
  }
};

// Splits X at the median of the chosen column until a leaf holds at most `leaf_size` rows; rows
// are numbered from `first`. The tree does not depend on the number of threads.
template <class T>
KDPart<T> build_kdpart(View<T const> X, std::size_t first, KDTreeShape shape, std::size_t threads);

}  // namespace lookalike
