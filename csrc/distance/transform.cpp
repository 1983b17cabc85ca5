#include "distance/transform.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/bounds.hpp"
#include "core/parallel.hpp"

namespace lookalike {
namespace {

constexpr std::size_t kBlockRows = 64;

PairKernel kernel(MetricForm form) {
  return LOOKALIKE_CHOOSE(pair_kernels).of_form[static_cast<std::size_t>(form)];
}

// A power of two that brings values of size `most` near one.
double unit_scale(double most) {
  return most > 0.0 ? std::ldexp(1.0, std::clamp(-std::ilogb(most), -1000, 1000)) : 1.0;
}

double one_key(MetricForm form, double const* q, double const* x, std::size_t width) {
  double key = 0.0;
  kernel(form)({q, 1, width, width}, {x, 1, width, width}, {q, 0.0, 2.0, width, nullptr},
               {&key, 1, 1, 1});
  return key;
}

// Scales, centers and divides one padded row in place; returns its length before the division.
double normalize(std::span<double> x, bool center, std::size_t width, double const* zeros,
                 double const* ones) {
  auto const [least, most] = std::ranges::minmax(x);
  double const scale = unit_scale(std::max(std::abs(least), std::abs(most)));
  for (double& value : x) value *= scale;
  if (center) {
    double const sum = -one_key(MetricForm::dot, ones, x.data(), width);
    double const mean = sum / static_cast<double>(x.size());
    for (double& value : x) value = least == most ? 0.0 : value - mean;
  }
  double const norm = std::sqrt(one_key(MetricForm::squared, zeros, x.data(), width));
  if (norm > 0.0)
    for (double& value : x) value /= norm;
  return norm / scale;
}

}  // namespace

void normalize_rows(AnyRows X, bool center, std::size_t threads, View<double> out,
                    std::span<double> norm) {
  std::size_t const rows = X.rows(), cols = X.cols(), width = padded(cols);
  require(has_shape(out, rows, cols) && norm.size() == rows, "the rows have no place");
  std::vector<double> const zeros(width, 0.0);
  std::vector<double> ones(width, 0.0);
  std::fill_n(ones.begin(), cols, 1.0);
  parallel_blocks(rows, kBlockRows, threads, [&](std::size_t begin, std::size_t end, std::size_t) {
    std::vector<double> x(width);
    for (std::size_t i = begin; i < end; ++i) {
      checkpoint();
      widen(X, i, 1.0, {x.data(), 1, width, width});
      norm[i] = normalize({x.data(), cols}, center, width, zeros.data(), ones.data());
      std::copy_n(x.begin(), cols, out[i].begin());
    }
  });
}

void normalize_sparse_rows(SparseRows const& X, std::span<double> value, std::span<double> norm) {
  require_sparse(X);
  require(value.size() == X.value.size() && norm.size() == X.rows(), "the rows have no place");
  for (std::size_t i = 0; i < X.rows(); ++i) {
    auto const begin = static_cast<std::size_t>(X.start[i]);
    auto const end = static_cast<std::size_t>(X.start[i + 1]);
    double most = 0.0;
    for (std::size_t at = begin; at < end; ++at) most = std::max(most, std::abs(X.value[at]));
    double const scale = unit_scale(most);
    double lane[kLanes] = {};
    for (std::size_t at = begin; at < end; ++at) {
      value[at] = X.value[at] * scale;
      lane[static_cast<std::size_t>(X.column[at]) % kLanes] += value[at] * value[at];
    }
    double const length = std::sqrt(fold_lanes(lane));
    if (length > 0.0)
      for (std::size_t at = begin; at < end; ++at) value[at] /= length;
    norm[i] = length / scale;
  }
}

void map_rows(AnyRows X, std::span<double const> center, View<double const> W, std::size_t threads,
              View<double> out) {
  std::size_t const rows = X.rows(), cols = X.cols(), width = padded(cols);
  require(W.cols == cols && center.size() == cols,
          "the map and the rows differ in their number of columns");
  require(has_shape(out, rows, W.rows), "the rows have no place");
  std::vector<double> map(W.rows * width);
  widen(W, 0, 1.0, {map.data(), W.rows, width, width});
  parallel_blocks(rows, kBlockRows, threads, [&](std::size_t first, std::size_t end, std::size_t) {
    std::size_t const count = end - first;
    std::vector<double> x(count * width);
    widen(X, first, 1.0, {x.data(), count, width, width});
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = 0; j < cols; ++j) x[i * width + j] -= center[j];
    checkpoint();
    View<double> const to{out[first].data(), count, W.rows, out.stride};
    kernel(MetricForm::dot)({x.data(), count, width, width}, {map.data(), W.rows, width, width}, {},
                            to);
    for (std::size_t i = 0; i < count; ++i)
      for (double& value : to[i]) value = 0.0 - value;
  });
}

void sphere_rows(View<double const> X, View<double> out) {
  require(X.cols == 2 && has_shape(out, X.rows, 3),
          "latitudes and longitudes become three columns");
  for (std::size_t i = 0; i < X.rows; ++i) {
    double const latitude = X[i][0], longitude = X[i][1];
    out[i][0] = std::cos(latitude) * std::cos(longitude);
    out[i][1] = std::cos(latitude) * std::sin(longitude);
    out[i][2] = std::sin(latitude);
  }
}

}  // namespace lookalike
