#include "kmeans/center_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/parallel.hpp"
#include "distance/distance.hpp"
#include "exact/embed.hpp"
#include "kmeans/assign_kernels.hpp"

namespace lookalike {
namespace {

constexpr double kLargestLength = 0x1p40;

// The centers less `middle`, times `scale`.
std::vector<double> centered(View<double const> centers, std::span<double const> middle,
                             double scale) {
  std::vector<double> out(centers.rows * centers.cols);
  for (std::size_t c = 0; c < centers.rows; ++c)
    for (std::size_t j = 0; j < centers.cols; ++j)
      out[c * centers.cols + j] = (centers[c][j] - middle[j]) * scale;
  return out;
}

void set_heights(Lineup& lineup, std::vector<double> const& value, std::size_t cols,
                 std::size_t together, double scale) {
  lineup.padded = (lineup.count + together - 1) / together * together;
  lineup.height.assign(lineup.padded, std::numeric_limits<float>::infinity());
  for (std::size_t c = 0; c < lineup.count; ++c) {
    double sum = 0.0;
    for (std::size_t j = 0; j < cols; ++j) sum += value[c * cols + j] * value[c * cols + j];
    lineup.height[c] = static_cast<float>(0.5 * sum);
    lineup.longest = std::max(lineup.longest, std::sqrt(sum) * kMarginUp);
  }
  lineup.usable = scale > 0.0 && lineup.longest < kLargestLength;
}

void put_codes(Lineup& lineup, std::vector<double> const& image, std::size_t values,
               std::size_t width, double row_step) {
  AssignKernels const& kernels = LOOKALIKE_CHOOSE(assign_kernels);
  double most = 0.0;
  for (double const z : image) most = std::max(most, std::abs(z));
  double const step = short_step(most, width);
  lineup.unit = static_cast<float>(step * row_step);
  lineup.code.assign(lineup.padded * width, 0);
  std::vector<std::int16_t> code(width);
  for (std::size_t c = 0; c < lineup.count; ++c) {
    double const lost = kernels.round_row(image.data() + c * values, values, step,
                                          largest_short(width), code.data());
    lineup.lost = std::max(lineup.lost, (std::sqrt(lost) + 0x1p-45 * lineup.longest) * kMarginUp);
    double length2 = 0.0;
    for (std::size_t j = 0; j < values; ++j)
      length2 += image[c * values + j] * image[c * values + j];
    lineup.image = std::max(lineup.image, std::sqrt(length2) * kMarginUp);
    std::int16_t* const panel =
        lineup.code.data() + c / kCentersTogether * kCentersTogether * width;
    for (std::size_t j = 0; j < width; ++j)
      panel[j / 2 * 2 * kCentersTogether + c % kCentersTogether * 2 + j % 2] = code[j];
  }
  lineup.lost += 0x1p-45 * lineup.longest;
}

// How far apart the parts of the centers are that the projections leave over.
void measure_apart(Lineup& lineup, std::vector<double> const& rest, std::size_t cols,
                   std::size_t threads) {
  lineup.apart.assign(lineup.count * lineup.padded, 0.0f);
  std::vector<double const*> row(lineup.count);
  for (std::size_t c = 0; c < lineup.count; ++c) row[c] = rest.data() + c * cols;
  std::vector<std::vector<double>> keys(threads, std::vector<double>(lineup.count));
  double const slip = 0x1p-40 * lineup.longest;
  parallel_for(lineup.count, threads, [&](std::size_t a, std::size_t worker) {
    double* const key = keys[worker].data();
    distance_kernel<double>()(row[a], row.data() + a, lineup.count - a, cols, key);
    for (std::size_t c = a; c < lineup.count; ++c) {
      auto const far = round_up((std::sqrt(key[c - a]) + slip) * (1.0 + 0x1p-20));
      lineup.apart[a * lineup.padded + c] = lineup.apart[c * lineup.padded + a] = far;
    }
  });
  lineup.farthest.resize(lineup.count);
  for (std::size_t a = 0; a < lineup.count; ++a) {
    auto const from = lineup.apart.begin() + static_cast<std::ptrdiff_t>(a * lineup.padded);
    lineup.farthest[a] = *std::max_element(from, from + static_cast<std::ptrdiff_t>(lineup.padded));
  }
}

}  // namespace

Lineup coded_lineup(View<double const> centers, ShortCodes const& codes, std::size_t threads) {
  AssignKernels const& kernels = LOOKALIKE_CHOOSE(assign_kernels);
  Lineup lineup;
  lineup.count = centers.rows;
  lineup.middle = codes.middle;
  std::size_t const cols = centers.cols;
  std::size_t const blocks = codes.map().blocks(), values = codes.map().values();
  std::vector<double> value = centered(centers, codes.middle, codes.scale);
  set_heights(lineup, value, cols, kCentersTogether, codes.scale);
  if (!lineup.usable) return lineup;
  if (blocks == 0) {
    put_codes(lineup, value, values, codes.width, codes.step);
    return lineup;
  }
  std::vector<double> image(lineup.count * values);
  std::vector<std::vector<double>> whole(threads, std::vector<double>(blocks * kBlock));
  parallel_for(lineup.count, threads, [&](std::size_t c, std::size_t worker) {
    double* const x = value.data() + c * cols;
    double* const z = whole[worker].data();
    for (std::size_t block = 0; block < blocks; ++block)
      kernels.project(x, cols, codes.directions.data() + block * cols * kBlock, z + block * kBlock);
    for (std::size_t block = 0; block < blocks; ++block)
      kernels.leave(z + block * kBlock, cols, codes.directions.data() + block * cols * kBlock, x);
    std::copy_n(z, values, image.data() + c * values);
  });
  put_codes(lineup, image, values, codes.width, codes.step);
  measure_apart(lineup, value, cols, threads);
  return lineup;
}

Lineup float_lineup(View<double const> centers, double scale, bool sparse) {
  Lineup lineup;
  lineup.count = centers.rows;
  std::size_t const cols = centers.cols;
  lineup.middle.assign(cols, 0.0);
  if (!sparse) {  // zeros of sparse rows must stay zeros
    double const share = 1.0 / static_cast<double>(centers.rows);
    for (std::size_t c = 0; c < centers.rows; ++c)
      for (std::size_t j = 0; j < cols; ++j) lineup.middle[j] += centers[c][j] * share;
  }
  std::vector<double> const value = centered(centers, lineup.middle, scale);
  set_heights(lineup, value, cols, sparse ? kCentersTogether : kBlock, scale);
  if (!lineup.usable) return lineup;
  lineup.columns.assign(lineup.padded * cols, 0.0f);
  std::size_t const together = sparse ? lineup.padded : kBlock;
  for (std::size_t c = 0; c < lineup.count; ++c)
    for (std::size_t j = 0; j < cols; ++j)
      lineup.columns[c / together * cols * together + j * together + c % together] =
          static_cast<float>(value[c * cols + j]);
  return lineup;
}

}  // namespace lookalike
