// Distances moved by one column, and the least of them, many rows at a time; plain loops are
// vectorized by the compiler.
#include "neighbors/leave_one_out.hpp"

#include <cstddef>
#include <cstdint>

#include "simd/vec.hpp"

namespace lookalike::simd::LOOKALIKE_LEVEL {
namespace {

void add_column(double const* __restrict x, double here, std::size_t rows,
                double* __restrict base) {
  for (std::size_t j = 0; j < rows; ++j) {
    double const gap = x[j] - here;
    base[j] += gap * gap;
  }
}

double moved_by(double base, double x, double here, double sign) {
  double const gap = x - here;
  return base + sign * (gap * gap);
}

void move_column(double const* __restrict base, double const* __restrict x, double here,
                 double sign, std::size_t rows, double* __restrict moved,
                 double* __restrict least) {
  double groups[kGroups];
  for (std::size_t g = 0; g < kGroups; ++g) groups[g] = least[g];
  std::size_t j = 0;
  for (; j + kGroups <= rows; j += kGroups) {
    for (std::size_t g = 0; g < kGroups; ++g) {
      double const value = moved_by(base[j + g], x[j + g], here, sign);
      moved[j + g] = value;
      groups[g] = value < groups[g] ? value : groups[g];
    }
  }
  for (std::size_t g = 0; j + g < rows; ++g) {
    double const value = moved_by(base[j + g], x[j + g], here, sign);
    moved[j + g] = value;
    groups[g] = value < groups[g] ? value : groups[g];
  }
  for (std::size_t g = 0; g < kGroups; ++g) least[g] = groups[g];
}

// Rows come in order, so that of equal values the first stays ahead.
void insert(double candidate, std::size_t at, std::size_t width, double* value, std::int64_t* row) {
  std::size_t slot = width - 1;
  for (; slot > 0 && value[slot - 1] > candidate; --slot) {
    value[slot] = value[slot - 1];
    row[slot] = row[slot - 1];
  }
  value[slot] = candidate;
  row[slot] = static_cast<std::int64_t>(at);
}

void pick(double const* moved, std::size_t rows, std::size_t width, double* value,
          std::int64_t* row) {
  std::size_t j = 0;
  for (; j + Vec<double>::kCount <= rows; j += Vec<double>::kCount) {
    std::uint32_t const near =
        bits_where<Compare::less>(Vec<double>::load(moved + j), Vec<double>::all(value[width - 1]));
    if (near == 0) continue;
    for (std::size_t lane = 0; lane < Vec<double>::kCount; ++lane)
      if ((near >> lane & 1U) != 0 && moved[j + lane] < value[width - 1])
        insert(moved[j + lane], j + lane, width, value, row);
  }
  for (; j < rows; ++j)
    if (moved[j] < value[width - 1]) insert(moved[j], j, width, value, row);
}

}  // namespace

LeaveOneOutKernels const leave_one_out_kernels = {&add_column, &move_column, &pick};

}  // namespace lookalike::simd::LOOKALIKE_LEVEL
