// The repulsion of a few points on one, eight at a time.
#include "layout/repulsion.hpp"

#include <cstddef>

#include "core/summation.hpp"

namespace lookalike::simd::LOOKALIKE_LEVEL {
namespace {

void push(double const* across, double const* down, std::size_t count, double x, double y,
          double* field) {
  double sum_x[kLanes] = {}, sum_y[kLanes] = {}, sum_w[kLanes] = {};
  std::size_t j = 0;
  for (; j + kLanes <= count; j += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      double const dx = x - across[j + lane], dy = y - down[j + lane];
      double const w = 1.0 / (1.0 + (dx * dx + dy * dy));
      sum_x[lane] += w * w * dx;
      sum_y[lane] += w * w * dy;
      sum_w[lane] += w;
    }
  for (std::size_t lane = 0; j < count; ++j, ++lane) {
    double const dx = x - across[j], dy = y - down[j];
    double const w = 1.0 / (1.0 + (dx * dx + dy * dy));
    sum_x[lane] += w * w * dx;
    sum_y[lane] += w * w * dy;
    sum_w[lane] += w;
  }
  field[0] = fold_lanes(sum_x);
  field[1] = fold_lanes(sum_y);
  field[2] = fold_lanes(sum_w);
}

}  // namespace

RepulsionKernels const repulsion_kernels = {&push};

}  // namespace lookalike::simd::LOOKALIKE_LEVEL
