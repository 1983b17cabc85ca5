// The tree of clusters: rows joined from near to far, and what is left of it above a size.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lookalike {

// Merge i joins `left` and `right` (rows, or rows + the number of an earlier merge); `size` is the
// weight of all rows below. All of length rows - 1.
struct Merges {
  std::span<std::int64_t> left, right;
  std::span<double> size;
};

// Joins rows by the edges of their spanning tree, which come smallest first; the side that has the
// smaller row is the left one.
void merge_rows(std::span<std::int64_t const> a, std::span<std::int64_t const> b,
                std::span<double const> weight, Merges out);

// Entry i: cluster `parent` loses `child`, a row or a cluster, of this size, at density lambda. The
// first cluster is numbered as the rows are many, and parents come before their children.
struct CondensedTree {
  std::vector<std::int64_t> parent, child;
  std::vector<double> lambda, size;
};

// Sides of a merge that weigh less than `least` fall out of their cluster, row by row.
CondensedTree condense(std::span<std::int64_t const> left, std::span<std::int64_t const> right,
                       std::span<double const> height, std::span<double const> size,
                       std::span<double const> weight, double least);

}  // namespace lookalike
