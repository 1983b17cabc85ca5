// How mixed the targets of a node are, on both sides of a place between its rows.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/view.hpp"
#include "forest/grow_tree.hpp"

namespace lookalike {

struct Sides {
  double left, right;
};

// The sums of a node and of its sides; a subclass says what is summed of a row, and what of the
// sums is impurity. Sums go from the nearer end, in the order of the rows, since their bits decide.
template <class Kind>
class NodeSums {
 public:
  NodeSums(GrowthRows const& rows, std::size_t width)
      : rows_(rows), total_(width), left_(width), right_(width) {}

  // Looks at the rows of a node, whose order may change until the next call.
  void begin(std::span<std::uint32_t const> row) {
    row_ = row;
    weight_ = 0.0;
    std::ranges::fill(total_, 0.0);
    kind().begin_squares();
    for (std::uint32_t const i : row) {
      double const w = weight_of(i);
      kind().count(i, w);
      weight_ += w;
    }
    reset();
  }

  // All rows are on the right again.
  void reset() {
    place_ = 0;
    std::ranges::fill(left_, 0.0);
    weight_left_ = 0.0;
  }

  // The first `place` rows are on the left.
  void move(std::size_t place) {
    if (place - place_ <= row_.size() - place) {
      for (std::size_t p = place_; p < place; ++p) add(row_[p], weight_of(row_[p]), 1.0);
    } else {
      left_ = total_;
      weight_left_ = weight_;
      for (std::size_t p = row_.size(); p-- > place;) add(row_[p], weight_of(row_[p]), -1.0);
    }
    weight_right_ = weight_ - weight_left_;
    for (std::size_t c = 0; c < total_.size(); ++c) right_[c] = total_[c] - left_[c];
    place_ = place;
  }

  double weight() const { return weight_; }
  Sides weights() const { return {weight_left_, weight_right_}; }
  std::span<double const> total() const { return total_; }

 protected:
  double weight_of(std::uint32_t row) const {
    return rows_.weight.empty() ? 1.0 : rows_.weight[row];
  }

  GrowthRows const& rows_;
  std::span<std::uint32_t const> row_;
  std::vector<double> total_, left_, right_;
  double weight_ = 0.0, weight_left_ = 0.0, weight_right_ = 0.0;
  std::size_t place_ = 0;

 private:
  Kind& kind() { return static_cast<Kind&>(*this); }

  void add(std::uint32_t row, double weight, double sign) {
    kind().add_left(row, sign * weight);
    weight_left_ += sign * weight;
  }
};

// The chance that two rows of a node are of different classes.
class GiniSums : public NodeSums<GiniSums> {
 public:
  explicit GiniSums(GrowthRows const& rows)
      : NodeSums(rows, rows.classes), code_(rows.target.rows) {
    for (std::size_t i = 0; i < code_.size(); ++i)
      code_[i] = static_cast<std::uint32_t>(rows.target[i][0]);
  }

  void begin_squares() {}
  void count(std::uint32_t row, double weight) { total_[code_[row]] += weight; }
  void add_left(std::uint32_t row, double weight) { left_[code_[row]] += weight; }

  double impurity() const { return gini(total_, weight_); }
  Sides impurities() const { return {gini(left_, weight_left_), gini(right_, weight_right_)}; }

  // Rises with what a split takes away.
  double proxy() const {
    Sides const mixed = impurities();
    return -weight_right_ * mixed.right - weight_left_ * mixed.left;
  }

 private:
  static double gini(std::span<double const> sum, double weight) {
    double square = 0.0;
    for (double const s : sum) square += s * s;
    return 1.0 - square / (weight * weight);
  }

  std::vector<std::uint32_t> code_;
};

// The mean over the outputs of the variance of their numbers.
class VarianceSums : public NodeSums<VarianceSums> {
 public:
  explicit VarianceSums(GrowthRows const& rows) : NodeSums(rows, rows.target.cols) {}

  void begin_squares() { square_ = 0.0; }

  void count(std::uint32_t row, double weight) {
    std::span<double const> const y = rows_.target[row];
    for (std::size_t k = 0; k < y.size(); ++k) {
      double const weighted = weight * y[k];
      total_[k] += weighted;
      square_ += weighted * y[k];
    }
  }

  void add_left(std::uint32_t row, double weight) {
    std::span<double const> const y = rows_.target[row];
    for (std::size_t k = 0; k < y.size(); ++k) left_[k] += weight * y[k];
  }

  double impurity() const { return variance(square_, total_, weight_); }

  Sides impurities() const {
    double square_left = 0.0;
    for (std::size_t p = 0; p < place_; ++p) {
      double const w = weight_of(row_[p]);
      for (double const y : rows_.target[row_[p]]) square_left += w * y * y;
    }
    return {variance(square_left, left_, weight_left_),
            variance(square_ - square_left, right_, weight_right_)};
  }

  double proxy() const {
    double left = 0.0, right = 0.0;
    for (std::size_t k = 0; k < total_.size(); ++k) {
      left += left_[k] * left_[k];
      right += right_[k] * right_[k];
    }
    return left / weight_left_ + right / weight_right_;
  }

 private:
  static double variance(double square, std::span<double const> sum, double weight) {
    double spread = square / weight;
    for (double const s : sum) spread -= (s / weight) * (s / weight);
    return spread / static_cast<double>(sum.size());
  }

  double square_ = 0.0;
};

}  // namespace lookalike
