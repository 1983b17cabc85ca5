// Donors of missing cells: for each cell the nearest rows that have its column, by the Euclidean
// distance over the columns that both rows have.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/dispatch.hpp"
#include "core/summation.hpp"
#include "core/topk.hpp"
#include "core/view.hpp"

namespace lookalike {

// The cells to fill: those of query i are at [start[i], start[i + 1]), each the number of a column.
struct MissingCells {
  std::span<std::int64_t const> start;
  std::span<std::int64_t const> column;
};

// Row c of `found` receives the donors of cell c, nearest first, equal keys by row number: keys are
// those of MetricForm::nan_euclidean with weights of one, bit for bit. Rows that share no column
// with the query are not donors; the places left over have the row -1.
void nearest_donors(View<double const> queries, View<double const> rows, MissingCells cells,
                    std::size_t threads, NeighborTable found);

// Rows in panels of eight, column after column, filled up with NaN.
struct DonorPanels {
  double const* value;           // [panel][column][lane]
  std::uint64_t const* present;  // [row][word]: bit j of a row says whether it has column j
  std::size_t cols;
  std::size_t words;  // of the bits of a row
};

// A query: the columns that it has, those of lane l = column % 8 at [lane[l], lane[l + 1]).
struct DonorQuery {
  double const* value;
  std::uint32_t const* column;
  std::uint32_t lane[kLanes + 1];
  std::uint64_t const* present;
};

// The same rows centered, scaled and rounded to float: their sums rule most rows out.
constexpr std::size_t kFilterRows = 16;  // of a panel
struct DonorFilter {
  float const* value;  // [panel][column][lane]
  std::size_t cols;
};

// The columns that a query has, as the filter compares them.
struct FilterQuery {
  float const* value;
  std::uint32_t const* column;
  std::size_t count;
};

struct DonorKernels {
  // key[i] of the rows of `count` panels from the first on; ratio[n] = cols / n, infinite for 0.
  void (*keys)(DonorQuery const& query, DonorPanels const& panels, std::size_t first,
               std::size_t count, double const* ratio, double* key);
  // sum[i] of the shared columns, of the rows of `count` panels of the filter.
  void (*sums)(FilterQuery const& query, DonorFilter const& filter, std::size_t first,
               std::size_t count, float* sum);
};

LOOKALIKE_SIMD_TABLE(DonorKernels, donor_kernels)

}  // namespace lookalike
