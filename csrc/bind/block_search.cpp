#include "exact/block_search.hpp"

#include "bind/any_rows.hpp"
#include "bind/embedding.hpp"
#include "bind/module.hpp"

namespace lookalike::bind {
namespace {

struct BoundSearch {
  nb::dict arrays;  // keeps what the embedding borrows
  BlockSearch search;
  Embedding embedding;
  std::size_t queries;
};

void check_sizes(Embedding const& map, PackedCodes const& codes, std::size_t allowed) {
  std::size_t const panels = panels_of(codes.rows);
  bool const wide = map.wide_width() > 0;
  bool fits = codes.rows <= codes.code.size() &&
              codes.code.size() == panels * kPanelRows * map.first_width() &&
              codes.margin.size() == panels && codes.wide_margin.size() == (wide ? panels : 0) &&
              codes.poor.size() <= codes.rows && codes.share.size() == (wide ? codes.rows : 0) &&
              (allowed == 0 || allowed == codes.rows) &&
              codes.more.size() == codes.rows * codes.extra && wide == (codes.extra > 0) &&
              (!wide || codes.extra <= map.wide_width() - kBlock + 1);
  std::vector<bool> seen(codes.rows, false);
  for (std::uint32_t const row : codes.poor) {
    fits = fits && row < codes.rows && !seen[row];
    if (fits) seen[row] = true;
  }
  if (!fits) throw nb::value_error("the parts of a block of codes do not fit together");
}

}  // namespace

void bind_block_search(nb::module_& m) {
  nb::class_<BoundSearch>(m, "BlockSearch", "Candidates among rows that come block by block.")
      .def(
          "__init__",
          [](BoundSearch* self, nb::dict map, nb::dict arrays, AnyMatrix Q, double scale,
             Vector<std::int64_t const> exclude, Vector<double const> limit, std::size_t k,
             std::size_t threads) {
            Embedding const embedding = embedding_of(map, arrays);
            std::size_t const count = Q.shape(0);
            bool const fits = embedding.cols() == Q.shape(1) && limit.shape(0) == count &&
                              (exclude.shape(0) == 0 || exclude.shape(0) == count);
            if (!fits) throw nb::value_error("queries and codes do not fit together");
            Queries const queries{any_rows(Q), scale, 1.0, view(exclude), {}, threads};
            auto const made = [&] {
              nb::gil_scoped_release unlocked;
              return BlockSearch(embedding, queries, view(limit), k);
            };
            new (self) BoundSearch{arrays, made(), embedding, count};
          },
          nb::kw_only(), "map"_a, "arrays"_a, "Q"_a, "scale"_a, "exclude"_a.noconvert(),
          "limit"_a.noconvert(), "k"_a, "threads"_a)
      .def(
          "scan",
          [](BoundSearch& self, std::size_t rows, std::size_t extra,
             Vector<std::uint8_t const> code, Vector<std::uint8_t const> more,
             Vector<float const> margin, Vector<float const> wide_margin,
             Vector<std::uint8_t const> share, Vector<std::uint32_t const> poor, std::int64_t first,
             Vector<std::uint8_t const> allowed, std::size_t most) {
            PackedCodes const codes{rows,        extra,        view(code),
                                    view(more),  view(margin), view(wide_margin),
                                    view(share), view(poor)};
            check_sizes(self.embedding, codes, allowed.shape(0));
            std::vector<std::int64_t> crowded;
            {
              nb::gil_scoped_release unlocked;
              crowded = self.search.scan(codes, first, view(allowed), most);
            }
            return to_numpy(std::move(crowded));
          },
          nb::kw_only(), "rows"_a, "extra"_a, "code"_a.noconvert(), "more"_a.noconvert(),
          "margin"_a.noconvert(), "wide_margin"_a.noconvert(), "share"_a.noconvert(),
          "poor"_a.noconvert(), "first"_a, "allowed"_a.noconvert(), "most"_a,
          "Add the candidates of a block; return the queries that have too many in it.")
      .def(
          "lower",
          [](BoundSearch& self, Vector<double const> limit) {
            if (limit.shape(0) != self.queries) throw nb::value_error("one limit per query");
            self.search.lower(view(limit));
          },
          "limit"_a.noconvert(), "Lower the limits.")
      .def(
          "limits", [](BoundSearch const& self) { return to_numpy(self.search.limits()); },
          "The key that the k-th neighbor of each query does not exceed.")
      .def(
          "size", [](BoundSearch const& self) { return self.search.size(); }, "Candidates.")
      .def(
          "take",
          [](BoundSearch& self) {
            CandidatePairs pairs;
            {
              nb::gil_scoped_release unlocked;
              pairs = self.search.take();
            }
            return nb::make_tuple(to_numpy(std::move(pairs.query)), to_numpy(std::move(pairs.row)),
                                  to_numpy(std::move(pairs.low)));
          },
          "Return query, row and lower bound of the candidates, which are not kept.");
}

}  // namespace lookalike::bind
