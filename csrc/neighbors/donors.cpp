#include "neighbors/donors.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "core/bounds.hpp"
#include "core/parallel.hpp"

namespace lookalike {
namespace {

constexpr std::size_t kTile = 16;        // queries of a task
constexpr std::size_t kBlockRows = 256;  // that stay near while the queries of a tile pass
constexpr std::size_t kPanelsAtOnce = 64;
constexpr std::size_t kWordBits = 64;
constexpr std::size_t kDirectShare = 4;  // of a block whose rows pass: then the filter costs more
constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr double kMost = std::numeric_limits<double>::max();
constexpr double kFloatRounding = 0x1p-24;
constexpr double kFloatUnderflow = 0x1p-60;  // root of what a square loses below the normal range

bool has(std::uint64_t const* words, std::size_t column) {
  return ((words[column / kWordBits] >> (column % kWordBits)) & 1U) != 0;
}

std::vector<std::uint64_t> bits_of(View<double const> X, std::size_t rows, std::size_t words) {
  std::vector<std::uint64_t> bits(rows * words, 0);
  for (std::size_t i = 0; i < X.rows; ++i)
    for (std::size_t j = 0; j < X.cols; ++j)
      if (!std::isnan(X[i][j]))
        bits[i * words + j / kWordBits] |= std::uint64_t{1} << (j % kWordBits);
  return bits;
}

// value(row, column) in panels of `lanes` rows, those beyond the last missing.
template <class T, class Value>
std::vector<T> panels_of(View<double const> X, std::size_t rows, std::size_t lanes,
                         std::size_t threads, Value value) {
  std::vector<T> panels(rows * X.cols);
  parallel_blocks(rows / lanes, kPanelsAtOnce, threads,
                  [&](std::size_t begin, std::size_t end, std::size_t) {
                    for (std::size_t p = begin; p < end; ++p)
                      for (std::size_t j = 0; j < X.cols; ++j)
                        for (std::size_t i = 0; i < lanes; ++i) {
                          std::size_t const row = p * lanes + i;
                          panels[(p * X.cols + j) * lanes + i] =
                              static_cast<T>(row < X.rows ? value(X[row][j], j) : kMissing);
                        }
                  });
  return panels;
}

// Columns less their means, times a power of two: float holds them, and their differences are at
// most `error` from the true ones in norm.
struct Rounding {
  Rounding(View<double const> queries, View<double const> rows) : center(rows.cols, 0.0) {
    std::vector<double> count(rows.cols, 0.0), most(rows.cols, 0.0);
    for (std::size_t i = 0; i < rows.rows; ++i)
      for (std::size_t j = 0; j < rows.cols; ++j)
        if (double const x = rows[i][j]; !std::isnan(x)) center[j] += x, count[j] += 1.0;
    for (std::size_t j = 0; j < rows.cols; ++j) center[j] /= std::max(count[j], 1.0);
    for (View<double const> const X : {queries, rows})
      for (std::size_t i = 0; i < X.rows; ++i)
        for (std::size_t j = 0; j < X.cols; ++j)
          most[j] = std::max(most[j], std::abs(X[i][j] - center[j]));  // most where one is NaN
    double const largest = rows.cols > 0 ? std::ranges::max(most) : 0.0;
    if (largest > 0.0) {
      int power = 0;
      std::frexp(largest, &power);
      scale = std::ldexp(1.0, std::clamp(-power, -1000, 1000));
    }
    double squares = 0.0;
    for (double const m : most) squares += m * scale * m * scale;
    double const width = static_cast<double>(rows.cols);
    error = 2.02 * kFloatRounding * std::sqrt(squares) + kFloatUnderflow * std::sqrt(width);
    growth = 1.0 + (width + 8.0) * kFloatRounding;
  }

  // The largest sum of floats that a sum of at most `sum` may have.
  double most(double sum) const {
    double const norm = (std::sqrt(sum) * scale + error) * growth;
    return norm * norm;
  }

