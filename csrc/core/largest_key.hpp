// The largest key that still lies within a radius, found among the doubles themselves.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

namespace lookalike {

// The largest key for which within(key) holds; -1 where it does not even hold for 0. `within` must
// hold up to some key and for none above it. A `guess` near the answer saves most of the bisection.
template <class Within>
double largest_key_within(double guess, Within within) {
  constexpr int kSteps = 8;  // from the guess to the doubles next to it
  auto const holds = [&](std::uint64_t bits) { return within(std::bit_cast<double>(bits)); };
  // Bits of non-negative doubles are ordered as their values.
  std::uint64_t low = 0;
  auto high = std::bit_cast<std::uint64_t>(std::numeric_limits<double>::infinity());
  if (!holds(low)) return -1.0;
  if (holds(high)) return std::numeric_limits<double>::infinity();
  std::uint64_t at = guess > 0.0 ? std::bit_cast<std::uint64_t>(guess) : low;
  for (int step = 0; step < kSteps && high - low > 1; ++step) {
    bool const inside = holds(at);
    (inside ? low : high) = at;
    at += inside ? 1 : std::uint64_t{0} - 1;
  }
  while (high - low > 1) {
    std::uint64_t const middle = low + (high - low) / 2;
    (holds(middle) ? low : high) = middle;
  }
  return std::bit_cast<double>(low);
}

}  // namespace lookalike
