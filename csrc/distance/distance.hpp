// The reference distance, which decides every search: sum_j (q_j - x_j)^2 in float64, one order of
// summation everywhere.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/dispatch.hpp"
#include "core/summation.hpp"

namespace lookalike {

// Summed in the lanes of summation.hpp, no contraction: the same bits at every vector level.
// key[i] = sum_j (q_j - rows[i]_j)^2. Types of x: float, double, std::uint8_t, std::int8_t.
template <class T>
using DistanceKernel = void (*)(double const* q, T const* const* rows, std::size_t count,
                                std::size_t cols, double* key);

// Keys of many queries to a panel: kLanes rows in float64, column by column, the value of row r in
// column j at panel[j * kLanes + r]. key[i * kLanes + r] is that of query i and row r.
using PanelDistanceKernel = void (*)(double const* const* queries, std::size_t count,
                                     double const* panel, std::size_t cols, double* key);

struct DistanceKernels {
  DistanceKernel<float> of_float;
  DistanceKernel<double> of_double;
  DistanceKernel<std::uint8_t> of_uint8;
  DistanceKernel<std::int8_t> of_int8;
  PanelDistanceKernel of_panel;
};

LOOKALIKE_SIMD_TABLE(DistanceKernels, distance_kernels)

template <class T>
DistanceKernel<T> distance_kernel() {
  return kernel_of<T>(LOOKALIKE_CHOOSE(distance_kernels));
}

// How far a key may be from the true squared distance D2: |key - D2| <= relative D2 + absolute.
// A term suffers three roundings, a lane at most cols / 8 + 1, the folds three. Squares below the
// normal range lose at most half a unit of the smallest subnormal each.
struct KeyError {
  double relative;
  double absolute;
};
KeyError key_error(std::size_t cols);

// The largest true distance that a row with this key or a smaller one can have, rounded up.
double largest_distance(double key, KeyError error);

// The largest key whose distance sqrt(key) * unit is at most `radius`; -1 where there is none.
double largest_key(double radius, double unit);

}  // namespace lookalike
