#include "forest/grow_tree.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/bounds.hpp"
#include "forest/forest.hpp"
#include "forest/impurity.hpp"
#include "forest/sort_pairs.hpp"

namespace lookalike {
namespace {

using Row = std::uint32_t;

constexpr float least_difference = 1e-7f;  // of two values of a column that a split parts
constexpr double rounding = std::numeric_limits<double>::epsilon();
constexpr double infinity = std::numeric_limits<double>::infinity();

// Marsaglia's xorshift of 32 bits, of which numbers below 2^31 are taken.
class Draws {
 public:
  explicit Draws(std::uint32_t seed) : state_(seed) {}

  std::size_t between(std::size_t low, std::size_t high) { return low + next() % (high - low); }

  double uniform(double low, double high) {
    return ((high - low) * static_cast<double>(next()) / 2147483647.0) + low;
  }

 private:
  std::uint32_t next() {
    if (state_ == 0) state_ = 1;
    state_ ^= state_ << 13;
    state_ ^= state_ >> 17;
    state_ ^= state_ << 5;
    return state_ % (1u << 31);
  }

  std::uint32_t state_;
};

// The largest float that is no larger: x <= threshold is the same for it.
std::int32_t bits_below(double threshold) {
  float nearest = static_cast<float>(threshold);
  if (static_cast<double>(nearest) > threshold)
    nearest = std::nextafter(nearest, -std::numeric_limits<float>::infinity());
  return std::bit_cast<std::int32_t>(nearest);
}

struct Split {
  std::size_t feature = 0;
  std::size_t place;  // rows before it go left
  double threshold = 0.0;
  Sides impurity{infinity, infinity};
  double improvement = -infinity;
};

struct Waiting {  // a node that is to be grown
  std::size_t begin, end, depth;
  std::size_t parent;
  bool is_right;
  double impurity;
  std::size_t known_constants;
};

template <class Sums>
class TreeGrower {
 public:
  TreeGrower(GrowthRows const& rows, GrowthPlan const& plan, std::uint32_t seed)
      : rows_(rows),
        plan_(plan),
        sums_(rows),
        draws_(seed),
        value_(rows.column.cols),
        feature_(rows.column.rows),
        constant_(rows.column.rows) {
    std::iota(feature_.begin(), feature_.end(), std::size_t{0});
    for (std::size_t i = 0; i < rows.column.cols; ++i) {
      if (rows.weight.empty() || rows.weight[i] != 0.0) row_.push_back(static_cast<Row>(i));
      weight_ += rows.weight.empty() ? 1.0 : rows.weight[i];
    }
  }

  GrownTree grow() {
    std::vector<Waiting> waiting{{0, row_.size(), 0, 0, false, infinity, 0}};
    while (!waiting.empty()) {
      Waiting node = waiting.back();
      waiting.pop_back();
      grow_node(node, waiting);
    }
    add_importance();
    return std::move(tree_);
  }

 private:
  void grow_node(Waiting& node, std::vector<Waiting>& waiting) {
    begin_ = node.begin;
    end_ = node.end;
    sums_.begin({row_.data() + begin_, end_ - begin_});
    std::size_t const count = end_ - begin_, number = impurity_.size();
    if (number == 0) node.impurity = sums_.impurity();
    bool is_leaf = node.depth >= plan_.max_depth || count < 2 || count < 2 * plan_.min_rows ||
                   node.impurity <= rounding;
    Split split{.place = end_};
    if (!is_leaf) {
      split = plan_.random_thresholds ? best_random_split(node) : best_split(node);
      is_leaf = split.place >= end_ || split.improvement + rounding < 0.0;
    }
    if (node.is_right) tree_.node[3 * node.parent + 1] = static_cast<std::int32_t>(number);
    impurity_.push_back(node.impurity);
    node_weight_.push_back(sums_.weight());
    if (is_leaf) return add_leaf();
    bool const missing_goes_left = split.place - begin_ > end_ - split.place;
    tree_.node.push_back(static_cast<std::int32_t>(split.feature) +
                         (missing_goes_left ? missing_left : 0));
    tree_.node.push_back(0);
    tree_.node.push_back(bits_below(split.threshold));
    std::size_t const depth = node.depth + 1, constants = node.known_constants;
    waiting.push_back({split.place, end_, depth, number, true, split.impurity.right, constants});
    waiting.push_back({begin_, split.place, depth, number, false, split.impurity.left, constants});
  }

  void add_leaf() {
    std::size_t const width = sums_.total().size();
    auto const leaf = static_cast<std::int32_t>(tree_.value.size() / width);
    tree_.node.insert(tree_.node.end(), {-1, leaf, bits_below(0.0)});
    for (double const sum : sums_.total()) tree_.value.push_back(sum / sums_.weight());
  }

  // Tries features in an order that is drawn; `try_feature` says whether a feature is constant
  // here, and looks for a split if not. Features known to be constant above are not looked at.
  template <class TryFeature>
  void draw_features(Waiting& node, TryFeature try_feature) {
    std::size_t left = feature_.size(), visited = 0, found = 0, drawn = 0;
    std::size_t const known = node.known_constants;
    while (left > known + found && (visited < plan_.tried || visited <= found + drawn)) {
      ++visited;
      std::size_t place = draws_.between(drawn, left - found);
      if (place < known) {
        std::swap(feature_[drawn++], feature_[place]);
        continue;
      }
      place += found;
      if (is_constant(feature_[place])) {
        std::swap(feature_[place], feature_[known + found++]);
        continue;
      }
      std::swap(feature_[--left], feature_[place]);
      try_feature(feature_[left]);
    }
    std::copy_n(constant_.begin(), known, feature_.begin());
    std::copy_n(feature_.begin() + static_cast<std::ptrdiff_t>(known), found,
                constant_.begin() + static_cast<std::ptrdiff_t>(known));
    node.known_constants = known + found;
  }

