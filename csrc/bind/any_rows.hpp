// NumPy arrays of any searchable number as rows.
#pragma once
#include "bind/arrays.hpp"
#include "core/any_rows.hpp"

namespace lookalike::bind {

using AnyMatrix = nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>;

inline AnyRows any_rows(AnyMatrix const& array) {
  auto const as = [&]<class T>(T) -> AnyRows { return view(Matrix<T const>(array)); };
  if (array.dtype() == nb::dtype<float>()) return as(float{});
  if (array.dtype() == nb::dtype<double>()) return as(double{});
  if (array.dtype() == nb::dtype<std::uint8_t>()) return as(std::uint8_t{});
  if (array.dtype() == nb::dtype<std::int8_t>()) return as(std::int8_t{});
  throw nb::type_error("rows must be float32, float64, uint8 or int8");
}

}  // namespace lookalike::bind
