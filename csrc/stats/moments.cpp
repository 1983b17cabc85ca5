#include "stats/moments.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <vector>

#include "core/parallel.hpp"

namespace lookalike {
namespace {

constexpr std::size_t kBlockRows = 128;

// The first value of each column that is present and has weight.
template <class T>
void find_anchors(View<T const> X, std::span<double const> weight, std::span<double> anchor) {
  std::vector<char> anchored(X.cols, 0);
  std::size_t missing = X.cols;
  for (std::size_t row = 0; row < X.rows && missing > 0; ++row) {
    if (!weight.empty() && !(weight[row] > 0.0)) continue;
    for (std::size_t col = 0; col < X.cols; ++col) {
      double const value = static_cast<double>(X[row][col]);
      if (anchored[col] != 0 || value != value) continue;
      anchored[col] = 1;
      anchor[col] = value;
      --missing;
    }
  }
}

}  // namespace

template <class T>
void column_moments(View<T const> X, std::span<double const> weight, ColumnMoments moments) {
  MomentKernels const& kernels = LOOKALIKE_CHOOSE(moment_kernels);
  for (auto part : {moments.count, moments.anchor, moments.drift, moments.scatter})
    std::ranges::fill(part, 0.0);
  std::ranges::fill(moments.least, std::numeric_limits<double>::infinity());
  std::ranges::fill(moments.most, -std::numeric_limits<double>::infinity());
  find_anchors(X, weight, moments.anchor);
  double* const out[] = {moments.count.data(),   moments.anchor.data(), moments.drift.data(),
                         moments.scatter.data(), moments.least.data(),  moments.most.data()};
  std::vector<double> scratch(kernels.scratch_columns * X.cols);
  for (std::size_t row = 0; row < X.rows; row += kBlockRows) {
    checkpoint();
    std::size_t const rows = std::min(kBlockRows, X.rows - row);
    double const* const w = weight.empty() ? nullptr : weight.data() + row;
    T const* const block = X.data + row * X.stride;
    if constexpr (std::is_same_v<T, float>)
      kernels.of_float(block, rows, X.cols, X.stride, w, out, scratch.data());
    else
      kernels.of_double(block, rows, X.cols, X.stride, w, out, scratch.data());
  }
}

template void column_moments(View<float const>, std::span<double const>, ColumnMoments);
template void column_moments(View<double const>, std::span<double const>, ColumnMoments);

}  // namespace lookalike