  // Reads the values of a feature, sorted where all thresholds are tried.
  bool is_constant(std::size_t feature) {
    last_feature_ = feature;
    std::span<float const> const column = rows_.column[feature];
    for (std::size_t p = begin_; p < end_; ++p) value_[p] = column[row_[p]];
    if (plan_.random_thresholds) {
      auto const [low, high] =
          std::minmax_element(value_.begin() + static_cast<std::ptrdiff_t>(begin_),
                              value_.begin() + static_cast<std::ptrdiff_t>(end_));
      low_ = *low;
      high_ = *high;
    } else {
      sort_pairs(value_.data() + begin_, row_.data() + begin_, end_ - begin_);
      low_ = value_[begin_];
      high_ = value_[end_ - 1];
    }
    return high_ <= low_ + least_difference;
  }

  Split best_split(Waiting& node) {
    Split best{.place = end_};
    double most = -infinity;
    draw_features(node, [&](std::size_t feature) {
      sums_.reset();
      for (std::size_t p = begin_ + 1; p < end_; ++p) {
        if (value_[p] <= value_[p - 1] + least_difference || too_few(p)) continue;
        sums_.move(p - begin_);
        if (double const proxy = sums_.proxy(); proxy > most) {
          most = proxy;
          best = {
              .feature = feature, .place = p, .threshold = value_[p - 1] / 2.0 + value_[p] / 2.0};
        }
      }
    });
    if (best.place < end_) {
      part_rows(best);
      finish(best, node.impurity);
    }
    return best;
  }

  Split best_random_split(Waiting& node) {
    Split best{.place = end_};
    double most = -infinity;
    draw_features(node, [&](std::size_t feature) {
      double threshold = draws_.uniform(low_, high_);
      if (threshold == high_) threshold = low_;
      std::size_t const place = part_values(threshold);
      if (too_few(place)) return;
      sums_.reset();
      sums_.move(place - begin_);
      if (double const proxy = sums_.proxy(); proxy > most) {
        most = proxy;
        best = {.feature = feature, .place = place, .threshold = threshold};
      }
    });
    if (best.place < end_) {
      if (last_feature_ != best.feature) part_rows(best);
      finish(best, node.impurity);
    }
    return best;
  }

  bool too_few(std::size_t place) const {
    return place - begin_ < plan_.min_rows || end_ - place < plan_.min_rows;
  }

  // Computes what a split takes away, its rows being parted.
  void finish(Split& split, double impurity) {
    sums_.reset();
    sums_.move(split.place - begin_);
    split.impurity = sums_.impurities();
    Sides const w = sums_.weights();
    double const whole = sums_.weight();
    split.improvement = whole / weight_ *
                        (impurity - (w.right / whole * split.impurity.right) -
                         (w.left / whole * split.impurity.left));
  }

  std::size_t part_values(double threshold) {
    std::size_t low = begin_, high = end_;
    while (low < high) {
      if (value_[low] <= threshold) {
        ++low;
      } else {
        --high;
        std::swap(value_[low], value_[high]);
        std::swap(row_[low], row_[high]);
      }
    }
    return high;
  }

  void part_rows(Split const& split) {
    std::span<float const> const column = rows_.column[split.feature];
    std::size_t low = begin_, high = end_;
    while (low < high) {
      if (column[row_[low]] <= split.threshold) {
        ++low;
      } else {
        std::swap(row_[low], row_[--high]);
      }
    }
  }

  // Adds up, of every feature, the impurity that its splits take away.
  void add_importance() {
    tree_.importance.assign(feature_.size(), 0.0);
    for (std::size_t i = 0; i < impurity_.size(); ++i) {
      std::int32_t const feature = tree_.node[3 * i];
      if (feature < 0) continue;
      auto const right = static_cast<std::size_t>(tree_.node[3 * i + 1]);
      tree_.importance[static_cast<std::size_t>(feature & (missing_left - 1))] +=
          node_weight_[i] * impurity_[i] - node_weight_[i + 1] * impurity_[i + 1] -
          node_weight_[right] * impurity_[right];
    }
    for (double& importance : tree_.importance) importance /= node_weight_[0];
  }

  GrowthRows const& rows_;
  GrowthPlan const& plan_;
  Sums sums_;
  Draws draws_;
  std::vector<Row> row_;      // those of a node lie together
  std::vector<float> value_;  // of the feature that was looked at last
  std::vector<std::size_t> feature_, constant_;
  std::vector<double> impurity_, node_weight_;
  GrownTree tree_;
  double weight_ = 0.0;
  std::size_t begin_ = 0, end_ = 0, last_feature_ = 0;
  float low_ = 0.0f, high_ = 0.0f;
};

}  // namespace

GrownTree grow_tree(GrowthRows const& rows, GrowthPlan const& plan, std::uint32_t seed) {
  std::size_t const n = rows.column.cols;
  require(n > 0 && rows.target.rows == n && rows.target.cols > 0,
          "a target is needed for each of the rows");
  require(rows.weight.empty() || rows.weight.size() == n,
          "a weight is needed for each of the rows");
  if (rows.classes > 0)
    for (std::size_t i = 0; i < n; ++i)
      require(rows.target[i][0] >= 0.0 && rows.target[i][0] < static_cast<double>(rows.classes),
              "a class is not one of those that there are");
  if (rows.classes > 0) return TreeGrower<GiniSums>(rows, plan, seed).grow();
  return TreeGrower<VarianceSums>(rows, plan, seed).grow();
}

}  // namespace lookalike
