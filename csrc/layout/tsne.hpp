// t-SNE: gradient descent of the Kullback-Leibler divergence between neighbors and map.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/dispatch.hpp"
#include "core/view.hpp"
#include "layout/repulsion.hpp"

namespace lookalike {

// A symmetric graph: the rows that each row is joined to, and how strongly.
struct WeightedGraph {
  std::span<std::int64_t const> start;  // (rows + 1,)
  std::span<std::int32_t const> row;
  std::span<float const> weight;  // of t-SNE they sum to 1
};

// Raise unless every row of `graph` has its edges, which lead to one of `rows` rows; and unless
// `points` are a map in which those named by `row` have a `weight`, and `placed` a place each.
void require_graph(WeightedGraph const& graph, std::size_t rows);
void require_map(View<double const> points, View<std::int64_t const> row, View<double const> weight,
                 View<double> placed);

struct DescentState {  // (rows, 2) each
  View<double> position, velocity, gain;
};

struct DescentOptions {
  double exaggeration, learning_rate, momentum;
  std::size_t steps;
};

// Takes some steps of gradient descent with momentum and gains [van der Maaten 2008], and returns
// the sum over all pairs of 1 / (1 + d^2) before the last one.
double tsne_steps(WeightedGraph const& graph, DescentOptions const& options, RepulsionGrid& grid,
                  DescentState state, std::size_t threads);

// Moves each of `placed` to where its own divergence is small, all `points` staying where they are:
// each as if it were alone. Row i of `row` and `weight` are its neighbors among the points, and
// weights that sum to 1.
void tsne_place(View<double const> points, View<std::int64_t const> row, View<double const> weight,
                std::size_t steps, View<double> placed, std::size_t threads);

struct AttractionKernels {
  // The pull sum_j p_j w_j (y - y_j), w = 1 / (1 + d^2), of the neighbors of one point. Places are
  // pairs of float32: most of the time goes into loading them.
  void (*pull)(float const* position, std::int32_t const* row, float const* weight,
               std::size_t count, float const* y, double* force);
};

LOOKALIKE_SIMD_TABLE(AttractionKernels, attraction_kernels)

}  // namespace lookalike
