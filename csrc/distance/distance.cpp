#include "distance/distance.hpp"

#include <cmath>

#include "core/largest_key.hpp"

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
  double const root = radius / unit;
  return largest_key_within(root * root,
                            [&](double key) { return std::sqrt(key) * unit <= radius; });
}

}  // namespace lookalike
