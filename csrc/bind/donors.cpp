#include "neighbors/donors.hpp"

#include "bind/arrays.hpp"
#include "bind/module.hpp"

namespace lookalike::bind {

void bind_donors(nb::module_& m) {
  m.def(
      "nearest_donors",
      [](Matrix<double const> queries, Matrix<double const> rows, Vector<std::int64_t const> start,
         Vector<std::int64_t const> column, std::size_t threads, Matrix<double> key,
         Matrix<std::int64_t> row) {
        MissingCells const cells{view(start), view(column)};
        NeighborTable const found{view(key), view(row)};
        auto const from = view(queries), among = view(rows);
        nb::gil_scoped_release unlocked;
        nearest_donors(from, among, cells, threads, found);
      },
      nb::kw_only(), "queries"_a.noconvert(), "rows"_a.noconvert(), "start"_a.noconvert(),
      "column"_a.noconvert(), "threads"_a, "key"_a.noconvert(), "row"_a.noconvert(),
      "Write the nearest rows that have the column of each cell, nearest first.");
}

}  // namespace lookalike::bind
