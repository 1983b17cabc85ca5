// The inner loops of the assignment of rows to centres, and of sums of rows.
#pragma once
#include <cstddef>
#include <cstdint>

#include "simd.hpp"

namespace lookalike {

inline constexpr std::size_t kCentresTogether = 16;
inline constexpr std::size_t kScoredRows = 6;

struct AssignKernels {
  // score[r][c] = height[c] - unit * (row r . centre c) for at most kScoredRows rows.
  void (*score)(std::int16_t const* row, std::size_t rows, std::int16_t const* centres,
                std::size_t width, std::size_t padded, float unit, float const* height,
                float* score);
  // score[c] += x * column[c].
  void (*add_column)(float x, float const* column, std::size_t padded, float* score);
  // score[c] = height[c] - score[c].
  void (*below)(float const* height, std::size_t padded, float* score);
  // The centres whose score is at most least + slack + rest * apart[best], rising; how many.
  std::size_t (*contenders)(float const* score, std::size_t padded, float slack, float rest,
                            float const* apart, std::int32_t* found);
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