  std::vector<double> center;
  double scale = 1.0, error = 0.0, growth = 1.0;
};

struct Donors {
  DonorPanels panels;
  DonorFilter filter;
  Rounding const& rounding;
  std::span<double const> ratio;
  std::size_t rows;
  DonorKernels const& kernels;
};

// One query on its way past the rows: its columns by lanes, and the donors of its cells so far.
class Receiver {
 public:
  Receiver(std::span<double const> x, std::uint64_t const* present, Donors const& donors,
           std::span<std::int64_t const> cells, std::size_t k)
      : all_(donors), cells_(cells), slots_(cells.size() * k), best_(cells.size()) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      query_.lane[lane] = static_cast<std::uint32_t>(value_.size());
      for (std::size_t j = lane; j < x.size(); j += kLanes) {
        if (std::isnan(x[j])) continue;
        value_.push_back(x[j]);
        rounded_.push_back(
            static_cast<float>((x[j] - all_.rounding.center[j]) * all_.rounding.scale));
        column_.push_back(static_cast<std::uint32_t>(j));
      }
    }
    query_.lane[kLanes] = static_cast<std::uint32_t>(value_.size());
    query_.present = present;
    for (std::size_t c = 0; c < cells.size(); ++c)
      best_[c] = TopK(std::span(slots_).subspan(c * k, k), kMost);
  }

  // Offers `count` rows from `first` on; both fill panels, but for the last row.
  void pass(std::size_t first, std::size_t count) {
    DonorQuery query = query_;
    query.value = value_.data();
    query.column = column_.data();
    std::array<double, kBlockRows> key;
    if (direct_ || bound_ == kMost) {
      std::size_t const panels = (count + kLanes - 1) / kLanes;
      all_.kernels.keys(query, all_.panels, first / kLanes, panels, all_.ratio.data(), key.data());
      for (std::size_t i = 0; i < count; ++i) offer(key[i], first + i);
      return;
    }
    std::array<float, kBlockRows> sum;
    all_.kernels.sums({rounded_.data(), column_.data(), column_.size()}, all_.filter,
                      first / kFilterRows, (count + kFilterRows - 1) / kFilterRows, sum.data());
    std::size_t passed = 0;
    double const columns = static_cast<double>(all_.panels.cols);
    double most = all_.rounding.most(bound_ * static_cast<double>(column_.size()) / columns);
    for (std::size_t i = 0; i < count; ++i) {
      if (static_cast<double>(sum[i]) > most) continue;
      std::size_t const shared = shared_columns(first + i);
      double const own = bound_ * static_cast<double>(shared) / columns;
      if (static_cast<double>(sum[i]) > all_.rounding.most(own)) continue;
      ++passed;
      std::size_t const panel = (first + i) / kLanes;
      all_.kernels.keys(query, all_.panels, panel, 1, all_.ratio.data(), key.data());
      offer(key[(first + i) % kLanes], first + i);
      most = all_.rounding.most(bound_ * static_cast<double>(column_.size()) / columns);
    }
    direct_ = passed * kDirectShare > count;
  }

  std::span<Neighbor const> sorted(std::size_t cell) { return best_[cell].sorted(); }

 private:
  std::size_t shared_columns(std::size_t row) const {
    std::size_t shared = 0;
    for (std::size_t w = 0; w < all_.panels.words; ++w)
      shared += static_cast<std::size_t>(
          std::popcount(query_.present[w] & all_.panels.present[row * all_.panels.words + w]));
    return shared;
  }

  void offer(double key, std::size_t row) {
    if (!(key <= bound_)) return;
    std::uint64_t const* const present = all_.panels.present + row * all_.panels.words;
    for (std::size_t c = 0; c < cells_.size(); ++c)
      if (has(present, static_cast<std::size_t>(cells_[c])))
        best_[c].offer({key, static_cast<std::int64_t>(row)});
    bound_ = 0.0;
    for (TopK const& donors : best_) bound_ = std::max(bound_, donors.bound());
  }

