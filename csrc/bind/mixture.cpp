#include "density/mixture.hpp"

#include "bind/any_rows.hpp"
#include "bind/module.hpp"

namespace lookalike::bind {

void bind_mixture(nb::module_& m) {
  m.def("mixture_sums_width", &sums_width, "cols"_a, "Columns of the sums of a mixture.");
  m.def(
      "mixture_sums",
      [](AnyMatrix X, Vector<double const> weight, Vector<double const> shift,
         Matrix<double const> mean, Matrix<double const> factor, Vector<double const> constant,
         bool diagonal, bool nearest, std::size_t threads, Matrix<double> sums) {
        AnyRows const rows = any_rows(X);
        Components const components{view(shift), view(mean), view(factor), view(constant),
                                    diagonal};
        nb::gil_scoped_release unlocked;
        return mixture_sums(rows, view(weight), components,
                            nearest ? Assignment::hard : Assignment::soft, {}, threads, view(sums));
      },
      nb::kw_only(), "X"_a.noconvert(), "weight"_a, "shift"_a, "mean"_a, "factor"_a, "constant"_a,
      "diagonal"_a, "nearest"_a, "threads"_a, "sums"_a.noconvert(),
      "Add the sums of every component to `sums`; return the log-likelihood.");
  m.def(
      "mixture_sums_given",
      [](AnyMatrix X, Vector<double const> weight, Matrix<double const> responsibility,
         Vector<double const> shift, Matrix<double const> mean, bool diagonal, std::size_t threads,
         Matrix<double> sums) {
        AnyRows const rows = any_rows(X);
        Components const components{view(shift), view(mean), {}, {}, diagonal};
        nb::gil_scoped_release unlocked;
        mixture_sums(rows, view(weight), components, Assignment::given, view(responsibility),
                     threads, view(sums));
      },
      nb::kw_only(), "X"_a.noconvert(), "weight"_a, "responsibility"_a, "shift"_a, "mean"_a,
      "diagonal"_a, "threads"_a, "sums"_a.noconvert(), "The same for given responsibilities.");
  m.def(
      "mixture_responsibilities",
      [](AnyMatrix X, Vector<double const> shift, Matrix<double const> mean,
         Matrix<double const> factor, Vector<double const> constant, bool diagonal,
         std::size_t threads, Matrix<double> responsibility, Vector<double> log_density) {
        AnyRows const rows = any_rows(X);
        Components const components{view(shift), view(mean), view(factor), view(constant),
                                    diagonal};
        nb::gil_scoped_release unlocked;
        mixture_responsibilities(rows, components, threads, view(responsibility),
                                 view(log_density));
      },
      nb::kw_only(), "X"_a.noconvert(), "shift"_a, "mean"_a, "factor"_a, "constant"_a, "diagonal"_a,
      "threads"_a, "responsibility"_a.noconvert(), "log_density"_a.noconvert(),
      "Write the responsibilities, where that has rows, and the log density of every row.");
}

}  // namespace lookalike::bind
