#include "soft.hpp"

#include "bind/any_rows.hpp"

namespace lookalike::bind {
namespace {

SoftRows soft_rows(Vector<std::int64_t const> const& row, Vector<double const> const& weight,
                   Vector<std::int64_t const> const& first_panel) {
  SoftRows const rows{view(row), view(weight), view(first_panel)};
  if (rows.first_panel.size() < 2 || rows.weight.size() != rows.row.size() ||
      static_cast<std::size_t>(rows.first_panel.back()) * kPanelRows != rows.row.size())
    throw nb::value_error("the arrays of the rows do not fit together");
  return rows;
}

SoftQueries soft_queries(Vector<double const> const& nearest,
                         Vector<std::int64_t const> const& exclude,
                         Vector<double const> const& inverse, std::size_t threads,
                         View<double> const& sum, std::size_t classes) {
  SoftQueries const queries{view(nearest), view(exclude), view(inverse), threads};
  if (queries.nearest.size() != sum.rows || queries.exclude.size() != sum.rows ||
      queries.inverse.size() * classes != sum.cols)
    throw nb::value_error("the arrays of the queries do not fit together");
  return queries;
}

}  // namespace

void bind_soft(nb::module_& m);
void bind_soft(nb::module_& m) {
  m.def(
      "soft_sums",
      [](AnyMatrix X, Vector<std::int64_t const> row, Vector<double const> weight,
         Vector<std::int64_t const> first_panel, AnyMatrix Q, Vector<double const> nearest,
         Vector<std::int64_t const> exclude, Vector<double const> inverse, std::size_t threads,
         Matrix<double> sum) {
        AnyRows const values = any_rows(X), asked = any_rows(Q);
        SoftRows const rows = soft_rows(row, weight, first_panel);
        View<double> const out = view(sum);
        SoftQueries const queries =
            soft_queries(nearest, exclude, inverse, threads, out, rows.first_panel.size() - 1);
        nb::gil_scoped_release unlocked;
        soft_sums(values, rows, asked, queries, out);
      },
      "X"_a, "row"_a, "weight"_a, "first_panel"_a, "Q"_a, "nearest"_a, "exclude"_a, "inverse"_a,
      "threads"_a, "sum"_a.noconvert(), "Write the sums of Gaussian kernels of every class.");
  m.def(
      "soft_sums_of_codes",
      [](Vector<std::uint8_t const> code, Vector<double const> norm, Vector<std::int64_t const> row,
         Vector<double const> weight, Vector<std::int64_t const> first_panel,
         Matrix<std::int8_t const> Q, Vector<double const> nearest,
         Vector<std::int64_t const> exclude, Vector<double const> inverse, std::size_t threads,
         Matrix<double> sum) {
        View<std::int8_t const> const asked = view(Q);
        SoftCodes const codes{view(code), view(norm), asked.cols};
        SoftRows const rows = soft_rows(row, weight, first_panel);
        if (asked.cols % 4 != 0 || asked.cols > kWidestCode ||
            codes.norm.size() != rows.row.size() ||
            codes.code.size() != rows.row.size() * asked.cols)
          throw nb::value_error("the codes do not fit together");
        View<double> const out = view(sum);
        SoftQueries const queries =
            soft_queries(nearest, exclude, inverse, threads, out, rows.first_panel.size() - 1);
        nb::gil_scoped_release unlocked;
        soft_sums(codes, rows, asked, queries, out);
      },
      "code"_a, "norm"_a, "row"_a, "weight"_a, "first_panel"_a, "Q"_a, "nearest"_a, "exclude"_a,
      "inverse"_a, "threads"_a, "sum"_a.noconvert(), "The same of whole numbers, from codes.");
}

}  // namespace lookalike::bind
