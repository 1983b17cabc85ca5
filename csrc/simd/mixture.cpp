// The loops of a mixture: distances and shares across rows, sums of products across columns.
#include "density/mixture.hpp"

#include <cstddef>

#include "simd/exp.hpp"
#include "simd/pair_lanes.hpp"

namespace lookalike::simd::LOOKALIKE_LEVEL {
namespace {

constexpr std::size_t kLanes = 8;
#if defined(LOOKALIKE_LEVEL_avx512)
constexpr std::size_t kTogether = 4;  // registers of rows, or of columns, beside four of the other
#else
constexpr std::size_t kTogether = 1;
#endif
constexpr std::size_t kSide = kFactorRows;

// kTogether * 8 of the 32 rows; four rows of the factor at a time.
void some_triangular(double const* gap, double const* packed, std::size_t cols, double* q) {
  Lanes total[kTogether];
  for (auto& lanes : total) lanes = same(0.0);
  for (std::size_t first = 0; first < cols; first += kSide) {
    Lanes sum[kSide][kTogether];
    for (auto& row : sum)
      for (auto& lanes : row) lanes = same(0.0);
    std::size_t const terms = first + kSide < cols ? first + kSide : cols;
    for (std::size_t i = 0; i < terms; ++i, packed += kSide) {
      Lanes x[kTogether];
      for (std::size_t t = 0; t < kTogether; ++t) x[t] = load(gap + i * kMixtureRows + t * kLanes);
      for (std::size_t b = 0; b < kSide; ++b) {
        Lanes const w = same(packed[b]);
        for (std::size_t t = 0; t < kTogether; ++t) sum[b][t] = sum[b][t] + w * x[t];
      }
    }
    for (auto const& row : sum)
      for (std::size_t t = 0; t < kTogether; ++t) total[t] = total[t] + row[t] * row[t];
  }
  for (std::size_t t = 0; t < kTogether; ++t) store(q + t * kLanes, total[t]);
}

void triangular(double const* c, double const* mean, double const* packed, std::size_t cols,
                double* gap, double* q) {
  for (std::size_t j = 0; j < cols; ++j) {
    Lanes const center = same(mean[j]);
    for (std::size_t n = j * kMixtureRows; n < (j + 1) * kMixtureRows; n += kLanes)
      store(gap + n, load(c + n) - center);
  }
  for (std::size_t n = 0; n < kMixtureRows; n += kTogether * kLanes)
    some_triangular(gap + n, packed, cols, q + n);
}

void diagonal(double const* c, double const* mean, double const* scale, std::size_t cols,
              double* q) {
  for (std::size_t n = 0; n < kMixtureRows; n += kLanes) {
    Lanes total = same(0.0);
    for (std::size_t j = 0; j < cols; ++j) {
      Lanes const y = (load(c + j * kMixtureRows + n) - same(mean[j])) * same(scale[j]);
      total = total + y * y;
    }
    store(q + n, total);
  }
}

void share(double* joint, std::size_t components, std::size_t stride, double* largest,
           double* sum) {
  Lanes most = load(joint);
  for (std::size_t k = 1; k < components; ++k) most = larger(most, load(joint + k * stride));
  Lanes total = same(0.0);
  for (std::size_t k = 0; k < components; ++k) {
    Lanes const part = exp_above(load(joint + k * stride) - most, kLeastShare);
    store(joint + k * stride, part);
    total = total + part;
  }
  for (std::size_t k = 0; k < components; ++k)
    store(joint + k * stride, load(joint + k * stride) / total);
  store(largest, most);
  store(sum, total);
}

void subtract(double const* c, double const* mean, double w, std::size_t width, double* gap,
              double* weighted) {
  Lanes const times = same(w);
  for (std::size_t j = 0; j < width; j += kLanes) {
    Lanes const x = load(c + j) - load(mean + j);
    store(gap + j, x);
    store(weighted + j, x * times);
  }
}

// `Side` rows of the sums, `Wide` registers of their columns.
template <std::size_t Side, std::size_t Wide>
void block(double const* gap, double const* weighted, std::size_t rows, std::size_t width,
           double* sums) {
  Lanes sum[Side][Wide];
  for (std::size_t b = 0; b < Side; ++b)
    for (std::size_t t = 0; t < Wide; ++t) sum[b][t] = load(sums + b * width + t * kLanes);
  for (std::size_t n = 0; n < rows; ++n, gap += width, weighted += width) {
    Lanes x[Wide];
    for (std::size_t t = 0; t < Wide; ++t) x[t] = load(gap + t * kLanes);
    for (std::size_t b = 0; b < Side; ++b) {
      Lanes const w = same(weighted[b]);
      for (std::size_t t = 0; t < Wide; ++t) sum[b][t] = sum[b][t] + w * x[t];
    }
  }
  for (std::size_t b = 0; b < Side; ++b)
    for (std::size_t t = 0; t < Wide; ++t) store(sums + b * width + t * kLanes, sum[b][t]);
}

template <std::size_t Side>
void stripe(double const* gap, double const* weighted, std::size_t rows, std::size_t width,
            std::size_t row, double* sums) {
  std::size_t const lanes = (row + Side + kLanes - 1) / kLanes;
  double* const out = sums + row * width;
  std::size_t t = 0;
  for (; t + kTogether <= lanes; t += kTogether)
    block<Side, kTogether>(gap + t * kLanes, weighted + row, rows, width, out + t * kLanes);
  std::size_t const left = lanes - t;
  if (left == 3) block<Side, 3>(gap + t * kLanes, weighted + row, rows, width, out + t * kLanes);
  if (left == 2) block<Side, 2>(gap + t * kLanes, weighted + row, rows, width, out + t * kLanes);
  if (left == 1) block<Side, 1>(gap + t * kLanes, weighted + row, rows, width, out + t * kLanes);
}

void products(double const* gap, double const* weighted, std::size_t rows, std::size_t width,
              std::size_t begin, std::size_t end, double* sums) {
  std::size_t row = begin;
  for (; row + kSide <= end; row += kSide) stripe<kSide>(gap, weighted, rows, width, row, sums);
  for (; row < end; ++row) stripe<1>(gap, weighted, rows, width, row, sums);
}

void squares(double const* gap, double const* weighted, std::size_t rows, std::size_t width,
             double* first, double* second) {
  for (std::size_t j = 0; j < width; j += kLanes) {
    Lanes one = load(first + j), two = load(second + j);
    for (std::size_t n = 0; n < rows; ++n) {
      Lanes const w = load(weighted + n * width + j);
      one = one + w;
      two = two + w * load(gap + n * width + j);
    }
    store(first + j, one);
    store(second + j, two);
  }
}

}  // namespace

extern MixtureKernels const mixture_kernels;
MixtureKernels const mixture_kernels = {&triangular, &diagonal, &share,
                                        &subtract,   &products, &squares};

}  // namespace lookalike::simd::LOOKALIKE_LEVEL
