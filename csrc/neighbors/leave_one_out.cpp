#include "neighbors/leave_one_out.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "core/bounds.hpp"
#include "core/parallel.hpp"
#include "core/summation.hpp"
#include "core/topk.hpp"

namespace lookalike {
namespace {

using Prediction = std::optional<double>;  // none where more rows are needed

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kBlockRows = 16;
constexpr std::size_t kSpare = 4;  // rows measured beyond k where a vote is close

// The class that most of the nearest rows are of.
class MajorityVote {
 public:
  MajorityVote(std::span<std::int64_t const> code, std::size_t classes)
      : code_(code), votes_(classes) {}

  // Of rows that are surely the k nearest, no other as near as the last of them.
  Prediction of_set(std::span<std::int64_t const> rows) {
    std::ranges::fill(votes_, 0);
    for (std::int64_t const row : rows) count(row);
    return leader();
  }
  // Of every row up to some distance, in order; `all` where there are no others.
  Prediction of_order(std::span<Neighbor const> near, std::size_t k, bool all) {
    std::ranges::fill(votes_, 0);
    for (std::size_t at = 0; at < near.size();) {
      double const shell = std::sqrt(near[at].key);
      for (; at < near.size() && std::sqrt(near[at].key) == shell; ++at) count(near[at].row);
      if (at < k) continue;
      if (Prediction const winner = leader()) return winner;
    }
    return all ? Prediction(first_of_best()) : std::nullopt;
  }

 private:
  void count(std::int64_t row) {
    ++votes_[static_cast<std::size_t>(code_[static_cast<std::size_t>(row)])];
  }
  double first_of_best() const {
    return static_cast<double>(std::ranges::max_element(votes_) - votes_.begin());
  }
  Prediction leader() const {
    bool const alone = std::ranges::count(votes_, std::ranges::max(votes_)) == 1;
    return alone ? Prediction(first_of_best()) : std::nullopt;
  }

  std::span<std::int64_t const> code_;
  std::vector<std::size_t> votes_;
};

// The mean of the targets of the k nearest rows, added in the order of their numbers.
class Mean {
 public:
  explicit Mean(std::span<double const> target) : target_(target) {}

  Prediction of_set(std::span<std::int64_t const> rows) {
    rows_.assign(rows.begin(), rows.end());
    return mean();
  }
  Prediction of_order(std::span<Neighbor const> near, std::size_t k, bool all) {
    if (near.size() < k && !all) return std::nullopt;
    rows_.clear();
    for (Neighbor const& one : near.first(std::min(k, near.size()))) rows_.push_back(one.row);
    return mean();
  }

 private:
  double mean() {
    std::ranges::sort(rows_);
    double total = 0.0;
    for (std::int64_t const row : rows_) total += target_[static_cast<std::size_t>(row)];
    return total / static_cast<double>(rows_.size());
  }

  std::span<double const> target_;
  std::vector<std::int64_t> rows_;
};

// Asks the neighbors of one row after another, with the scratch memory of one thread.
template <class Predictor>
class LeaveOneOut {
 public:
  LeaveOneOut(ColumnSets const& sets, std::size_t k, Predictor predictor)
      : sets_(sets),
        k_(k),
        predictor_(std::move(predictor)),
        rows_(sets.columns.cols),
        chosen_(sets.chosen.begin(), sets.chosen.end()),
        base_(rows_),
        moved_(rows_),
        value_(k + 1),
        least_(kGroups),
        row_(k + 1) {
    std::ranges::sort(chosen_);
    // Sums of p squares in two orders differ by 2 p roundings at most; the rest is for this file.
    slack_ = static_cast<double>(2 * chosen_.size() + 24) * 0x1p-53;
  }

  void predict(std::size_t row, View<double> prediction) {
    here_ = row;
    std::ranges::fill(base_, 0.0);
    for (std::int64_t const c : chosen_) kernels_.add_column(column(c), at(c), rows_, base_.data());
    if (sets_.change == SetChange::remove)  // a sum less one of its terms: never above the true one
      for (double& sum : base_) sum *= 1.0 - slack_;
    base_[row] = kInfinity;
    for (std::size_t c = 0; c < sets_.candidates.size(); ++c)
      prediction[c][row] = predict_for(sets_.candidates[c]);
  }

 private:
  double const* column(std::int64_t c) const {
    return sets_.columns.data + static_cast<std::size_t>(c) * sets_.columns.stride;
  }
  double at(std::int64_t c) const { return column(c)[here_]; }
  double sign() const { return sets_.change == SetChange::add ? 1.0 : -1.0; }

  double predict_for(std::int64_t c) {
    std::ranges::fill(least_, kInfinity);
    kernels_.move_column(base_.data(), column(c), at(c), sign(), rows_, moved_.data(),
                         least_.data());
    std::ranges::fill(value_, bound());
    kernels_.pick(moved_.data(), rows_, k_ + 1, value_.data(), row_.data());
    std::span<std::int64_t const> const nearest(row_.data(), k_);
    if (settled())
      if (Prediction const prediction = predictor_.of_set(nearest)) return *prediction;
    return measured(c);
  }

