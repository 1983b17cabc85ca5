#include "neighbors/leave_one_out.hpp"

#include "bind/arrays.hpp"
#include "bind/module.hpp"

namespace lookalike::bind {
namespace {

ColumnSets sets_of(Matrix<double const> const& columns, Vector<std::int64_t const> const& chosen,
                   Vector<std::int64_t const> const& candidates, bool add) {
  return {view(columns), view(chosen), view(candidates), add ? SetChange::add : SetChange::remove};
}

}  // namespace

void bind_leave_one_out(nb::module_& m) {
  m.def(
      "leave_one_out_classes",
      [](Matrix<double const> columns, Vector<std::int64_t const> chosen,
         Vector<std::int64_t const> candidates, bool add, Vector<std::int64_t const> code,
         std::size_t classes, std::size_t k, std::size_t threads, Matrix<double> prediction) {
        auto const sets = sets_of(columns, chosen, candidates, add);
        auto const out = view(prediction);
        nb::gil_scoped_release unlocked;
        leave_one_out_classes(sets, view(code), classes, k, threads, out);
      },
      nb::kw_only(), "columns"_a, "chosen"_a, "candidates"_a, "add"_a, "code"_a, "classes"_a, "k"_a,
      "threads"_a, "prediction"_a.noconvert(),
      "Write the class that the k nearest other rows predict for each row, by each set.");
  m.def(
      "leave_one_out_means",
      [](Matrix<double const> columns, Vector<std::int64_t const> chosen,
         Vector<std::int64_t const> candidates, bool add, Vector<double const> target,
         std::size_t k, std::size_t threads, Matrix<double> prediction) {
        auto const sets = sets_of(columns, chosen, candidates, add);
        auto const out = view(prediction);
        nb::gil_scoped_release unlocked;
        leave_one_out_means(sets, view(target), k, threads, out);
      },
      nb::kw_only(), "columns"_a, "chosen"_a, "candidates"_a, "add"_a, "target"_a, "k"_a,
      "threads"_a, "prediction"_a.noconvert(),
      "Write the mean target of the k nearest other rows of each row, by each set.");
}

}  // namespace lookalike::bind
