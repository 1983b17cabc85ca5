// The pull of the neighbors of a point on the map, eight at a time.
#include <cstddef>
#include <cstdint>

#include "core/summation.hpp"
#include "layout/tsne.hpp"

namespace lookalike::simd::LOOKALIKE_LEVEL {
namespace {

void pull(double const* position, std::int32_t const* row, float const* weight, std::size_t count,
          double const* y, double* force) {
  double across[kLanes] = {}, down[kLanes] = {};
  double const x0 = y[0], y0 = y[1];
  std::size_t e = 0;
  for (; e + kLanes <= count; e += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      std::int64_t const at = 2 * static_cast<std::int64_t>(row[e + lane]);
      double const dx = x0 - position[at], dy = y0 - position[at + 1];
      double const w = static_cast<double>(weight[e + lane]) / (1.0 + (dx * dx + dy * dy));
      across[lane] += w * dx;
      down[lane] += w * dy;
    }
  for (std::size_t lane = 0; e < count; ++e, ++lane) {
    std::int64_t const at = 2 * static_cast<std::int64_t>(row[e]);
    double const dx = x0 - position[at], dy = y0 - position[at + 1];
    double const w = static_cast<double>(weight[e]) / (1.0 + (dx * dx + dy * dy));
    across[lane] += w * dx;
    down[lane] += w * dy;
  }
  force[0] = fold_lanes(across);
  force[1] = fold_lanes(down);
}

}  // namespace

extern AttractionKernels const attraction_kernels;
AttractionKernels const attraction_kernels = {&pull};

}  // namespace lookalike::simd::LOOKALIKE_LEVEL
