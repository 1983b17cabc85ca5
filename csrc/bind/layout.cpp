#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "layout/affinities.hpp"
#include "layout/tsne.hpp"
#include "layout/umap.hpp"

namespace lookalike::bind {
namespace {

using Number = std::int64_t;
using Points = Matrix<double const>;
using Lists = Matrix<Number const>;

WeightedGraph graph_of(Vector<Number const> const& start, Vector<std::int32_t const> const& row,
                       Vector<float const> const& weight) {
  return {view(start), view(row), view(weight)};
}

void bind_affinities(nb::module_& m) {
  m.def(
      "perplexity_affinities",
      [](Points distance, double perplexity, std::size_t threads, Matrix<double> affinity) {
        auto const in = view(distance);
        auto const out = view(affinity);
        nb::gil_scoped_release unlocked;
        perplexity_affinities(in, perplexity, out, threads);
      },
      nb::kw_only(), "distance"_a.noconvert(), "perplexity"_a, "threads"_a,
      "affinity"_a.noconvert(), "Write Gaussian affinities of a perplexity.");
  m.def(
      "fuzzy_affinities",
      [](Points distance, std::size_t threads, Matrix<double> affinity) {
        auto const in = view(distance);
        auto const out = view(affinity);
        nb::gil_scoped_release unlocked;
        fuzzy_affinities(in, out, threads);
      },
      nb::kw_only(), "distance"_a.noconvert(), "threads"_a, "affinity"_a.noconvert(),
      "Write the affinities of UMAP.");
}

void bind_tsne(nb::module_& m) {
  nb::class_<RepulsionGrid>(m, "RepulsionGrid", "The grid on which points repel each other.")
      .def(nb::init<>());
  m.def(
      "tsne_steps",
      [](RepulsionGrid& grid, Vector<Number const> start, Vector<std::int32_t const> row,
         Vector<float const> weight, Matrix<double> position, Matrix<double> velocity,
         Matrix<double> gain, double exaggeration, double learning_rate, double momentum,
         std::size_t steps, std::size_t threads) {
        auto const graph = graph_of(start, row, weight);
        DescentState const state{view(position), view(velocity), view(gain)};
        DescentOptions const options{exaggeration, learning_rate, momentum, steps};
        nb::gil_scoped_release unlocked;
        return tsne_steps(graph, options, grid, state, threads);
      },
      nb::kw_only(), "grid"_a, "start"_a.noconvert(), "row"_a.noconvert(), "weight"_a.noconvert(),
      "position"_a.noconvert(), "velocity"_a.noconvert(), "gain"_a.noconvert(), "exaggeration"_a,
      "learning_rate"_a, "momentum"_a, "steps"_a, "threads"_a,
      "Take steps of gradient descent; return the sum of 1 / (1 + d^2) over all pairs.");
  m.def(
      "tsne_place",
      [](Points points, Lists row, Points weight, std::size_t steps, std::size_t threads,
         Matrix<double> placed) {
        auto const fixed = view(points);
        auto const near = view(row);
        auto const weights = view(weight);
        auto const out = view(placed);
        nb::gil_scoped_release unlocked;
        tsne_place(fixed, near, weights, steps, out, threads);
      },
      nb::kw_only(), "points"_a.noconvert(), "row"_a.noconvert(), "weight"_a.noconvert(), "steps"_a,
      "threads"_a, "placed"_a.noconvert(), "Move new points among those of a map, each alone.");
}

void bind_umap(nb::module_& m) {
  m.def(
      "umap_epoch",
      [](Vector<Number const> start, Vector<std::int32_t const> row, Vector<float const> weight,
         double a, double b, std::size_t negative_samples, std::uint64_t seed, std::size_t epoch,
         double learning_rate, std::size_t threads, Matrix<double> position) {
        auto const graph = graph_of(start, row, weight);
        auto const out = view(position);
        nb::gil_scoped_release unlocked;
        umap_epoch(graph, {a, b, negative_samples, seed}, epoch, learning_rate, out, threads);
      },
      nb::kw_only(), "start"_a.noconvert(), "row"_a.noconvert(), "weight"_a.noconvert(), "a"_a,
      "b"_a, "negative_samples"_a, "seed"_a, "epoch"_a, "learning_rate"_a, "threads"_a,
      "position"_a.noconvert(), "Run one epoch of stochastic gradient descent.");
  m.def(
      "umap_place",
      [](Points points, Lists row, Points weight, double a, double b, std::size_t negative_samples,
         std::uint64_t seed, std::size_t epochs, std::size_t threads, Matrix<double> placed) {
        auto const fixed = view(points);
        auto const near = view(row);
        auto const weights = view(weight);
        auto const out = view(placed);
        nb::gil_scoped_release unlocked;
        umap_place(fixed, near, weights, {a, b, negative_samples, seed}, epochs, out, threads);
      },
      nb::kw_only(), "points"_a.noconvert(), "row"_a.noconvert(), "weight"_a.noconvert(), "a"_a,
      "b"_a, "negative_samples"_a, "seed"_a, "epochs"_a, "threads"_a, "placed"_a.noconvert(),
      "Move new points among those of a map, each alone.");
}

}  // namespace

void bind_layout(nb::module_& m) {
  bind_affinities(m);
  bind_tsne(m);
  bind_umap(m);
}

}  // namespace lookalike::bind
