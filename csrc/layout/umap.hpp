// UMAP: stochastic gradient descent along the edges of a graph, with negative samples.
#pragma once
#include <cstddef>
#include <cstdint>

#include "core/view.hpp"
#include "layout/tsne.hpp"

namespace lookalike {

// Two rows at distance d on the map are joined by 1 / (1 + a d^(2 b)).
struct UmapOptions {
  double a, b;
  std::size_t negative_samples;  // for every attraction
  std::uint64_t seed;
};

// Runs one epoch. Rows move in blocks drawn by the seed: those of a block together, seeing the
// others where they were when it began; then the other ends of their edges move toward them. The
// result does not depend on the number of threads.
// Weights of the graph are those of [McInnes 2018], divided by the largest.
void umap_epoch(WeightedGraph const& graph, UmapOptions const& options, std::size_t epoch,
                double learning_rate, View<double> position, std::size_t threads);

// Moves each of `placed` among the `points`, which stay: each as if it were alone. Row i of `row`
// and `weight` are its neighbors among the points, and weights of at most 1.
void umap_place(View<double const> points, View<std::int64_t const> row, View<double const> weight,
                UmapOptions const& options, std::size_t epochs, View<double> placed,
                std::size_t threads);

}  // namespace lookalike
