// Checks of what comes from Python or from a file: sizes that belong together, and numbers that
// lead into arrays. Native loops trust what passed them.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>

#include "core/view.hpp"

namespace lookalike {

inline void require(bool fits, char const* otherwise) {
  if (!fits) throw std::invalid_argument(otherwise);
}

// Whether a number is the place of one of `count` things.
template <class T>
constexpr bool is_place(T number, std::size_t count) {
  return number >= 0 && static_cast<std::uint64_t>(number) < count;
}

template <class T>
constexpr bool has_shape(View<T> const& view, std::size_t rows, std::size_t cols) {
  return view.rows == rows && view.cols == cols;
}

// Each of the numbers must be the place of one of `count` things.
template <class T>
void require_places(std::span<T const> numbers, std::size_t count, char const* otherwise) {
  T least = 0, most = -1;
  for (T const number : numbers) {
    least = std::min(least, number);
    most = std::max(most, number);
  }
  require(numbers.empty() || (least >= 0 && is_place(most, count)), otherwise);
}

template <class T>
void require_places(View<T const> numbers, std::size_t count, char const* otherwise) {
  for (std::size_t i = 0; i < numbers.rows; ++i)
    require_places(std::span<T const>(numbers[i]), count, otherwise);
}

// Where lists begin that lie one after another: from 0, never falling, to `end`.
inline void require_starts(std::span<std::int64_t const> start, std::size_t end,
                           char const* otherwise) {
  bool fits =
      !start.empty() && start.front() == 0 && static_cast<std::uint64_t>(start.back()) == end;
  for (std::size_t i = 1; i < start.size(); ++i) fits = fits && start[i - 1] <= start[i];
  require(fits, otherwise);
}

}  // namespace lookalike
