// The one order in which terms are summed, whatever the level, tile, thread or layout.
#pragma once
#include <cstddef>

namespace lookalike {

// Term j is added to lane j % 8; then the lanes are folded in half, 8 -> 4 -> 2 -> 1.
inline constexpr std::size_t kLanes = 8;

// Of internal linkage, as kernels of every vector level compile it for themselves.
static inline double fold_lanes(double const* v) {
  return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

}  // namespace lookalike
