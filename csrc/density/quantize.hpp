// Values as whole numbers of one step, a byte each, and what these bytes leave over of every row.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/any_rows.hpp"
#include "core/view.hpp"

namespace lookalike {

inline constexpr int kCodes = 256;  // values of a code

struct Quantizer {
  std::span<double const> least;  // (columns,) the values of code -128
  double step = 1.0;
  bool clip = false;  // values outside become the nearest inside, which no distance grows by
};

// code[i][j] = (x_ij - least_j) / step - 128, rounded; columns beyond those of X are zero.
// off[i] is at least |x_i - x of its codes|, clipped x, and exactly 0 for whole numbers and a step
// of 1. Without `clip` it is infinite where a value is outside, or further than a thousandth of a
// step from its code.
void quantize_rows(AnyRows X, Quantizer const& quantizer, std::size_t threads,
                   View<std::int8_t> code, std::span<double> off);

}  // namespace lookalike
