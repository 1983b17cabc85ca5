#include "distance/distance.hpp"

#include <bit>
#include <cmath>

namespace lookalike {

KeyError key_error(std::size_t cols) {
  constexpr double half_ulp = 0x1p-53;
  double const roundings = static_cast<double>(cols / kLanes + 8);
  return {1.001 * roundings * half_ulp, static_cast<double>(cols) * 0x1p-1074};
}

double largest_distance(double key, KeyError error) {
  constexpr double up = 1.0 + 0x1p-50;  // the roundings of this very function
  return std::sqrt((key + error.absolute) * up / (1.0 - error.relative)) * up;
}

double largest_key(double radius, double unit) {
  auto const within = [&](std::uint64_t bits) {
    return std::sqrt(std::bit_cast<double>(bits)) * unit <= radius;
  };
  // Bits of non-negative doubles are ordered as their values: bisect between 0 and infinity.
  std::uint64_t low = 0,
                high = std::bit_cast<std::uint64_t>(std::numeric_limits<double>::infinity());
  if (!within(low)) return -1.0;
  if (within(high)) return std::numeric_limits<double>::infinity();
  while (high - low > 1) {
    std::uint64_t const middle = low + (high - low) / 2;
    (within(middle) ? low : high) = middle;
  }
  return std::bit_cast<double>(low);
}

}  // namespace lookalike
