#include "neighbors/softmax_loss.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/bounds.hpp"
#include "core/parallel.hpp"
#include "distance/distance.hpp"

namespace lookalike {
namespace {

constexpr std::size_t kRows = 16;     // of a task
constexpr double kNegligible = 46.0;  // e^-46 is 1e-20
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// What a row knows of its neighbors: the least key, the sum of exp(least - key), and what they
// predict: the share of its class, or the mean.
struct Neighborhood {
  double least, sum, predicted;
};

class SoftmaxLoss {
 public:
  SoftmaxLoss(View<double const> Z, std::span<double const> y, bool classes)
      : Z_(Z), y_(y), classes_(classes), rows_(Z.rows), near_(Z.rows) {
    for (std::size_t i = 0; i < Z.rows; ++i) rows_[i] = Z[i].data();
  }

  double look_around(std::size_t i, std::vector<double>& key) {
    measure(i, key);
    double const least = *std::min_element(key.begin(), key.end());
    double sum = 0.0, predicted = 0.0;
    for (std::size_t j = 0; j < key.size(); ++j) {
      double const gap = key[j] - least;
      if (!(gap < kNegligible)) continue;
      double const weight = std::exp(-gap);
      sum += weight;
      predicted += classes_ ? (y_[j] == y_[i] ? weight : 0.0) : weight * y_[j];
    }
    near_[i] = {least, sum, predicted / sum};
    double const miss = near_[i].predicted - y_[i];
    return classes_ ? -near_[i].predicted : miss * miss;
  }

  void derive(std::size_t i, std::vector<double>& key, std::span<double> gradient) const {
    measure(i, key);
    std::fill(gradient.begin(), gradient.end(), 0.0);
    double const own = near_[i].least + kNegligible;
    for (std::size_t j = 0; j < key.size(); ++j) {
      if (!(key[j] < std::max(own, near_[j].least + kNegligible)) || j == i) continue;
      double const change = 2.0 * (by_key(i, j, key[j]) + by_key(j, i, key[j]));
      double const* const other = rows_[j];
      double const* const here = rows_[i];
      for (std::size_t c = 0; c < gradient.size(); ++c)
        gradient[c] += change * (here[c] - other[c]);
    }
  }

 private:
  void measure(std::size_t i, std::vector<double>& key) const {
    distance_kernel<double>()(rows_[i], rows_.data(), rows_.size(), Z_.cols, key.data());
    key[i] = kInfinity;
  }

  // The derivative of the loss of row i by its key with row j.
  double by_key(std::size_t i, std::size_t j, double key) const {
    auto const& [least, sum, predicted] = near_[i];
    double const gap = key - least;
    if (!(gap < kNegligible)) return 0.0;
    double const share = std::exp(-gap) / sum;
    if (classes_) return share * ((y_[j] == y_[i] ? 1.0 : 0.0) - predicted);
    return -2.0 * (predicted - y_[i]) * share * (y_[j] - predicted);
  }

  View<double const> Z_;
  std::span<double const> y_;
  bool classes_;
  std::vector<double const*> rows_;
  std::vector<Neighborhood> near_;
};

}  // namespace

void softmax_loss(View<double const> Z, std::span<double const> y, bool classes,
                  std::size_t threads, std::span<double> loss, View<double> gradient) {
  require(y.size() == Z.rows && loss.size() == Z.rows && has_shape(gradient, Z.rows, Z.cols),
          "targets, losses and gradients do not fit the rows");
  SoftmaxLoss objective(Z, y, classes);
  std::size_t const tasks = (Z.rows + kRows - 1) / kRows;
  auto const each_row = [&](std::size_t task, auto&& body) {
    checkpoint();
    std::vector<double> key(Z.rows);
    for (std::size_t i = task * kRows; i < std::min(Z.rows, (task + 1) * kRows); ++i) body(i, key);
  };
  parallel_for(tasks, threads, [&](std::size_t task, std::size_t) {
    each_row(task, [&](std::size_t i, auto& key) { loss[i] = objective.look_around(i, key); });
  });
  parallel_for(tasks, threads, [&](std::size_t task, std::size_t) {
    each_row(task, [&](std::size_t i, auto& key) { objective.derive(i, key, gradient[i]); });
  });
}

}  // namespace lookalike
