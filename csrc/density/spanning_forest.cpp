#include "density/spanning_forest.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/bounds.hpp"
#include "core/parallel.hpp"
#include "density/components.hpp"
#include "distance/distance.hpp"

namespace lookalike {
namespace {

constexpr std::size_t kMostPairedComponents = 1024;  // a table of their pairs has room in memory
constexpr std::size_t kRowsOfTask = 16;
constexpr double kWiden = 1.0 + 0x1p-40;  // more than the rounding of a square and a root

}  // namespace

SpanningForest::SpanningForest(std::span<double const> core, double alpha)
    : core_(core.begin(), core.end()),
      alpha_(alpha),
      parent_(core.size()),
      component_(core.size()),
      components_(core.size()) {
  require(alpha > 0.0, "alpha must be above 0");
  std::iota(parent_.begin(), parent_.end(), 0);
  std::iota(component_.begin(), component_.end(), 0);
}

void SpanningForest::join(std::vector<Edge> edges) {
  std::sort(edges.begin(), edges.end());
  DisjointSets sets(parent_);
  for (Edge const& edge : edges) {
    if (edge.low < 0) continue;
    require(is_place(edge.low, rows()) && is_place(edge.high, rows()), "an edge has no rows");
    if (sets.join(edge.low, edge.high)) edges_.push_back(edge);
  }
  std::int64_t count = 0;
  for (std::size_t row = 0; row < rows(); ++row) {  // a root comes before its rows
    auto const root = static_cast<std::size_t>(sets.root(static_cast<std::int64_t>(row)));
    component_[row] = root == row ? count++ : component_[root];
  }
  components_ = static_cast<std::size_t>(count);
}

void SpanningForest::join_listed(NeighborTable lists) {
  require(lists.row.rows == rows() && has_shape(lists.distance, rows(), lists.row.cols) &&
              lists.row.cols > 0,
          "a list of neighbors for every row is needed");
  require_places(
      View<std::int64_t const>{lists.row.data, lists.row.rows, lists.row.cols, lists.row.stride},
      rows(), "a neighbor is none of the rows");
  while (components_ > 1) {
    checkpoint();
    std::vector<Edge> best(components_);
    std::vector<double> unlisted(components_, std::numeric_limits<double>::infinity());
    for (std::size_t row = 0; row < rows(); ++row) {
      auto const own = static_cast<std::size_t>(component_[row]);
      auto const distance = lists.distance[row];
      for (std::size_t i = 0; i < distance.size(); ++i) {
        auto const other = static_cast<std::size_t>(lists.row[row][i]);
        if (component_[other] == component_[row]) continue;
        Edge const edge = Edge::of(weight(row, other, distance[i]), static_cast<std::int64_t>(row),
                                   static_cast<std::int64_t>(other));
        if (edge < best[own]) best[own] = edge;
        if (distance[i] / alpha_ > best[own].weight) break;  // the others are farther
      }
      unlisted[own] = std::min(unlisted[own], weight(row, row, distance.back()));
    }
    for (std::size_t i = 0; i < components_; ++i)
      if (!(best[i].weight < unlisted[i])) best[i] = {};
    std::size_t const before = components_;
    join(std::move(best));
    if (components_ == before) return;
  }
}

ForestPass::ForestPass(SpanningForest& forest, std::span<std::int64_t const> order,
                       std::size_t threads)
    : forest_(forest),
      order_(order.begin(), order.end()),
      threads_(threads == 0 ? default_threads() : threads),
      by_pair_(forest.components() <= kMostPairedComponents),
      best_(threads_) {
  require(order.size() == forest.rows(), "every row needs a place");
  require_places(order, forest.rows(), "a place has none of the rows");
  std::size_t const count = forest.components();
  for (auto& best : best_) best.resize(by_pair_ ? count * count : count);
}

ForestPass::Best& ForestPass::best_of(std::size_t worker, std::int64_t a, std::int64_t b) {
  auto const low = static_cast<std::size_t>(std::min(a, b));
  return best_[worker][low * forest_.components() + static_cast<std::size_t>(std::max(a, b))];
}

void ForestPass::keep(Best& best, Edge edge) const {
  if (!(edge < best.edge)) return;
  double const reach = edge.weight * forest_.alpha() * kWiden;
  best = {edge, reach * reach};
}

void ForestPass::take(std::size_t worker, std::int64_t a, std::int64_t b, Edge edge) {
  if (by_pair_) return keep(best_of(worker, a, b), edge);
  keep(best_[worker][static_cast<std::size_t>(a)], edge);
  keep(best_[worker][static_cast<std::size_t>(b)], edge);
}

// Whether an edge of two components may matter that has at least this squared distance and core.
bool ForestPass::wants(std::size_t worker, std::int64_t a, std::int64_t b, double squared,
                       double core) {
  auto const open = [&](Best const& best) {
    return squared <= best.reach && core <= best.edge.weight;
  };
  if (by_pair_) return open(best_of(worker, a, b));
  return open(best_[worker][static_cast<std::size_t>(a)]) ||
         open(best_[worker][static_cast<std::size_t>(b)]);
}

template <class Row>
void ForestPass::offer(std::size_t rows, std::size_t cols, std::size_t query, std::size_t place,
                       Row&& row) {
  std::size_t const count = order_.size();
  require(rows <= count && query <= count - rows && cols <= count && place <= count - cols,
          "a block reaches beyond the rows");
  require(rows == 0 || !best_[0].empty(), "what a look found is joined already");
  parallel_blocks(rows, kRowsOfTask, threads_,
                  [&](std::size_t begin, std::size_t end, std::size_t worker) {
                    checkpoint();
                    for (std::size_t i = begin; i < end; ++i) row(i, worker);
                  });
}

void ForestPass::offer_distances(View<double const> distance, std::size_t query,
                                 std::size_t place) {
  auto const component = forest_.component();
  offer(distance.rows, distance.cols, query, place, [&](std::size_t i, std::size_t worker) {
    auto const a = static_cast<std::size_t>(order_[query + i]);
    for (std::size_t j = 0; j < distance.cols; ++j) {
      auto const b = static_cast<std::size_t>(order_[place + j]);
      if (component[a] == component[b]) continue;
      double const weight = forest_.weight(a, b, distance[i][j]);
      if (wants(worker, component[a], component[b], 0.0, weight))
        take(worker, component[a], component[b],
             Edge::of(weight, order_[query + i], order_[place + j]));
    }
  });
}

void ForestPass::offer_products(View<float const> product, std::span<double const> squared,
                                AnyRows X, std::size_t query, std::size_t place) {
  require(squared.size() == order_.size() && X.rows() == order_.size(),
          "lengths and rows at every place are needed");
  auto const component = forest_.component();
  // A product suffers one rounding a term, and one of each value; a length as many.
  double const error = 2.0 * static_cast<double>(X.cols() + 8) * 0x1p-24;
  std::vector<double> length(squared.size());
  for (std::size_t i = 0; i < length.size(); ++i) length[i] = std::sqrt(squared[i]);
  std::vector<std::vector<double>> scratch(threads_);
  offer(product.rows, product.cols, query, place, [&](std::size_t i, std::size_t worker) {
    auto const a = static_cast<std::size_t>(order_[query + i]);
    auto& values = scratch[worker];
    values.resize(X.cols());
    X.load(query + i, 1, 1.0, values.data());
    for (std::size_t j = 0; j < product.cols; ++j) {
      auto const b = static_cast<std::size_t>(order_[place + j]);
      if (component[a] == component[b]) continue;
      double const margin = error * length[query + i] * length[place + j] +
                            1e-12 * (squared[query + i] + squared[place + j]);
      double const key =
          squared[query + i] + squared[place + j] - 2.0 * static_cast<double>(product[i][j]);
      double const least = std::max(forest_.core(a), forest_.core(b));
      if (!wants(worker, component[a], component[b], key - margin, least)) continue;
      double weight = least;
      double const reach = least * forest_.alpha();
      if (key + margin >= reach * reach / kWiden) {
        double exact = 0.0;
        X.visit([&]<class T>(View<T const> rows) {
          T const* const row = rows.data + (place + j) * rows.stride;
          distance_kernel<T>()(values.data(), &row, 1, rows.cols, &exact);
        });
        weight = forest_.weight(a, b, std::sqrt(exact));
      }
      take(worker, component[a], component[b],
           Edge::of(weight, order_[query + i], order_[place + j]));
    }
  });
}

void ForestPass::finish() {
  std::vector<Edge> edges;
  std::size_t const count = best_[0].size();
  for (std::size_t i = 0; i < count; ++i) {
    Edge least;
    for (auto const& best : best_) least = std::min(least, best[i].edge);
    if (least.low >= 0) edges.push_back(least);
  }
  best_.assign(threads_, {});
  forest_.join(std::move(edges));
}

}  // namespace lookalike
