#include "kdtree/kdtree.hpp"

#include <nanobind/stl/pair.h>

#include <utility>
#include <variant>

#include "bind/any_rows.hpp"
#include "bind/module.hpp"

namespace lookalike::bind {
namespace {

Minkowski metric_of(double p) {
  if (p == 1.0) return {Norm::manhattan, p};
  if (p == 2.0) return {Norm::euclidean, p};
  return {p > 1e300 ? Norm::chebyshev : Norm::minkowski, p};
}

// A tree of float32 or of float64 rows: which of both it is, is asked once a call.
class AnyKDTree {
 public:
  AnyKDTree(AnyMatrix const& X, KDTreeShape shape, std::size_t threads)
      : tree_(X.dtype() == nb::dtype<float>() ? Tree(make<float>(X, shape, threads))
                                              : Tree(make<double>(X, shape, threads))) {}

  // Calls `use` with the KDTree<T> that this is.
  template <class F>
  decltype(auto) visit(F&& use) const {
    return std::visit(std::forward<F>(use), tree_);
  }
  void add(AnyMatrix const& X, std::size_t threads) {
    std::visit([&]<class T>(KDTree<T>& tree) { tree.add(rows_of<T>(X), threads); }, tree_);
  }

 private:
  using Tree = std::variant<KDTree<float>, KDTree<double>>;

  template <class T>
  static View<T const> rows_of(AnyMatrix const& X) {
    if (X.dtype() != nb::dtype<T>()) throw nb::type_error("rows of another dtype are wanted");
    return view(Matrix<T const>(X));
  }
  template <class T>
  static KDTree<T> make(AnyMatrix const& X, KDTreeShape shape, std::size_t threads) {
    return KDTree<T>(rows_of<T>(X), shape, threads);
  }

