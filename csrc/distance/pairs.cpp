#include "distance/pairs.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

#include "core/bounds.hpp"

namespace lookalike {
namespace {

constexpr std::size_t kTileQueries = 32;
constexpr std::size_t kCallRows = 8;  // of a function that may be slow: an interrupt waits for them
constexpr std::size_t kTileBytes = 64 * 1024;  // of rows, so that they stay near while queries pass

PairKernels const& kernels() {
  static PairKernels const& chosen = LOOKALIKE_CHOOSE(pair_kernels);
  return chosen;
}

std::size_t tile_rows(std::size_t row_bytes) {
  return std::clamp<std::size_t>(kTileBytes / std::max<std::size_t>(row_bytes, 1), 8, 512) / 4 * 4;
}

class DensePairs final : public Pairs {
 public:
  DensePairs(AnyRows queries, AnyRows rows, PairMetric const& rule)
      : Pairs(queries.rows(), rows.rows()),
        queries_(queries),
        points_(rows),
        rule_(rule),
        width_(padded(rows.cols())),
        tile_(rule.form == MetricForm::function ? kCallRows : tile_rows(width_ * sizeof(double))),
        weight_(width_, 0.0) {
    require(queries.cols() == rows.cols(), "queries and rows differ in their number of columns");
    bool const weighed = rule.form == MetricForm::hamming || rule.form == MetricForm::gower ||
                         rule.form == MetricForm::nan_euclidean;
    require(rule.weight.size() == rows.cols() || (rule.weight.empty() && !weighed),
            "the metric needs a weight of every column");
    require(rule.form != MetricForm::function || rule.call != nullptr, "there is no function");
    std::ranges::copy(rule.weight, weight_.begin());
    extra_ = {weight_.data(), 0.0, rule.power, rows.cols(), rule.call};
    double lane[kLanes] = {};
    for (std::size_t col = 0; col < width_; ++col) lane[col % kLanes] += weight_[col];
    extra_.total = fold_lanes(lane);
    if (rule.form == MetricForm::gower && !rule.expected.empty()) expect(rule);
  }

  std::size_t most_queries() const override {
    return rule_.form == MetricForm::function ? 1 : kTileQueries;
  }
  std::size_t most_rows() const override { return tile_; }
  std::size_t scratch() const override { return (kTileQueries + tile_) * width_; }

  void open(std::size_t first, std::size_t count, double* scratch) const override {
    widen(queries_, first, rule_.scale, {scratch, count, width_, width_});
  }

  void keys(std::size_t query, std::size_t row, double const*, double* scratch,
            View<double> key) const override {
    View<double const> const queries{scratch, key.rows, width_, width_};
    kernels().of_form[static_cast<std::size_t>(rule_.form)](
        queries, tile(row, key.cols, scratch + kTileQueries * width_), extra_, key);
    if (rule_.form == MetricForm::function) refuse_nan(query, row, key);
  }

 private:
  void expect(PairMetric const& rule) {
    if (rule.expected.size() != points_.cols())
      throw std::invalid_argument("one expected difference per column is needed");
    expected_.resize(width_, 0.0);
    for (std::size_t col = 0; col < rule.expected.size(); ++col)
      expected_[col] = weight_[col] * rule.expected[col];
    extra_.expected = expected_.data();
    extra_.min_shared = rule.min_shared * extra_.total;
  }

  View<double const> tile(std::size_t first, std::size_t count, double* scratch) const {
    auto const* const ready = points_.wide();
    if (ready != nullptr && rule_.scale == 1.0 &&
        points_.cols() == width_)  // nothing to convert or to pad
      return {ready + first * points_.stride(), count, width_, points_.stride()};
    widen(points_, first, rule_.scale, {scratch, count, width_, width_});
    return {scratch, count, width_, width_};
  }

  static void refuse_nan(std::size_t query, std::size_t row, View<double> key) {
    for (std::size_t i = 0; i < key.rows; ++i)
      for (std::size_t j = 0; j < key.cols; ++j)
        if (std::isnan(key[i][j]))
          throw std::domain_error("The metric function returned NaN for query " +
                                  std::to_string(query + i) + " and row " +
                                  std::to_string(row + j) + ". Let it return a number.");
  }

  AnyRows queries_, points_;
  PairMetric rule_;
  std::size_t width_, tile_;
  std::vector<double> weight_, expected_;
  PairParameters extra_;
};

class SetPairs final : public Pairs {
 public:
  SetPairs(View<std::uint64_t const> queries, View<std::uint64_t const> rows, SetForm form,
           std::size_t cols)
      : Pairs(queries.rows, rows.rows),
        queries_(queries),
        points_(rows),
        form_(form),
        cols_(cols),
        tile_(tile_rows(rows.cols * sizeof(std::uint64_t))) {
    require(queries.cols == rows.cols, "queries and rows differ in their number of words");
  }

  std::size_t most_queries() const override { return kTileQueries; }
  std::size_t most_rows() const override { return tile_; }
  std::size_t scratch() const override { return 0; }
  void open(std::size_t, std::size_t, double*) const override {}
  void keys(std::size_t query, std::size_t row, double const*, double*,
            View<double> key) const override {
    kernels().sets(
        {queries_.data + query * queries_.stride, key.rows, queries_.cols, queries_.stride},
        {points_.data + row * points_.stride, key.cols, points_.cols, points_.stride}, form_, cols_,
        key);
  }

 private:
  View<std::uint64_t const> queries_, points_;
  SetForm form_;
  std::size_t cols_;
  std::size_t tile_;
};

class GivenPairs final : public Pairs {
 public:
  explicit GivenPairs(View<double const> keys) : Pairs(keys.rows, keys.cols), keys_(keys) {}

  std::size_t most_queries() const override { return kTileQueries; }
  std::size_t most_rows() const override { return 512; }
  std::size_t scratch() const override { return 0; }
  void open(std::size_t, std::size_t, double*) const override {}
  void keys(std::size_t query, std::size_t row, double const*, double*,
            View<double> key) const override {
    for (std::size_t i = 0; i < key.rows; ++i)
      std::ranges::copy(keys_[query + i].subspan(row, key.cols), key[i].begin());
  }

 private:
  View<double const> keys_;
};

}  // namespace

void widen(AnyRows rows, std::size_t first, double scale, View<double> out) {
  rows.visit([&](auto view) {
    view.data += first * view.stride;
    view.rows = out.rows;
    if constexpr (std::is_same_v<decltype(view), View<float const>>)
      kernels().widen_float(view, scale, out);
    else if constexpr (std::is_same_v<decltype(view), View<double const>>)
      kernels().widen_double(view, scale, out);
    else if constexpr (std::is_same_v<decltype(view), View<std::uint8_t const>>)
      kernels().widen_uint8(view, scale, out);
    else
      kernels().widen_int8(view, scale, out);
  });
}

std::unique_ptr<Pairs> dense_pairs(AnyRows queries, AnyRows rows, PairMetric const& rule) {
  return std::make_unique<DensePairs>(queries, rows, rule);
}

std::unique_ptr<Pairs> set_pairs(View<std::uint64_t const> queries, View<std::uint64_t const> rows,
                                 SetForm form, std::size_t cols) {
  return std::make_unique<SetPairs>(queries, rows, form, cols);
}

std::unique_ptr<Pairs> given_pairs(View<double const> keys) {
  return std::make_unique<GivenPairs>(keys);
}

}  // namespace lookalike
