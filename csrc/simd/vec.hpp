// Vec<T, N>: N lanes of float or double in one or two registers of the level that is compiled, with
// the same operations and the same bits at every level.
#pragma once
#include <math.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/summation.hpp"
#include "simd/register.hpp"

namespace lookalike::simd::LOOKALIKE_LEVEL {
namespace {

template <class T, std::size_t N = Register<T>::kCount>
struct Vec {
  using R = Register<T>;
  using Word = typename R::Word;
  static constexpr std::size_t kCount = N;
  static constexpr std::size_t kRegisters = N / R::kCount;
  static_assert(kRegisters * R::kCount == N && (kRegisters == 1 || kRegisters == 2));

  typename R::Value v[kRegisters];

  // The vector whose register r is f(r): written out, so that no array is left in memory.
  template <class F>
  static Vec of_registers(F f) {
    if constexpr (kRegisters == 1)
      return {{f(0)}};
    else
      return {{f(0), f(1)}};
  }
  template <class From>
  static Vec load(From const* p) {  // numbers of other types become T
    return of_registers([=](std::size_t r) { return R::load(p + r * R::kCount); });
  }
  static Vec all(T x) {
    return of_registers([=](std::size_t) { return R::all(x); });
  }
  static Vec words(Word x) {  // lanes of these bits
    return of_registers([=](std::size_t) { return R::words(x); });
  }
  void store(T* p) const {
    R::store(p, v[0]);
    if constexpr (kRegisters == 2) R::store(p + R::kCount, v[1]);
  }
};

#define LOOKALIKE_VEC_OPERATION(name, operation)                                \
  template <class T, std::size_t N>                                             \
  LOOKALIKE_INLINE Vec<T, N> name(Vec<T, N> const& a, Vec<T, N> const& b) {     \
    return Vec<T, N>::of_registers(                                             \
        [&](std::size_t r) { return Register<T>::operation(a.v[r], b.v[r]); }); \
  }
LOOKALIKE_VEC_OPERATION(operator+, add)
LOOKALIKE_VEC_OPERATION(operator-, sub)
LOOKALIKE_VEC_OPERATION(operator*, mul)
LOOKALIKE_VEC_OPERATION(operator/, div)
LOOKALIKE_VEC_OPERATION(larger, max)  // b where one is NaN
LOOKALIKE_VEC_OPERATION(smaller, min)
#undef LOOKALIKE_VEC_OPERATION

template <class T, std::size_t N>
LOOKALIKE_INLINE Vec<T, N> absolute(Vec<T, N> const& a) {
  return Vec<T, N>::of_registers([&](std::size_t r) { return Register<T>::abs(a.v[r]); });
}
template <class T, std::size_t N>
LOOKALIKE_INLINE Vec<T, N> root(Vec<T, N> const& a) {
  return Vec<T, N>::of_registers([&](std::size_t r) { return Register<T>::sqrt(a.v[r]); });
}
// a b + c, rounded once at every level.
template <class T, std::size_t N>
LOOKALIKE_INLINE Vec<T, N> fused(Vec<T, N> const& a, Vec<T, N> const& b, Vec<T, N> const& c) {
  return Vec<T, N>::of_registers(
      [&](std::size_t r) { return Register<T>::fused(a.v[r], b.v[r], c.v[r]); });
}
// a b + c, rounded once where that costs nothing: for values that decide nothing by themselves.
template <class T, std::size_t N>
LOOKALIKE_INLINE Vec<T, N> multiply_add(Vec<T, N> const& a, Vec<T, N> const& b,
                                        Vec<T, N> const& c) {
  return Vec<T, N>::of_registers(
      [&](std::size_t r) { return Register<T>::multiply_add(a.v[r], b.v[r], c.v[r]); });
}

// Bit l: whether lanes l of a and b compare so.
template <Compare C, class T, std::size_t N>
LOOKALIKE_INLINE std::uint32_t bits_where(Vec<T, N> const& a, Vec<T, N> const& b) {
  std::uint32_t bits = Register<T>::template bits<C>(a.v[0], b.v[0]);
  if constexpr (Vec<T, N>::kRegisters == 2)
    bits |= Register<T>::template bits<C>(a.v[1], b.v[1]) << Register<T>::kCount;
  return bits;
}
// `value` in the lanes where a and b compare so, zero in the others.
template <Compare C, class T, std::size_t N>
LOOKALIKE_INLINE Vec<T, N> value_where(Vec<T, N> const& a, Vec<T, N> const& b,
                                       Vec<T, N> const& value) {
  return Vec<T, N>::of_registers(
      [&](std::size_t r) { return Register<T>::template select<C>(a.v[r], b.v[r], value.v[r]); });
}
// The bits of a where `mask` has ones, joined with those of `tag`.
template <class T, std::size_t N>
LOOKALIKE_INLINE Vec<T, N> tagged(Vec<T, N> const& a, Vec<T, N> const& mask, Vec<T, N> const& tag) {
  return Vec<T, N>::of_registers(
      [&](std::size_t r) { return Register<T>::tagged(a.v[r], mask.v[r], tag.v[r]); });
}

template <class T, std::size_t N>
LOOKALIKE_INLINE T largest_of(Vec<T, N> const& a) {
  if constexpr (Vec<T, N>::kRegisters == 2)
    return Register<T>::largest_of(Register<T>::max(a.v[0], a.v[1]));
  else
    return Register<T>::largest_of(a.v[0]);
}
template <class T, std::size_t N>
LOOKALIKE_INLINE T smallest_of(Vec<T, N> const& a) {
  return -largest_of(Vec<T, N>::all(T{0}) - a);
}

// Eight lanes of float64, in which terms are summed everywhere.
using Doubles = Vec<double, kLanes>;

#if defined(LOOKALIKE_LEVEL_avx512) || defined(LOOKALIKE_LEVEL_avx2)

LOOKALIKE_INLINE __m256d folded_once(Doubles const& a) {
#if defined(LOOKALIKE_LEVEL_avx512)
  return _mm256_add_pd(_mm512_castpd512_pd256(a.v[0]), _mm512_extractf64x4_pd(a.v[0], 1));
#else
  return _mm256_add_pd(a.v[0], a.v[1]);
#endif
}
// The lanes fold in half: (0..3) + (4..7), then (0, 1) + (2, 3), then 0 + 1.
LOOKALIKE_INLINE double fold(Doubles const& a) {
  __m256d const four = folded_once(a);
  __m128d const two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
  return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}
// The folds of four at once, which costs little more than that of one.
LOOKALIKE_INLINE void fold_four(Doubles const* a, double* out) {
  __m256d const r0 = folded_once(a[0]), r1 = folded_once(a[1]);
  __m256d const r2 = folded_once(a[2]), r3 = folded_once(a[3]);
  __m256d const even01 = _mm256_unpacklo_pd(r0, r1), odd01 = _mm256_unpackhi_pd(r0, r1);
  __m256d const even23 = _mm256_unpacklo_pd(r2, r3), odd23 = _mm256_unpackhi_pd(r2, r3);
  __m256d const even = _mm256_add_pd(_mm256_permute2f128_pd(even01, even23, 0x20),
                                     _mm256_permute2f128_pd(even01, even23, 0x31));
  __m256d const odd = _mm256_add_pd(_mm256_permute2f128_pd(odd01, odd23, 0x20),
                                    _mm256_permute2f128_pd(odd01, odd23, 0x31));
  _mm256_storeu_pd(out, _mm256_add_pd(even, odd));
}

#elif defined(LOOKALIKE_NEON)

LOOKALIKE_INLINE float64x2_t folded_twice(Doubles const& a) {
  float64x2x2_t const four = Register<double>::add(a.v[0], a.v[1]);
  return vaddq_f64(four.val[0], four.val[1]);
}
// The lanes fold in half: (0..3) + (4..7), then (0, 1) + (2, 3), then 0 + 1.
LOOKALIKE_INLINE double fold(Doubles const& a) { return vpaddd_f64(folded_twice(a)); }
LOOKALIKE_INLINE void fold_four(Doubles const* a, double* out) {
  vst1q_f64(out, vpaddq_f64(folded_twice(a[0]), folded_twice(a[1])));
  vst1q_f64(out + 2, vpaddq_f64(folded_twice(a[2]), folded_twice(a[3])));
}

#else

LOOKALIKE_INLINE double fold(Doubles const& a) {
  double lane[kLanes];
  a.store(lane);
  return fold_lanes(lane);
}
LOOKALIKE_INLINE void fold_four(Doubles const* a, double* out) {
  for (std::size_t i = 0; i < 4; ++i) out[i] = fold(a[i]);
}

#endif

}  // namespace
}  // namespace lookalike::simd::LOOKALIKE_LEVEL
