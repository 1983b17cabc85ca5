// Derivatives added up by codes, and the gains of cuts; plain loops are vectorized by the compiler.
#include "forest/histogram.hpp"

#include <cstddef>
#include <cstdint>

namespace lookalike::simd::LOOKALIKE_LEVEL {
namespace {

template <std::size_t Lanes>
void add_records(std::uint32_t const* row, std::size_t n_rows, std::uint8_t const* code,
                 double const* record, std::size_t width, double* bins) {
  for (std::size_t i = 0; i < n_rows; ++i) {
    double* __restrict const bin = bins + width * std::size_t{code[row[i]]};
    double const* __restrict const own = record + width * std::size_t{row[i]};
    for (std::size_t c = 0; c < width; c += Lanes)
      for (std::size_t l = 0; l < Lanes; ++l) bin[c + l] += own[c + l];
  }
}

void add_rows(std::uint32_t const* row, std::size_t n_rows, std::uint8_t const* code,
              double const* record, std::size_t outputs, double* bins) {
  if (outputs == 1)
    add_records<3>(row, n_rows, code, record, 3, bins);
  else
    add_records<8>(row, n_rows, code, record, record_width(outputs), bins);
}

void subtract(double* __restrict from, double const* __restrict less, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) from[i] -= less[i];
}

double at_least(double value, double least) { return value > least ? value : least; }

double explained(double slope, double curvature, double l2) {
  return slope * slope / at_least(curvature + l2, least_curvature);
}

// explained(slope, curvature) of both sides, with one division.
double both(double slope, double curvature, double all_slope, double all_curvature, double l2) {
  double const other = all_slope - slope;
  double const left = at_least(curvature + l2, least_curvature);
  double const right = at_least(at_least(all_curvature - curvature, 0.0) + l2, least_curvature);
  return (slope * slope * right + other * other * left) / (left * right);
}

// The sums of the bins so far lie one after the other, so that all cuts are weighed at once.
void gains_of_one(double const* __restrict bins, std::size_t n_bins, double l2,
                  double* __restrict spare, double* __restrict gain) {
  double* __restrict const rows = spare;
  double* __restrict const slope = spare + n_bins;
  double* __restrict const curvature = spare + 2 * n_bins;
  double r = 0.0, s = 0.0, c = 0.0;
  for (std::size_t b = 0; b < n_bins; ++b) {
    double const* const bin = bins + record_width(1) * b;
    bool const filled = bin[2] > 0.0;  // what rounding left in an empty bin is nothing
    r += bin[2];
    s += filled ? bin[0] : 0.0;
    c += filled ? bin[1] : 0.0;
    rows[b] = r;
    slope[b] = s;
    curvature[b] = c;
  }
  double const before = explained(s, c, l2);
  for (std::size_t b = 0; b < n_bins; ++b) {
    double const after = both(slope[b], curvature[b], s, c, l2) - before;
    gain[b] += ((rows[b] > 0.0) & (rows[b] < r)) ? after : 0.0;
  }
}

double fold(double const* lane) {
  return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

// The outputs lie side by side: of one cut, all are weighed at once.
void gains_of_several(double const* __restrict bins, std::size_t n_bins, std::size_t outputs,
                      double l2, double* __restrict spare, double* __restrict gain) {
  std::size_t const width = record_width(outputs);
  std::size_t const padded = (outputs + gain_lanes - 1) / gain_lanes * gain_lanes;
  double* __restrict const slope = spare;
  double* __restrict const curvature = spare + padded;
  double* __restrict const all_slope = spare + 2 * padded;
  double* __restrict const all_curvature = spare + 3 * padded;
  for (std::size_t i = 0; i < 4 * padded; ++i) spare[i] = 0.0;
  double rows = 0.0;
  for (std::size_t b = 0; b < n_bins; ++b) {
    double const* __restrict const bin = bins + width * b;
    if (bin[2 * outputs] == 0.0) continue;
    rows += bin[2 * outputs];
    for (std::size_t c = 0; c < outputs; ++c) all_slope[c] += bin[c];
    for (std::size_t c = 0; c < outputs; ++c) all_curvature[c] += bin[outputs + c];
  }
  double before[gain_lanes] = {};
  for (std::size_t c = 0; c < padded; c += gain_lanes)
    for (std::size_t l = 0; l < gain_lanes; ++l)
      before[l] += explained(all_slope[c + l], all_curvature[c + l], l2);
  double const base = fold(before);
  double left = 0.0, last = 0.0;
  for (std::size_t b = 0; b < n_bins; ++b) {
    double const* __restrict const bin = bins + width * b;
    if (bin[2 * outputs] != 0.0) {
      left += bin[2 * outputs];
      for (std::size_t c = 0; c < outputs; ++c) slope[c] += bin[c];
      for (std::size_t c = 0; c < outputs; ++c) curvature[c] += bin[outputs + c];
      double after[gain_lanes] = {};
      for (std::size_t c = 0; c < padded; c += gain_lanes)
        for (std::size_t l = 0; l < gain_lanes; ++l)
          after[l] +=
              both(slope[c + l], curvature[c + l], all_slope[c + l], all_curvature[c + l], l2);
      last = left < rows ? fold(after) - base : 0.0;
    }
    gain[b] += last;
  }
}

void add_gains(double const* bins, std::size_t n_bins, std::size_t outputs, double l2,
               double* spare, double* gain) {
  if (outputs == 1)
    gains_of_one(bins, n_bins, l2, spare, gain);
  else
    gains_of_several(bins, n_bins, outputs, l2, spare, gain);
}

}  // namespace

HistogramKernels const histogram_kernels = {&add_rows, &subtract, &add_gains};

}  // namespace lookalike::simd::LOOKALIKE_LEVEL
