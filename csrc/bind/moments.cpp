#include "stats/moments.hpp"

#include "bind/arrays.hpp"
#include "bind/module.hpp"

namespace lookalike::bind {
namespace {

ColumnMoments six_rows(View<double> out) {
  return {out[0], out[1], out[2], out[3], out[4], out[5]};
}

template <class T>
void def_column_moments(nb::module_& m) {
  m.def(
      "column_moments",
      [](Matrix<T const> X, Vector<double const> weight, Matrix<double> moments) {
        if (moments.shape(0) != 6 || moments.shape(1) != X.shape(1) ||
            (weight.shape(0) != 0 && weight.shape(0) != X.shape(0)))
          throw nb::value_error("weights and moments do not fit the rows");
        nb::gil_scoped_release unlocked;
        column_moments(view(X), view(weight), six_rows(view(moments)));
      },
      nb::kw_only(), "X"_a.noconvert(), "weight"_a, "moments"_a.noconvert(),
      "Write the six moments of every column to the six rows of `moments`.");
}

}  // namespace

void bind_moments(nb::module_& m) {
  def_column_moments<float>(m);
  def_column_moments<double>(m);
}

}  // namespace lookalike::bind
