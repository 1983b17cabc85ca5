// Gradient boosting on histograms: trees grown one after the other, each towards what the loss of
// those before still asks for.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/view.hpp"

namespace lookalike {

// Between which thresholds of its column every value lies.
struct BinnedRows {
  View<std::uint8_t const> code;        // (columns, rows): 0 missing, else 1 + thresholds below it
  std::span<std::int64_t const> start;  // (columns + 1,) where the thresholds of a column begin
  std::span<float const> threshold;     // rising within a column
};

struct BoostingTargets {
  std::span<double const> number;        // (rows,) of squared error; else empty
  std::span<std::int64_t const> label;   // (rows,) of log loss; else empty
  std::span<double const> start;         // (outputs,) the scores before the first tree
  std::span<std::uint8_t const> is_out;  // (rows,) 1: only scored; or empty
};

struct BoostingPlan {
  std::size_t steps;
  double learning_rate;
  double l2;               // added to the curvature of a leaf
  bool symmetric;          // all leaves of a level are split by one threshold
  std::size_t max_leaves;  // 0: as many as levels allow
  std::size_t max_depth;   // levels of a tree; 0: as many as leaves allow
  std::size_t min_rows;    // in a leaf, of those drawn
  double row_share;        // drawn for a tree
  double column_share;     // likewise
  std::size_t patience;    // steps without a lower loss of the rows left out, then stop; 0: never
  std::uint64_t seed;
};

struct BoostedGrowth {
  std::vector<std::int32_t> node;  // three numbers a node, as TreeNode holds them
  std::vector<std::int64_t> root;
  std::vector<double> value;     // (leaves, outputs)
  std::vector<double> out_loss;  // mean loss of the rows left out, before any step and after each
};

// Writes 0 for missing values, else 1 + how many thresholds of the column are below the value.
void bin_columns(View<float const> X, std::span<std::int64_t const> start,
                 std::span<float const> threshold, std::size_t threads, View<std::uint8_t> code);

// The result is the same to the bit with any number of threads.
BoostedGrowth grow_boosted(BinnedRows const& rows, BoostingTargets const& targets,
                           BoostingPlan const& plan, std::size_t threads);

}  // namespace lookalike
