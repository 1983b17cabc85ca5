// The exponential of eight doubles at once, from additions and products alone: the same bits on
// every level, within two units in the last place.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "simd/pair_lanes.hpp"

namespace lookalike::simd::LOOKALIKE_LEVEL {
namespace {

#if defined(LOOKALIKE_LEVEL_avx512)

// x * 2^n, where `shifted` holds n in its lowest bits.
inline Lanes times_power(Lanes x, Lanes shifted) {
  __m512i const power = _mm512_maskz_slli_epi64(0xFF, _mm512_castpd_si512(shifted.v), 52);
  return {_mm512_castsi512_pd(_mm512_add_epi64(_mm512_castpd_si512(x.v), power))};
}
// `value` where a >= b, zero elsewhere and where one is NaN.
inline Lanes where_reached(Lanes a, Lanes b, Lanes value) {
  return {_mm512_maskz_mov_pd(_mm512_cmp_pd_mask(a.v, b.v, _CMP_GE_OQ), value.v)};
}

#elif defined(LOOKALIKE_LEVEL_avx2)

inline __m256d times_power(__m256d x, __m256d shifted) {
  __m256i const power = _mm256_slli_epi64(_mm256_castpd_si256(shifted), 52);
  return _mm256_castsi256_pd(_mm256_add_epi64(_mm256_castpd_si256(x), power));
}
inline Lanes times_power(Lanes x, Lanes shifted) {
  return {times_power(x.a, shifted.a), times_power(x.b, shifted.b)};
}
inline Lanes where_reached(Lanes a, Lanes b, Lanes value) {
  return {_mm256_and_pd(_mm256_cmp_pd(a.a, b.a, _CMP_GE_OQ), value.a),
          _mm256_and_pd(_mm256_cmp_pd(a.b, b.b, _CMP_GE_OQ), value.b)};
}

#else

inline Lanes times_power(Lanes const& x, Lanes const& shifted) {
  Lanes out;
  for (std::size_t l = 0; l < 8; ++l) {
    std::uint64_t word = 0, power = 0;
    std::memcpy(&word, &x.v[l], sizeof word);
    std::memcpy(&power, &shifted.v[l], sizeof power);
    word += power << 52U;
    std::memcpy(&out.v[l], &word, sizeof word);
  }
  return out;
}
inline Lanes where_reached(Lanes const& a, Lanes const& b, Lanes const& value) {
  return each([&](std::size_t l) { return a.v[l] >= b.v[l] ? value.v[l] : 0.0; });
}

#endif

// exp(x) for x <= 0, and zero where x < least; `least` is -700 or more.
inline Lanes exp_above(Lanes const& x, double least) {
  constexpr double kTaylor[] = {1.0 / 6227020800,
                                1.0 / 479001600,
                                1.0 / 39916800,
                                1.0 / 3628800,
                                1.0 / 362880,
                                1.0 / 40320,
                                1.0 / 5040,
                                1.0 / 720,
                                1.0 / 120,
                                1.0 / 24,
                                1.0 / 6,
                                0.5,
                                1.0,
                                1.0};
  Lanes const magic = same(6755399441055744.0);  // 1.5 * 2^52: the sum has whole numbers last
  Lanes const kept = larger(x, same(least));
  Lanes const shifted = kept * same(1.4426950408889634) + magic;
  Lanes const n = shifted - magic;
  Lanes const rest = (kept - n * same(0.693147180369123816490)) - n * same(1.90821492927058770e-10);
  Lanes sum = same(kTaylor[0]);
  for (std::size_t term = 1; term < sizeof kTaylor / sizeof kTaylor[0]; ++term)
    sum = sum * rest + same(kTaylor[term]);
  return where_reached(x, same(least), times_power(sum, shifted));
}

}  // namespace
}  // namespace lookalike::simd::LOOKALIKE_LEVEL
