// Squared distances of a few queries and rows together, and their kernels, in eight lanes.
#include "density/kernel_sums.hpp"

#include <cstddef>
#include <cstdint>

#include "simd/exp.hpp"
#include "simd/vec.hpp"

namespace lookalike::simd::LOOKALIKE_LEVEL {
namespace {

constexpr double kLeast = -707.0;  // below, powers of two leave the normal range

void add(double const* key, double const* weight, double nearest, double const* inverse,
         std::size_t widths, double* lanes) {
  Doubles gap[kPanelRows / kLanes];
  for (std::size_t i = 0; i < kPanelRows / kLanes; ++i)
    gap[i] = smaller(Doubles::all(nearest) - Doubles::load(key + i * kLanes), Doubles::all(0.0));
  for (std::size_t b = 0; b < widths; ++b) {
    Doubles const narrow = Doubles::all(inverse[b]);
    Doubles sum = Doubles::load(lanes + b * kLanes);
    for (std::size_t i = 0; i < kPanelRows / kLanes; ++i)
      sum = fused(Doubles::load(weight + i * kLanes), exp_above(gap[i] * narrow, kLeast), sum);
    sum.store(lanes + b * kLanes);
  }
}

std::uint64_t near(double const* key, double const* off, double reach) {
  std::uint64_t rows = 0;
  for (std::size_t i = 0; i < kPanelRows; i += kLanes) {
    Doubles const most = Doubles::all(reach) + Doubles::load(off + i);
    rows |= std::uint64_t{bits_where<Compare::at_least>(most * most, Doubles::load(key + i))} << i;
  }
  return rows;
}

void of_codes(std::int32_t const* dot, double const* norm, double own, double unit, double* key) {
  for (std::size_t i = 0; i < kPanelRows; i += kLanes) {
    Doubles const sum = Doubles::load(norm + i) + Doubles::all(own);
    (Doubles::all(unit) * fused(Doubles::all(-2.0), Doubles::load(dot + i), sum)).store(key + i);
  }
}

LOOKALIKE_INLINE void fuse_square_of_gap(Doubles& sum, Doubles const& q, Doubles const& x) {
  Doubles const gap = q - x;
  sum = fused(gap, gap, sum);
}

// Queries are filled up to whole lanes with zeros; so is the end of each row.
template <std::size_t Q, std::size_t R, class T>
LOOKALIKE_NOINLINE void keys_of(double const* query, std::size_t stride, T const* const* rows,
                                std::size_t cols, double* key) {
  Doubles sum[Q][R];
  LOOKALIKE_UNROLL
  for (std::size_t q = 0; q < Q; ++q) {
    LOOKALIKE_UNROLL
    for (std::size_t r = 0; r < R; ++r) sum[q][r] = Doubles::all(0.0);
  }
  std::size_t j = 0;
  for (; j + kLanes <= cols; j += kLanes) {
    Doubles queries[Q];
    LOOKALIKE_UNROLL
    for (std::size_t q = 0; q < Q; ++q) queries[q] = Doubles::load(query + q * stride + j);
    LOOKALIKE_UNROLL
    for (std::size_t r = 0; r < R; ++r) {
      Doubles const x = Doubles::load(rows[r] + j);
      LOOKALIKE_UNROLL
      for (std::size_t q = 0; q < Q; ++q) fuse_square_of_gap(sum[q][r], queries[q], x);
    }
  }
  if (j < cols) {
    LOOKALIKE_UNROLL
    for (std::size_t r = 0; r < R; ++r) {
      double tail[kLanes] = {};
      for (std::size_t i = j; i < cols; ++i) tail[i - j] = static_cast<double>(rows[r][i]);
      LOOKALIKE_UNROLL
      for (std::size_t q = 0; q < Q; ++q)
        fuse_square_of_gap(sum[q][r], Doubles::load(query + q * stride + j), Doubles::load(tail));
    }
  }
  LOOKALIKE_UNROLL
  for (std::size_t q = 0; q < Q; ++q) {
    LOOKALIKE_UNROLL
    for (std::size_t r = 0; r < R; ++r) key[q * kPanelRows + r] = fold(sum[q][r]);
  }
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

KernelSumKernels const kernel_sum_kernels = {
    &near, &add, &of_codes, &keys<float>, &keys<double>, &keys<std::uint8_t>, &keys<std::int8_t>};

}  // namespace lookalike::simd::LOOKALIKE_LEVEL
