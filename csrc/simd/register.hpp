// One register of float or double at the level that is compiled: what Vec is made of. At the
// generic level it is a short array, which the compiler maps to the vectors of the processor.
#pragma once
#include <math.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "simd/intrinsics.hpp"

namespace lookalike::simd::LOOKALIKE_LEVEL {
namespace {

enum class Compare { less, at_most, at_least, unequal, ordered };  // ordered: neither is NaN

template <class T>
struct Register;

#if defined(LOOKALIKE_LEVEL_avx512) || defined(LOOKALIKE_LEVEL_avx2)

template <Compare C>
constexpr int kPredicate = C == Compare::less       ? _CMP_LT_OQ
                           : C == Compare::at_most  ? _CMP_LE_OQ
                           : C == Compare::at_least ? _CMP_GE_OQ
                           : C == Compare::unequal  ? _CMP_NEQ_UQ
                                                    : _CMP_ORD_Q;

// The operations that differ between registers by their name alone.
#define LOOKALIKE_REGISTER_OPERATIONS(T, P, S)                                     \
  static constexpr std::size_t kCount = sizeof(Value) / sizeof(T);                 \
  static Value load(T const* p) { return P##_loadu_##S(p); }                       \
  static Value all(T x) { return P##_set1_##S(x); }                                \
  static void store(T* p, Value a) { P##_storeu_##S(p, a); }                       \
  static Value add(Value a, Value b) { return P##_add_##S(a, b); }                 \
  static Value sub(Value a, Value b) { return P##_sub_##S(a, b); }                 \
  static Value mul(Value a, Value b) { return P##_mul_##S(a, b); }                 \
  static Value div(Value a, Value b) { return P##_div_##S(a, b); }                 \
  static Value max(Value a, Value b) { return P##_max_##S(a, b); }                 \
  static Value min(Value a, Value b) { return P##_min_##S(a, b); }                 \
  static Value sqrt(Value a) { return P##_sqrt_##S(a); }                           \
  static Value fused(Value a, Value b, Value c) { return P##_fmadd_##S(a, b, c); } \
  static Value multiply_add(Value a, Value b, Value c) { return P##_fmadd_##S(a, b, c); }

// Loads of other numbers as doubles, from registers of `Bits` bits whose operations begin with H.
#define LOOKALIKE_REGISTER_LOADS(P, H, Bits)                                              \
  static Value load(float const* p) { return P##_cvtps_pd(H##_loadu_ps(p)); }             \
  static Value load(std::int32_t const* p) {                                              \
    return P##_cvtepi32_pd(H##_loadu_si##Bits(reinterpret_cast<__m##Bits##i const*>(p))); \
  }                                                                                       \
  static Value load(std::uint8_t const* p) {                                              \
    return P##_cvtepi32_pd(H##_cvtepu8_epi32(some_bytes(p)));                             \
  }                                                                                       \
  static Value load(std::int8_t const* p) {                                               \
    return P##_cvtepi32_pd(H##_cvtepi8_epi32(some_bytes(p)));                             \
  }

#endif

#if defined(LOOKALIKE_LEVEL_avx512)

#define LOOKALIKE_REGISTER_OF_512(T, S, W, I)                                                \
  LOOKALIKE_REGISTER_OPERATIONS(T, _mm512, S)                                                \
  static Value words(Word x) { return _mm512_castsi512_##S(_mm512_set1_##W(x)); }            \
  static Value abs(Value a) { return _mm512_abs_##S(a); }                                    \
  template <Compare C>                                                                       \
  static std::uint32_t bits(Value a, Value b) {                                              \
    return _mm512_cmp_##S##_mask(a, b, kPredicate<C>);                                       \
  }                                                                                          \
  template <Compare C>                                                                       \
  static Value select(Value a, Value b, Value value) {                                       \
    return _mm512_maskz_mov_##S(_mm512_cmp_##S##_mask(a, b, kPredicate<C>), value);          \
  }                                                                                          \
  static Value tagged(Value a, Value mask, Value tag) {                                      \
    return _mm512_castsi512_##S(_mm512_ternarylogic_##I(_mm512_cast##S##_si512(a),           \
                                                        _mm512_cast##S##_si512(mask),        \
                                                        _mm512_cast##S##_si512(tag), 0xea)); \
  }                                                                                          \
  static T largest_of(Value a) { return _mm512_reduce_max_##S(a); }

template <>
struct Register<float> {
  using Value = __m512;
  using Word = std::int32_t;
  LOOKALIKE_REGISTER_OF_512(float, ps, epi32, epi32)
};

template <>
struct Register<double> {
  using Value = __m512d;
  using Word = std::int64_t;
  LOOKALIKE_REGISTER_OF_512(double, pd, epi64, epi64)

  LOOKALIKE_REGISTER_LOADS(_mm512, _mm256, 256)

  static __m128i some_bytes(void const* p) {
    return _mm_loadl_epi64(static_cast<__m128i const*>(p));
  }
  // a 2^n, where `shifted` holds n in its lowest bits. Zero-masked with all ones: GCC 12 warns of
  // the plain form of its own header.
  static Value times_power(Value a, Value shifted) {
    __m512i const power = _mm512_maskz_slli_epi64(0xFF, _mm512_castpd_si512(shifted), 52);
    return _mm512_castsi512_pd(_mm512_add_epi64(_mm512_castpd_si512(a), power));
  }
};

#undef LOOKALIKE_REGISTER_OF_512

#elif defined(LOOKALIKE_LEVEL_avx2)

#define LOOKALIKE_REGISTER_OF_256(T, S, W)                                                       \
  LOOKALIKE_REGISTER_OPERATIONS(T, _mm256, S)                                                    \
  static Value words(Word x) { return _mm256_castsi256_##S(_mm256_set1_##W(x)); }                \
  static Value abs(Value a) { return _mm256_andnot_##S(_mm256_set1_##S(T{-0.0}), a); }           \
  template <Compare C>                                                                           \
  static std::uint32_t bits(Value a, Value b) {                                                  \
    return static_cast<std::uint32_t>(_mm256_movemask_##S(_mm256_cmp_##S(a, b, kPredicate<C>))); \
  }                                                                                              \
  template <Compare C>                                                                           \
  static Value select(Value a, Value b, Value value) {                                           \
    return _mm256_and_##S(_mm256_cmp_##S(a, b, kPredicate<C>), value);                           \
  }                                                                                              \
  static Value tagged(Value a, Value mask, Value tag) {                                          \
    return _mm256_or_##S(_mm256_and_##S(a, mask), tag);                                          \
  }

template <>
struct Register<float> {
  using Value = __m256;
  using Word = std::int32_t;
  LOOKALIKE_REGISTER_OF_256(float, ps, epi32)

  static float largest_of(Value a) {
    __m128 const four = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    __m128 const two = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
  }
};

template <>
struct Register<double> {
  using Value = __m256d;
  using Word = std::int64_t;
  LOOKALIKE_REGISTER_OF_256(double, pd, epi64x)

  LOOKALIKE_REGISTER_LOADS(_mm256, _mm, 128)

  static __m128i some_bytes(void const* p) {
    std::int32_t word;
    std::memcpy(&word, p, sizeof word);
    return _mm_cvtsi32_si128(word);
  }
  static Value times_power(Value a, Value shifted) {
    __m256i const power = _mm256_slli_epi64(_mm256_castpd_si256(shifted), 52);
    return _mm256_castsi256_pd(_mm256_add_epi64(_mm256_castpd_si256(a), power));
  }
  static double largest_of(Value a) {
    __m128d const two = _mm_max_pd(_mm256_castpd256_pd128(a), _mm256_extractf128_pd(a, 1));
    return _mm_cvtsd_f64(_mm_max_sd(two, _mm_unpackhi_pd(two, two)));
  }
};

#undef LOOKALIKE_REGISTER_OF_256

#elif !defined(LOOKALIKE_NEON)

template <Compare C, class T>
bool holds(T a, T b) {
  if constexpr (C == Compare::less) return a < b;
  if constexpr (C == Compare::at_most) return a <= b;
  if constexpr (C == Compare::at_least) return a >= b;
  if constexpr (C == Compare::unequal) return a != b;
  return a == a && b == b;
}

template <class T, class W>
struct PlainRegister {
  using Word = W;  // an integer as wide as T
  static constexpr std::size_t kCount = 32 / sizeof(T);
  struct Value {
    T lane[kCount];
  };

  template <class F>
  static Value each(F f) {
    Value out;
    for (std::size_t l = 0; l < kCount; ++l) out.lane[l] = f(l);
    return out;
  }
  template <class F>
  static Value each_word(F f) {  // of lanes made of bits
    return each([&](std::size_t l) {
      Word const word = f(l);
      T carried;
      std::memcpy(&carried, &word, sizeof word);
      return carried;
    });
  }
  static Word word_of(T x) {
    Word word;
    std::memcpy(&word, &x, sizeof word);
    return word;
  }

  template <class From>
  static Value load(From const* p) {
    return each([=](std::size_t l) { return static_cast<T>(p[l]); });
  }
  static Value all(T x) {
    return each([=](std::size_t) { return x; });
  }
  static Value words(Word x) {
    return each_word([=](std::size_t) { return x; });
  }
  static void store(T* p, Value const& a) {
    for (std::size_t l = 0; l < kCount; ++l) p[l] = a.lane[l];
  }
#define LOOKALIKE_LANE_OPERATION(name, expression)    \
  static Value name(Value const& a, Value const& b) { \
    return each([&](std::size_t l) {                  \
      T const x = a.lane[l], y = b.lane[l];           \
      return expression;                              \
    });                                               \
  }
  LOOKALIKE_LANE_OPERATION(add, x + y)
  LOOKALIKE_LANE_OPERATION(sub, x - y)
  LOOKALIKE_LANE_OPERATION(mul, x* y)
  LOOKALIKE_LANE_OPERATION(div, x / y)
  LOOKALIKE_LANE_OPERATION(max, x > y ? x : y)
  LOOKALIKE_LANE_OPERATION(min, x < y ? x : y)
#undef LOOKALIKE_LANE_OPERATION
  static Value abs(Value const& a) {
    return each([&](std::size_t l) { return a.lane[l] < T{0} ? -a.lane[l] : a.lane[l] + T{0}; });
  }
  static Value sqrt(Value const& a) {
    return each([&](std::size_t l) { return static_cast<T>(::sqrt(a.lane[l])); });
  }
  static Value fused(Value const& a, Value const& b, Value const& c) {
    static_assert(sizeof(T) == sizeof(double));  // fma of <math.h> is that of double
    return each([&](std::size_t l) { return ::fma(a.lane[l], b.lane[l], c.lane[l]); });
  }
  static Value multiply_add(Value const& a, Value const& b, Value const& c) {
    return each([&](std::size_t l) { return a.lane[l] * b.lane[l] + c.lane[l]; });
  }
  template <Compare C>
  static std::uint32_t bits(Value const& a, Value const& b) {
    std::uint32_t out = 0;
    for (std::size_t l = 0; l < kCount; ++l)
      out |= static_cast<std::uint32_t>(holds<C>(a.lane[l], b.lane[l])) << l;
    return out;
  }
  template <Compare C>
  static Value select(Value const& a, Value const& b, Value const& value) {
    return each(
        [&](std::size_t l) { return holds<C>(a.lane[l], b.lane[l]) ? value.lane[l] : T{0}; });
  }
  static Value tagged(Value const& a, Value const& mask, Value const& tag) {
    return each_word([&](std::size_t l) {
      return (word_of(a.lane[l]) & word_of(mask.lane[l])) | word_of(tag.lane[l]);
    });
  }
  static T largest_of(Value const& a) {
    T most = a.lane[0];
    for (T const x : a.lane) most = x > most ? x : most;
    return most;
  }
  static Value times_power(Value const& a, Value const& shifted) {
    return each_word([&](std::size_t l) {
      auto const power = static_cast<std::uint64_t>(word_of(shifted.lane[l])) << 52U;
      return static_cast<Word>(static_cast<std::uint64_t>(word_of(a.lane[l])) + power);
    });
  }
};

template <>
struct Register<float> : PlainRegister<float, std::int32_t> {};
template <>
struct Register<double> : PlainRegister<double, std::int64_t> {};

#endif

#undef LOOKALIKE_REGISTER_OPERATIONS

}  // namespace
}  // namespace lookalike::simd::LOOKALIKE_LEVEL

#if defined(LOOKALIKE_NEON)
#include "simd/register_neon.hpp"
#endif
