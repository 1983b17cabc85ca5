// What values a matrix holds: the first that is not finite, the range, and whether all are whole.
#pragma once
#include <cstddef>
#include <cstdint>

#include "core/any_rows.hpp"

namespace lookalike {

struct ValueRange {
  std::int64_t bad_row = -1;  // of the first value that is NaN or infinite; -1 where all are finite
  std::int64_t bad_column = -1;
  double least = 0.0;  // meaningless when a value is bad
  double most = 0.0;
  bool whole = true;  // all values are integers within +-2^15
};

ValueRange value_range(AnyRows X, std::size_t threads);

}  // namespace lookalike
