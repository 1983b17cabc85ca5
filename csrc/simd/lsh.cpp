// Projections and keys of one row, in eight lanes: the same bits at every level.
#include "lsh/lsh.hpp"

#include <cstddef>

#include "core/summation.hpp"

namespace lookalike::simd::LOOKALIKE_LEVEL {
namespace {

void project(double const* direction, std::size_t count, std::size_t cols, double const* x,
             double* dots) {
  for (std::size_t h = 0; h < count; ++h) {
    double const* __restrict const a = direction + h * cols;
    double lane[kLanes] = {};
    std::size_t j = 0;
    for (; j + kLanes <= cols; j += kLanes)
      for (std::size_t l = 0; l < kLanes; ++l) lane[l] += a[j + l] * x[j + l];
    for (std::size_t l = 0; j + l < cols; ++l) lane[l] += a[j + l] * x[j + l];
    dots[h] = fold_lanes(lane);
  }
}

template <KeyForm F>
double term(double q, double x) {
  double const gap = q - x;
  if constexpr (F == KeyForm::squared) return gap * gap;
  if constexpr (F == KeyForm::manhattan) return gap < 0.0 ? -gap : gap;
  return q != x ? 1.0 : 0.0;
}

template <KeyForm F, class T>
double key(double const* query, T const* x, std::size_t cols) {
  double lane[kLanes] = {};
  std::size_t j = 0;
  for (; j + kLanes <= cols; j += kLanes)
    for (std::size_t l = 0; l < kLanes; ++l)
      lane[l] += term<F>(query[j + l], static_cast<double>(x[j + l]));
  for (std::size_t l = 0; j + l < cols; ++l)
    lane[l] += term<F>(query[j + l], static_cast<double>(x[j + l]));
  return fold_lanes(lane);
}

template <class T>
double jaccard(double const* query, T const* x, std::size_t cols) {
  double both = 0.0, either = 0.0;
  for (std::size_t j = 0; j < cols; ++j) {
    bool const q = query[j] != 0.0, in = x[j] != T{0};
    both += q && in ? 1.0 : 0.0;
    either += q || in ? 1.0 : 0.0;
  }
  return either == 0.0 ? 0.0 : 1.0 - both / either;
}

}  // namespace

HashKernels const hash_kernels = {
    &project,
    {&key<KeyForm::squared, float>, &key<KeyForm::manhattan, float>, &key<KeyForm::hamming, float>,
     &jaccard<float>, &key<KeyForm::squared, float>},
    {&key<KeyForm::squared, double>, &key<KeyForm::manhattan, double>,
     &key<KeyForm::hamming, double>, &jaccard<double>, &key<KeyForm::squared, double>},
};

}  // namespace lookalike::simd::LOOKALIKE_LEVEL
