// The exponential of eight doubles at once, from fused products and sums alone: the same bits on
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

// exp(x) for x <= 0, and zero where x < least; `least` is -707 or more, so that powers of two stay
// in the normal range. exp(x) = 2^n (1 + r + r^2 P(r)), |r| <= ln(2) / 2, P a fit within 2e-17.
inline Lanes exp_above(Lanes const& x, double least) {
  constexpr double kFit[] = {0x1.af38a9b0ec855p-26, 0x1.289185613a3d6p-22, 0x1.71de0dae63bb3p-19,
                             0x1.a019b90d2ae7ap-16, 0x1.a01a01a7c41d5p-13, 0x1.6c16c1788bd90p-10,
                             0x1.11111111109b3p-7,  0x1.5555555553d63p-5,  0x1.5555555555556p-3,
                             0x1.0000000000001p-1};
  Lanes const magic = same(0x1.8p52);  // so large that whole numbers come last in the sum
  Lanes const kept = larger(x, same(least));
  Lanes const shifted = fused(kept, same(0x1.71547652b82fep+0), magic);
  Lanes const n = shifted - magic;
  Lanes const near = fused(n, same(-0x1.62e42fee00000p-1), kept);  // ln(2) in two parts
  Lanes const r = fused(n, same(-0x1.a39ef35793c76p-33), near);
  Lanes fit = same(kFit[0]);
  for (std::size_t term = 1; term < sizeof kFit / sizeof kFit[0]; ++term)
    fit = fused(fit, r, same(kFit[term]));
  Lanes const series = same(1.0) + fused(r * r, fit, r);
  return where_reached(x, same(least), times_power(series, shifted));
}

}  // namespace
}  // namespace lookalike::simd::LOOKALIKE_LEVEL
