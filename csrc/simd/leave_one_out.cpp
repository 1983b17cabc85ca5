// Distances moved by one column, and the least of them, many rows at a time; plain loops are
// vectorized by the compiler.
#include "neighbors/leave_one_out.hpp"

#include <cstddef>
#include <cstdint>

#include "simd/intrinsics.hpp"

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

// Which of kWidth values lie below the limit, one bit each.
#if defined(LOOKALIKE_LEVEL_avx512)

constexpr std::size_t kWidth = 8;

unsigned below(double const* values, double limit) {
  return _mm512_cmp_pd_mask(_mm512_loadu_pd(values), _mm512_set1_pd(limit), _CMP_LT_OQ);
}

#elif defined(LOOKALIKE_LEVEL_avx2)

constexpr std::size_t kWidth = 4;

unsigned below(double const* values, double limit) {
  return static_cast<unsigned>(_mm256_movemask_pd(
      _mm256_cmp_pd(_mm256_loadu_pd(values), _mm256_set1_pd(limit), _CMP_LT_OQ)));
}

#else

constexpr std::size_t kWidth = 4;

unsigned below(double const* values, double limit) {
  unsigned found = 0;
  for (std::size_t j = 0; j < kWidth; ++j) found |= values[j] < limit ? 1U << j : 0U;
  return found;
}

#endif

void pick(double const* moved, std::size_t rows, std::size_t width, double* value,
          std::int64_t* row) {
  std::size_t j = 0;
  for (; j + kWidth <= rows; j += kWidth) {
    unsigned const found = below(moved + j, value[width - 1]);
    if (found == 0) continue;
    for (std::size_t lane = 0; lane < kWidth; ++lane)
      if ((found >> lane & 1U) != 0 && moved[j + lane] < value[width - 1])
        insert(moved[j + lane], j + lane, width, value, row);
  }
  for (; j < rows; ++j)
    if (moved[j] < value[width - 1]) insert(moved[j], j, width, value, row);
}

}  // namespace

extern LeaveOneOutKernels const leave_one_out_kernels;
LeaveOneOutKernels const leave_one_out_kernels = {&add_column, &move_column, &pick};

}  // namespace lookalike::simd::LOOKALIKE_LEVEL
