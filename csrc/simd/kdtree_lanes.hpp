// A vector of float or double as a type, the same few operations at every level. `tagged` puts the
// bits of a number where the mask has none.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // in GCC's own intrinsics [GCC 105593]
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#if defined(LOOKALIKE_LEVEL_avx2) || defined(LOOKALIKE_LEVEL_avx512)
#include <immintrin.h>
#endif
#if defined(_MSC_VER)
#include <intrin.h>
#endif

namespace lookalike::simd::LOOKALIKE_LEVEL {
namespace {

template <class T>
struct Lanes;

#if defined(LOOKALIKE_LEVEL_avx512)

template <>
struct Lanes<float> {
  using Mask = __mmask16;
  using Place = std::int32_t;
  static constexpr std::size_t kCount = 16;
  __m512 v;
  static Lanes load(float const* p) { return {_mm512_loadu_ps(p)}; }
  static Lanes all(float x) { return {_mm512_set1_ps(x)}; }
  static Lanes place(Place x) { return {_mm512_castsi512_ps(_mm512_set1_epi32(x))}; }
  void store(float* p) const { _mm512_storeu_ps(p, v); }
};
inline Lanes<float> operator-(Lanes<float> a, Lanes<float> b) { return {_mm512_sub_ps(a.v, b.v)}; }
inline Lanes<float> operator+(Lanes<float> a, Lanes<float> b) { return {_mm512_add_ps(a.v, b.v)}; }
inline Lanes<float> operator*(Lanes<float> a, Lanes<float> b) { return {_mm512_mul_ps(a.v, b.v)}; }
inline Lanes<float> largest(Lanes<float> a, Lanes<float> b) { return {_mm512_max_ps(a.v, b.v)}; }
inline Lanes<float> least(Lanes<float> a, Lanes<float> b) { return {_mm512_min_ps(a.v, b.v)}; }
inline Lanes<float> size(Lanes<float> a) { return {_mm512_abs_ps(a.v)}; }
inline Lanes<float> square_plus(Lanes<float> a, Lanes<float> b) {
  return {_mm512_fmadd_ps(a.v, a.v, b.v)};
}
inline __mmask16 below(Lanes<float> a, Lanes<float> b) {
  return _mm512_cmp_ps_mask(a.v, b.v, _CMP_LT_OQ);
}
inline Lanes<float> tagged(Lanes<float> a, Lanes<float> mask, Lanes<float> tag) {
  return {_mm512_castsi512_ps(_mm512_ternarylogic_epi32(
      _mm512_castps_si512(a.v), _mm512_castps_si512(mask.v), _mm512_castps_si512(tag.v), 0xea))};
}
inline std::uint32_t bits(__mmask16 m) { return m; }
inline float largest_of(Lanes<float> a) { return _mm512_reduce_max_ps(a.v); }

template <>
struct Lanes<double> {
  using Mask = __mmask8;
  using Place = std::int64_t;
  static constexpr std::size_t kCount = 8;
  __m512d v;
  static Lanes load(double const* p) { return {_mm512_loadu_pd(p)}; }
  static Lanes all(double x) { return {_mm512_set1_pd(x)}; }
  static Lanes place(Place x) { return {_mm512_castsi512_pd(_mm512_set1_epi64(x))}; }
  void store(double* p) const { _mm512_storeu_pd(p, v); }
};
inline Lanes<double> operator-(Lanes<double> a, Lanes<double> b) {
  return {_mm512_sub_pd(a.v, b.v)};
}
inline Lanes<double> operator+(Lanes<double> a, Lanes<double> b) {
  return {_mm512_add_pd(a.v, b.v)};
}
inline Lanes<double> operator*(Lanes<double> a, Lanes<double> b) {
  return {_mm512_mul_pd(a.v, b.v)};
}
inline Lanes<double> largest(Lanes<double> a, Lanes<double> b) { return {_mm512_max_pd(a.v, b.v)}; }
inline Lanes<double> least(Lanes<double> a, Lanes<double> b) { return {_mm512_min_pd(a.v, b.v)}; }
inline Lanes<double> size(Lanes<double> a) { return {_mm512_abs_pd(a.v)}; }
inline Lanes<double> square_plus(Lanes<double> a, Lanes<double> b) {
  return {_mm512_fmadd_pd(a.v, a.v, b.v)};
}
inline __mmask8 below(Lanes<double> a, Lanes<double> b) {
  return _mm512_cmp_pd_mask(a.v, b.v, _CMP_LT_OQ);
}
inline Lanes<double> tagged(Lanes<double> a, Lanes<double> mask, Lanes<double> tag) {
  return {_mm512_castsi512_pd(_mm512_ternarylogic_epi64(
      _mm512_castpd_si512(a.v), _mm512_castpd_si512(mask.v), _mm512_castpd_si512(tag.v), 0xea))};
}
inline Lanes<double> root(Lanes<double> a) { return {_mm512_sqrt_pd(a.v)}; }
inline std::uint32_t bits(__mmask8 m) { return m; }
inline double largest_of(Lanes<double> a) { return _mm512_reduce_max_pd(a.v); }

#elif defined(LOOKALIKE_LEVEL_avx2)

template <>
struct Lanes<float> {
  using Mask = __m256;
  using Place = std::int32_t;
  static constexpr std::size_t kCount = 8;
  __m256 v;
  static Lanes load(float const* p) { return {_mm256_loadu_ps(p)}; }
  static Lanes all(float x) { return {_mm256_set1_ps(x)}; }
  static Lanes place(Place x) { return {_mm256_castsi256_ps(_mm256_set1_epi32(x))}; }
  void store(float* p) const { _mm256_storeu_ps(p, v); }
};
inline Lanes<float> operator-(Lanes<float> a, Lanes<float> b) { return {_mm256_sub_ps(a.v, b.v)}; }
inline Lanes<float> operator+(Lanes<float> a, Lanes<float> b) { return {_mm256_add_ps(a.v, b.v)}; }
inline Lanes<float> operator*(Lanes<float> a, Lanes<float> b) { return {_mm256_mul_ps(a.v, b.v)}; }
inline Lanes<float> largest(Lanes<float> a, Lanes<float> b) { return {_mm256_max_ps(a.v, b.v)}; }
inline Lanes<float> least(Lanes<float> a, Lanes<float> b) { return {_mm256_min_ps(a.v, b.v)}; }
inline Lanes<float> size(Lanes<float> a) { return {_mm256_andnot_ps(_mm256_set1_ps(-0.0f), a.v)}; }
inline Lanes<float> square_plus(Lanes<float> a, Lanes<float> b) {
  return {_mm256_fmadd_ps(a.v, a.v, b.v)};
}
inline __m256 below(Lanes<float> a, Lanes<float> b) { return _mm256_cmp_ps(a.v, b.v, _CMP_LT_OQ); }
inline Lanes<float> tagged(Lanes<float> a, Lanes<float> mask, Lanes<float> tag) {
  return {_mm256_or_ps(_mm256_and_ps(a.v, mask.v), tag.v)};
}
inline std::uint32_t bits(__m256 m) { return static_cast<std::uint32_t>(_mm256_movemask_ps(m)); }

template <>
struct Lanes<double> {
  using Mask = __m256d;
  using Place = std::int64_t;
  static constexpr std::size_t kCount = 4;
  __m256d v;
  static Lanes load(double const* p) { return {_mm256_loadu_pd(p)}; }
  static Lanes all(double x) { return {_mm256_set1_pd(x)}; }
  static Lanes place(Place x) { return {_mm256_castsi256_pd(_mm256_set1_epi64x(x))}; }
  void store(double* p) const { _mm256_storeu_pd(p, v); }
};
inline Lanes<double> operator-(Lanes<double> a, Lanes<double> b) {
  return {_mm256_sub_pd(a.v, b.v)};
}
inline Lanes<double> operator+(Lanes<double> a, Lanes<double> b) {
  return {_mm256_add_pd(a.v, b.v)};
}
inline Lanes<double> operator*(Lanes<double> a, Lanes<double> b) {
  return {_mm256_mul_pd(a.v, b.v)};
}
inline Lanes<double> largest(Lanes<double> a, Lanes<double> b) { return {_mm256_max_pd(a.v, b.v)}; }
inline Lanes<double> least(Lanes<double> a, Lanes<double> b) { return {_mm256_min_pd(a.v, b.v)}; }
inline Lanes<double> size(Lanes<double> a) { return {_mm256_andnot_pd(_mm256_set1_pd(-0.0), a.v)}; }
inline Lanes<double> square_plus(Lanes<double> a, Lanes<double> b) {
  return {_mm256_fmadd_pd(a.v, a.v, b.v)};
}
inline __m256d below(Lanes<double> a, Lanes<double> b) {
  return _mm256_cmp_pd(a.v, b.v, _CMP_LT_OQ);
}
inline Lanes<double> tagged(Lanes<double> a, Lanes<double> mask, Lanes<double> tag) {
  return {_mm256_or_pd(_mm256_and_pd(a.v, mask.v), tag.v)};
}
inline Lanes<double> root(Lanes<double> a) { return {_mm256_sqrt_pd(a.v)}; }
inline std::uint32_t bits(__m256d m) { return static_cast<std::uint32_t>(_mm256_movemask_pd(m)); }

#else

template <class T>
struct PlainLanes {
  using Place = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  static constexpr std::size_t kCount = 32 / sizeof(T);
  struct Mask {
    Place on[kCount];  // -1 or 0
  };
  T v[kCount];

