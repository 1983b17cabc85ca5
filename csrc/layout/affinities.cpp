#include "layout/affinities.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "core/bounds.hpp"
#include "core/parallel.hpp"

namespace lookalike {
namespace {

constexpr std::size_t kTaskRows = 256;
constexpr int kHalvings = 64;
constexpr double kTolerance = 1e-5;
constexpr double kLeastScale =
    1e-3;  // of the mean distance, which a bandwidth of UMAP has at least

template <class F>
void for_each_row(std::size_t rows, std::size_t threads, F&& body) {
  parallel_blocks(rows, kTaskRows, threads, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t i = begin; i < end; ++i) body(i);
  });
}

// Writes exp(-b (d^2 - d_0^2)) / sum and returns the entropy; distances are divided by `unit`.
double write_gaussian(std::span<double const> distance, double unit, double b,
                      std::span<double> out) {
  double sum = 0.0, mean = 0.0;
  double const nearest = distance[0] / unit;
  for (std::size_t j = 0; j < distance.size(); ++j) {
    double const d = distance[j] / unit, gap = (d - nearest) * (d + nearest);
    out[j] = std::exp(-b * gap);
    sum += out[j];
    mean += gap * out[j];
  }
  for (double& value : out) value /= sum;
  return std::log(sum) + b * mean / sum;
}

void gaussian_row(std::span<double const> distance, double perplexity, std::span<double> out) {
  double const farthest = *std::ranges::max_element(distance);
  if (!(farthest > distance[0])) {  // all equally far
    std::ranges::fill(out, 1.0 / static_cast<double>(out.size()));
    return;
  }
  double const wanted = std::log(perplexity);
  double b = 1.0, low = 0.0, high = std::numeric_limits<double>::infinity();
  for (int halving = 0; halving < kHalvings; ++halving) {
    double const gap = write_gaussian(distance, farthest, b, out) - wanted;
    if (std::abs(gap) < kTolerance) return;
    (gap > 0.0 ? low : high) = b;
    b = std::isinf(high) ? b * 4.0 : (low + high) / 2.0;
  }
}

double write_fuzzy(std::span<double const> distance, double nearest, double scale,
                   std::span<double> out) {
  double sum = 0.0;
  for (std::size_t j = 0; j < distance.size(); ++j) {
    double const gap = distance[j] - nearest;
    out[j] = gap > 0.0 ? std::exp(-gap / scale) : 1.0;
    sum += out[j];
  }
  return sum;
}

void fuzzy_row(std::span<double const> distance, std::span<double> out) {
  auto const other = std::ranges::find_if(distance, [](double d) { return d > 0.0; });
  if (other == distance.end()) {  // all equal to this row
    std::ranges::fill(out, 1.0);
    return;
  }
  double mean = 0.0;
  for (double const d : distance) mean += d / static_cast<double>(distance.size());
  // One more than the neighbors: the row itself is the first of those that UMAP counts.
  double const wanted = std::log2(static_cast<double>(distance.size()) + 1.0);
  double scale = mean, low = 0.0, high = std::numeric_limits<double>::infinity();
  for (int halving = 0; halving < kHalvings; ++halving) {
    double const gap = write_fuzzy(distance, *other, scale, out) - wanted;
    if (std::abs(gap) < kTolerance) break;
    (gap > 0.0 ? high : low) = scale;
    scale = std::isinf(high) ? scale * 2.0 : (low + high) / 2.0;
  }
  if (scale < kLeastScale * mean) write_fuzzy(distance, *other, kLeastScale * mean, out);
}

}  // namespace

void perplexity_affinities(View<double const> distance, double perplexity, View<double> affinity,
                           std::size_t threads) {
  require(has_shape(affinity, distance.rows, distance.cols), "the affinities have no place");
  for_each_row(distance.rows, threads,
               [&](std::size_t i) { gaussian_row(distance[i], perplexity, affinity[i]); });
}

void fuzzy_affinities(View<double const> distance, View<double> affinity, std::size_t threads) {
  require(has_shape(affinity, distance.rows, distance.cols), "the affinities have no place");
  for_each_row(distance.rows, threads, [&](std::size_t i) { fuzzy_row(distance[i], affinity[i]); });
}

}  // namespace lookalike
