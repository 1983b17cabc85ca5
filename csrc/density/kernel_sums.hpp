// Sums of Gaussian kernels over all rows, class by class: for widths that reach most of them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/any_rows.hpp"
#include "core/dispatch.hpp"
#include "core/summation.hpp"
#include "core/view.hpp"
#include "exact/panel.hpp"

namespace lookalike {

// Positions of rows: one class after another, each filled up to whole panels with row -1.
struct KernelSumRows {
  std::span<std::int64_t const> row;          // (positions,)
  std::span<double const> weight;             // (positions,) 0 where there is no row
  std::span<std::int64_t const> first_panel;  // (classes + 1,)
};

// Rows of whole numbers of one step as codes: the squared distance of two codes is exact.
struct KernelSumCodes {
  std::span<std::uint8_t const> code;  // panels of the rows, as panel.hpp lays them
  std::span<double const> norm;        // (positions,) sum of the squared codes
  std::size_t width;                   // a multiple of 4
  double unit;                         // the squared distance of codes that are one apart
};

// Which rows could matter: code c of a row and b of a query are `near` when |c - b| is at most
// reach + off. The others count nothing.
struct KernelSumFilter {
  std::span<double const> off;    // (positions,) in steps
  std::span<double const> reach;  // (queries,) in steps
};

struct KernelSumQueries {
  std::span<double const> nearest;        // (queries,) a squared distance to measure from
  std::span<std::int64_t const> exclude;  // (queries,) a position that is left out, or -1
  std::span<double const> inverse;        // (widths,) 1 / (2 width^2)
  std::size_t threads = 0;                // 0: the default
};

// sum[q][b * classes + c] = sum of weight * exp(-max(0, d^2 - nearest) * inverse_b) over class c.
// Row by row in order of positions, eight lanes: the same bits on any number of threads.
void kernel_sums(AnyRows X, KernelSumRows const& rows, AnyRows Q, KernelSumQueries const& queries,
                 View<double> sum);
void kernel_sums(KernelSumCodes const& codes, KernelSumRows const& rows, View<std::int8_t const> Q,
                 KernelSumQueries const& queries, View<double> sum);
// By differences, of the rows that pass the filter of the codes; `query_code` are the codes of Q.
void kernel_sums(AnyRows X, KernelSumCodes const& codes, KernelSumFilter const& filter,
                 KernelSumRows const& rows, AnyRows Q, View<std::int8_t const> query_code,
                 KernelSumQueries const& queries, View<double> sum);

// key[q * kPanelRows + i] = |query q - row i|^2 with fused additions. Queries lie `stride` apart,
// filled up with zeros to a multiple of 8.
template <class T>
using KernelSumKeys = void (*)(double const* query, std::size_t stride, std::size_t queries,
                               T const* const* rows, std::size_t count, std::size_t cols,
                               double* key);

struct KernelSumKernels {
  // Bit i: whether key[i] <= (reach + off[i])^2, of one panel.
  std::uint64_t (*near)(double const* key, double const* off, double reach);
  // Adds the kernels of one panel of keys to `lanes` (widths, 8). Kernels below 1e-307 are zero;
  // others are within 1e-15 of the exponential.
  void (*add)(double const* key, double const* weight, double nearest, double const* inverse,
              std::size_t widths, double* lanes);
  // key[i] = unit * ((norm[i] + own) - 2 dot[i]) of one panel.
  void (*of_codes)(std::int32_t const* dot, double const* norm, double own, double unit,
                   double* key);
  KernelSumKeys<float> of_float;
  KernelSumKeys<double> of_double;
  KernelSumKeys<std::uint8_t> of_uint8;
  KernelSumKeys<std::int8_t> of_int8;
};

LOOKALIKE_SIMD_TABLE(KernelSumKernels, kernel_sum_kernels)

}  // namespace lookalike
