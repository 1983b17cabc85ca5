#include "exact/exact.hpp"

#include <string>
#include <vector>

#include "bind/any_rows.hpp"
#include "bind/embedding.hpp"
#include "bind/module.hpp"
#include "core/value_range.hpp"

namespace lookalike::bind {
namespace {

template <template <class> class Const>
CodeArrays<Const> codes_of(nb::dict const& arrays) {
  CodeArrays<Const> codes;
  codes.code = array<Const<std::uint8_t>>(arrays, "code");
  codes.start = array<Const<std::int32_t>>(arrays, "start");
  codes.margin = array<Const<float>>(arrays, "margin");
  codes.wide = array<Const<std::uint8_t>>(arrays, "wide");
  codes.wide_norm = array<Const<std::int32_t>>(arrays, "wide_norm");
  codes.wide_margin = array<Const<float>>(arrays, "wide_margin");
  codes.row = array<Const<std::int64_t>>(arrays, "row");
  codes.group_code = array<Const<std::uint8_t>>(arrays, "group_code");
  codes.group_start = array<Const<std::int32_t>>(arrays, "group_start");
  codes.group_first = array<Const<std::int64_t>>(arrays, "group_first");
  return codes;
}

// The sizes that native loops rely on, whoever made the arrays.
void check_sizes(Embedding const& map, Codes const& codes) {
  std::size_t const rows = codes.row.size(), panels = panels_of(rows);
  std::size_t const groups = codes.group_first.size() - 1, width = map.first_width();
  bool const fits =
      map.directions.size() == map.blocks * map.cols() * kBlock &&
      codes.code.size() == panels * kPanelRows * width &&
      codes.start.size() == panels * kPanelRows && codes.margin.size() == panels &&
      codes.wide.size() == rows * map.wide_width() &&
      codes.wide_norm.size() == (map.wide_width() > 0 ? rows : 0) &&
      codes.wide_margin.size() == codes.wide_norm.size() && codes.group_first.size() > 1 &&
      codes.group_start.size() == panels_of(groups) * kPanelRows &&
      codes.group_code.size() == codes.group_start.size() * width && width <= kWidestCode;
  if (!fits) throw nb::value_error("the arrays of the filter do not fit together");
}

// Every row once, and groups that follow each other: what a search leads into arrays by.
void check_numbers(Codes const& codes) {
  std::vector<bool> seen(codes.row.size(), false);
  for (std::int64_t const row : codes.row) {
    require(is_place(row, seen.size()) && !seen[static_cast<std::size_t>(row)],
            "the codes do not name every row once");
    seen[static_cast<std::size_t>(row)] = true;
  }
  require(is_place(codes.group_first.back(), codes.row.size() + 1),
          "the groups of the codes have more rows than there are");
  require_starts(codes.group_first, static_cast<std::size_t>(codes.group_first.back()),
                 "the groups of the codes do not follow each other");
}

struct BoundFilter {
  nb::dict arrays;  // keeps what the filter borrows
  Filter filter;
};

nb::tuple stats_tuple(Effort const& effort) {
  return nb::make_tuple(effort.pairs, effort.passed_first, effort.passed_wide, effort.distances);
}

Queries queries_of(AnyMatrix const& Q, double scale, double unit,
                   Vector<std::int64_t const> const& exclude,
                   Vector<std::uint8_t const> const& allowed, std::size_t threads) {
  return {any_rows(Q), scale, unit, view(exclude), view(allowed), threads};
}

void bind_search(nb::module_& m) {
  m.def(
      "exact_topk",
      [](AnyMatrix X, BoundFilter const* filter, AnyMatrix Q, double scale, double unit,
         Vector<std::int64_t const> exclude, Vector<std::uint8_t const> allowed,
         std::size_t threads, Matrix<double> distance, Matrix<std::int64_t> row) {
        AnyRows const rows = any_rows(X);
        Queries const queries = queries_of(Q, scale, unit, exclude, allowed, threads);
        View<double> const distances = view(distance);
        View<std::int64_t> const numbers = view(row);
        Effort effort;
        {
          nb::gil_scoped_release unlocked;
          effort = exact_topk(rows, filter == nullptr ? nullptr : &filter->filter, queries,
                              distances, numbers);
        }
        return stats_tuple(effort);
      },
      nb::kw_only(), "X"_a, "filter"_a.none(), "Q"_a, "scale"_a, "unit"_a, "exclude"_a, "allowed"_a,
      "threads"_a, "distance"_a.noconvert(), "row"_a.noconvert(),
      "Write the nearest rows of every query; return the pairs that each stage of the filter saw.");
  m.def(
      "exact_radius",
      [](AnyMatrix X, BoundFilter const* filter, AnyMatrix Q, double scale, double unit,
         Vector<std::int64_t const> exclude, Vector<std::uint8_t const> allowed,
         std::size_t threads, Vector<double const> radius) {
        AnyRows const rows = any_rows(X);
        Queries const queries = queries_of(Q, scale, unit, exclude, allowed, threads);
        RadiusNeighbors within;
        Effort effort;
        {
          nb::gil_scoped_release unlocked;
          within = exact_radius(rows, filter == nullptr ? nullptr : &filter->filter, queries,
                                view(radius), effort);
        }
        return to_numpy(std::move(within));
      },
      nb::kw_only(), "X"_a, "filter"_a.none(), "Q"_a, "scale"_a, "unit"_a, "exclude"_a, "allowed"_a,
      "threads"_a, "radius"_a.noconvert(),
      "Return distances, rows and starts of all rows within the radius of each query.");
}

}  // namespace

void bind_exact(nb::module_& m) {
  m.attr("BLOCK_DIRECTIONS") = kBlock;
  m.attr("PANEL_ROWS") = kPanelRows;
  m.attr("WIDEST_CODE") = kWidestCode;
  m.def(
      "value_range",
      [](AnyMatrix X, std::size_t threads) {
        AnyRows const rows = any_rows(X);
        ValueRange range;
        {
          nb::gil_scoped_release unlocked;
          range = value_range(rows, threads);
        }
        return nb::make_tuple(range.bad_row, range.bad_column, range.least, range.most,
                              range.whole);
      },
      nb::kw_only(), "X"_a, "threads"_a,
      "Return row and column of the first value that is not finite or -1, least, most, whole.");
  m.def(
      "build_codes",
      [](AnyMatrix X, nb::dict map, nb::dict arrays, Vector<std::int64_t const> centers,
         std::size_t threads) {
        AnyRows const rows = any_rows(X);
        Embedding const embedding = embedding_of(map, arrays);
        check_sizes(embedding, codes_of<ReadOnly>(arrays));
        require(embedding.cols() == rows.cols() &&
                    array<std::int64_t>(arrays, "row").size() == rows.rows(),
                "the codes are not those of the rows");
        require_places(view(centers), rows.rows(), "a group forms around no row");
        CodeArrays<Writable> const codes = codes_of<Writable>(arrays);
        nb::gil_scoped_release unlocked;
        build_codes(rows, embedding, view(centers), threads, codes);
      },
      nb::kw_only(), "X"_a, "map"_a, "arrays"_a, "centers"_a, "threads"_a,
      "Fill the code arrays from the rows of X.");
  nb::class_<BoundFilter>(m, "ExactFilter", "Codes of all rows, ready for exact_topk.")
      .def(
          "__init__",
          [](BoundFilter* self, nb::dict map, nb::dict arrays) {
            new (self) BoundFilter{arrays, {embedding_of(map, arrays), codes_of<ReadOnly>(arrays)}};
            check_sizes(self->filter.embedding, self->filter.codes);
            check_numbers(self->filter.codes);
          },
          nb::kw_only(), "map"_a, "arrays"_a);
  bind_search(m);
}

}  // namespace lookalike::bind
