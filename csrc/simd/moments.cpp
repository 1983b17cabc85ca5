// One block of rows joined to the moments of the rows before it; loops run across the columns.
#include "stats/moments.hpp"

#include <cstddef>
#include <limits>

namespace lookalike::simd::LOOKALIKE_LEVEL {
namespace {

constexpr std::size_t kScratch = 4;
constexpr double kInfinite = std::numeric_limits<double>::infinity();

template <class T>
void join_block(T const* X, std::size_t rows, std::size_t cols, std::size_t stride,
                double const* weight, double* const* moments, double* scratch) {
  double* __restrict const count = scratch;
  double* __restrict const mean = scratch + cols;  // from the anchor, as all that follows
  double* __restrict const scatter = scratch + 2 * cols;
  double* __restrict const rest = scratch + 3 * cols;
  double const* __restrict const anchor = moments[1];
  double* __restrict const least = moments[4];
  double* __restrict const most = moments[5];
  for (std::size_t j = 0; j < kScratch * cols; ++j) scratch[j] = 0.0;

  for (std::size_t i = 0; i < rows; ++i) {
    T const* __restrict const x = X + i * stride;
    double const w = weight == nullptr ? 1.0 : weight[i];
    bool const counts = w > 0.0;
    for (std::size_t j = 0; j < cols; ++j) {
      double const value = static_cast<double>(x[j]);
      bool const present = value == value;
      count[j] += present ? w : 0.0;
      mean[j] += present ? w * (value - anchor[j]) : 0.0;
      least[j] = counts && value < least[j] ? value : least[j];
      most[j] = counts && value > most[j] ? value : most[j];
    }
  }
  for (std::size_t j = 0; j < cols; ++j) mean[j] = count[j] > 0.0 ? mean[j] / count[j] : 0.0;
  for (std::size_t i = 0; i < rows; ++i) {
    T const* __restrict const x = X + i * stride;
    double const w = weight == nullptr ? 1.0 : weight[i];
    for (std::size_t j = 0; j < cols; ++j) {
      double const value = static_cast<double>(x[j]);
      double const gap = value == value ? (value - anchor[j]) - mean[j] : 0.0;
      rest[j] += w * gap;
      scatter[j] += w * gap * gap;
    }
  }
  double* __restrict const all_count = moments[0];
  double* __restrict const all_drift = moments[2];
  double* __restrict const all_scatter = moments[3];
  for (std::size_t j = 0; j < cols; ++j) {
    double const here = count[j];
    double const both = all_count[j] + here;
    double const share = both > 0.0 ? here / both : 0.0;
    double const shift = here > 0.0 ? rest[j] / here : 0.0;  // what rounding left of the mean
    double const gap = here > 0.0 ? mean[j] + shift - all_drift[j] : 0.0;
    double const own = scatter[j] < kInfinite ? scatter[j] - here * shift * shift : scatter[j];
    all_scatter[j] += (own > 0.0 ? own : 0.0) + all_count[j] * share * gap * gap;
    all_drift[j] += share * gap;
    all_count[j] = both;
  }
}

}  // namespace

MomentKernels const moment_kernels = {kScratch, &join_block<float>, &join_block<double>};

}  // namespace lookalike::simd::LOOKALIKE_LEVEL
