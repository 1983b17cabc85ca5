// Minimum spanning trees of mutual reachability, by Borůvka's rounds: every component is joined
// with the nearest row outside of it.
//
// The weight of two rows is the largest of their core distances and of their distance over `alpha`.
// Equal weights go by row numbers, so that there is one tree, however it was found.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <tuple>
#include <vector>

#include "core/any_rows.hpp"
#include "core/topk.hpp"
#include "core/view.hpp"

namespace lookalike {

struct Edge {
  double weight = std::numeric_limits<double>::infinity();
  std::int64_t low = -1, high = -1;  // row numbers; -1 where there is no edge

  static Edge of(double weight, std::int64_t a, std::int64_t b) {
    return a < b ? Edge{weight, a, b} : Edge{weight, b, a};
  }
  friend bool operator<(Edge const& a, Edge const& b) {
    return std::tie(a.weight, a.low, a.high) < std::tie(b.weight, b.low, b.high);
  }
};

// The edges found so far, and the components that they make.
class SpanningForest {
 public:
  SpanningForest(std::span<double const> core, double alpha);

  std::size_t rows() const { return core_.size(); }
  std::size_t components() const { return components_; }
  std::span<std::int64_t const> component() const { return component_; }  // of every row
  std::span<Edge const> edges() const { return edges_; }
  double alpha() const { return alpha_; }
  double core(std::size_t row) const { return core_[row]; }
  double weight(std::size_t a, std::size_t b, double distance) const {
    double const far = distance / alpha_;
    double const least = core_[a] > core_[b] ? core_[a] : core_[b];
    return far > least ? far : least;
  }

  // Joins what the edges join, smallest first; those of rows joined already are passed over.
  void join(std::vector<Edge> edges);

  // Joins components as long as lists of the nearest other rows prove the next edge of one.
  void join_listed(NeighborTable lists);

 private:
  std::vector<double> core_;
  double alpha_;
  std::vector<std::int64_t> parent_, component_;
  std::size_t components_;
  std::vector<Edge> edges_;
};

// One look at all pairs of rows, in blocks: the smallest edge of every component, or of every pair
// of components where these are few, after which the tree is complete.
class ForestPass {
 public:
  // `order` says which row stands at each place of the blocks.
  ForestPass(SpanningForest& forest, std::span<std::int64_t const> order, std::size_t threads);

  // Distances of the rows at places [query, query + rows) to those at [place, place + cols).
  void offer_distances(View<double const> distance, std::size_t query, std::size_t place);

  // Inner products in float32 of rows, minus their mean, of which row i has the squared length
  // squared[i]. Where rounding leaves open which pair is nearer, `X` (by place) decides.
  void offer_products(View<float const> product, std::span<double const> squared, AnyRows X,
                      std::size_t query, std::size_t place);

  void finish();  // joins what was found

 private:
  struct Best {
    Edge edge;
    double reach =
        std::numeric_limits<double>::infinity();  // no smaller squared distance is refused
  };
  template <class Row>
  void offer(std::size_t rows, std::size_t cols, std::size_t query, std::size_t place, Row&& row);
  Best& best_of(std::size_t worker, std::int64_t a, std::int64_t b);
  void keep(Best& best, Edge edge) const;
  void take(std::size_t worker, std::int64_t a, std::int64_t b, Edge edge);
  bool wants(std::size_t worker, std::int64_t a, std::int64_t b, double squared, double core);

  SpanningForest& forest_;
  std::vector<std::int64_t> order_;
  std::size_t threads_;
  bool by_pair_;
  std::vector<std::vector<Best>> best_;  // of each worker
};

}  // namespace lookalike
