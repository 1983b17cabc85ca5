// The inner loops of the assignment of rows to centers, and of sums of rows.
#pragma once
#include <cstddef>
#include <cstdint>

#include "core/dispatch.hpp"

namespace lookalike {

inline constexpr std::size_t kCentersTogether = 16;
inline constexpr std::size_t kTile = 4 * kCentersTogether;  // centers with minima of their own
inline constexpr std::size_t kScoredRows = 6;

// How many minima a row of scores has: of every sixteenth center of a tile, for every tile.
static constexpr std::size_t minima(std::size_t padded) {
  return (padded + kTile - 1) / kTile * kCentersTogether;
}

struct AssignKernels {
  // score[r][c] = height[c] - unit * (row r . center c) for at most kScoredRows rows, and minima.
  void (*score)(std::int16_t const* row, std::size_t rows, std::int16_t const* centers,
                std::size_t width, std::size_t padded, float unit, float const* height,
                float* score, float* least);
  // score[c] += x * column[c].
  void (*add_column)(float x, float const* column, std::size_t padded, float* score);
  // score[c] = height[c] - score[c], and minima.
  void (*below)(float const* height, std::size_t padded, float* score, float* least);
  // The center of the least score.
  std::size_t (*best)(float const* score, float const* least, std::size_t padded);
  // The centers whose score is at most `limit` + rest * residual_distance[c], rising; how many. No
  // residual_distance[c] is beyond `farthest`; without `residual_distance` all are zero.
  std::size_t (*contenders)(float const* score, float const* least, std::size_t padded, float limit,
                            float rest, float const* residual_distance, float farthest,
                            std::int32_t* candidates);
  // Codes of a row, nearest whole multiples of step within +-largest; returns sum of squares lost.
  double (*round_row)(double const* x, std::size_t count, double step, double largest,
                      std::int16_t* code);
  // image = P x and rest = x - P' image in float64, for directions (cols, 64).
  void (*project)(double const* x, std::size_t cols, float const* directions, double* image);
  void (*leave)(double const* image, std::size_t cols, float const* directions, double* rest);
  // Values as float64.
  void (*widen_float)(float const* x, std::size_t count, double* out);
  void (*widen_uint8)(std::uint8_t const* x, std::size_t count, double* out);
  void (*widen_int8)(std::int8_t const* x, std::size_t count, double* out);
  // Adds sign * (the term rounded to a coarse grid, and what that left rounded to a fine one).
  void (*add_terms)(double const* x, double weight, double sign, double const* coarse,
                    double const* fine, std::size_t count, double* high, double* low);
};

LOOKALIKE_SIMD_TABLE(AssignKernels, assign_kernels)

}  // namespace lookalike
