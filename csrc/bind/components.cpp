#include "density/components.hpp"

#include "bind/arrays.hpp"
#include "bind/module.hpp"

namespace lookalike::bind {

void bind_components(nb::module_& m) {
  m.def(
      "join_core_rows",
      [](Vector<std::int64_t const> query, Vector<std::int64_t const> start,
         Vector<std::int64_t const> row, Vector<std::uint8_t const> core,
         Vector<std::int64_t> parent) {
        NearRows const near{view(query), view(start), view(row)};
        auto const cores = view(core);
        auto const parents = view(parent);
        nb::gil_scoped_release unlocked;
        join_core_rows(near, cores, parents);
      },
      nb::kw_only(), "query"_a.noconvert(), "start"_a.noconvert(), "row"_a.noconvert(),
      "core"_a.noconvert(), "parent"_a.noconvert(),
      "Join core rows that are near each other; the parent of each row is the smallest of its "
      "component.");
  m.def(
      "least_labels",
      [](Vector<std::int64_t const> query, Vector<std::int64_t const> start,
         Vector<std::int64_t const> row, Vector<std::int64_t const> label_of_row,
         Vector<std::int64_t> label) {
        NearRows const near{view(query), view(start), view(row)};
        auto const labels = view(label_of_row);
        auto const out = view(label);
        nb::gil_scoped_release unlocked;
        least_labels(near, labels, out);
      },
      nb::kw_only(), "query"_a.noconvert(), "start"_a.noconvert(), "row"_a.noconvert(),
      "label_of_row"_a.noconvert(), "label"_a.noconvert(),
      "Write the least label of the labeled rows near each query, -1 where there is none.");
}

}  // namespace lookalike::bind
