#include "core/value_range.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "core/parallel.hpp"

namespace lookalike {
namespace {

constexpr std::size_t kValues = std::size_t{1} << 16;  // about as many in one task
constexpr std::size_t kRun = 2048;                     // values that stay in the nearest cache
constexpr double kWhole = 0x1p15;

template <class T>
void range_of_run(T const* x, std::size_t count, ValueRange& range) {
  constexpr std::size_t lanes = 16;
  T least[lanes], most[lanes];
  std::fill_n(least, lanes, x[0]);
  std::fill_n(most, lanes, x[0]);
  std::size_t j = 0;
  auto const look = [&](std::size_t at, std::size_t lane) {
    least[lane] = x[at] < least[lane] ? x[at] : least[lane];
    most[lane] = x[at] > most[lane] ? x[at] : most[lane];
  };
  for (; j + lanes <= count; j += lanes)
    for (std::size_t lane = 0; lane < lanes; ++lane) look(j + lane, lane);
  for (; j < count; ++j) look(j, 0);
  range.least = std::min(range.least, static_cast<double>(*std::min_element(least, least + lanes)));
  range.most = std::max(range.most, static_cast<double>(*std::max_element(most, most + lanes)));
}

template <class T>
bool all_finite(T const* x, std::size_t count) {
  if constexpr (std::is_floating_point_v<T>) {
    T zero[16] = {};  // x - x is 0 for finite values and NaN for the others
    std::size_t j = 0;
    for (; j + 16 <= count; j += 16)
      for (std::size_t lane = 0; lane < 16; ++lane) zero[lane] += x[j + lane] - x[j + lane];
    for (; j < count; ++j) zero[0] += x[j] - x[j];
    return std::all_of(zero, zero + 16, [](T value) { return value == T{0}; });
  }
  return true;
}

template <class T>
bool all_whole(T const* x, std::size_t count) {
  if constexpr (std::is_floating_point_v<T>)
    return std::all_of(x, x + count, [](T value) {
      return std::abs(value) <= static_cast<T>(kWhole) &&
             static_cast<T>(static_cast<std::int32_t>(value)) == value;
    });
  return true;
}

// Rows that touch are read as one long run, so that narrow rows cost no more than wide ones.
template <class T>
ValueRange range_of_rows(View<T const> X, std::size_t from, std::size_t to) {
  ValueRange range;
  range.least = std::numeric_limits<double>::infinity();
  range.most = -range.least;
  std::size_t const touching = X.stride == X.cols ? kRun / X.cols + 1 : 1;
  for (std::size_t i = from; i < to; i += touching) {
    T const* const x = X.data + i * X.stride;
    std::size_t const values = std::min(touching, to - i) * X.cols;
    if (!all_finite(x, values)) {
      auto const bad = std::find_if(x, x + values, [](T value) {
        return !(std::abs(static_cast<double>(value)) <= std::numeric_limits<double>::max());
      });
      std::size_t const at = static_cast<std::size_t>(bad - x);
      range.bad_row = static_cast<std::int64_t>(i + at / X.cols);
      range.bad_column = static_cast<std::int64_t>(at % X.cols);
      return range;
    }
    range_of_run(x, values, range);
    range.whole = range.whole && all_whole(x, values);
  }
  return range;
}

}  // namespace

ValueRange value_range(AnyRows X, std::size_t threads) {
  if (X.rows() == 0 || X.cols() == 0) return {};
  std::size_t const batch = kValues / X.cols() + 1;
  std::vector<ValueRange> parts((X.rows() + batch - 1) / batch);
  parallel_for(parts.size(), threads, [&](std::size_t task, std::size_t) {
    parts[task] = X.visit([&](auto rows) {
      return range_of_rows(rows, task * batch, std::min((task + 1) * batch, X.rows()));
    });
  });
  ValueRange whole = parts[0];
  for (ValueRange const& part : parts) {
    if (part.bad_row >= 0) return part;
    whole.least = std::min(whole.least, part.least);
    whole.most = std::max(whole.most, part.most);
    whole.whole = whole.whole && part.whole;
  }
  return whole;
}

}  // namespace lookalike