  Tree tree_;
};

// A property that trees of both kinds have.
template <class F>
auto of_tree(F get) {
  return [get](AnyKDTree const& self) { return self.visit(get); };
}

void def_contents(nb::class_<AnyKDTree>& kdtree) {
  kdtree
      .def_prop_ro("shape",
                   of_tree([](auto const& tree) { return std::pair(tree.rows(), tree.cols()); }))
      .def_prop_ro("depth", of_tree([](auto const& tree) { return tree.depth(); }))
      .def(
          "copy_rows",
          [](AnyKDTree const& self, nb::ndarray<nb::ndim<2>, nb::device::cpu> X) {
            self.visit([&]<class T>(KDTree<T> const& tree) {
              if (X.dtype() != nb::dtype<T>()) throw nb::type_error("X is of another dtype");
              tree.copy_rows(view(Matrix<T>(X)));
            });
          },
          nb::kw_only(), "X"_a.noconvert(), "Write the rows to `X`.")
      .def_prop_ro("nodes", of_tree([](auto const& tree) { return tree.nodes(); }))
      .def_prop_ro("placed", of_tree([](auto const& tree) { return tree.placed(); }))
      .def(
          "copy_nodes",
          [](AnyKDTree const& self, Vector<std::int64_t> column, Vector<double> value,
             Vector<std::int64_t> row) {
            self.visit(
                [&](auto const& tree) { tree.copy_nodes(view(column), view(value), view(row)); });
          },
          nb::kw_only(), "column"_a.noconvert(), "value"_a.noconvert(), "row"_a.noconvert(),
          "Write the splits of the nodes, and the rows leaf by leaf.");
}

void def_searches(nb::class_<AnyKDTree>& kdtree) {
  kdtree
      .def(
          "nearest",
          [](AnyKDTree const& self, Matrix<double const> Q, Vector<std::int64_t const> exclude,
             double p, double slack, bool packets, Matrix<double> distance,
             Matrix<std::int64_t> row, std::size_t threads) {
            nb::gil_scoped_release unlocked;
            self.visit([&](auto const& tree) {
              tree.nearest(view(Q), view(exclude), {metric_of(p), slack, packets},
                           {view(distance), view(row)}, threads);
            });
          },
          nb::kw_only(), "Q"_a.noconvert(), "exclude"_a.noconvert(), "p"_a, "slack"_a, "packets"_a,
          "distance"_a.noconvert(), "row"_a.noconvert(), "threads"_a,
          "Write the nearest rows of every query.")
      .def(
          "nearest_of_rows",
          [](AnyKDTree const& self, double p, double slack, bool packets, Matrix<double> distance,
             Matrix<std::int64_t> row, std::size_t threads) {
            nb::gil_scoped_release unlocked;
            self.visit([&](auto const& tree) {
              tree.nearest_of_rows({metric_of(p), slack, packets}, {view(distance), view(row)},
                                   threads);
            });
          },
          nb::kw_only(), "p"_a, "slack"_a, "packets"_a, "distance"_a.noconvert(),
          "row"_a.noconvert(), "threads"_a, "Write the nearest other rows of every row.")
      .def(
          "within",
          [](AnyKDTree const& self, Matrix<double const> Q, Vector<double const> radius,
             Vector<std::int64_t const> exclude, double p, std::size_t threads) {
            RadiusNeighbors within;
            {
              nb::gil_scoped_release unlocked;
              within = self.visit([&](auto const& tree) {
                return tree.within(view(Q), view(radius), view(exclude), metric_of(p), threads);
              });
            }
            return to_numpy(std::move(within));
          },
          nb::kw_only(), "Q"_a.noconvert(), "radius"_a.noconvert(), "exclude"_a.noconvert(), "p"_a,
          "threads"_a,
          "Return distances, rows and starts of all rows within the radius of each query.")
      .def(
          "span",
          [](AnyKDTree const& self, SpanningForest& forest, Matrix<double> distance,
             Matrix<std::int64_t> row, double p, std::size_t threads) {
            nb::gil_scoped_release unlocked;
            self.visit([&](auto const& tree) {
              tree.span(forest, {view(distance), view(row)}, metric_of(p), threads);
            });
          },
          nb::kw_only(), "forest"_a, "distance"_a.noconvert(), "row"_a.noconvert(), "p"_a,
          "threads"_a, "Join the components of a forest until one is left.");
}

void def_components(nb::class_<AnyKDTree>& kdtree) {
  kdtree
      .def(
          "core_rows",
          [](AnyKDTree const& self, double radius, std::size_t least, double p,
             Vector<std::uint8_t> core, std::size_t threads) {
            nb::gil_scoped_release unlocked;
            self.visit([&](auto const& tree) {
              tree.core_rows(radius, least, metric_of(p), view(core), threads);
            });
          },
          nb::kw_only(), "radius"_a, "least"_a, "p"_a, "core"_a.noconvert(), "threads"_a,
          "Mark the rows that have enough rows, themselves among them, within the radius.")
      .def(
          "components",
          [](AnyKDTree const& self, double radius, double p, Vector<std::uint8_t const> core,
             Vector<std::int64_t> parent, std::size_t threads) {
            nb::gil_scoped_release unlocked;
            self.visit([&](auto const& tree) {
              tree.components(radius, metric_of(p), view(core), view(parent), threads);
            });
          },
          nb::kw_only(), "radius"_a, "p"_a, "core"_a.noconvert(), "parent"_a.noconvert(),
          "threads"_a,
          "Write the smallest core row that steps of at most the radius lead to from each.");
}

}  // namespace

void bind_kdtree(nb::module_& m) {
  m.attr("MOST_TREE_ROWS") = kMostTreeRows;
  nb::class_<AnyKDTree> kdtree(m, "KDTree", "Rows of float32 or float64 in a KD-tree.");
  kdtree
      .def(
          "__init__",
          [](AnyKDTree* self, AnyMatrix X, std::size_t leaf_size, bool random_split,
             std::uint64_t seed, std::size_t threads) {
            nb::gil_scoped_release unlocked;
            new (self) AnyKDTree(X, {leaf_size, random_split, seed}, threads);
          },
          nb::kw_only(), "X"_a.noconvert(), "leaf_size"_a, "random_split"_a, "seed"_a, "threads"_a)
      .def(
          "add",
          [](AnyKDTree& self, AnyMatrix X, std::size_t threads) {
            nb::gil_scoped_release unlocked;
            self.add(X, threads);
          },
          nb::kw_only(), "X"_a.noconvert(), "threads"_a, "Append rows.")
      .def(
          "copy", [](AnyKDTree const& self) { return AnyKDTree(self); },
          "Return a tree of the same rows.");
  def_contents(kdtree);
  def_searches(kdtree);
  def_components(kdtree);
}

}  // namespace lookalike::bind
