// Squared distances of one query to a few rows at a time, eight lanes each; and of many queries to
// panels of rows.
#include "distance/distance.hpp"

#include <cstddef>
#include <cstdint>

#include "simd/vec.hpp"

namespace lookalike::simd::LOOKALIKE_LEVEL {
namespace {

LOOKALIKE_INLINE void add_square_of_gap(Doubles& sum, Doubles const& q, Doubles const& x) {
  Doubles const gap = q - x;
  sum = sum + gap * gap;
}

// R rows together hide the latency of the additions, whose order is fixed.
template <std::size_t R, class T>
void distances_of(double const* q, T const* const* rows, std::size_t cols, double* key) {
  Doubles sum[R];
  for (std::size_t r = 0; r < R; ++r) sum[r] = Doubles::all(0.0);
  std::size_t j = 0;
  for (; j + kLanes <= cols; j += kLanes) {
    Doubles const query = Doubles::load(q + j);
    for (std::size_t r = 0; r < R; ++r)
      add_square_of_gap(sum[r], query, Doubles::load(rows[r] + j));
  }
  if (j < cols) {  // missing terms are zero
    double tail[kLanes] = {};
    for (std::size_t i = j; i < cols; ++i) tail[i - j] = q[i];
    Doubles const query = Doubles::load(tail);
    for (std::size_t r = 0; r < R; ++r) {
      for (std::size_t i = j; i < cols; ++i) tail[i - j] = static_cast<double>(rows[r][i]);
      add_square_of_gap(sum[r], query, Doubles::load(tail));
    }
  }
  for (std::size_t r = 0; r < R; ++r) key[r] = fold(sum[r]);
}

template <class T>
void distances(double const* q, T const* const* rows, std::size_t count, std::size_t cols,
               double* key) {
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) distances_of<4>(q, rows + i, cols, key + i);
  for (; i + 2 <= count; i += 2) distances_of<2>(q, rows + i, cols, key + i);
  if (i < count) distances_of<1>(q, rows + i, cols, key + i);
}

#if defined(LOOKALIKE_LEVEL_avx512)
constexpr std::size_t kPanelQueries = 2;  // whose lanes fill half of the registers
#else
constexpr std::size_t kPanelQueries = 1;
#endif
using PanelPart = Vec<double>;  // some of the rows of a panel, in one register

// A register for each of the eight lanes of the sum holds it for several rows: the lanes fold
// without a shuffle.
template <std::size_t Q>
void panel_part(double const* const* queries, double const* panel, std::size_t cols, double* key) {
  PanelPart sum[Q][kLanes];
  for (auto& of_query : sum)
    for (PanelPart& lane : of_query) lane = PanelPart::all(0.0);
  auto const add = [&](std::size_t j, std::size_t lane) {
    PanelPart const x = PanelPart::load(panel + j * kLanes);
    for (std::size_t i = 0; i < Q; ++i) {
      PanelPart const gap = PanelPart::all(queries[i][j]) - x;
      sum[i][lane] = sum[i][lane] + gap * gap;
    }
  };
  std::size_t j = 0;
  for (; j + kLanes <= cols; j += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) add(j + lane, lane);
  for (std::size_t lane = 0; j + lane < cols; ++lane) add(j + lane, lane);
  for (std::size_t i = 0; i < Q; ++i) {
    PanelPart const* const v = sum[i];
    (((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]))).store(key + i * kLanes);
  }
}

void panel_distances(double const* const* queries, std::size_t count, double const* panel,
                     std::size_t cols, double* key) {
  for (std::size_t r = 0; r < kLanes; r += PanelPart::kCount) {
    std::size_t i = 0;
    for (; i + kPanelQueries <= count; i += kPanelQueries)
      panel_part<kPanelQueries>(queries + i, panel + r, cols, key + i * kLanes + r);
    for (; i < count; ++i) panel_part<1>(queries + i, panel + r, cols, key + i * kLanes + r);
  }
}

}  // namespace

DistanceKernels const distance_kernels = {&distances<float>, &distances<double>,
                                          &distances<std::uint8_t>, &distances<std::int8_t>,
                                          &panel_distances};

}  // namespace lookalike::simd::LOOKALIKE_LEVEL
