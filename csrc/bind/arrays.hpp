// NumPy arrays as views, and vectors as NumPy arrays: the only place where memory crosses between
// Python and C++.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <span>
#include <utility>
#include <vector>

#include "core/topk.hpp"
#include "core/view.hpp"

namespace lookalike::bind {

namespace nb = nanobind;
using namespace nb::literals;

template <class T>
using Matrix = nb::ndarray<T, nb::ndim<2>, nb::device::cpu>;  // rows may be strided, columns not
template <class T>
using Vector = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
View<T> view(Matrix<T> const& array) {
  if (array.shape(1) > 1 && array.stride(1) != 1)
    throw nb::value_error("the columns of a matrix must be contiguous");
  if (array.shape(0) > 1 && array.stride(0) < static_cast<std::int64_t>(array.shape(1)))
    throw nb::value_error("the rows of a matrix must not overlap");
  return {array.data(), array.shape(0), array.shape(1),
          array.shape(0) > 1 ? static_cast<std::size_t>(array.stride(0)) : array.shape(1)};
}

template <class T>
std::span<T> view(Vector<T> const& array) {
  return {array.data(), array.shape(0)};
}

// The vector as a NumPy array, without a copy.
template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> to_numpy(std::vector<T>&& values) {
  auto* const owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return {owned->data(), {owned->size()}, owner};
}

// Keys or distances, rows, and where those of each query start.
inline nb::tuple to_numpy(RadiusNeighbors&& within) {
  return nb::make_tuple(to_numpy(std::move(within.key)), to_numpy(std::move(within.row)),
                        to_numpy(std::move(within.start)));
}

}  // namespace lookalike::bind
