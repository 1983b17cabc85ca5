#include "distance/pair_keys.hpp"

#include "bind/any_rows.hpp"
#include "bind/module.hpp"

namespace lookalike::bind {

void bind_pair_keys(nb::module_& m) {
  m.def(
      "pair_keys",
      [](AnyMatrix Q, AnyMatrix X, Matrix<std::int64_t const> row, std::size_t threads,
         Matrix<double> key) {
        AnyRows const queries = any_rows(Q), rows = any_rows(X);
        auto const chosen = view(row);
        auto const out = view(key);
        nb::gil_scoped_release unlocked;
        pair_keys(queries, rows, chosen, threads, out);
      },
      nb::kw_only(), "Q"_a, "X"_a, "row"_a, "threads"_a, "key"_a.noconvert(),
      "Write the squared distances of each query and the rows chosen for it to `key`.");
}

}  // namespace lookalike::bind
