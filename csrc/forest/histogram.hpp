// Histograms of boosting: derivatives added up by the codes of a column, and what cuts between
// them gain.
#pragma once
#include <cstddef>
#include <cstdint>

#include "core/dispatch.hpp"

namespace lookalike {

// What a row, or all rows of a bin, ask for: the slope of every output, the curvature of every
// output, and how many rows there are, filled up with zeros to whole registers where there are
// several outputs.
constexpr std::size_t record_width(std::size_t outputs) {
  return outputs == 1 ? 3 : (2 * outputs + 1 + 7) / 8 * 8;
}

struct HistogramKernels {
  // Adds the records of some rows to the bins of their codes.
  void (*add_rows)(std::uint32_t const* row, std::size_t n_rows, std::uint8_t const* code,
                   double const* record, std::size_t outputs, double* bins);
  // from -= less
  void (*subtract)(double* from, double const* less, std::size_t n);
  // Adds to gain[b] what is gained where the bins 0 ... b go left; nothing where these, or the
  // others, have no rows. `spare` holds gain_scratch(n_bins, outputs) numbers.
  void (*add_gains)(double const* bins, std::size_t n_bins, std::size_t outputs, double l2,
                    double* spare, double* gain);
};

constexpr std::size_t gain_lanes = 8;
constexpr double least_curvature = 1e-15;  // that a slope is divided by

constexpr std::size_t gain_scratch(std::size_t n_bins, std::size_t outputs) {
  std::size_t const padded = (outputs + gain_lanes - 1) / gain_lanes * gain_lanes;
  return outputs == 1 ? 3 * n_bins : 4 * padded;
}

LOOKALIKE_SIMD_TABLE(HistogramKernels, histogram_kernels)

}  // namespace lookalike
