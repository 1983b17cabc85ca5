#include "density/cluster_tree.hpp"

#include <utility>

#include "bind/arrays.hpp"
#include "bind/module.hpp"

namespace lookalike::bind {

void bind_cluster_tree(nb::module_& m) {
  m.def(
      "merge_rows",
      [](Vector<std::int64_t const> a, Vector<std::int64_t const> b, Vector<double const> weight,
         Vector<std::int64_t> left, Vector<std::int64_t> right, Vector<double> size) {
        nb::gil_scoped_release unlocked;
        merge_rows(view(a), view(b), view(weight), {view(left), view(right), view(size)});
      },
      nb::kw_only(), "a"_a.noconvert(), "b"_a.noconvert(), "weight"_a.noconvert(),
      "left"_a.noconvert(), "right"_a.noconvert(), "size"_a.noconvert(),
      "Write the merges of rows by the edges of their spanning tree, smallest first.");
  m.def(
      "condense",
      [](Vector<std::int64_t const> left, Vector<std::int64_t const> right,
         Vector<double const> height, Vector<double const> size, Vector<double const> weight,
         double least) {
        CondensedTree tree;
        {
          nb::gil_scoped_release unlocked;
          tree = condense(view(left), view(right), view(height), view(size), view(weight), least);
        }
        return nb::make_tuple(to_numpy(std::move(tree.parent)), to_numpy(std::move(tree.child)),
                              to_numpy(std::move(tree.lambda)), to_numpy(std::move(tree.size)));
      },
      nb::kw_only(), "left"_a.noconvert(), "right"_a.noconvert(), "height"_a.noconvert(),
      "size"_a.noconvert(), "weight"_a.noconvert(), "least"_a,
      "Return parents, children, densities and sizes of the tree of clusters above a size.");
}

}  // namespace lookalike::bind
