#include "density/spanning_forest.hpp"

#include "bind/any_rows.hpp"
#include "bind/module.hpp"
#include "core/bounds.hpp"

namespace lookalike::bind {
namespace {

void bind_pass(nb::module_& m) {
  nb::class_<ForestPass>(m, "ForestPass", "One look at all pairs of rows, in blocks.")
      .def(
          "__init__",
          [](ForestPass* self, SpanningForest& forest, Vector<std::int64_t const> order,
             std::size_t threads) { new (self) ForestPass(forest, view(order), threads); },
          nb::kw_only(), "forest"_a, "order"_a.noconvert(), "threads"_a, nb::keep_alive<1, 2>())
      .def(
          "offer_distances",
          [](ForestPass& self, Matrix<double const> distance, std::size_t query,
             std::size_t place) {
            nb::gil_scoped_release unlocked;
            self.offer_distances(view(distance), query, place);
          },
          nb::kw_only(), "distance"_a.noconvert(), "query"_a, "place"_a,
          "Look at the distances of a block of pairs.")
      .def(
          "offer_products",
          [](ForestPass& self, Matrix<float const> product, Vector<double const> squared,
             AnyMatrix X, std::size_t query, std::size_t place) {
            AnyRows const rows = any_rows(X);
            nb::gil_scoped_release unlocked;
            self.offer_products(view(product), view(squared), rows, query, place);
          },
          nb::kw_only(), "product"_a.noconvert(), "squared"_a.noconvert(), "X"_a.noconvert(),
          "query"_a, "place"_a, "Look at the inner products of a block of pairs.")
      .def(
          "finish",
          [](ForestPass& self) {
            nb::gil_scoped_release unlocked;
            self.finish();
          },
          "Join what was found.");
}

}  // namespace

void bind_spanning_forest(nb::module_& m) {
  nb::class_<SpanningForest>(m, "SpanningForest",
                             "The edges of a spanning tree of mutual reachability, found so far.")
      .def(
          "__init__",
          [](SpanningForest* self, Vector<double const> core, double alpha) {
            new (self) SpanningForest(view(core), alpha);
          },
          nb::kw_only(), "core"_a.noconvert(), "alpha"_a)
      .def_prop_ro("rows", &SpanningForest::rows)
      .def_prop_ro("components", &SpanningForest::components)
      .def(
          "join_listed",
          [](SpanningForest& self, Matrix<double> distance, Matrix<std::int64_t> row) {
            nb::gil_scoped_release unlocked;
            self.join_listed({view(distance), view(row)});
          },
          nb::kw_only(), "distance"_a.noconvert(), "row"_a.noconvert(),
          "Join components by edges that lists of the nearest other rows prove.")
      .def(
          "join",
          [](SpanningForest& self, Vector<double const> distance, Vector<std::int64_t const> a,
             Vector<std::int64_t const> b) {
            require(a.shape(0) == b.shape(0) && a.shape(0) == distance.shape(0),
                    "every edge has a distance and two rows");
            require_places(view(a), self.rows(), "an edge has no row");
            require_places(view(b), self.rows(), "an edge has no row");
            std::vector<Edge> edges;
            for (std::size_t i = 0; i < a.shape(0); ++i) {
              auto const low = static_cast<std::size_t>(a(i)),
                         high = static_cast<std::size_t>(b(i));
              edges.push_back(Edge::of(self.weight(low, high, distance(i)), a(i), b(i)));
            }
            self.join(std::move(edges));
          },
          nb::kw_only(), "distance"_a.noconvert(), "a"_a.noconvert(), "b"_a.noconvert(),
          "Join rows by edges that are given.")
      .def(
          "copy_component",
          [](SpanningForest const& self, Vector<std::int64_t> component) {
            require(component.shape(0) == self.rows(), "every row has a component");
            std::ranges::copy(self.component(), component.data());
          },
          nb::kw_only(), "component"_a.noconvert(),
          "Write the number of the component of each row.")
      .def(
          "edges",
          [](SpanningForest const& self) {
            std::vector<double> weight;
            std::vector<std::int64_t> low, high;
            for (Edge const& edge : self.edges()) {
              weight.push_back(edge.weight);
              low.push_back(edge.low);
              high.push_back(edge.high);
            }
            return nb::make_tuple(to_numpy(std::move(weight)), to_numpy(std::move(low)),
                                  to_numpy(std::move(high)));
          },
          "Return weights, and the two rows of every edge.");
  bind_pass(m);
}

}  // namespace lookalike::bind
