#include "distance/scan.hpp"

#include <nanobind/stl/unique_ptr.h>

#include <utility>

#include "bind/enums.hpp"
#include "bind/module.hpp"
#include "bind/pair_rows.hpp"

namespace lookalike::bind {
namespace {

void bind_pairs(nb::module_& m) {
  m.def(
      "dense_pairs",
      [](AnyMatrix queries, AnyMatrix rows, MetricForm form, double power, double scale,
         Vector<double const> weight, std::uintptr_t call, Vector<double const> expected,
         double min_shared) {
        return dense_pairs(
            any_rows(queries), any_rows(rows),
            PairMetric{form, power, scale, view(weight), reinterpret_cast<PairFunction>(call),
                       view(expected), min_shared});
      },
      nb::kw_only(), "queries"_a.noconvert(), "rows"_a.noconvert(), "form"_a, "power"_a, "scale"_a,
      "weight"_a, "call"_a, "expected"_a, "min_shared"_a, nb::keep_alive<0, 1>(),
      nb::keep_alive<0, 2>(), "Pairs of dense rows.");
  m.def(
      "sparse_pairs",
      [](Vector<std::int64_t const> query_start, Vector<std::int32_t const> query_column,
         Vector<double const> query_value, Vector<std::int64_t const> start,
         Vector<std::int32_t const> column, Vector<double const> value, std::size_t cols,
         MetricForm form) {
        return sparse_pairs(sparse_rows(query_start, query_column, query_value, cols),
                            sparse_rows(start, column, value, cols), form);
      },
      nb::kw_only(), "query_start"_a.noconvert(), "query_column"_a.noconvert(),
      "query_value"_a.noconvert(), "start"_a.noconvert(), "column"_a.noconvert(),
      "value"_a.noconvert(), "cols"_a, "form"_a, nb::keep_alive<0, 1>(), nb::keep_alive<0, 2>(),
      nb::keep_alive<0, 3>(), nb::keep_alive<0, 4>(), nb::keep_alive<0, 5>(),
      nb::keep_alive<0, 6>(), "Pairs of sparse rows whose columns rise.");
  m.def(
      "set_pairs",
      [](Matrix<std::uint64_t const> queries, Matrix<std::uint64_t const> rows, SetForm form,
         std::size_t cols) { return set_pairs(view(queries), view(rows), form, cols); },
      nb::kw_only(), "queries"_a.noconvert(), "rows"_a.noconvert(), "form"_a, "cols"_a,
      nb::keep_alive<0, 1>(), nb::keep_alive<0, 2>(), "Pairs of sets written as bits.");
  m.def(
      "given_pairs", [](Matrix<double const> keys) { return given_pairs(view(keys)); },
      nb::kw_only(), "keys"_a.noconvert(), nb::keep_alive<0, 1>(), "Pairs whose keys are known.");
}

}  // namespace

void bind_scan(nb::module_& m) {
  def_enum<MetricForm>(m, "MetricForm", "The native keys that a metric may compare rows by.",
                       "SQUARED", MetricForm::squared, "MANHATTAN", MetricForm::manhattan,
                       "CHEBYSHEV", MetricForm::chebyshev, "MINKOWSKI", MetricForm::minkowski,
                       "DOT", MetricForm::dot, "HAMMING", MetricForm::hamming, "NAN_EUCLIDEAN",
                       MetricForm::nan_euclidean, "GOWER", MetricForm::gower, "FUNCTION",
                       MetricForm::function, "BRAY_CURTIS", MetricForm::bray_curtis, "CANBERRA",
                       MetricForm::canberra);
  def_enum<SetForm>(m, "SetForm", "The native keys that sets may be compared by.", "JACCARD",
                    SetForm::jaccard, "DICE", SetForm::dice, "ROGERS_TANIMOTO",
                    SetForm::rogers_tanimoto, "RUSSELL_RAO", SetForm::russell_rao, "SOKAL_SNEATH",
                    SetForm::sokal_sneath, "YULE", SetForm::yule);
  nb::class_<Pairs>(m, "Pairs", "Computes the key of every query and row.")
      .def(
          "nearest",
          [](Pairs const& pairs, Vector<std::int64_t const> exclude, std::size_t threads,
             Matrix<double> key, Matrix<std::int64_t> row) {
            nb::gil_scoped_release unlocked;
            scan_nearest(pairs, view(exclude), threads, view(key), view(row));
          },
          nb::kw_only(), "exclude"_a.noconvert(), "threads"_a, "key"_a.noconvert(),
          "row"_a.noconvert(),
          "Write the smallest keys of every query and their rows, smallest first.")
      .def(
          "keys",
          [](Pairs const& pairs, std::size_t threads, Matrix<double> key) {
            nb::gil_scoped_release unlocked;
            scan_keys(pairs, threads, view(key));
          },
          nb::kw_only(), "threads"_a, "key"_a.noconvert(), "Write the key of every pair.")
      .def(
          "within",
          [](Pairs const& pairs, Vector<double const> most, Vector<std::int64_t const> exclude,
             std::size_t threads) {
            RadiusNeighbors within;
            {
              nb::gil_scoped_release unlocked;
              within = scan_within(pairs, view(most), view(exclude), threads);
            }
            return to_numpy(std::move(within));
          },
          nb::kw_only(), "most"_a.noconvert(), "exclude"_a.noconvert(), "threads"_a,
          "Return keys, rows and starts of all pairs whose key is at most `most` of the query.");
  bind_pairs(m);
}

}  // namespace lookalike::bind
