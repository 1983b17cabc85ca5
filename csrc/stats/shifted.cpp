#include "stats/shifted.hpp"

#include <algorithm>
#include <type_traits>

#include "core/bounds.hpp"

namespace lookalike {
namespace {

constexpr std::size_t kLookRows = 64;  // after this many it is seen whether every column differs

template <class T>
ShiftKernel<T> const& kernel() {
  ShiftKernels const& kernels = LOOKALIKE_CHOOSE(shift_kernels);
  if constexpr (std::is_same_v<T, float>)
    return kernels.of_float;
  else
    return kernels.of_double;
}

}  // namespace

template <class T>
std::vector<std::int64_t> shift_rows(View<T const> X, std::span<T const> shift, std::span<T> out) {
  std::vector<T> mark(X.cols, T{0});
  for (std::size_t row = 0; row < X.rows; row += kLookRows) {
    std::size_t const rows = std::min(kLookRows, X.rows - row);
    kernel<T>().differ(X.data + row * X.stride, rows, X.cols, X.stride, shift.data(), mark.data());
    if (std::ranges::count(mark, T{0}) == 0) break;
  }
  std::vector<std::int64_t> columns;
  for (std::size_t j = 0; j < X.cols; ++j)
    if (mark[j] != T{0}) columns.push_back(static_cast<std::int64_t>(j));
  kernel<T>().write(X.data, X.rows, X.stride, shift.data(), columns.data(), columns.size(),
                    out.data());
  return columns;
}

template <class T>
void add_products(View<T const> part, std::span<std::int64_t const> columns, View<double> product) {
  require_places(columns, std::min(product.rows, product.cols), "a column is none of the products");
  for (std::size_t k = 0; k < columns.size(); ++k)
    kernel<T>().add(part[k].data(), columns.data(), columns.size(),
                    product[static_cast<std::size_t>(columns[k])].data());
}

template std::vector<std::int64_t> shift_rows(View<float const>, std::span<float const>,
                                              std::span<float>);
template std::vector<std::int64_t> shift_rows(View<double const>, std::span<double const>,
                                              std::span<double>);
template void add_products(View<float const>, std::span<std::int64_t const>, View<double>);
template void add_products(View<double const>, std::span<std::int64_t const>, View<double>);

}  // namespace lookalike
