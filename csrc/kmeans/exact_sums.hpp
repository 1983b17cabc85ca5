// Sums of rows whose bits do not depend on the order of the rows, nor on the thread that adds them.
//
// Every term is rounded to a whole multiple of a quantum so large that float64 adds all of them
// without rounding, and what that leaves is rounded to a finer quantum and summed separately
// [Demmel15]. Exact additions commute: rows can be added by any thread, and taken away again.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "core/row_reader.hpp"
#include "core/view.hpp"
#include "kmeans/assign.hpp"

namespace lookalike {

inline constexpr std::size_t kExtraSums = 2;  // of 1 and of |x - shift|^2, after the columns

// Summed are (x - shift, 1, |x - shift|^2) * weight. `shift` has an entry a column, the others
// kExtraSums more; adding and subtracting `coarse` (then `fine`) rounds to the quantum.
struct Grid {
  std::span<double const> shift, coarse, fine;
};

// Takes each row from the sums of its old center and adds it to those of its new one. `weight` is
// empty or has one entry per row; `high` and `low` are (centers, cols + kExtraSums).
void move_rows(RowReader const& rows, std::span<double const> weight, Grid grid,
               std::span<Reassignment const> moves, std::size_t threads, View<double> high,
               View<double> low);

}  // namespace lookalike
