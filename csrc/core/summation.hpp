// The one order in which terms are summed, whatever the level, tile, thread or layout.
#pragma once
#include <cstddef>

namespace lookalike {

// Term j is added to lane j % 8; then the lanes are folded in half, 8 -> 4 -> 2 -> 1.
inline constexpr std::size_t kLanes = 8;

inline double fold_lanes(double* lane) {
  for (std::size_t half = kLanes / 2; half > 0; half /= 2)
    for (std::size_t l = 0; l < half; ++l) lane[l] += lane[l + half];
  return lane[0];
}

}  // namespace lookalike
