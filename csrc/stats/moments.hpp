// Count, mean, scatter, smallest and largest value of every column, missing values left out.
#pragma once
#include <cstddef>
#include <span>

#include "core/dispatch.hpp"
#include "core/view.hpp"

namespace lookalike {

struct ColumnMoments {        // each of length cols
  std::span<double> count;    // sum of the weights of the values present
  std::span<double> anchor;   // the first value that counts, 0 where there is none
  std::span<double> drift;    // mean - anchor: the mean to more digits than one double holds
  std::span<double> scatter;  // sum w (x - mean)^2
  std::span<double> least;
  std::span<double> most;
};

// Overwrites `moments` with those of X. `weight` is empty or has one entry per row. Blocks of rows
// are summed about the anchor and joined with the update of [Chan83]: right at any offset, and the
// same on any number of threads, for a call uses one.
template <class T>
void column_moments(View<T const> X, std::span<double const> weight, ColumnMoments moments);

template <class T>
using MomentKernel = void (*)(T const* X, std::size_t rows, std::size_t cols, std::size_t stride,
                              double const* weight, double* const* moments, double* scratch);

struct MomentKernels {
  std::size_t scratch_columns;  // doubles of scratch a column
  MomentKernel<float> of_float;
  MomentKernel<double> of_double;
};

LOOKALIKE_SIMD_TABLE(MomentKernels, moment_kernels)

}  // namespace lookalike
