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

void set_heights(CenterTable& table, std::vector<double> const& value, std::size_t cols,
                 std::size_t together, double scale) {
  table.padded = (table.count + together - 1) / together * together;
  table.height.assign(table.padded, std::numeric_limits<float>::infinity());
  for (std::size_t c = 0; c < table.count; ++c) {
    double sum = 0.0;
    for (std::size_t j = 0; j < cols; ++j) sum += value[c * cols + j] * value[c * cols + j];
    table.height[c] = static_cast<float>(0.5 * sum);
    table.longest = std::max(table.longest, std::sqrt(sum) * kMarginUp);
  }
  table.usable = scale > 0.0 && table.longest < kLargestLength;
}

void put_codes(CenterTable& table, std::vector<double> const& image, std::size_t values,
               std::size_t width, double row_step) {
  AssignKernels const& kernels = LOOKALIKE_CHOOSE(assign_kernels);
  double most = 0.0;
  for (double const z : image) most = std::max(most, std::abs(z));
  double const step = int16_step(most, width);
  table.unit = static_cast<float>(step * row_step);
  table.code.assign(table.padded * width, 0);
  std::vector<std::int16_t> code(width);
  for (std::size_t c = 0; c < table.count; ++c) {
    double const lost = kernels.round_row(image.data() + c * values, values, step,
                                          largest_int16_code(width), code.data());
    table.lost = std::max(table.lost, (std::sqrt(lost) + 0x1p-45 * table.longest) * kMarginUp);
    double length2 = 0.0;
    for (std::size_t j = 0; j < values; ++j)
      length2 += image[c * values + j] * image[c * values + j];
    table.image = std::max(table.image, std::sqrt(length2) * kMarginUp);
    std::int16_t* const panel = table.code.data() + c / kCentersTogether * kCentersTogether * width;
    for (std::size_t j = 0; j < width; ++j)
      panel[j / 2 * 2 * kCentersTogether + c % kCentersTogether * 2 + j % 2] = code[j];
  }
  table.lost += 0x1p-45 * table.longest;
}

// The distances between the residuals of the centers: what the projections leave over.
void measure_residuals(CenterTable& table, std::vector<double> const& rest, std::size_t cols,
                       std::size_t threads) {
  table.residual_distance.assign(table.count * table.padded, 0.0f);
  std::vector<double const*> row(table.count);
  for (std::size_t c = 0; c < table.count; ++c) row[c] = rest.data() + c * cols;
  std::vector<std::vector<double>> keys(threads, std::vector<double>(table.count));
  double const slip = 0x1p-40 * table.longest;
  parallel_for(table.count, threads, [&](std::size_t a, std::size_t worker) {
    double* const key = keys[worker].data();
    distance_kernel<double>()(row[a], row.data() + a, table.count - a, cols, key);
    for (std::size_t c = a; c < table.count; ++c) {
      auto const far = round_up((std::sqrt(key[c - a]) + slip) * (1.0 + 0x1p-20));
      table.residual_distance[a * table.padded + c] =
          table.residual_distance[c * table.padded + a] = far;
    }
  });
  table.farthest.resize(table.count);
  for (std::size_t a = 0; a < table.count; ++a) {
    auto const from =
        table.residual_distance.begin() + static_cast<std::ptrdiff_t>(a * table.padded);
    table.farthest[a] = *std::max_element(from, from + static_cast<std::ptrdiff_t>(table.padded));
  }
}

}  // namespace

CenterTable int16_center_table(View<double const> centers, Int16Codes const& codes,
                               std::size_t threads) {
  AssignKernels const& kernels = LOOKALIKE_CHOOSE(assign_kernels);
  CenterTable table;
  table.count = centers.rows;
  table.middle = codes.middle;
  std::size_t const cols = centers.cols;
  std::size_t const blocks = codes.map().blocks(), values = codes.map().values();
  std::vector<double> value = centered(centers, codes.middle, codes.scale);
  set_heights(table, value, cols, kCentersTogether, codes.scale);
  if (!table.usable) return table;
  if (blocks == 0) {
    put_codes(table, value, values, codes.width, codes.step);
    return table;
  }
  std::vector<double> image(table.count * values);
  std::vector<std::vector<double>> whole(threads, std::vector<double>(blocks * kBlock));
  parallel_for(table.count, threads, [&](std::size_t c, std::size_t worker) {
    double* const x = value.data() + c * cols;
    double* const z = whole[worker].data();
    for (std::size_t block = 0; block < blocks; ++block)
      kernels.project(x, cols, codes.directions.data() + block * cols * kBlock, z + block * kBlock);
    for (std::size_t block = 0; block < blocks; ++block)
      kernels.leave(z + block * kBlock, cols, codes.directions.data() + block * cols * kBlock, x);
    std::copy_n(z, values, image.data() + c * values);
  });
  put_codes(table, image, values, codes.width, codes.step);
  measure_residuals(table, value, cols, threads);
  return table;
}

CenterTable float_center_table(View<double const> centers, double scale, bool sparse) {
  CenterTable table;
  table.count = centers.rows;
  std::size_t const cols = centers.cols;
  table.middle.assign(cols, 0.0);
  if (!sparse) {  // zeros of sparse rows must stay zeros
    double const share = 1.0 / static_cast<double>(centers.rows);
    for (std::size_t c = 0; c < centers.rows; ++c)
      for (std::size_t j = 0; j < cols; ++j) table.middle[j] += centers[c][j] * share;
  }
  std::vector<double> const value = centered(centers, table.middle, scale);
  set_heights(table, value, cols, sparse ? kCentersTogether : kBlock, scale);
  if (!table.usable) return table;
  table.columns.assign(table.padded * cols, 0.0f);
  std::size_t const together = sparse ? table.padded : kBlock;
  for (std::size_t c = 0; c < table.count; ++c)
    for (std::size_t j = 0; j < cols; ++j)
      table.columns[c / together * cols * together + j * together + c % together] =
          static_cast<float>(value[c * cols + j]);
  return table;
}

}  // namespace lookalike
