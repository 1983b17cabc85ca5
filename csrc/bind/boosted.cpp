#include "forest/boosted.hpp"

#include <utility>

#include "bind/arrays.hpp"
#include "bind/module.hpp"

namespace lookalike::bind {

void bind_boosted(nb::module_& m) {
  m.def(
      "bin_columns",
      [](Matrix<float const> X, Vector<std::int64_t const> start, Vector<float const> threshold,
         std::size_t threads, Matrix<std::uint8_t> code) {
        auto const rows = view(X);
        auto const out = view(code);
        nb::gil_scoped_release unlocked;
        bin_columns(rows, view(start), view(threshold), threads, out);
      },
      nb::kw_only(), "X"_a.noconvert(), "start"_a.noconvert(), "threshold"_a.noconvert(),
      "threads"_a, "code"_a.noconvert(),
      "Write between which thresholds of its column every value lies; 0 where it is missing.");
  m.def(
      "grow_boosted",
      [](Matrix<std::uint8_t const> code, Vector<std::int64_t const> start,
         Vector<float const> threshold, Vector<double const> number,
         Vector<std::int64_t const> label, Vector<double const> base,
         Vector<std::uint8_t const> is_out, std::size_t steps, double learning_rate, double l2,
         bool symmetric, std::size_t max_leaves, std::size_t max_depth, std::size_t min_rows,
         double row_share, double column_share, std::size_t patience, std::uint64_t seed,
         std::size_t threads) {
        BinnedRows const rows{view(code), view(start), view(threshold)};
        BoostingTargets const targets{view(number), view(label), view(base), view(is_out)};
        BoostingPlan const plan{steps,        learning_rate, l2,       symmetric,
                                max_leaves,   max_depth,     min_rows, row_share,
                                column_share, patience,      seed};
        BoostedGrowth grown;
        {
          nb::gil_scoped_release unlocked;
          grown = grow_boosted(rows, targets, plan, threads);
        }
        return nb::make_tuple(to_numpy(std::move(grown.node)), to_numpy(std::move(grown.root)),
                              to_numpy(std::move(grown.value)),
                              to_numpy(std::move(grown.out_loss)));
      },
      nb::kw_only(), "code"_a.noconvert(), "start"_a.noconvert(), "threshold"_a.noconvert(),
      "number"_a.noconvert(), "label"_a.noconvert(), "base"_a.noconvert(), "is_out"_a.noconvert(),
      "steps"_a, "learning_rate"_a, "l2"_a, "symmetric"_a, "max_leaves"_a, "max_depth"_a,
      "min_rows"_a, "row_share"_a, "column_share"_a, "patience"_a, "seed"_a, "threads"_a,
      "Return nodes, roots and leaf values of boosted trees, and losses of the rows left out.");
}

}  // namespace lookalike::bind
