// Exact search of rows that are not in memory: their codes come block by block, and leave the rows
// that may be near enough, each with a bound of its distance.
//
// Queries are not rounded where bounds are computed: with y the image of a query and a the code of
// a row, |y - step a| differs from the distance of the images by at most the margin of the row.
// That is a bound from below, and from above: the k-th smallest of those from above is a limit of
// the k-th distance, so that no row needs to be read for one. docs/exactness.md derives both.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "distance/distance.hpp"
#include "exact/exact.hpp"
#include "exact/panel.hpp"

namespace lookalike {

struct CandidatePairs {
  std::vector<std::int64_t> query, row;
  std::vector<double> low;  // no more than the distance
};

class BlockSearch {
 public:
  // Rows whose key may be at most limit[i] are candidates of query i. Bounds of distances lower
  // the limit to one that the keys of k candidates do not exceed; with k = 0 limits stay.
  BlockSearch(Embedding const& embedding, Queries const& queries, std::span<double const> limit,
              std::size_t k);

  // Adds the candidates among the rows of a block, which are numbered from `first` on and after
  // those of the blocks before. `allowed` is of the rows of the block, or empty. Returns the
  // queries that have more than `most` of them, of which none is kept.
  std::vector<std::int64_t> scan(PackedCodes const& block, std::int64_t first,
                                 std::span<std::uint8_t const> allowed, std::size_t most);

  void lower(std::span<double const> limit);
  std::vector<double> limits() const;
  std::size_t size() const;  // candidates
  // The candidates that are still possible, by query; none of them is kept.
  CandidatePairs take();

 private:
  struct Query {
    std::int8_t const* code = nullptr;
    float const* image = nullptr;
    Code first;
    ImageBounds bounds;
    std::int64_t exclude = -1;
  };

  struct State {  // of a query, in one part of the panels
    TopK upper;   // keys that those of k rows do not exceed
    double limit = 0.0;
    double reach = 0.0;             // the image distance that belongs to the limit
    std::vector<Neighbor> waiting;  // keys are bounds of image distances from below
    std::size_t prune_at = 0;
    bool crowded = false;
  };

  struct Bounds {
    double low, high;
  };

  struct Block;
  struct Scratch;

  void load(Queries const& queries);
  void set_reach(State& state) const;
  void prune(State& state) const;
  void scan_part(Block const& block, std::size_t from_query, std::size_t queries, std::size_t part,
                 Scratch& scratch);
  void filter_chunk(Block const& block, std::size_t query, std::size_t queries, std::size_t part,
                    std::size_t panel, std::size_t panels, Scratch& scratch);
  Bounds bounds_of(PackedCodes const& codes, Query const& query, std::size_t position,
                   Scratch& scratch) const;
  void examine(Block const& block, Query const& query, State& state, std::size_t position,
               Scratch& scratch) const;
  void settle(State& state, std::int64_t first, std::size_t most) const;

  Embedding embedding_;
  std::size_t threads_, k_, tile_ = 1, parts_ = 1;
  KeyError error_;
  double to_image_, from_image_;
  float inverse_step_;
  PanelKernels const& panel_ = LOOKALIKE_CHOOSE(panel_kernels);
  std::vector<std::int8_t> code_;
  std::vector<float> image_;
  std::vector<Query> query_;
  std::vector<Neighbor> slots_;
  std::vector<State> state_;  // (parts, queries)
};

}  // namespace lookalike
