// Squared distances of a few queries and rows together, and their kernels, in eight lanes.
#include "soft.hpp"

#include <cstddef>
#include <cstdint>

#include "simd/eight.hpp"

namespace lookalike::simd::LOOKALIKE_LEVEL {
namespace {

constexpr double kLog2E = 0x1.71547652b82fep+0;
constexpr double kLn2High = 0x1.62e42fee00000p-1;  // with so many zeros that n * high is exact
constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
constexpr double kShift = 0x1.8p52;  // a number so large that adding it rounds to an integer
constexpr double kLeast = -707.0;    // below, powers of two leave the normal range
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

// exp(x) of x <= 0: 2^n exp(r) with |r| <= ln(2) / 2, whose series ends within 4e-18.
inline double exponential(double x) {
  double const kept = x < kLeast ? kLeast : x;
  double const shifted = kept * kLog2E + kShift;
  double const n = shifted - kShift;
  double const r = (kept - n * kLn2High) - n * kLn2Low;
  double series = kTaylor[0];
  for (std::size_t i = 1; i < sizeof kTaylor / sizeof *kTaylor; ++i)
    series = series * r + kTaylor[i];
  auto const power = __builtin_bit_cast(std::uint64_t, shifted) << 52;  // n, as an exponent
  double const found =
      __builtin_bit_cast(double, __builtin_bit_cast(std::uint64_t, series) + power);
  return x < kLeast ? 0.0 : found;
}

void add(double const* key, double const* weight, double nearest, double const* inverse,
         std::size_t widths, double* lanes) {
  double gap[kPanelRows];
  for (std::size_t i = 0; i < kPanelRows; ++i) {
    double const beyond = nearest - key[i];
    gap[i] = beyond < 0.0 ? beyond : 0.0;
  }
  for (std::size_t b = 0; b < widths; ++b) {
    double sum[kSoftLanes];
    for (std::size_t l = 0; l < kSoftLanes; ++l) sum[l] = lanes[b * kSoftLanes + l];
    for (std::size_t i = 0; i < kPanelRows; i += kSoftLanes)
      for (std::size_t l = 0; l < kSoftLanes; ++l)
        sum[l] += weight[i + l] * exponential(gap[i + l] * inverse[b]);
    for (std::size_t l = 0; l < kSoftLanes; ++l) lanes[b * kSoftLanes + l] = sum[l];
  }
}

// Queries are filled up to whole lanes with zeros; so is the end of each row.
template <std::size_t Q, std::size_t R, class T>
LOOKALIKE_NOINLINE void keys_of(double const* query, std::size_t stride, T const* const* rows,
                                std::size_t cols, double* key) {
  Eight sum[Q][R];
  LOOKALIKE_UNROLL
  for (std::size_t q = 0; q < Q; ++q) {
    LOOKALIKE_UNROLL
    for (std::size_t r = 0; r < R; ++r) sum[q][r] = Eight::zero();
  }
  std::size_t j = 0;
  for (; j + kLanes <= cols; j += kLanes) {
    Eight asked[Q];
    LOOKALIKE_UNROLL
    for (std::size_t q = 0; q < Q; ++q) asked[q] = Eight::load(query + q * stride + j);
    LOOKALIKE_UNROLL
    for (std::size_t r = 0; r < R; ++r) {
      Eight const x = Eight::load(rows[r] + j);
      LOOKALIKE_UNROLL
      for (std::size_t q = 0; q < Q; ++q) sum[q][r].fuse_square_of_gap(asked[q], x);
    }
  }
  if (j < cols)
    for (std::size_t r = 0; r < R; ++r) {
      double tail[kLanes] = {};
      for (std::size_t i = j; i < cols; ++i) tail[i - j] = static_cast<double>(rows[r][i]);
      for (std::size_t q = 0; q < Q; ++q)
        sum[q][r].fuse_square_of_gap(Eight::load(query + q * stride + j), Eight::load(tail));
    }
  for (std::size_t q = 0; q < Q; ++q)
    for (std::size_t r = 0; r < R; ++r) key[q * kPanelRows + r] = sum[q][r].fold();
}

template <std::size_t Q, class T>
void keys_of_rows(double const* query, std::size_t stride, T const* const* rows, std::size_t count,
                  std::size_t cols, double* key) {
  std::size_t r = 0;
  for (; r + 4 <= count; r += 4) keys_of<Q, 4>(query, stride, rows + r, cols, key + r);
  for (; r < count; ++r) keys_of<Q, 1>(query, stride, rows + r, cols, key + r);
}

template <class T>
void keys(double const* query, std::size_t stride, std::size_t queries, T const* const* rows,
          std::size_t count, std::size_t cols, double* key) {
  std::size_t q = 0;
  for (; q + 4 <= queries; q += 4)
    keys_of_rows<4>(query + q * stride, stride, rows, count, cols, key + q * kPanelRows);
  for (; q < queries; ++q)
    keys_of_rows<1>(query + q * stride, stride, rows, count, cols, key + q * kPanelRows);
}

}  // namespace

extern SoftKernels const soft_kernels;
SoftKernels const soft_kernels = {&add, &keys<float>, &keys<double>, &keys<std::uint8_t>,
                                  &keys<std::int8_t>};

}  // namespace lookalike::simd::LOOKALIKE_LEVEL
