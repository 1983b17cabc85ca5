// A borrowed matrix of one of the four kinds of number that are searched, read as float64.
#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "core/view.hpp"

namespace lookalike {

enum class Number { float32, float64, uint8, int8 };

template <class T>
constexpr Number number_of() {
  if constexpr (std::is_same_v<T, float>) return Number::float32;
  if constexpr (std::is_same_v<T, double>) return Number::float64;
  if constexpr (std::is_same_v<T, std::uint8_t>) return Number::uint8;
  if constexpr (std::is_same_v<T, std::int8_t>) return Number::int8;
}

class AnyRows {
 public:
  AnyRows() = default;
  template <class T>
  AnyRows(View<T const> X)  // NOLINT: implicit, a view is rows
      : data_(X.data), rows_(X.rows), cols_(X.cols), stride_(X.stride), number_(number_of<T>()) {}

  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  std::size_t stride() const { return stride_; }

  // The values where they are float64 already, else null.
  double const* wide() const {
    return number_ == Number::float64 ? static_cast<double const*>(data_) : nullptr;
  }

  // Calls `use` with the View<T const> that this is.
  template <class F>
  decltype(auto) visit(F&& use) const {
    switch (number_) {
      case Number::float32: return use(view<float>());
      case Number::uint8: return use(view<std::uint8_t>());
      case Number::int8: return use(view<std::int8_t>());
      default: return use(view<double>());
    }
  }

  // Writes `count` rows times `scale` one after another.
  void load(std::size_t row, std::size_t count, double scale, double* out) const {
    visit([&](auto X) {
      for (std::size_t i = 0; i < count; ++i)
        for (std::size_t j = 0; j < X.cols; ++j)
          *out++ = static_cast<double>(X.data[(row + i) * X.stride + j]) * scale;
    });
  }

 private:
  template <class T>
  View<T const> view() const {
    return {static_cast<T const*>(data_), rows_, cols_, stride_};
  }

  void const* data_ = nullptr;
  std::size_t rows_ = 0, cols_ = 0, stride_ = 0;
  Number number_ = Number::float64;
};

}  // namespace lookalike
