// Minkowski distances and their keys, in the one order of summation that all searches share.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>

#include "core/largest_key.hpp"
#include "core/summation.hpp"
#include "kdtree/kernels.hpp"

namespace lookalike {

// A distance and its key: what is compared, the square of a Euclidean distance and any other
// distance itself. Terms are summed in eight lanes, lane j % 8 for column j, and the lanes folded
// in half. Powers are taken of gaps divided by the largest: no p is too large.
struct Minkowski {
  Norm norm;
  double p;  // of Norm::minkowski

  // A power of two by which values up to `largest` are multiplied so that no key overflows or
  // vanishes: 1 for all usual values. Large ones stay as large as they may, for those beside them.
  static double scale(double largest) {
    if ((largest < 0x1p480 && largest > 0x1p-400) || largest == 0.0) return 1.0;
    int const wanted = largest > 1.0 ? 332 : 0;
    return std::ldexp(1.0, std::min(wanted - std::ilogb(largest), 1000));
  }
  double distance(double key, double scale) const {
    return (norm == Norm::euclidean ? std::sqrt(key) : key) / scale;
  }
  // The largest key of a row at distance <= radius; -1 where there is none.
  double largest_key(double radius, double scale) const {
    double const scaled = radius * scale;
    return largest_key_within(norm == Norm::euclidean ? scaled * scaled : scaled,
                              [&](double key) { return distance(key, scale) <= radius; });
  }
};

inline double power_of(double base, double exponent) {
  constexpr double kMostWhole = 64.0;  // up to here by repeated squaring
  if (exponent > kMostWhole || exponent != std::floor(exponent)) return std::pow(base, exponent);
  double power = 1.0;
  for (auto left = static_cast<unsigned>(exponent); left > 0; left >>= 1) {
    if (left & 1U) power = power * base;
    base = base * base;
  }
  return power;
}

// The key of the gaps gap(j) >= 0: D of them, or `cols` where D is 0.
template <Norm N, std::size_t D = 0, class Gap>
double key_of(double p, std::size_t cols, Gap gap) {
  if constexpr (D > 0) cols = D;
  double most = 0.0;
  if constexpr (N == Norm::chebyshev || N == Norm::minkowski)
    for (std::size_t j = 0; j < cols; ++j) most = std::max(most, gap(j));
  if (N == Norm::chebyshev || (N == Norm::minkowski && most == 0.0)) return most;
  double lane[kLanes] = {};
  for (std::size_t j = 0; j < cols; ++j) {
    double const part = gap(j);
    if constexpr (N == Norm::manhattan) lane[j % kLanes] += part;
    if constexpr (N == Norm::euclidean) lane[j % kLanes] += part * part;
    if constexpr (N == Norm::minkowski) lane[j % kLanes] += power_of(part / most, p);
  }
  for (std::size_t half = kLanes / 2; half > 0; half /= 2)  // lanes without a column hold 0
    for (std::size_t l = half; l < std::min(2 * half, cols); ++l) lane[l - half] += lane[l];
  return N == Norm::minkowski ? most * std::pow(lane[0], 1.0 / p) : lane[0];
}

// Calls f with the norm as a constant.
template <class F>
auto with_norm(Norm norm, F f) {
  switch (norm) {
    case Norm::manhattan: return f(std::integral_constant<Norm, Norm::manhattan>{});
    case Norm::euclidean: return f(std::integral_constant<Norm, Norm::euclidean>{});
    case Norm::chebyshev: return f(std::integral_constant<Norm, Norm::chebyshev>{});
    default: return f(std::integral_constant<Norm, Norm::minkowski>{});
  }
}

}  // namespace lookalike
