// Rows less a common shift, without the columns in which they all equal it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/dispatch.hpp"
#include "core/view.hpp"

namespace lookalike {

// Returns the columns in which some row differs from `shift`, rising, and writes the rows less
// `shift` there to the front of `out`, one row right after the other. `out` has room for all of X.
// Images and counts have many columns that are constant for a while; nothing need multiply them.
template <class T>
std::vector<std::int64_t> shift_rows(View<T const> X, std::span<T const> shift, std::span<T> out);

// Adds the products of these columns, one pair an entry of `part`, to those of all pairs of
// columns.
template <class T>
void add_products(View<T const> part, std::span<std::int64_t const> columns, View<double> product);

template <class T>
struct ShiftKernel {
  // Sets mark[j] to one where one of the rows differs from shift[j].
  void (*differ)(T const* X, std::size_t rows, std::size_t cols, std::size_t stride, T const* shift,
                 T* mark);
  // Writes x[column[k]] - shift[column[k]] of every row.
  void (*write)(T const* X, std::size_t rows, std::size_t stride, T const* shift,
                std::int64_t const* column, std::size_t columns, T* out);
  // Adds value[k] to sum[column[k]].
  void (*add)(T const* value, std::int64_t const* column, std::size_t columns, double* sum);
};

struct ShiftKernels {
  ShiftKernel<float> of_float;
  ShiftKernel<double> of_double;
};

LOOKALIKE_SIMD_TABLE(ShiftKernels, shift_kernels)

}  // namespace lookalike
