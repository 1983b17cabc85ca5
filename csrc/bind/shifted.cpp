#include "stats/shifted.hpp"

#include "bind/arrays.hpp"
#include "bind/module.hpp"

namespace lookalike::bind {
namespace {

template <class T>
void def_shift_rows(nb::module_& m) {
  m.def(
      "shift_rows",
      [](Matrix<T const> X, Vector<T const> shift, Vector<T> out) {
        auto const rows = view(X);
        if (shift.shape(0) != rows.cols || out.shape(0) < rows.rows * rows.cols)
          throw nb::value_error("a shift a column and room for every row are needed");
        std::vector<std::int64_t> columns;
        {
          nb::gil_scoped_release unlocked;
          columns = shift_rows(rows, view(shift), view(out));
        }
        return to_numpy(std::move(columns));
      },
      nb::kw_only(), "X"_a.noconvert(), "shift"_a.noconvert(), "out"_a.noconvert(),
      "Write the rows less `shift`, in the columns where one differs; return these columns.");
}

template <class T>
void def_add_products(nb::module_& m) {
  m.def(
      "add_products",
      [](Matrix<T const> part, Vector<std::int64_t const> columns, Matrix<double> product) {
        auto const from = view(part);
        auto const to = view(product);
        if (from.rows != columns.shape(0) || from.cols != from.rows || to.cols < from.cols ||
            to.rows != to.cols)
          throw nb::value_error("a row and a column of products for every column are needed");
        nb::gil_scoped_release unlocked;
        add_products(from, view(columns), to);
      },
      nb::kw_only(), "part"_a.noconvert(), "columns"_a.noconvert(), "product"_a.noconvert(),
      "Add the products of some columns to those of all.");
}

}  // namespace

void bind_shifted(nb::module_& m) {
  def_shift_rows<float>(m);
  def_shift_rows<double>(m);
  def_add_products<float>(m);
  def_add_products<double>(m);
}

}  // namespace lookalike::bind
