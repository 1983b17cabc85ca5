// Exact nearest rows: cheap codes rule rows out by a proven bound, float64 decides the rest.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/any_rows.hpp"
#include "core/topk.hpp"
#include "core/view.hpp"
#include "exact/codes.hpp"

namespace lookalike {

struct Filter {
  Embedding embedding;
  Codes codes;  // of the first rows; those that were added later are compared without
  std::vector<Tails> tails = tails_of(embedding, codes);  // of the panels; or empty

  static std::vector<Tails> tails_of(Embedding const& embedding, Codes const& codes);
};

struct Queries {
  AnyRows rows;
  double scale = 1.0;                     // queries are multiplied by it, a power of two
  double unit = 1.0;                      // distances are sqrt(key) * unit
  std::span<std::int64_t const> exclude;  // empty, or one row per query that is not a neighbor
  std::span<std::uint8_t const> allowed;  // empty, or for each row whether it may be a neighbor
  std::size_t threads = 0;                // 0: the default
};

// Pairs of query and row, and how many of them each stage had to look at.
struct Effort {
  std::int64_t pairs = 0;
  std::int64_t passed_first = 0;
  std::int64_t passed_wide = 0;
  std::int64_t distances = 0;

  Effort& operator+=(Effort const& other);
};

// Row i of `distance` and `row` receives the neighbors of query i, nearest first, equal
// distances by row number. `filter` may be null: then every distance is computed. There are at
// least distance.cols rows that are allowed and not excluded.
Effort exact_topk(AnyRows X, Filter const* filter, Queries const& queries, View<double> distance,
                  View<std::int64_t> row);

// All rows at distance <= radius[i] of query i, nearest first; keys are distances. Adds to
// `effort`.
RadiusNeighbors exact_radius(AnyRows X, Filter const* filter, Queries const& queries,
                             std::span<double const> radius, Effort& effort);

}  // namespace lookalike
