// Distances over the columns that a query and eight rows at a time have.
#include "neighbors/donors.hpp"

#include <math.h>

#include <cstddef>
#include <cstdint>

#include "simd/vec.hpp"

namespace lookalike::simd::LOOKALIKE_LEVEL {
namespace {

constexpr std::size_t kTogether = 4;  // panels whose sums are in registers at once

// sum[p * kLanes + l] = the terms of lane l, for panel p.
template <std::size_t Panels>
LOOKALIKE_INLINE void sums_of_lanes(DonorQuery const& query, double const* value,
                                    std::size_t panel_size, Doubles* sum) {
  Doubles const zero = Doubles::all(0.0);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    Doubles part[Panels];
    LOOKALIKE_UNROLL
    for (std::size_t p = 0; p < Panels; ++p) part[p] = zero;
    for (std::uint32_t c = query.lane[lane]; c < query.lane[lane + 1]; ++c) {
      Doubles const here = Doubles::all(query.value[c]);
      double const* const x = value + query.column[c] * kLanes;
      LOOKALIKE_UNROLL
      for (std::size_t p = 0; p < Panels; ++p) {
        Doubles const gap = here - Doubles::load(x + p * panel_size);
        part[p] = part[p] + larger(gap * gap, zero);  // zero where the row lacks the column
      }
    }
    LOOKALIKE_UNROLL
    for (std::size_t p = 0; p < Panels; ++p) sum[p * kLanes + lane] = part[p];
  }
}

// The lanes fold in half, as everywhere; then the keys of the eight rows of a panel.
LOOKALIKE_INLINE void finish(Doubles const* sum, DonorQuery const& query,
                             std::uint64_t const* present, std::size_t words, double const* ratio,
                             double* key) {
  Doubles const four[4] = {sum[0] + sum[4], sum[1] + sum[5], sum[2] + sum[6], sum[3] + sum[7]};
  double total[kLanes];
  ((four[0] + four[2]) + (four[1] + four[3])).store(total);
  for (std::size_t i = 0; i < kLanes; ++i) {
    std::size_t shared = 0;
    for (std::size_t w = 0; w < words; ++w)
      shared += static_cast<std::size_t>(bit_count(query.present[w] & present[i * words + w]));
    key[i] = shared > 0 ? total[i] * ratio[shared] : HUGE_VAL;
  }
}

void keys(DonorQuery const& query, DonorPanels const& panels, std::size_t first, std::size_t count,
          double const* ratio, double* key) {
  std::size_t const size = panels.cols * kLanes;
  Doubles sum[kTogether * kLanes];
  for (std::size_t p = 0; p < count;) {
    double const* const value = panels.value + (first + p) * size;
    bool const several = count - p >= kTogether;
    if (several)
      sums_of_lanes<kTogether>(query, value, size, sum);
    else
      sums_of_lanes<1>(query, value, size, sum);
    for (std::size_t i = 0; i < (several ? kTogether : 1); ++i, ++p)
      finish(sum + i * kLanes, query, panels.present + (first + p) * kLanes * panels.words,
             panels.words, ratio, key + p * kLanes);
  }
}

using Floats = Vec<float, kFilterRows>;

template <std::size_t Panels>
LOOKALIKE_INLINE void float_sums(FilterQuery const& query, float const* value, std::size_t size,
                                 float* sum) {
  Floats const zero = Floats::all(0.0F);
  Floats part[Panels];
  LOOKALIKE_UNROLL
  for (std::size_t p = 0; p < Panels; ++p) part[p] = zero;
  for (std::size_t c = 0; c < query.count; ++c) {
    Floats const here = Floats::all(query.value[c]);
    float const* const x = value + query.column[c] * kFilterRows;
    LOOKALIKE_UNROLL
    for (std::size_t p = 0; p < Panels; ++p) {
      Floats const gap = here - Floats::load(x + p * size);
      part[p] = part[p] + larger(gap * gap, zero);
    }
  }
  LOOKALIKE_UNROLL
  for (std::size_t p = 0; p < Panels; ++p) part[p].store(sum + p * kFilterRows);
}

void sums(FilterQuery const& query, DonorFilter const& filter, std::size_t first, std::size_t count,
          float* sum) {
  std::size_t const size = filter.cols * kFilterRows;
  float const* value = filter.value + first * size;
  std::size_t p = 0;
  for (; p + kTogether <= count; p += kTogether, value += kTogether * size)
    float_sums<kTogether>(query, value, size, sum + p * kFilterRows);
  for (; p < count; ++p, value += size) float_sums<1>(query, value, size, sum + p * kFilterRows);
}

}  // namespace

DonorKernels const donor_kernels = {&keys, &sums};

}  // namespace lookalike::simd::LOOKALIKE_LEVEL
