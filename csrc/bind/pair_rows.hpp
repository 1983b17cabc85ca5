// Dense and sparse rows as they come from NumPy.
#pragma once
#include <cstdint>

#include "bind/any_rows.hpp"
#include "distance/pairs.hpp"

namespace lookalike::bind {

inline SparseRows sparse_rows(Vector<std::int64_t const> const& start,
                              Vector<std::int32_t const> const& column,
                              Vector<double const> const& value, std::size_t cols) {
  return {view(start), view(column), view(value), cols};
}

}  // namespace lookalike::bind
