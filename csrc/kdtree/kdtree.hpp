// Exact neighbors of rows of few columns: a forest of balanced KD-trees, searched in packets.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/dispatch.hpp"
#include "core/view.hpp"
#include "density/spanning_forest.hpp"
#include "kdtree/part.hpp"
#include "kdtree/search.hpp"

namespace lookalike {

struct KDRequest {
  Minkowski metric;
  double slack = 0.0;   // > 0: pass over a box without a row nearer than 1/(1 + slack) of the last
  bool packets = true;  // compare several queries at a time; the result is the same
};

// Rows are numbered by 32 bits inside a tree, one of which marks others.
inline constexpr std::size_t kMostTreeRows = (std::size_t{1} << 31) - 1;

// Rows that can be searched and appended to. Results are those of a float64 scan by direct
// differences, equal distances by row number, on any number of threads.
template <class T>
class KDTree {
 public:
  KDTree(View<T const> X, KDTreeShape shape, std::size_t threads);

  // Appends rows: they become a tree of their own, joined with trees that are not much larger.
  void add(View<T const> X, std::size_t threads);

  std::size_t rows() const { return parts_.back().first + parts_.back().rows; }
  std::size_t cols() const { return parts_.back().cols; }
  std::size_t depth() const;        // splits from the root to the deepest leaf
  void copy_rows(View<T> X) const;  // in the order in which they were given

  // The nodes of the first tree in preorder, of which a leaf has no split, and its rows by leaf.
  std::size_t nodes() const { return parts_.front().split_value.size(); }
  std::size_t placed() const { return parts_.front().rows; }
  void copy_nodes(std::span<std::int64_t> column, std::span<double> value,
                  std::span<std::int64_t> row) const;

  // Row i of `out` receives the nearest rows of query i, nearest first, without row exclude[i]
  // where `exclude` is not empty.
  void nearest(View<double const> Q, std::span<std::int64_t const> exclude, KDRequest request,
               NeighborTable out, std::size_t threads) const;

  // The same with the rows themselves as queries, each excluded from its own neighbors.
  void nearest_of_rows(KDRequest request, NeighborTable out, std::size_t threads) const;

  // All rows at distance <= radius[i] of query i, nearest first.
  RadiusNeighbors within(View<double const> Q, std::span<double const> radius,
                         std::span<std::int64_t const> exclude, Minkowski metric,
                         std::size_t threads) const;

  // Joins the components of a forest of the rows until one is left; `lists` are their neighbors.
  void span(SpanningForest& forest, NeighborTable lists, Minkowski metric,
            std::size_t threads) const;

  // core[row] = whether at least `least` rows, itself among them, are at distance <= radius.
  void core_rows(double radius, std::size_t least, Minkowski metric, std::span<std::uint8_t> core,
                 std::size_t threads) const;

  // parent[row] = the smallest of the core rows that steps of at most the radius lead to.
  void components(double radius, Minkowski metric, std::span<std::uint8_t const> core,
                  std::span<std::int64_t> parent, std::size_t threads) const;

 private:
  // The numbers of the queries, those that fall into the same leaf side by side.
  std::vector<std::size_t> tree_order(View<double const> Q, std::size_t threads) const;

  KDTreeShape shape_;
  std::vector<KDPart<T>> parts_;  // largest first; their rows are numbered one after the other
};

}  // namespace lookalike