  template <class F>
  static Lanes<T> make(F of_lane) {
    Lanes<T> out;
    for (std::size_t i = 0; i < kCount; ++i) out.v[i] = of_lane(i);
    return out;
  }
  static Lanes<T> load(T const* p) {
    return make([=](std::size_t i) { return p[i]; });
  }
  static Lanes<T> all(T x) {
    return make([=](std::size_t) { return x; });
  }
  static Lanes<T> place(Place x) {
    T carried;
    std::memcpy(&carried, &x, sizeof x);
    return all(carried);
  }
  void store(T* p) const {
    for (std::size_t i = 0; i < kCount; ++i) p[i] = v[i];
  }
};
template <>
struct Lanes<float> : PlainLanes<float> {};
template <>
struct Lanes<double> : PlainLanes<double> {};

template <class T>
Lanes<T> operator-(Lanes<T> const& a, Lanes<T> const& b) {
  return Lanes<T>::make([&](std::size_t i) { return a.v[i] - b.v[i]; });
}
template <class T>
Lanes<T> operator*(Lanes<T> const& a, Lanes<T> const& b) {
  return Lanes<T>::make([&](std::size_t i) { return a.v[i] * b.v[i]; });
}
template <class T>
Lanes<T> operator+(Lanes<T> const& a, Lanes<T> const& b) {
  return Lanes<T>::make([&](std::size_t i) { return a.v[i] + b.v[i]; });
}
template <class T>
Lanes<T> largest(Lanes<T> const& a, Lanes<T> const& b) {
  return Lanes<T>::make([&](std::size_t i) { return a.v[i] > b.v[i] ? a.v[i] : b.v[i]; });
}
template <class T>
Lanes<T> least(Lanes<T> const& a, Lanes<T> const& b) {
  return Lanes<T>::make([&](std::size_t i) { return a.v[i] < b.v[i] ? a.v[i] : b.v[i]; });
}
template <class T>
Lanes<T> size(Lanes<T> const& a) {
  return Lanes<T>::make([&](std::size_t i) { return a.v[i] < 0 ? -a.v[i] : a.v[i]; });
}
template <class T>
Lanes<T> square_plus(Lanes<T> const& a, Lanes<T> const& b) {
  return Lanes<T>::make([&](std::size_t i) { return a.v[i] * a.v[i] + b.v[i]; });
}
template <class T>
typename PlainLanes<T>::Mask below(Lanes<T> const& a, Lanes<T> const& b) {
  typename PlainLanes<T>::Mask out;
  for (std::size_t i = 0; i < Lanes<T>::kCount; ++i) out.on[i] = a.v[i] < b.v[i] ? -1 : 0;
  return out;
}
template <class T>
Lanes<T> tagged(Lanes<T> const& a, Lanes<T> const& mask, Lanes<T> const& tag) {
  using Place = typename PlainLanes<T>::Place;
  return Lanes<T>::make([&](std::size_t i) {
    Place key, keep, number;
    std::memcpy(&key, &a.v[i], sizeof key);
    std::memcpy(&keep, &mask.v[i], sizeof keep);
    std::memcpy(&number, &tag.v[i], sizeof number);
    key = (key & keep) | number;
    T out;
    std::memcpy(&out, &key, sizeof out);
    return out;
  });
}
inline Lanes<double> root(Lanes<double> const& a) {
  return Lanes<double>::make([&](std::size_t i) { return std::sqrt(a.v[i]); });
}
template <class Mask>
std::uint32_t bits(Mask const& m) {
  std::uint32_t out = 0;
  for (std::size_t i = 0; i < sizeof m.on / sizeof m.on[0]; ++i)
    out |= static_cast<std::uint32_t>(m.on[i] != 0) << i;
  return out;
}

#endif

#if !defined(LOOKALIKE_LEVEL_avx512)
template <class T>
T largest_of(Lanes<T> const& a) {
  T lane[Lanes<T>::kCount];
  a.store(lane);
  T most = lane[0];
  for (T const value : lane) most = value > most ? value : most;
  return most;
}
#endif

inline std::uint32_t lowest_bit(std::uint32_t word) {
#if defined(_MSC_VER)
  unsigned long at;
  _BitScanForward(&at, word);
  return at;
#else
  return static_cast<std::uint32_t>(__builtin_ctz(word));
#endif
}
inline std::uint32_t bit_count(std::uint32_t word) {
#if defined(_MSC_VER)
  return __popcnt(word);
#else
  return static_cast<std::uint32_t>(__builtin_popcount(word));
#endif
}

}  // namespace
}  // namespace lookalike::simd::LOOKALIKE_LEVEL
