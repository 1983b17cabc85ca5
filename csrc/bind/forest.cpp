#include "forest/forest.hpp"

#include <utility>

#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "forest/grow_tree.hpp"

namespace lookalike::bind {
namespace {

using Number = std::int64_t;
using Nodes = nb::ndarray<std::int32_t const, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;

Forest forest_of(Nodes const& nodes, Vector<Number const> const& root) {
  static_assert(sizeof(TreeNode) == 3 * sizeof(std::int32_t));
  return {{reinterpret_cast<TreeNode const*>(nodes.data()), nodes.shape(0)}, view(root)};
}

LeafRows leaf_rows(Vector<Number const> const& start, Vector<std::int32_t const> const& row,
                   Vector<std::uint16_t const> const& drawn, Vector<double const> const& weight,
                   Vector<double const> const& inverse_weight) {
  return {view(start), view(row), view(drawn), view(weight), view(inverse_weight)};
}

}  // namespace

void bind_forest(nb::module_& m) {
  m.attr("MISSING_LEFT") = missing_left;
  m.def(
      "find_leaves",
      [](Nodes nodes, Vector<Number const> root, Matrix<float const> X, std::size_t threads,
         Matrix<std::int32_t> leaf) {
        auto const forest = forest_of(nodes, root);
        auto const rows = view(X);
        auto const out = view(leaf);
        nb::gil_scoped_release unlocked;
        find_leaves(forest, rows, threads, out);
      },
      nb::kw_only(), "nodes"_a.noconvert(), "root"_a.noconvert(), "X"_a.noconvert(), "threads"_a,
      "leaf"_a.noconvert(), "Write the leaf of every row in every tree.");
  m.def(
      "mean_leaf_values",
      [](Nodes nodes, Vector<Number const> root, Matrix<float const> X, Matrix<double const> value,
         std::size_t threads, Matrix<double> mean) {
        auto const forest = forest_of(nodes, root);
        auto const rows = view(X);
        auto const values = view(value);
        auto const out = view(mean);
        nb::gil_scoped_release unlocked;
        mean_leaf_values(forest, rows, values, threads, out);
      },
      nb::kw_only(), "nodes"_a.noconvert(), "root"_a.noconvert(), "X"_a.noconvert(),
      "value"_a.noconvert(), "threads"_a, "mean"_a.noconvert(),
      "Write the mean of the values of the leaves of every row.");
  m.def(
      "forest_weights",
      [](Matrix<std::int32_t const> leaf, Vector<Number const> start,
         Vector<std::int32_t const> row, Vector<std::uint16_t const> drawn,
         Vector<double const> weight, Vector<double const> inverse_weight, std::size_t rows,
         std::size_t threads) {
        auto const leaves = view(leaf);
        auto const members = leaf_rows(start, row, drawn, weight, inverse_weight);
        RadiusNeighbors weights;
        {
          nb::gil_scoped_release unlocked;
          weights = forest_weights(leaves, members, rows, threads);
        }
        return to_numpy(std::move(weights));
      },
      nb::kw_only(), "leaf"_a.noconvert(), "start"_a.noconvert(), "row"_a.noconvert(),
      "drawn"_a.noconvert(), "weight"_a.noconvert(), "inverse_weight"_a.noconvert(), "rows"_a,
      "threads"_a, "Return weights and rows in the answers, and where those of each query start.");
  m.def(
      "most_shared_leaves",
      [](Matrix<std::int32_t const> leaf, Vector<Number const> start,
         Vector<std::int32_t const> member, std::size_t rows, Vector<Number const> exclude,
         std::size_t threads, Matrix<std::int32_t> shared, Matrix<Number> row) {
        auto const leaves = view(leaf);
        LeafRows const members{view(start), view(member), {}, {}, {}};
        auto const shared_out = view(shared);
        auto const row_out = view(row);
        nb::gil_scoped_release unlocked;
        most_shared_leaves(leaves, members, rows, view(exclude), threads, shared_out, row_out);
      },
      nb::kw_only(), "leaf"_a.noconvert(), "start"_a.noconvert(), "member"_a.noconvert(), "rows"_a,
      "exclude"_a.noconvert(), "threads"_a, "shared"_a.noconvert(), "row"_a.noconvert(),
      "Write the rows that share the most leaves with every query.");
  m.def(
      "grow_tree",
      [](Matrix<float const> column, Matrix<double const> target, std::size_t classes,
         Vector<double const> weight, bool random_thresholds, std::size_t tried,
         std::size_t min_rows, std::size_t max_depth, std::uint32_t seed) {
        GrowthRows const rows{view(column), view(target), classes, view(weight)};
        GrowthPlan const plan{random_thresholds, tried, min_rows, max_depth};
        GrownTree tree;
        {
          nb::gil_scoped_release unlocked;
          tree = grow_tree(rows, plan, seed);
        }
        return nb::make_tuple(to_numpy(std::move(tree.node)), to_numpy(std::move(tree.value)),
                              to_numpy(std::move(tree.importance)));
      },
      nb::kw_only(), "column"_a.noconvert(), "target"_a.noconvert(), "classes"_a,
      "weight"_a.noconvert(), "random_thresholds"_a, "tried"_a, "min_rows"_a, "max_depth"_a,
      "seed"_a, "Return the nodes and leaf values of a tree, and what its features take away.");
}

}  // namespace lookalike::bind
