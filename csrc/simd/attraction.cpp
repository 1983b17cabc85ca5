// The pull of the neighbors of a point on the map, eight at a time.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/summation.hpp"
#include "layout/tsne.hpp"
#include "simd/intrinsics.hpp"

namespace lookalike::simd::LOOKALIKE_LEVEL {
namespace {

// Lane l of sixteen is across (even) or down (odd) of neighbor l / 2: a place is one load.
constexpr std::size_t kParts = 2 * kLanes;

[[maybe_unused]] LOOKALIKE_INLINE double place_bits(float const* position, std::int32_t row) {
  double both;
  std::memcpy(&both, position + 2 * static_cast<std::int64_t>(row), sizeof both);
  return both;
}

// Adds the pull of one neighbor to two lanes: w p (y - y_j), w = 1 / (1 + d^2).
LOOKALIKE_INLINE void pull_one(float const* position, std::int32_t row, float weight,
                               float const* y, float* lanes) {
  float const* const at = position + 2 * static_cast<std::int64_t>(row);
  float const dx = y[0] - at[0], dy = y[1] - at[1];
  float const w = weight / (1.0F + (dx * dx + dy * dy));
  lanes[0] += w * dx;
  lanes[1] += w * dy;
}

#if defined(LOOKALIKE_LEVEL_avx512)

std::size_t pull_eights(float const* position, std::int32_t const* row, float const* weight,
                        std::size_t count, float const* y, float* lanes) {
  __m512 const here = _mm512_castpd_ps(_mm512_set1_pd(place_bits(y, 0)));
  __m512 const one = _mm512_set1_ps(1.0F);
  __m512i const twice = _mm512_set_epi32(7, 7, 6, 6, 5, 5, 4, 4, 3, 3, 2, 2, 1, 1, 0, 0);
  __m512 sum = _mm512_setzero_ps();
  std::size_t e = 0;
  for (; e + kLanes <= count; e += kLanes) {
    auto const at = [&](std::size_t lane) { return place_bits(position, row[e + lane]); };
    __m512 const there =
        _mm512_castpd_ps(_mm512_set_pd(at(7), at(6), at(5), at(4), at(3), at(2), at(1), at(0)));
    __m512 const gap = _mm512_sub_ps(here, there), squared = _mm512_mul_ps(gap, gap);
    __m512 const both = _mm512_add_ps(squared, _mm512_permute_ps(squared, 0xB1));
    __m512 const p =
        _mm512_permutexvar_ps(twice, _mm512_castps256_ps512(_mm256_loadu_ps(weight + e)));
    __m512 const w = _mm512_div_ps(p, _mm512_add_ps(one, both));
    sum = _mm512_add_ps(sum, _mm512_mul_ps(w, gap));
  }
  _mm512_storeu_ps(lanes, sum);
  return e;
}

#elif defined(LOOKALIKE_LEVEL_avx2)

std::size_t pull_eights(float const* position, std::int32_t const* row, float const* weight,
                        std::size_t count, float const* y, float* lanes) {
  __m256 const here = _mm256_castpd_ps(_mm256_set1_pd(place_bits(y, 0)));
  __m256 const one = _mm256_set1_ps(1.0F);
  __m256i const twice = _mm256_set_epi32(3, 3, 2, 2, 1, 1, 0, 0);
  __m256 sum[2] = {_mm256_setzero_ps(), _mm256_setzero_ps()};
  std::size_t e = 0;
  for (; e + kLanes <= count; e += kLanes)
    for (std::size_t half = 0; half < 2; ++half) {
      std::size_t const first = e + 4 * half;
      auto const at = [&](std::size_t lane) { return place_bits(position, row[first + lane]); };
      __m256 const there = _mm256_castpd_ps(_mm256_set_pd(at(3), at(2), at(1), at(0)));
      __m256 const gap = _mm256_sub_ps(here, there), squared = _mm256_mul_ps(gap, gap);
      __m256 const both = _mm256_add_ps(squared, _mm256_permute_ps(squared, 0xB1));
      __m256 const p =
          _mm256_permutevar8x32_ps(_mm256_castps128_ps256(_mm_loadu_ps(weight + first)), twice);
      __m256 const w = _mm256_div_ps(p, _mm256_add_ps(one, both));
      sum[half] = _mm256_add_ps(sum[half], _mm256_mul_ps(w, gap));
    }
  _mm256_storeu_ps(lanes, sum[0]);
  _mm256_storeu_ps(lanes + kLanes, sum[1]);
  return e;
}

#else

std::size_t pull_eights(float const* position, std::int32_t const* row, float const* weight,
                        std::size_t count, float const* y, float* lanes) {
  std::size_t e = 0;
  for (; e + kLanes <= count; e += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      pull_one(position, row[e + lane], weight[e + lane], y, lanes + 2 * lane);
  return e;
}

#endif

void pull(float const* position, std::int32_t const* row, float const* weight, std::size_t count,
          float const* y, double* force) {
  float lanes[kParts] = {};
  std::size_t e = pull_eights(position, row, weight, count, y, lanes);
  for (std::size_t lane = 0; e < count; ++e, ++lane)
    pull_one(position, row[e], weight[e], y, lanes + 2 * lane);
  double across[kLanes], down[kLanes];
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    across[lane] = static_cast<double>(lanes[2 * lane]);
    down[lane] = static_cast<double>(lanes[2 * lane + 1]);
  }
  force[0] = fold_lanes(across);
  force[1] = fold_lanes(down);
}

}  // namespace

AttractionKernels const attraction_kernels = {&pull};

}  // namespace lookalike::simd::LOOKALIKE_LEVEL
