// Dense rows of any native kind, and sparse rows, as they come from NumPy.
#pragma once
#include <cstdint>

#include "bind/arrays.hpp"
#include "pairs.hpp"

namespace lookalike::bind {

using AnyMatrix = nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>;

template <class T>
bool take_rows(AnyMatrix const& array, DenseRows& rows) {
  if (array.dtype() != nb::dtype<T>()) return false;
  rows = view(Matrix<T const>(array));
  return true;
}

inline DenseRows dense_rows(AnyMatrix const& array) {
  DenseRows rows;
  if (!take_rows<float>(array, rows) && !take_rows<double>(array, rows) &&
      !take_rows<std::uint8_t>(array, rows) && !take_rows<std::int8_t>(array, rows))
    throw nb::type_error("rows must be float32, float64, uint8 or int8");
  return rows;
}

inline SparseRows sparse_rows(Vector<std::int64_t const> const& start,
                              Vector<std::int32_t const> const& column,
                              Vector<double const> const& value, std::size_t cols) {
  return {view(start), view(column), view(value), cols};
}

}  // namespace lookalike::bind
