// Distances moved by one column, and the least of them, many rows at a time.
#include "leave_one_out.hpp"

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
                 double sign, std::size_t rows, double* __restrict moved) {
  for (std::size_t j = 0; j < rows; ++j) moved[j] = moved_by(base[j], x[j], here, sign);
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

#if defined(LOOKALIKE_LEVEL_avx512)

constexpr std::size_t kWidth = 8;

struct Step {
  __m512d here, sign;

  Step(double from, double direction)
      : here(_mm512_set1_pd(from)), sign(_mm512_set1_pd(direction)) {}
  // Writes the moved values and tells which lie below the limit, one bit each.
  unsigned below(double const* base, double const* x, double limit, double* moved) const {
    __m512d const gap = _mm512_sub_pd(_mm512_loadu_pd(x), here);
    __m512d const values =
        _mm512_add_pd(_mm512_loadu_pd(base), _mm512_mul_pd(sign, _mm512_mul_pd(gap, gap)));
    unsigned const found = _mm512_cmp_pd_mask(values, _mm512_set1_pd(limit), _CMP_LT_OQ);
    if (found != 0) _mm512_storeu_pd(moved, values);
    return found;
  }
};

#elif defined(LOOKALIKE_LEVEL_avx2)

constexpr std::size_t kWidth = 4;

struct Step {
  __m256d here, sign;

  Step(double from, double direction)
      : here(_mm256_set1_pd(from)), sign(_mm256_set1_pd(direction)) {}
  unsigned below(double const* base, double const* x, double limit, double* moved) const {
    __m256d const gap = _mm256_sub_pd(_mm256_loadu_pd(x), here);
    __m256d const values =
        _mm256_add_pd(_mm256_loadu_pd(base), _mm256_mul_pd(sign, _mm256_mul_pd(gap, gap)));
    auto const found = static_cast<unsigned>(
        _mm256_movemask_pd(_mm256_cmp_pd(values, _mm256_set1_pd(limit), _CMP_LT_OQ)));
    if (found != 0) _mm256_storeu_pd(moved, values);
    return found;
  }
};

#else

constexpr std::size_t kWidth = 4;

struct Step {
  double here, sign;

  Step(double from, double direction) : here(from), sign(direction) {}
  unsigned below(double const* base, double const* x, double limit, double* moved) const {
    unsigned found = 0;
    for (std::size_t j = 0; j < kWidth; ++j) {
      moved[j] = moved_by(base[j], x[j], here, sign);
      found |= moved[j] < limit ? 1U << j : 0U;
    }
    return found;
  }
};

#endif

void least(double const* base, double const* x, double here, double sign, std::size_t rows,
           std::size_t width, double* value, std::int64_t* row) {
  Step const step(here, sign);
  double moved[kWidth];
  std::size_t j = 0;
  for (; j + kWidth <= rows; j += kWidth) {
    unsigned const found = step.below(base + j, x + j, value[width - 1], moved);
    if (found == 0) continue;
    for (std::size_t lane = 0; lane < kWidth; ++lane)
      if ((found >> lane & 1U) != 0 && moved[lane] < value[width - 1])
        insert(moved[lane], j + lane, width, value, row);
  }
  for (; j < rows; ++j) {
    double const tail = moved_by(base[j], x[j], here, sign);
    if (tail < value[width - 1]) insert(tail, j, width, value, row);
  }
}

}  // namespace

extern LeaveOneOutKernels const leave_one_out_kernels;
LeaveOneOutKernels const leave_one_out_kernels = {&add_column, &move_column, &least};

}  // namespace lookalike::simd::LOOKALIKE_LEVEL
