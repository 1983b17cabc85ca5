// Squared distances of one query to a few rows at a time, eight lanes each.
#include "distance/distance.hpp"

#include <cstddef>
#include <cstdint>

#include "simd/vec.hpp"

namespace lookalike::simd::LOOKALIKE_LEVEL {
namespace {

LOOKALIKE_INLINE void add_square_of_gap(Doubles& sum, Doubles const& q, Doubles const& x) {
  Doubles const gap = q - x;
  sum = sum + gap * gap;
}

// R rows together hide the latency of the additions, whose order is fixed.
template <std::size_t R, class T>
void distances_of(double const* q, T const* const* rows, std::size_t cols, double* key) {
  Doubles sum[R];
  for (std::size_t r = 0; r < R; ++r) sum[r] = Doubles::all(0.0);
  std::size_t j = 0;
  for (; j + kLanes <= cols; j += kLanes) {
    Doubles const query = Doubles::load(q + j);
    for (std::size_t r = 0; r < R; ++r)
      add_square_of_gap(sum[r], query, Doubles::load(rows[r] + j));
  }
  if (j < cols) {  // missing terms are zero
    double tail[kLanes] = {};
    for (std::size_t i = j; i < cols; ++i) tail[i - j] = q[i];
    Doubles const query = Doubles::load(tail);
    for (std::size_t r = 0; r < R; ++r) {
      for (std::size_t i = j; i < cols; ++i) tail[i - j] = static_cast<double>(rows[r][i]);
      add_square_of_gap(sum[r], query, Doubles::load(tail));
    }
  }
  for (std::size_t r = 0; r < R; ++r) key[r] = fold(sum[r]);
}

template <class T>
void distances(double const* q, T const* const* rows, std::size_t count, std::size_t cols,
               double* key) {
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) distances_of<4>(q, rows + i, cols, key + i);
  for (; i + 2 <= count; i += 2) distances_of<2>(q, rows + i, cols, key + i);
  if (i < count) distances_of<1>(q, rows + i, cols, key + i);
}

}  // namespace

extern DistanceKernels const distance_kernels;
DistanceKernels const distance_kernels = {&distances<float>, &distances<double>,
                                          &distances<std::uint8_t>, &distances<std::int8_t>};

}  // namespace lookalike::simd::LOOKALIKE_LEVEL
