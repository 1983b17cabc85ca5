#include "distance/transform.hpp"

#include "bind/module.hpp"
#include "bind/pair_rows.hpp"

namespace lookalike::bind {

void bind_transform(nb::module_& m) {
  m.def(
      "normalize_rows",
      [](AnyMatrix X, bool center, std::size_t threads, Matrix<double> out, Vector<double> norm) {
        AnyRows const rows = any_rows(X);
        nb::gil_scoped_release unlocked;
        normalize_rows(rows, center, threads, view(out), view(norm));
      },
      nb::kw_only(), "X"_a.noconvert(), "center"_a, "threads"_a, "out"_a.noconvert(),
      "norm"_a.noconvert(),
      "Write every row divided by its length to `out`, and the length to `norm`.");
  m.def(
      "normalize_sparse_rows",
      [](Vector<std::int64_t const> start, Vector<std::int32_t const> column,
         Vector<double const> value, std::size_t cols, Vector<double> out, Vector<double> norm) {
        SparseRows const rows = sparse_rows(start, column, value, cols);
        nb::gil_scoped_release unlocked;
        normalize_sparse_rows(rows, view(out), view(norm));
      },
      nb::kw_only(), "start"_a.noconvert(), "column"_a.noconvert(), "value"_a.noconvert(), "cols"_a,
      "out"_a.noconvert(), "norm"_a.noconvert(), "The same of sparse rows.");
  m.def(
      "map_rows",
      [](AnyMatrix X, Vector<double const> center, Matrix<double const> W, std::size_t threads,
         Matrix<double> out) {
        AnyRows const rows = any_rows(X);
        nb::gil_scoped_release unlocked;
        map_rows(rows, view(center), view(W), threads, view(out));
      },
      nb::kw_only(), "X"_a.noconvert(), "center"_a, "W"_a, "threads"_a, "out"_a.noconvert(),
      "Write (X - center) W' to `out`.");
  m.def(
      "sphere_rows",
      [](Matrix<double const> X, Matrix<double> out) {
        nb::gil_scoped_release unlocked;
        sphere_rows(view(X), view(out));
      },
      nb::kw_only(), "X"_a.noconvert(), "out"_a.noconvert(),
      "Write the points of the unit sphere at latitude and longitude.");
}

}  // namespace lookalike::bind
