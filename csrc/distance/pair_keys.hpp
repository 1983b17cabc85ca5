// The keys of chosen pairs: neighbors measured once more by the reference distance.
#pragma once
#include <cstddef>
#include <cstdint>

#include "core/any_rows.hpp"
#include "core/view.hpp"

namespace lookalike {

// key[i][j] = sum (Q[i] - X[row[i][j]])^2, the very bits by which the search compared them.
void pair_keys(AnyRows Q, AnyRows X, View<std::int64_t const> row, std::size_t threads,
               View<double> key);

}  // namespace lookalike
