// A register of float or double at the levels of ARM: two of NEON's, side by side, so that it has
// as many lanes as one of AVX2.
#pragma once
#include <arm_neon.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#define LOOKALIKE_NEON_REGISTER(T, S, U, I)                                                   \
  static constexpr std::size_t kCount = 32 / sizeof(T);                                       \
  template <class F>                                                                          \
  static Value halves(F f) {                                                                  \
    return {{f(0), f(1)}};                                                                    \
  }                                                                                           \
  static Value load(T const* p) {                                                             \
    return halves([=](int h) { return vld1q_##S(p + h * static_cast<int>(kCount / 2)); });    \
  }                                                                                           \
  static Value all(T x) {                                                                     \
    return halves([=](int) { return vdupq_n_##S(x); });                                       \
  }                                                                                           \
  static Value words(Word x) {                                                                \
    return halves([=](int) { return vreinterpretq_##S##_##I(vdupq_n_##I(x)); });              \
  }                                                                                           \
  static void store(T* p, Value const& a) {                                                   \
    vst1q_##S(p, a.val[0]);                                                                   \
    vst1q_##S(p + kCount / 2, a.val[1]);                                                      \
  }                                                                                           \
  static Value add(Value const& a, Value const& b) {                                          \
    return halves([&](int h) { return vaddq_##S(a.val[h], b.val[h]); });                      \
  }                                                                                           \
  static Value sub(Value const& a, Value const& b) {                                          \
    return halves([&](int h) { return vsubq_##S(a.val[h], b.val[h]); });                      \
  }                                                                                           \
  static Value mul(Value const& a, Value const& b) {                                          \
    return halves([&](int h) { return vmulq_##S(a.val[h], b.val[h]); });                      \
  }                                                                                           \
  static Value div(Value const& a, Value const& b) {                                          \
    return halves([&](int h) { return vdivq_##S(a.val[h], b.val[h]); });                      \
  }                                                                                           \
  static Value max(Value const& a, Value const& b) {                                          \
    return halves(                                                                            \
        [&](int h) { return vbslq_##S(vcgtq_##S(a.val[h], b.val[h]), a.val[h], b.val[h]); }); \
  }                                                                                           \
  static Value min(Value const& a, Value const& b) {                                          \
    return halves(                                                                            \
        [&](int h) { return vbslq_##S(vcltq_##S(a.val[h], b.val[h]), a.val[h], b.val[h]); }); \
  }                                                                                           \
  static Value abs(Value const& a) {                                                          \
    return halves([&](int h) { return vabsq_##S(a.val[h]); });                                \
  }                                                                                           \
  static Value sqrt(Value const& a) {                                                         \
    return halves([&](int h) { return vsqrtq_##S(a.val[h]); });                               \
  }                                                                                           \
  static Value fused(Value const& a, Value const& b, Value const& c) {                        \
    return halves([&](int h) { return vfmaq_##S(c.val[h], a.val[h], b.val[h]); });            \
  }                                                                                           \
  static Value multiply_add(Value const& a, Value const& b, Value const& c) {                 \
    return fused(a, b, c);                                                                    \
  }                                                                                           \
  template <Compare C>                                                                        \
  static Value select(Value const& a, Value const& b, Value const& value) {                   \
    return halves([&](int h) {                                                                \
      return vreinterpretq_##S##_##U(                                                         \
          vandq_##U(where<C>(a.val[h], b.val[h]), vreinterpretq_##U##_##S(value.val[h])));    \
    });                                                                                       \
  }                                                                                           \
  static Value tagged(Value const& a, Value const& mask, Value const& tag) {                  \
    return halves([&](int h) {                                                                \
      return vreinterpretq_##S##_##U(vorrq_##U(                                               \
          vandq_##U(vreinterpretq_##U##_##S(a.val[h]), vreinterpretq_##U##_##S(mask.val[h])), \
          vreinterpretq_##U##_##S(tag.val[h])));                                              \
    });                                                                                       \
  }                                                                                           \
  static T largest_of(Value const& a) { return vmaxnmvq_##S(vmaxnmq_##S(a.val[0], a.val[1])); }

namespace lookalike::simd::LOOKALIKE_LEVEL {
namespace {

template <>
struct Register<float> {
  using Value = float32x4x2_t;
  using Word = std::int32_t;
  LOOKALIKE_NEON_REGISTER(float, f32, u32, s32)

  template <Compare C>
  static uint32x4_t where(float32x4_t a, float32x4_t b) {
    if constexpr (C == Compare::less) return vcltq_f32(a, b);
    if constexpr (C == Compare::at_most) return vcleq_f32(a, b);
    if constexpr (C == Compare::at_least) return vcgeq_f32(a, b);
    if constexpr (C == Compare::unequal) return vmvnq_u32(vceqq_f32(a, b));
    return vandq_u32(vceqq_f32(a, a), vceqq_f32(b, b));
  }
  template <Compare C>
  static std::uint32_t bits(Value const& a, Value const& b) {
    static constexpr std::uint32_t kBits[8] = {1, 2, 4, 8, 16, 32, 64, 128};
    uint32x4_t const low = vandq_u32(where<C>(a.val[0], b.val[0]), vld1q_u32(kBits));
    uint32x4_t const high = vandq_u32(where<C>(a.val[1], b.val[1]), vld1q_u32(kBits + 4));
    return vaddvq_u32(vorrq_u32(low, high));
  }
};

template <>
struct Register<double> {
  using Value = float64x2x2_t;
  using Word = std::int64_t;
  LOOKALIKE_NEON_REGISTER(double, f64, u64, s64)

  static Value load(float const* p) {
    return {{vcvt_f64_f32(vld1_f32(p)), vcvt_f64_f32(vld1_f32(p + 2))}};
  }
  static Value load(std::int32_t const* p) { return from_int32(vld1q_s32(p)); }
  static Value load(std::uint8_t const* p) {
    uint16x8_t const wide = vmovl_u8(vreinterpret_u8_u32(four_bytes(p)));
    return from_int32(vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(wide))));
  }
  static Value load(std::int8_t const* p) {
    int16x8_t const wide = vmovl_s8(vreinterpret_s8_u32(four_bytes(p)));
    return from_int32(vmovl_s16(vget_low_s16(wide)));
  }
  template <Compare C>
  static uint64x2_t where(float64x2_t a, float64x2_t b) {
    if constexpr (C == Compare::less) return vcltq_f64(a, b);
    if constexpr (C == Compare::at_most) return vcleq_f64(a, b);
    if constexpr (C == Compare::at_least) return vcgeq_f64(a, b);
    if constexpr (C == Compare::unequal)
      return vreinterpretq_u64_u32(vmvnq_u32(vreinterpretq_u32_u64(vceqq_f64(a, b))));
    return vandq_u64(vceqq_f64(a, a), vceqq_f64(b, b));
  }
  template <Compare C>
  static std::uint32_t bits(Value const& a, Value const& b) {
    static constexpr std::uint64_t kBits[4] = {1, 2, 4, 8};
    uint64x2_t const low = vandq_u64(where<C>(a.val[0], b.val[0]), vld1q_u64(kBits));
    uint64x2_t const high = vandq_u64(where<C>(a.val[1], b.val[1]), vld1q_u64(kBits + 2));
    return static_cast<std::uint32_t>(vaddvq_u64(vorrq_u64(low, high)));
  }
  // a 2^n, where `shifted` holds n in its lowest bits.
  static Value times_power(Value const& a, Value const& shifted) {
    return halves([&](int h) {
      int64x2_t const power = vshlq_n_s64(vreinterpretq_s64_f64(shifted.val[h]), 52);
      return vreinterpretq_f64_s64(vaddq_s64(vreinterpretq_s64_f64(a.val[h]), power));
    });
  }

 private:
  static uint32x2_t four_bytes(void const* p) {
    std::uint32_t word;
    std::memcpy(&word, p, sizeof word);
    return vdup_n_u32(word);
  }
  static Value from_int32(int32x4_t x) {
    return {{vcvtq_f64_s64(vmovl_s32(vget_low_s32(x))), vcvtq_f64_s64(vmovl_high_s32(x))}};
  }
};

}  // namespace
}  // namespace lookalike::simd::LOOKALIKE_LEVEL

#undef LOOKALIKE_NEON_REGISTER
