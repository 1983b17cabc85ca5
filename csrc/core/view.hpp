// A borrowed matrix: where it lies, how large it is, and nothing about its owner.
#pragma once
#include <cstddef>
#include <span>

namespace lookalike {

template <class T>
struct View {
  T* data = nullptr;
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::size_t stride = 0;  // elements from one row to the next; at least `cols`

  std::span<T> operator[](std::size_t row) const { return {data + row * stride, cols}; }
};

// For structs of borrowed arrays that one function fills and others read.
template <class T>
using Writable = T;
template <class T>
using ReadOnly = T const;

}  // namespace lookalike
