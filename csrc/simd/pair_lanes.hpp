// Eight doubles side by side: one register, two, or a loop, with the same bits from each.
#pragma once
#include <cstddef>
#include <cstdint>

#if defined(LOOKALIKE_LEVEL_avx512) || defined(LOOKALIKE_LEVEL_avx2)
#include <immintrin.h>
#endif

namespace lookalike::simd::LOOKALIKE_LEVEL {
namespace {

#if defined(LOOKALIKE_LEVEL_avx512)

struct Lanes {
  __m512d v;
};
inline Lanes same(double x) { return {_mm512_set1_pd(x)}; }
inline Lanes load(double const* p) { return {_mm512_loadu_pd(p)}; }
inline Lanes load(std::int32_t const* p) {
  return {_mm512_cvtepi32_pd(_mm256_loadu_si256(reinterpret_cast<__m256i const*>(p)))};
}
inline void store(double* p, Lanes a) { _mm512_storeu_pd(p, a.v); }
inline Lanes operator+(Lanes a, Lanes b) { return {_mm512_add_pd(a.v, b.v)}; }
inline Lanes operator-(Lanes a, Lanes b) { return {_mm512_sub_pd(a.v, b.v)}; }
inline Lanes operator*(Lanes a, Lanes b) { return {_mm512_mul_pd(a.v, b.v)}; }
inline Lanes operator/(Lanes a, Lanes b) { return {_mm512_div_pd(a.v, b.v)}; }
inline Lanes fused(Lanes a, Lanes b, Lanes c) { return {_mm512_fmadd_pd(a.v, b.v, c.v)}; }
inline Lanes size(Lanes a) { return {_mm512_abs_pd(a.v)}; }
// Zero-masked with all ones: GCC 12 warns of its own header's plain forms.
inline Lanes larger(Lanes a, Lanes b) { return {_mm512_maskz_max_pd(0xFF, a.v, b.v)}; }
inline Lanes smaller(Lanes a, Lanes b) { return {_mm512_maskz_min_pd(0xFF, a.v, b.v)}; }
// `value` where a and b are unequal, zero elsewhere.
inline Lanes where_unequal(Lanes a, Lanes b, Lanes value) {
  return {_mm512_maskz_mov_pd(_mm512_cmp_pd_mask(a.v, b.v, _CMP_NEQ_UQ), value.v)};
}
// `value` where `gap` is a number, zero where it is NaN.
inline Lanes where_present(Lanes gap, Lanes value) {
  return {_mm512_maskz_mov_pd(_mm512_cmp_pd_mask(gap.v, gap.v, _CMP_ORD_Q), value.v)};
}
// Bit l says whether a >= b in lane l.
inline unsigned which_reach(Lanes a, Lanes b) { return _mm512_cmp_pd_mask(a.v, b.v, _CMP_GE_OQ); }

#elif defined(LOOKALIKE_LEVEL_avx2)

struct Lanes {
  __m256d a, b;
};
inline Lanes same(double x) { return {_mm256_set1_pd(x), _mm256_set1_pd(x)}; }
inline Lanes load(double const* p) { return {_mm256_loadu_pd(p), _mm256_loadu_pd(p + 4)}; }
inline Lanes load(std::int32_t const* p) {
  auto const* const four = reinterpret_cast<__m128i const*>(p);
  return {_mm256_cvtepi32_pd(_mm_loadu_si128(four)), _mm256_cvtepi32_pd(_mm_loadu_si128(four + 1))};
}
inline void store(double* p, Lanes x) {
  _mm256_storeu_pd(p, x.a);
  _mm256_storeu_pd(p + 4, x.b);
}
inline Lanes operator+(Lanes x, Lanes y) {
  return {_mm256_add_pd(x.a, y.a), _mm256_add_pd(x.b, y.b)};
}
inline Lanes operator-(Lanes x, Lanes y) {
  return {_mm256_sub_pd(x.a, y.a), _mm256_sub_pd(x.b, y.b)};
}
inline Lanes operator*(Lanes x, Lanes y) {
  return {_mm256_mul_pd(x.a, y.a), _mm256_mul_pd(x.b, y.b)};
}
inline Lanes operator/(Lanes x, Lanes y) {
  return {_mm256_div_pd(x.a, y.a), _mm256_div_pd(x.b, y.b)};
}
inline Lanes fused(Lanes x, Lanes y, Lanes z) {
  return {_mm256_fmadd_pd(x.a, y.a, z.a), _mm256_fmadd_pd(x.b, y.b, z.b)};
}
inline Lanes size(Lanes x) {
  __m256d const sign = _mm256_set1_pd(-0.0);
  return {_mm256_andnot_pd(sign, x.a), _mm256_andnot_pd(sign, x.b)};
}
inline Lanes larger(Lanes x, Lanes y) { return {_mm256_max_pd(x.a, y.a), _mm256_max_pd(x.b, y.b)}; }
inline Lanes smaller(Lanes x, Lanes y) {
  return {_mm256_min_pd(x.a, y.a), _mm256_min_pd(x.b, y.b)};
}
inline Lanes where_unequal(Lanes x, Lanes y, Lanes value) {
  return {_mm256_and_pd(_mm256_cmp_pd(x.a, y.a, _CMP_NEQ_UQ), value.a),
          _mm256_and_pd(_mm256_cmp_pd(x.b, y.b, _CMP_NEQ_UQ), value.b)};
}
inline Lanes where_present(Lanes gap, Lanes value) {
  return {_mm256_and_pd(_mm256_cmp_pd(gap.a, gap.a, _CMP_ORD_Q), value.a),
          _mm256_and_pd(_mm256_cmp_pd(gap.b, gap.b, _CMP_ORD_Q), value.b)};
}
inline unsigned which_reach(Lanes x, Lanes y) {
  int const low = _mm256_movemask_pd(_mm256_cmp_pd(x.a, y.a, _CMP_GE_OQ));
  int const high = _mm256_movemask_pd(_mm256_cmp_pd(x.b, y.b, _CMP_GE_OQ));
  return static_cast<unsigned>(low | high << 4);
}

#else

struct Lanes {
  double v[8];
};
template <class F>
inline Lanes each(F f) {
  Lanes out;
  for (std::size_t l = 0; l < 8; ++l) out.v[l] = f(l);
  return out;
}
inline Lanes same(double x) {
  return each([&](std::size_t) { return x; });
}
template <class T>
inline Lanes load(T const* p) {
  return each([&](std::size_t l) { return static_cast<double>(p[l]); });
}
inline void store(double* p, Lanes const& a) {
  for (std::size_t l = 0; l < 8; ++l) p[l] = a.v[l];
}
inline Lanes operator+(Lanes const& a, Lanes const& b) {
  return each([&](std::size_t l) { return a.v[l] + b.v[l]; });
}
inline Lanes operator-(Lanes const& a, Lanes const& b) {
  return each([&](std::size_t l) { return a.v[l] - b.v[l]; });
}
inline Lanes operator*(Lanes const& a, Lanes const& b) {
  return each([&](std::size_t l) { return a.v[l] * b.v[l]; });
}
inline Lanes operator/(Lanes const& a, Lanes const& b) {
  return each([&](std::size_t l) { return a.v[l] / b.v[l]; });
}
inline Lanes fused(Lanes const& a, Lanes const& b, Lanes const& c) {
  return each([&](std::size_t l) { return __builtin_fma(a.v[l], b.v[l], c.v[l]); });
}
inline Lanes size(Lanes const& a) {
  return each([&](std::size_t l) { return a.v[l] < 0.0 ? -a.v[l] : a.v[l] + 0.0; });
}
inline Lanes larger(Lanes const& a, Lanes const& b) {
  return each([&](std::size_t l) { return a.v[l] > b.v[l] ? a.v[l] : b.v[l]; });
}
inline Lanes smaller(Lanes const& a, Lanes const& b) {
  return each([&](std::size_t l) { return a.v[l] < b.v[l] ? a.v[l] : b.v[l]; });
}
inline Lanes where_unequal(Lanes const& a, Lanes const& b, Lanes const& value) {
  return each([&](std::size_t l) { return a.v[l] != b.v[l] ? value.v[l] : 0.0; });
}
inline Lanes where_present(Lanes const& gap, Lanes const& value) {
  return each([&](std::size_t l) { return gap.v[l] == gap.v[l] ? value.v[l] : 0.0; });
}
inline unsigned which_reach(Lanes const& a, Lanes const& b) {
  unsigned bits = 0;
  for (std::size_t l = 0; l < 8; ++l) bits |= static_cast<unsigned>(a.v[l] >= b.v[l]) << l;
  return bits;
}

#endif

#if defined(LOOKALIKE_LEVEL_avx512)
inline __m256d halves(Lanes a) {
  return _mm256_add_pd(_mm512_maskz_extractf64x4_pd(0xF, a.v, 0),
                       _mm512_maskz_extractf64x4_pd(0xF, a.v, 1));
}
#elif defined(LOOKALIKE_LEVEL_avx2)
inline __m256d halves(Lanes x) { return _mm256_add_pd(x.a, x.b); }
#endif

// The lanes fold in half: (0..3) + (4..7), then (0, 1) + (2, 3), then 0 + 1.
inline double fold(Lanes const& a) {
  double v[8];
  store(v, a);
  return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

// The folds of four at once, which costs little more than that of one.
inline void fold_four(Lanes const* a, double* out) {
#if defined(LOOKALIKE_LEVEL_avx512) || defined(LOOKALIKE_LEVEL_avx2)
  __m256d const r0 = halves(a[0]), r1 = halves(a[1]), r2 = halves(a[2]), r3 = halves(a[3]);
  __m256d const even01 = _mm256_unpacklo_pd(r0, r1), odd01 = _mm256_unpackhi_pd(r0, r1);
  __m256d const even23 = _mm256_unpacklo_pd(r2, r3), odd23 = _mm256_unpackhi_pd(r2, r3);
  __m256d const even = _mm256_add_pd(_mm256_permute2f128_pd(even01, even23, 0x20),
                                     _mm256_permute2f128_pd(even01, even23, 0x31));
  __m256d const odd = _mm256_add_pd(_mm256_permute2f128_pd(odd01, odd23, 0x20),
                                    _mm256_permute2f128_pd(odd01, odd23, 0x31));
  _mm256_storeu_pd(out, _mm256_add_pd(even, odd));
#else
  for (std::size_t i = 0; i < 4; ++i) out[i] = fold(a[i]);
#endif
}

inline double largest(Lanes const& a) {
  double v[8];
  store(v, a);
  double most = v[0];
  for (double const x : v) most = x > most ? x : most;
  return most;
}

}  // namespace
}  // namespace lookalike::simd::LOOKALIKE_LEVEL
