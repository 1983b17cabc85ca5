// Metrics: the key of two rows, for dense, sparse and set rows.
//
// Terms are summed in float64 in one order everywhere: that of column j goes to lane j % 8, each
// lane adds in rising j, and the lanes fold in half. So no tile, thread, level or layout shows.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "core/any_rows.hpp"
#include "core/dispatch.hpp"
#include "core/summation.hpp"
#include "core/view.hpp"
#include "distance/scan.hpp"

namespace lookalike {

enum class MetricForm {
  squared,        // sum (q - x)^2
  manhattan,      // sum |q - x|
  chebyshev,      // max |q - x|
  minkowski,      // (sum |q - x|^p)^(1/p), divided by the largest term first
  dot,            // -sum q x
  hamming,        // sum w [q != x]
  nan_euclidean,  // sum w (q - x)^2 over the columns without NaN, times sum w / (sum w of those)
  gower,          // sum w min(|q - x|, 1) / sum w; a column with NaN adds its expected difference
  function,       // the result of the user's function
  bray_curtis,    // sum |q - x| / sum (|q| + |x|), 0 for two rows of zeros
  canberra,       // sum |q - x| / (|q| + |x|), a column of two zeros left out
};

// Keys of sets: what two rows of true and false are compared by. Of their columns, `both` are true
// in both, `first` in the query alone, `second` in the row alone, and `differ` = first + second.
enum class SetForm {
  jaccard,          // differ / (both + differ)
  dice,             // differ / (2 both + differ)
  rogers_tanimoto,  // 2 differ / (columns + differ)
  russell_rao,      // (columns - both) / columns
  sokal_sneath,     // 2 differ / (both + 2 differ)
  yule,             // 2 first second / (both neither + first second)
};

using PairFunction = double (*)(double const* q, double const* x, std::size_t cols);

struct PairMetric {
  MetricForm form = MetricForm::squared;
  double power = 2.0;              // p of MetricForm::minkowski
  double scale = 1.0;              // both rows are multiplied by it: a power of two
  std::span<double const> weight;  // one per column for hamming, nan_euclidean and gower
  PairFunction call = nullptr;     // of MetricForm::function: pure, and called from many threads
  // Of MetricForm::gower, one per column; where empty, columns with NaN are left out of both sums.
  std::span<double const> expected = {};
  double min_shared = 0.0;  // share of the weights below which the columns without NaN are too few
};

// Rows of which only some columns are stored, rising and once each; the others are zero.
struct SparseRows {
  std::span<std::int64_t const> start;  // rows + 1
  std::span<std::int32_t const> column;
  std::span<double const> value;
  std::size_t cols = 0;

  std::size_t rows() const { return start.size() - 1; }
};

// Raise unless starts rise from 0 to the end and every column is one of `cols`.
void require_sparse(SparseRows const& rows);

// All borrow their rows, which must outlive them.
std::unique_ptr<Pairs> dense_pairs(AnyRows queries, AnyRows rows, PairMetric const& rule);
// Bit for bit the keys of dense_pairs; squared, manhattan, chebyshev and dot only.
std::unique_ptr<Pairs> sparse_pairs(SparseRows queries, SparseRows rows, MetricForm form);
// Sets as bits, of `cols` columns; 0 where a key would be 0 / 0.
std::unique_ptr<Pairs> set_pairs(View<std::uint64_t const> queries, View<std::uint64_t const> rows,
                                 SetForm form, std::size_t cols);

// Keys known already: row i holds those of query i.
std::unique_ptr<Pairs> given_pairs(View<double const> keys);

struct PairParameters {
  double const* weight;
  double total;  // of the weights
  double power;
  std::size_t cols;  // without padding
  PairFunction call;
  double const* expected = nullptr;  // weight times expected difference; null where there is none
  double min_shared = 0.0;           // the least weight that the columns without NaN must have
};

// key(i, j) of rows of `width` doubles, a multiple of kLanes, padded with zeros.
using PairKernel = void (*)(View<double const> queries, View<double const> rows,
                            PairParameters const& extra, View<double> key);
template <class T>
using WidenKernel = void (*)(View<T const> rows, double scale, View<double> out);

struct PairKernels {
  PairKernel of_form[11];  // in the order of MetricForm
  WidenKernel<float> widen_float;
  WidenKernel<double> widen_double;
  WidenKernel<std::uint8_t> widen_uint8;
  WidenKernel<std::int8_t> widen_int8;
  void (*sets)(View<std::uint64_t const> queries, View<std::uint64_t const> rows, SetForm form,
               std::size_t cols, View<double> key);
};

LOOKALIKE_SIMD_TABLE(PairKernels, pair_kernels)

inline std::size_t padded(std::size_t cols) { return (cols + kLanes - 1) / kLanes * kLanes; }

// Copies `count` rows from `first` on as doubles times `scale`, padded with zeros.
void widen(AnyRows rows, std::size_t first, double scale, View<double> out);

}  // namespace lookalike