  // More than the k + 1 least moved sums: as many groups of rows have a least below it.
  double bound() {
    if (k_ + 1 > kGroups) return kInfinity;
    auto const last = least_.begin() + static_cast<std::ptrdiff_t>(k_);
    std::ranges::nth_element(least_, last);
    return std::nextafter(*last, kInfinity);
  }

  // Whether no rounding could bring another row among the k nearest.
  bool settled() const {
    double farthest = 0.0;
    for (std::size_t j = 0; j < k_; ++j) farthest = std::max(farthest, most(row_[j], value_[j]));
    return farthest < value_[k_];
  }

  // The most that the reference key of a row can be, and the least, where the moved sum is `value`.
  double most(std::int64_t row, double value) const {
    if (sets_.change == SetChange::add) return value * (1.0 + 4.0 * slack_);
    return (value + 3.0 * slack_ * base_[static_cast<std::size_t>(row)]) * (1.0 + 0x1p-48);
  }
  double fewest(double value) const {
    return sets_.change == SetChange::add ? value * (1.0 - 2.0 * slack_) : value;
  }

  double measured(std::int64_t c) {
    set_ = chosen_;
    if (sets_.change == SetChange::add)
      set_.insert(std::ranges::lower_bound(set_, c), c);
    else
      set_.erase(std::ranges::lower_bound(set_, c));
    for (std::size_t wanted = k_ + kSpare;; wanted *= 4) {
      checkpoint();
      bool const all = wanted >= rows_ - 1;
      double const limit = all ? kInfinity : order_statistic(wanted);
      near_.clear();
      for (std::size_t j = 0; j < rows_; ++j)
        if (j != here_ && fewest(moved_[j]) <= limit)
          near_.push_back({key(j), static_cast<std::int64_t>(j)});
      std::sort(near_.begin(), near_.end());
      // rows not measured lie at least so far away
      double const reach = std::sqrt(std::max(limit, 0.0));
      while (!all && !near_.empty() && std::sqrt(near_.back().key) >= reach) near_.pop_back();
      if (Prediction const prediction = predictor_.of_order(near_, k_, all)) return *prediction;
    }
  }

  double order_statistic(std::size_t place) {
    sorted_ = moved_;
    auto const wanted = sorted_.begin() + static_cast<std::ptrdiff_t>(place - 1);
    std::ranges::nth_element(sorted_, wanted);
    return *wanted;
  }

  // The squared distance as every search of this package sums it: see summation.hpp.
  double key(std::size_t j) const {
    double lanes[kLanes] = {};
    for (std::size_t place = 0; place < set_.size(); ++place) {
      double const gap = at(set_[place]) - column(set_[place])[j];
      lanes[place % kLanes] += gap * gap;
    }
    return fold_lanes(lanes);
  }

  ColumnSets const& sets_;
  std::size_t k_;
  Predictor predictor_;
  LeaveOneOutKernels const& kernels_ = LOOKALIKE_CHOOSE(leave_one_out_kernels);
  std::size_t rows_;
  double slack_ = 0.0;
  std::size_t here_ = 0;  // the row that is left out
  std::vector<std::int64_t> chosen_, set_;
  std::vector<double> base_, moved_, sorted_, value_, least_;
  std::vector<std::int64_t> row_;
  std::vector<Neighbor> near_;
};

template <class Predictor>
void predict_all(ColumnSets const& sets, std::size_t k, std::size_t threads,
                 Predictor const& predictor, View<double> prediction) {
  std::size_t const rows = sets.columns.cols;
  require_places(sets.chosen, sets.columns.rows, "a chosen column is none of the table");
  require_places(sets.candidates, sets.columns.rows, "a candidate is not a column of the table");
  bool const add = sets.change == SetChange::add;
  for (std::int64_t const c : sets.candidates)
    require(add || std::ranges::find(sets.chosen, c) != sets.chosen.end(),
            "a column that is not chosen cannot be removed");
  require(k > 0 && k < rows, "there are fewer other rows than neighbors");
  require(has_shape(prediction, sets.candidates.size(), rows), "the predictions have no place");
  parallel_blocks(rows, kBlockRows, threads, [&](std::size_t begin, std::size_t end, std::size_t) {
    LeaveOneOut<Predictor> left_out(sets, k, predictor);
    for (std::size_t row = begin; row < end; ++row) {
      checkpoint();
      left_out.predict(row, prediction);
    }
  });
}

}  // namespace

void leave_one_out_classes(ColumnSets const& sets, std::span<std::int64_t const> code,
                           std::size_t classes, std::size_t k, std::size_t threads,
                           View<double> prediction) {
  require(code.size() == sets.columns.cols, "a class of every row is needed");
  require_places(code, classes, "a row is of none of the classes");
  predict_all(sets, k, threads, MajorityVote(code, classes), prediction);
}

void leave_one_out_means(ColumnSets const& sets, std::span<double const> target, std::size_t k,
                         std::size_t threads, View<double> prediction) {
  require(target.size() == sets.columns.cols, "a target of every row is needed");
  predict_all(sets, k, threads, Mean(target), prediction);
}

}  // namespace lookalike
