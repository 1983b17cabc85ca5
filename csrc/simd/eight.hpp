// Eight float64 lanes of the level that is being compiled, and the order in which they are folded.
#pragma once
#include <cstddef>
#include <cstdint>

#include "distance/distance.hpp"
#include "simd/intrinsics.hpp"

namespace lookalike::simd::LOOKALIKE_LEVEL {
namespace {

#if defined(LOOKALIKE_LEVEL_avx512)

struct Eight {
  __m512d lanes;

  static Eight zero() { return {_mm512_setzero_pd()}; }
  static Eight load(double const* x) { return {_mm512_loadu_pd(x)}; }
  static Eight load(float const* x) { return {_mm512_cvtps_pd(_mm256_loadu_ps(x))}; }
  static Eight load(std::uint8_t const* x) {
    return {_mm512_cvtepi32_pd(_mm256_cvtepu8_epi32(bytes(x)))};
  }
  static Eight load(std::int8_t const* x) {
    return {_mm512_cvtepi32_pd(_mm256_cvtepi8_epi32(bytes(x)))};
  }
  static __m128i bytes(void const* x) { return _mm_loadl_epi64(static_cast<__m128i const*>(x)); }

  void add_square_of_gap(Eight q, Eight x) {
    __m512d const gap = _mm512_sub_pd(q.lanes, x.lanes);
    lanes = _mm512_add_pd(lanes, _mm512_mul_pd(gap, gap));
  }
  void fuse_square_of_gap(Eight q, Eight x) {
    __m512d const gap = _mm512_sub_pd(q.lanes, x.lanes);
    lanes = _mm512_fmadd_pd(gap, gap, lanes);
  }
  double fold() const {
    __m256d const four =
        _mm256_add_pd(_mm512_castpd512_pd256(lanes), _mm512_extractf64x4_pd(lanes, 1));
    __m128d const two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
    return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
  }
};

#elif defined(LOOKALIKE_LEVEL_avx2)

struct Eight {
  __m256d low, high;

  static Eight zero() { return {_mm256_setzero_pd(), _mm256_setzero_pd()}; }
  static Eight load(double const* x) { return {_mm256_loadu_pd(x), _mm256_loadu_pd(x + 4)}; }
  static Eight load(float const* x) {
    return {_mm256_cvtps_pd(_mm_loadu_ps(x)), _mm256_cvtps_pd(_mm_loadu_ps(x + 4))};
  }
  static Eight load(std::uint8_t const* x) { return widen(_mm256_cvtepu8_epi32(bytes(x))); }
  static Eight load(std::int8_t const* x) { return widen(_mm256_cvtepi8_epi32(bytes(x))); }
  static __m128i bytes(void const* x) { return _mm_loadl_epi64(static_cast<__m128i const*>(x)); }
  static Eight widen(__m256i x) {
    return {_mm256_cvtepi32_pd(_mm256_castsi256_si128(x)),
            _mm256_cvtepi32_pd(_mm256_extracti128_si256(x, 1))};
  }

  void add_square_of_gap(Eight q, Eight x) {
    __m256d const a = _mm256_sub_pd(q.low, x.low), b = _mm256_sub_pd(q.high, x.high);
    low = _mm256_add_pd(low, _mm256_mul_pd(a, a));
    high = _mm256_add_pd(high, _mm256_mul_pd(b, b));
  }
  void fuse_square_of_gap(Eight q, Eight x) {
    __m256d const a = _mm256_sub_pd(q.low, x.low), b = _mm256_sub_pd(q.high, x.high);
    low = _mm256_fmadd_pd(a, a, low);
    high = _mm256_fmadd_pd(b, b, high);
  }
  double fold() const {
    __m256d const four = _mm256_add_pd(low, high);
    __m128d const two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
    return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
  }
};

#else

struct Eight {
  double lanes[kLanes];

  static Eight zero() { return {}; }
  template <class T>
  static Eight load(T const* x) {
    Eight loaded;
    for (std::size_t j = 0; j < kLanes; ++j) loaded.lanes[j] = static_cast<double>(x[j]);
    return loaded;
  }
  void add_square_of_gap(Eight const& q, Eight const& x) {
    for (std::size_t j = 0; j < kLanes; ++j) {
      double const gap = q.lanes[j] - x.lanes[j];
      lanes[j] += gap * gap;
    }
  }
  void fuse_square_of_gap(Eight const& q, Eight const& x) {
    for (std::size_t j = 0; j < kLanes; ++j) {
      double const gap = q.lanes[j] - x.lanes[j];
      lanes[j] = __builtin_fma(gap, gap, lanes[j]);
    }
  }
  double fold() const {
    double const a = lanes[0] + lanes[4], b = lanes[1] + lanes[5];
    double const c = lanes[2] + lanes[6], d = lanes[3] + lanes[7];
    return (a + c) + (b + d);
  }
};

#endif

}  // namespace
}  // namespace lookalike::simd::LOOKALIKE_LEVEL