  Donors const& all_;
  std::span<std::int64_t const> cells_;
  std::vector<Neighbor> slots_;
  std::vector<TopK> best_;
  std::vector<double> value_;
  std::vector<float> rounded_;
  std::vector<std::uint32_t> column_;
  DonorQuery query_{};
  double bound_ = kMost;
  bool direct_ = false;
};

void write(std::span<Neighbor const> donors, std::size_t cell, NeighborTable found) {
  std::ranges::fill(found.distance[cell], kInfinite);
  std::ranges::fill(found.row[cell], -1);
  for (std::size_t i = 0; i < donors.size(); ++i) {
    found.distance[cell][i] = donors[i].key;
    found.row[cell][i] = donors[i].row;
  }
}

void find_donors(View<double const> queries, Donors const& donors, MissingCells cells,
                 std::size_t threads, NeighborTable found) {
  std::size_t const words = donors.panels.words;
  auto const own = bits_of(queries, queries.rows, words);
  parallel_blocks(
      queries.rows, kTile, threads, [&](std::size_t begin, std::size_t end, std::size_t) {
        std::vector<Receiver> receivers;
        receivers.reserve(end - begin);
        for (std::size_t i = begin; i < end; ++i) {
          auto const from = static_cast<std::size_t>(cells.start[i]);
          auto const to = static_cast<std::size_t>(cells.start[i + 1]);
          receivers.emplace_back(queries[i], own.data() + i * words, donors,
                                 cells.column.subspan(from, to - from), found.row.cols);
        }
        for (std::size_t first = 0; first < donors.rows; first += kBlockRows) {
          checkpoint();
          for (Receiver& receiver : receivers)
            receiver.pass(first, std::min(kBlockRows, donors.rows - first));
        }
        for (std::size_t i = begin; i < end; ++i)
          for (auto cell = cells.start[i]; cell < cells.start[i + 1]; ++cell)
            write(receivers[i - begin].sorted(static_cast<std::size_t>(cell - cells.start[i])),
                  static_cast<std::size_t>(cell), found);
      });
}

}  // namespace

void nearest_donors(View<double const> queries, View<double const> rows, MissingCells cells,
                    std::size_t threads, NeighborTable found) {
  if (queries.cols != rows.cols || cells.start.size() != queries.rows + 1 ||
      found.row.rows != cells.column.size() || found.distance.rows != cells.column.size() ||
      found.row.cols != found.distance.cols)
    throw std::invalid_argument("queries, rows, cells and donors do not fit each other");
  require_starts(cells.start, cells.column.size(), "the cells do not fit the queries");
  require_places(cells.column, rows.cols, "a cell is in none of the columns");
  std::size_t const workers = threads == 0 ? default_threads() : threads;
  std::size_t const words = (rows.cols + kWordBits - 1) / kWordBits;
  std::size_t const filled = (rows.rows + kFilterRows - 1) / kFilterRows * kFilterRows;
  Rounding const rounding(queries, rows);
  auto const value =
      panels_of<double>(rows, filled, kLanes, workers, [](double x, std::size_t) { return x; });
  auto const rounded = panels_of<float>(
      rows, filled, kFilterRows, workers,
      [&](double x, std::size_t j) { return (x - rounding.center[j]) * rounding.scale; });
  auto const present = bits_of(rows, filled, words);
  std::vector<double> ratio(rows.cols + 1, kInfinite);
  for (std::size_t n = 1; n <= rows.cols; ++n)
    ratio[n] = static_cast<double>(rows.cols) / static_cast<double>(n);
  Donors const donors{{value.data(), present.data(), rows.cols, words},
                      {rounded.data(), rows.cols},
                      rounding,
                      ratio,
                      rows.rows,
                      LOOKALIKE_CHOOSE(donor_kernels)};
  find_donors(queries, donors, cells, workers, found);
}

}  // namespace lookalike
