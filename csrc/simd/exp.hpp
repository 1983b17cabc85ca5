// The exponential of eight doubles at once, from fused products and sums alone: the same bits on
// every level, within two units in the last place.
#pragma once
#include <cstddef>

#include "simd/vec.hpp"

namespace lookalike::simd::LOOKALIKE_LEVEL {
namespace {

// a 2^n, where `shifted` holds n in its lowest bits.
LOOKALIKE_INLINE Doubles times_power(Doubles const& a, Doubles const& shifted) {
  return Doubles::of_registers(
      [&](std::size_t r) { return Register<double>::times_power(a.v[r], shifted.v[r]); });
}

// exp(x) for x <= 0, and zero where x < least; `least` is -707 or more, so that powers of two stay
// in the normal range. exp(x) = 2^n (1 + r + r^2 P(r)), |r| <= ln(2) / 2, P a fit within 2e-17.
LOOKALIKE_INLINE Doubles exp_above(Doubles const& x, double least) {
  constexpr double kFit[] = {0x1.af38a9b0ec855p-26, 0x1.289185613a3d6p-22, 0x1.71de0dae63bb3p-19,
                             0x1.a019b90d2ae7ap-16, 0x1.a01a01a7c41d5p-13, 0x1.6c16c1788bd90p-10,
                             0x1.11111111109b3p-7,  0x1.5555555553d63p-5,  0x1.5555555555556p-3,
                             0x1.0000000000001p-1};
  Doubles const magic = Doubles::all(0x1.8p52);  // so large that whole numbers come last in the sum
  Doubles const kept = larger(x, Doubles::all(least));
  Doubles const shifted = fused(kept, Doubles::all(0x1.71547652b82fep+0), magic);
  Doubles const n = shifted - magic;
  Doubles const near = fused(n, Doubles::all(-0x1.62e42fee00000p-1), kept);  // ln(2) in two parts
  Doubles const r = fused(n, Doubles::all(-0x1.a39ef35793c76p-33), near);
  Doubles fit = Doubles::all(kFit[0]);
  for (std::size_t term = 1; term < sizeof kFit / sizeof kFit[0]; ++term)
    fit = fused(fit, r, Doubles::all(kFit[term]));
  Doubles const series = Doubles::all(1.0) + fused(r * r, fit, r);
  return value_where<Compare::at_least>(x, Doubles::all(least), times_power(series, shifted));
}

}  // namespace
}  // namespace lookalike::simd::LOOKALIKE_LEVEL
