#include "kdtree/kdtree.hpp"

#include "bind/arrays.hpp"
#include "bind/module.hpp"

namespace lookalike::bind {
namespace {

Minkowski metric_of(double p) {
  if (p == 1.0) return {Norm::manhattan, p};
  if (p == 2.0) return {Norm::euclidean, p};
  return {p > 1e300 ? Norm::chebyshev : Norm::minkowski, p};
}

template <class T>
void def_kdtree(nb::module_& m, char const* name) {
  using Tree = KDTree<T>;
  nb::class_<Tree>(m, name, "Rows in a KD-tree.")
      .def(
          "__init__",
          [](Tree* self, Matrix<T const> X, std::size_t leaf_size, bool random_split,
             std::uint64_t seed, std::size_t threads) {
            nb::gil_scoped_release unlocked;
            new (self) Tree(view(X), {leaf_size, random_split, seed}, threads);
          },
          nb::kw_only(), "X"_a.noconvert(), "leaf_size"_a, "random_split"_a, "seed"_a, "threads"_a)
      .def_prop_ro("rows", &Tree::rows)
      .def_prop_ro("cols", &Tree::cols)
      .def_prop_ro("depth", &Tree::depth)
      .def(
          "add",
          [](Tree& self, Matrix<T const> X, std::size_t threads) {
            nb::gil_scoped_release unlocked;
            self.add(view(X), threads);
          },
          nb::kw_only(), "X"_a.noconvert(), "threads"_a, "Append rows.")
      .def(
          "copy", [](Tree const& self) { return Tree(self); }, "Return a tree of the same rows.")
      .def(
          "copy_rows", [](Tree const& self, Matrix<T> X) { self.copy_rows(view(X)); },
          "X"_a.noconvert(), "Write the rows to `X`.")
      .def_prop_ro("nodes", &Tree::nodes)
      .def_prop_ro("placed", &Tree::placed)
      .def(
          "copy_nodes",
          [](Tree const& self, Vector<std::int64_t> column, Vector<double> value,
             Vector<std::int64_t> row) { self.copy_nodes(view(column), view(value), view(row)); },
          nb::kw_only(), "column"_a.noconvert(), "value"_a.noconvert(), "row"_a.noconvert(),
          "Write the splits of the nodes, and the rows leaf by leaf.")
      .def(
          "nearest",
          [](Tree const& self, Matrix<double const> Q, Vector<std::int64_t const> exclude, double p,
             double slack, bool packets, Matrix<double> distance, Matrix<std::int64_t> row,
             std::size_t threads) {
            nb::gil_scoped_release unlocked;
            self.nearest(view(Q), view(exclude), {metric_of(p), slack, packets},
                         {view(distance), view(row)}, threads);
          },
          nb::kw_only(), "Q"_a.noconvert(), "exclude"_a.noconvert(), "p"_a, "slack"_a, "packets"_a,
          "distance"_a.noconvert(), "row"_a.noconvert(), "threads"_a,
          "Write the nearest rows of every query.")
      .def(
          "nearest_of_rows",
          [](Tree const& self, double p, double slack, bool packets, Matrix<double> distance,
             Matrix<std::int64_t> row, std::size_t threads) {
            nb::gil_scoped_release unlocked;
            self.nearest_of_rows({metric_of(p), slack, packets}, {view(distance), view(row)},
                                 threads);
          },
          nb::kw_only(), "p"_a, "slack"_a, "packets"_a, "distance"_a.noconvert(),
          "row"_a.noconvert(), "threads"_a, "Write the nearest other rows of every row.")
      .def(
          "within",
          [](Tree const& self, Matrix<double const> Q, Vector<double const> radius,
             Vector<std::int64_t const> exclude, double p, std::size_t threads) {
            RadiusNeighbors within;
            {
              nb::gil_scoped_release unlocked;
              within = self.within(view(Q), view(radius), view(exclude), metric_of(p), threads);
            }
            return to_numpy(std::move(within));
          },
          nb::kw_only(), "Q"_a.noconvert(), "radius"_a.noconvert(), "exclude"_a.noconvert(), "p"_a,
          "threads"_a,
          "Return distances, rows and starts of all rows within the radius of each query.");
}

}  // namespace

void bind_kdtree(nb::module_& m) {
  def_kdtree<float>(m, "KDTreeFloat");
  def_kdtree<double>(m, "KDTreeDouble");
}

}  // namespace lookalike::bind
