#include "density/kernel_sums.hpp"

#include <algorithm>

#include "bind/any_rows.hpp"
#include "bind/module.hpp"
#include "core/bounds.hpp"
#include "density/quantize.hpp"

namespace lookalike::bind {
namespace {

KernelSumRows rows_of(Vector<std::int64_t const> const& row, Vector<double const> const& weight,
                      Vector<std::int64_t const> const& first_panel) {
  KernelSumRows const rows{view(row), view(weight), view(first_panel)};
  if (rows.first_panel.size() < 2 || rows.weight.size() != rows.row.size() ||
      static_cast<std::size_t>(rows.first_panel.back()) * kPanelRows != rows.row.size())
    throw nb::value_error("the arrays of the rows do not fit together");
  require_starts(rows.first_panel, rows.row.size() / kPanelRows,
                 "the panels of the classes do not follow each other");
  return rows;
}

// Positions without a row have the number -1.
void check_values(KernelSumRows const& rows, AnyRows X, AnyRows Q, std::size_t queries) {
  std::int64_t least = -1, most = -1;
  for (std::int64_t const row : rows.row) {
    least = std::min(least, row);
    most = std::max(most, row);
  }
  if (least < -1 || (most >= 0 && !is_place(most, X.rows())) || Q.cols() != X.cols() ||
      Q.rows() != queries)
    throw nb::value_error("the positions do not name the rows, or the queries do not fit them");
}

KernelSumCodes codes_of(Vector<std::uint8_t const> const& code, Vector<double const> const& norm,
                        double unit, KernelSumRows const& rows,
                        View<std::int8_t const> const& query_code) {
  KernelSumCodes const codes{view(code), view(norm), query_code.cols, unit};
  if (query_code.cols % 4 != 0 || query_code.cols > kWidestCode ||
      codes.norm.size() != rows.row.size() ||
      codes.code.size() != rows.row.size() * query_code.cols)
    throw nb::value_error("the codes do not fit together");
  return codes;
}

// The rows of all classes, the queries, and where their sums go.
struct Sums {
  Sums(Vector<std::int64_t const> const& row, Vector<double const> const& weight,
       Vector<std::int64_t const> const& first_panel, Vector<double const> const& nearest,
       Vector<std::int64_t const> const& exclude, Vector<double const> const& inverse,
       std::size_t threads, Matrix<double> const& sum)
      : rows(rows_of(row, weight, first_panel)),
        queries{view(nearest), view(exclude), view(inverse), threads},
        out(view(sum)) {
    if (queries.nearest.size() != out.rows || queries.exclude.size() != out.rows ||
        queries.inverse.size() * (rows.first_panel.size() - 1) != out.cols)
      throw nb::value_error("the arrays of the queries do not fit together");
  }

  KernelSumRows rows;
  KernelSumQueries queries;
  View<double> out;
};

}  // namespace

void bind_kernel_sums(nb::module_& m) {
  m.def(
      "kernel_sums",
      [](AnyMatrix X, Vector<std::int64_t const> row, Vector<double const> weight,
         Vector<std::int64_t const> first_panel, AnyMatrix Q, Vector<double const> nearest,
         Vector<std::int64_t const> exclude, Vector<double const> inverse, std::size_t threads,
         Matrix<double> sum) {
        AnyRows const values = any_rows(X), query_values = any_rows(Q);
        Sums const to(row, weight, first_panel, nearest, exclude, inverse, threads, sum);
        check_values(to.rows, values, query_values, to.out.rows);
        nb::gil_scoped_release unlocked;
        kernel_sums(values, to.rows, query_values, to.queries, to.out);
      },
      nb::kw_only(), "X"_a, "row"_a, "weight"_a, "first_panel"_a, "Q"_a, "nearest"_a, "exclude"_a,
      "inverse"_a, "threads"_a, "sum"_a.noconvert(),
      "Write the sums of Gaussian kernels of every class.");
  m.def(
      "kernel_sums_of_codes",
      [](Vector<std::uint8_t const> code, Vector<double const> norm, double unit,
         Vector<std::int64_t const> row, Vector<double const> weight,
         Vector<std::int64_t const> first_panel, Matrix<std::int8_t const> Q,
         Vector<double const> nearest, Vector<std::int64_t const> exclude,
         Vector<double const> inverse, std::size_t threads, Matrix<double> sum) {
        View<std::int8_t const> const query_code = view(Q);
        Sums const to(row, weight, first_panel, nearest, exclude, inverse, threads, sum);
        KernelSumCodes const codes = codes_of(code, norm, unit, to.rows, query_code);
        nb::gil_scoped_release unlocked;
        kernel_sums(codes, to.rows, query_code, to.queries, to.out);
      },
      nb::kw_only(), "code"_a, "norm"_a, "unit"_a, "row"_a, "weight"_a, "first_panel"_a, "Q"_a,
      "nearest"_a, "exclude"_a, "inverse"_a, "threads"_a, "sum"_a.noconvert(),
      "The same of whole numbers of one step, from codes.");
  m.def(
      "kernel_sums_filtered",
      [](AnyMatrix X, Vector<std::uint8_t const> code, Vector<double const> norm,
         Vector<double const> off, Vector<std::int64_t const> row, Vector<double const> weight,
         Vector<std::int64_t const> first_panel, AnyMatrix Q, Matrix<std::int8_t const> query_code,
         Vector<double const> reach, Vector<double const> nearest,
         Vector<std::int64_t const> exclude, Vector<double const> inverse, std::size_t threads,
         Matrix<double> sum) {
        Sums const to(row, weight, first_panel, nearest, exclude, inverse, threads, sum);
        KernelSumCodes const codes = codes_of(code, norm, 1.0, to.rows, view(query_code));
        KernelSumFilter const filter{view(off), view(reach)};
        if (filter.off.size() != to.rows.row.size() || filter.reach.size() != to.out.rows)
          throw nb::value_error("the filter does not fit the rows and queries");
        AnyRows const values = any_rows(X), query_values = any_rows(Q);
        check_values(to.rows, values, query_values, to.out.rows);
        if (query_code.shape(0) != to.out.rows) throw nb::value_error("every query needs a code");
        nb::gil_scoped_release unlocked;
        kernel_sums(values, codes, filter, to.rows, query_values, view(query_code), to.queries,
                    to.out);
      },
      nb::kw_only(), "X"_a, "code"_a, "norm"_a, "off"_a, "row"_a, "weight"_a, "first_panel"_a,
      "Q"_a, "query_code"_a, "reach"_a, "nearest"_a, "exclude"_a, "inverse"_a, "threads"_a,
      "sum"_a.noconvert(), "The same of the rows that codes do not rule out.");
  m.def(
      "quantize_rows",
      [](AnyMatrix X, Vector<double const> least, double step, bool clip, std::size_t threads,
         Matrix<std::int8_t> code, Vector<double> off) {
        AnyRows const rows = any_rows(X);
        View<std::int8_t> const out = view(code);
        if (out.rows != rows.rows() || out.cols < rows.cols() || off.shape(0) != out.rows ||
            least.shape(0) != rows.cols())
          throw nb::value_error("the codes do not fit the rows");
        nb::gil_scoped_release unlocked;
        quantize_rows(rows, {view(least), step, clip}, threads, out, view(off));
      },
      nb::kw_only(), "X"_a, "least"_a, "step"_a, "clip"_a, "threads"_a, "code"_a.noconvert(),
      "off"_a.noconvert(),
      "Write every value as a whole number of steps, and how far each row is from its codes.");
}

}  // namespace lookalike::bind
