// The loops of a mixture: distances and shares across rows, sums of products across columns.
#include "density/mixture.hpp"

#include <cstddef>

#include "simd/exp.hpp"
#include "simd/vec.hpp"

namespace lookalike::simd::LOOKALIKE_LEVEL {
namespace {

#if defined(LOOKALIKE_LEVEL_avx512)
constexpr std::size_t kTogether = 4;  // vectors of rows, or of columns, with four of the other
#else
constexpr std::size_t kTogether = 1;
#endif
constexpr std::size_t kSide = kFactorRows;

// kTogether * 8 of the 32 rows; four rows of the factor at a time.
void some_triangular(double const* gap, double const* packed, std::size_t cols, double* q) {
  Doubles total[kTogether];
  for (auto& lanes : total) lanes = Doubles::all(0.0);
  for (std::size_t first = 0; first < cols; first += kSide) {
    Doubles sum[kSide][kTogether];
    for (auto& row : sum)
      for (auto& lanes : row) lanes = Doubles::all(0.0);
    std::size_t const terms = first + kSide < cols ? first + kSide : cols;
    for (std::size_t i = 0; i < terms; ++i, packed += kSide) {
      Doubles x[kTogether];
      for (std::size_t t = 0; t < kTogether; ++t)
        x[t] = Doubles::load(gap + i * kMixtureRows + t * kLanes);
      for (std::size_t b = 0; b < kSide; ++b) {
        Doubles const w = Doubles::all(packed[b]);
        for (std::size_t t = 0; t < kTogether; ++t) sum[b][t] = sum[b][t] + w * x[t];
      }
    }
    for (auto const& row : sum)
      for (std::size_t t = 0; t < kTogether; ++t) total[t] = total[t] + row[t] * row[t];
  }
  for (std::size_t t = 0; t < kTogether; ++t) total[t].store(q + t * kLanes);
}

void triangular(double const* c, double const* mean, double const* packed, std::size_t cols,
                double* gap, double* q) {
  for (std::size_t j = 0; j < cols; ++j) {
    Doubles const center = Doubles::all(mean[j]);
    for (std::size_t n = j * kMixtureRows; n < (j + 1) * kMixtureRows; n += kLanes)
      (Doubles::load(c + n) - center).store(gap + n);
  }
  for (std::size_t n = 0; n < kMixtureRows; n += kTogether * kLanes)
    some_triangular(gap + n, packed, cols, q + n);
}

void diagonal(double const* c, double const* mean, double const* scale, std::size_t cols,
              double* q) {
  for (std::size_t n = 0; n < kMixtureRows; n += kLanes) {
    Doubles total = Doubles::all(0.0);
    for (std::size_t j = 0; j < cols; ++j) {
      Doubles const y = (Doubles::load(c + j * kMixtureRows + n) - Doubles::all(mean[j])) *
                        Doubles::all(scale[j]);
      total = total + y * y;
    }
    total.store(q + n);
  }
}

void share(double* joint, std::size_t components, std::size_t stride, double* largest,
           double* sum) {
  Doubles most = Doubles::load(joint);
  for (std::size_t k = 1; k < components; ++k)
    most = larger(most, Doubles::load(joint + k * stride));
  Doubles total = Doubles::all(0.0);
  for (std::size_t k = 0; k < components; ++k) {
    Doubles const part = exp_above(Doubles::load(joint + k * stride) - most, kLeastShare);
    part.store(joint + k * stride);
    total = total + part;
  }
  for (std::size_t k = 0; k < components; ++k)
    (Doubles::load(joint + k * stride) / total).store(joint + k * stride);
  most.store(largest);
  total.store(sum);
}

void subtract(double const* c, double const* mean, double w, std::size_t width, double* gap,
              double* weighted) {
  Doubles const times = Doubles::all(w);
  for (std::size_t j = 0; j < width; j += kLanes) {
    Doubles const x = Doubles::load(c + j) - Doubles::load(mean + j);
    x.store(gap + j);
    (x * times).store(weighted + j);
  }
}

// `Side` rows of the sums, `Wide` registers of their columns.
template <std::size_t Side, std::size_t Wide>
void block(double const* gap, double const* weighted, std::size_t rows, std::size_t width,
           double* sums) {
  Doubles sum[Side][Wide];
  for (std::size_t b = 0; b < Side; ++b)
    for (std::size_t t = 0; t < Wide; ++t) sum[b][t] = Doubles::load(sums + b * width + t * kLanes);
  for (std::size_t n = 0; n < rows; ++n, gap += width, weighted += width) {
    Doubles x[Wide];
    for (std::size_t t = 0; t < Wide; ++t) x[t] = Doubles::load(gap + t * kLanes);
    for (std::size_t b = 0; b < Side; ++b) {
      Doubles const w = Doubles::all(weighted[b]);
      for (std::size_t t = 0; t < Wide; ++t) sum[b][t] = sum[b][t] + w * x[t];
    }
  }
  for (std::size_t b = 0; b < Side; ++b)
    for (std::size_t t = 0; t < Wide; ++t) sum[b][t].store(sums + b * width + t * kLanes);
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
    Doubles one = Doubles::load(first + j), two = Doubles::load(second + j);
    for (std::size_t n = 0; n < rows; ++n) {
      Doubles const w = Doubles::load(weighted + n * width + j);
      one = one + w;
      two = two + w * Doubles::load(gap + n * width + j);
    }
    one.store(first + j);
    two.store(second + j);
  }
}

}  // namespace

MixtureKernels const mixture_kernels = {&triangular, &diagonal, &share,
                                        &subtract,   &products, &squares};

}  // namespace lookalike::simd::LOOKALIKE_LEVEL
