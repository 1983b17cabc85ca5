// Rows compared with a common shift, and what is left of them without it.
#include "stats/shifted.hpp"

#include <cstddef>
#include <cstdint>

namespace lookalike::simd::LOOKALIKE_LEVEL {
namespace {

template <class T>
void differ(T const* X, std::size_t rows, std::size_t cols, std::size_t stride,
            T const* __restrict shift, T* __restrict mark) {
  for (std::size_t i = 0; i < rows; ++i) {
    T const* __restrict const x = X + i * stride;
    for (std::size_t j = 0; j < cols; ++j) mark[j] = x[j] != shift[j] ? T{1} : mark[j];
  }
}

// Calls use(first, k, n) for the columns first, first + 1, … first + n - 1 that lie side by side
// from column[k] on.
template <class Use>
void for_runs(std::int64_t const* column, std::size_t columns, Use use) {
  for (std::size_t start = 0, stop = 0; start < columns; start = stop) {
    std::size_t const first = static_cast<std::size_t>(column[start]);
    while (stop < columns && static_cast<std::size_t>(column[stop]) - first == stop - start) ++stop;
    use(first, start, stop - start);
  }
}

template <class T>
void write(T const* X, std::size_t rows, std::size_t stride, T const* shift,
           std::int64_t const* column, std::size_t columns, T* out) {
  for (std::size_t i = 0; i < rows; ++i)
    for_runs(column, columns, [&](std::size_t first, std::size_t start, std::size_t count) {
      T const* __restrict const x = X + i * stride + first;
      T const* __restrict const s = shift + first;
      T* __restrict const to = out + i * columns + start;
      for (std::size_t k = 0; k < count; ++k) to[k] = x[k] - s[k];
    });
}

template <class T>
void add(T const* value, std::int64_t const* column, std::size_t columns, double* sum) {
  for_runs(column, columns, [&](std::size_t first, std::size_t start, std::size_t count) {
    T const* __restrict const from = value + start;
    double* __restrict const to = sum + first;
    for (std::size_t k = 0; k < count; ++k) to[k] += static_cast<double>(from[k]);
  });
}

}  // namespace

ShiftKernels const shift_kernels = {{&differ<float>, &write<float>, &add<float>},
                                    {&differ<double>, &write<double>, &add<double>}};

}  // namespace lookalike::simd::LOOKALIKE_LEVEL
