#include "forest/boosted.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/bounds.hpp"
#include "core/lines.hpp"
#include "core/parallel.hpp"
#include "core/random.hpp"
#include "forest/forest.hpp"
#include "forest/histogram.hpp"

namespace lookalike {
namespace {

constexpr std::size_t block = 4096;   // rows that one thread works on at a time
constexpr double least_gain = 1e-12;  // of a split, as a part of what the root already explains
constexpr double least_split_curvature = 1e-3;  // of a child: below it, all its rows are certain
constexpr std::size_t most_bins = 256;
constexpr std::size_t most_levels = 16;  // of symmetric trees

using Row = std::uint32_t;

// The derivatives of the loss by each output, a record for every row.
class Derivatives {
 public:
  Derivatives(BoostingTargets const& targets, std::size_t rows)
      : targets_(targets),
        rows_(rows),
        outputs_(targets.start.size()),
        score_(rows * outputs_),
        width_(record_width(outputs_)),
        record_(rows * width_, 0.0) {
    for (std::size_t row = 0; row < rows; ++row) record_[row * width_ + 2 * outputs_] = 1.0;
    for (std::size_t i = 0; i < score_.size(); ++i) score_[i] = targets.start[i % outputs_];
  }

  std::size_t outputs() const { return outputs_; }
  double const* of(Row row) const { return record_.data() + width_ * row; }

  // Computes the derivatives at the present scores.
  void update(std::size_t threads) {
    parallel_blocks(rows_, block, threads, [&](std::size_t begin, std::size_t end, std::size_t) {
      for (std::size_t row = begin; row < end; ++row) derive(row);
    });
  }

  // Adds the values of the leaves that rows are in.
  void step(std::span<std::uint32_t const> leaf, std::span<double const> value,
            std::size_t threads) {
    parallel_blocks(rows_, block, threads, [&](std::size_t begin, std::size_t end, std::size_t) {
      for (std::size_t row = begin; row < end; ++row) {
        double const* const add = value.data() + outputs_ * leaf[row];
        for (std::size_t c = 0; c < outputs_; ++c) score_[row * outputs_ + c] += add[c];
      }
    });
  }

  // The mean loss of the rows that are only scored.
  double out_loss() const {
    double sum = 0.0;
    std::size_t count = 0;
    for (std::size_t row = 0; row < rows_; ++row) {
      if (!targets_.is_out[row]) continue;
      sum += loss(row);
      ++count;
    }
    return count == 0 ? 0.0 : sum / static_cast<double>(count);
  }

 private:
  void derive(std::size_t row) {
    double const* const score = score_.data() + row * outputs_;
    double* const out = record_.data() + row * width_;
    double* const curvature = out + outputs_;
    if (targets_.label.empty()) {
      out[0] = score[0] - targets_.number[row];
      curvature[0] = 1.0;
    } else if (outputs_ == 1) {
      double const share = 1.0 / (1.0 + std::exp(-score[0]));
      out[0] = share - static_cast<double>(targets_.label[row]);
      curvature[0] = share * (1.0 - share);
    } else {
      double const most = *std::max_element(score, score + outputs_);
      double total = 0.0;
      for (std::size_t c = 0; c < outputs_; ++c) total += out[c] = std::exp(score[c] - most);
      auto const own = static_cast<std::size_t>(targets_.label[row]);
      for (std::size_t c = 0; c < outputs_; ++c) {
        double const share = out[c] / total;
        out[c] = share - (c == own ? 1.0 : 0.0);
        curvature[c] = share * (1.0 - share);
      }
    }
  }

  double loss(std::size_t row) const {
    double const* const score = score_.data() + row * outputs_;
    if (targets_.label.empty()) {
      double const error = score[0] - targets_.number[row];
      return error * error;
    }
    auto const own = static_cast<std::size_t>(targets_.label[row]);
    if (outputs_ == 1) {  // log(1 + exp(-margin)), which does not overflow
      double const margin = own == 1 ? score[0] : -score[0];
      return std::max(-margin, 0.0) + std::log1p(std::exp(-std::abs(margin)));
    }
    double const most = *std::max_element(score, score + outputs_);
    double total = 0.0;
    for (std::size_t c = 0; c < outputs_; ++c) total += std::exp(score[c] - most);
    return std::log(total) + most - score[own];
  }

  BoostingTargets targets_;
  std::size_t rows_, outputs_;
  std::vector<double> score_;
  std::size_t width_;
  Lines<double> record_;  // of every row, as histograms add them up
};

struct Cut {
  double gain = 0.0;
  std::size_t column = 0;
  std::size_t code = 0;  // rows of this code, or of a smaller one, go left
};

struct Node {
  Cut cut;
  std::size_t left = 0, right = 0;  // of a leaf 0
};

// A leaf while its tree grows: where its rows lie in the order, and its histogram.
struct Leaf {
  std::size_t node = 0, begin = 0, end = 0, slot = 0, depth = 0;
  bool is_splittable = true;
  Cut best;
  std::size_t rows() const { return end - begin; }
};

// A sum of records.
struct Sums {
  double const* value;
  std::size_t outputs;
  double slope(std::size_t c) const { return value[c]; }
  double curvature(std::size_t c) const { return value[outputs + c]; }
  double rows() const { return value[2 * outputs]; }
};

class Tree {
 public:
  Tree(BinnedRows const& rows, BoostingPlan const& plan, std::size_t outputs, std::size_t threads)
      : rows_(rows),
        plan_(plan),
        outputs_(outputs),
        width_(record_width(outputs)),
        threads_(threads),
        offset_(rows.code.rows + 1, 0),
        best_of_column_(rows.code.rows) {
    for (std::size_t column = 0; column < rows.code.rows; ++column)
      offset_[column + 1] = offset_[column] + bins(column);
  }

  // Grows a tree towards the derivatives of some rows, seeing some columns.
  void grow(Derivatives const& slopes, std::vector<Row>& order, std::vector<std::size_t> columns) {
    slopes_ = &slopes;
    order_ = &order;
    columns_ = std::move(columns);
    node_.assign(1, {});
    leaf_.assign(1, {0, 0, order.size(), 0, 0, true, {}});
    other_.resize(order.size());
    histogram_.resize(std::max(histogram_.size(), size()));
    gather_root();
    if (plan_.symmetric)
      grow_levels();
    else
      grow_best_first();
  }

  // Writes the number of the leaf of every row, numbered from the left.
  void find(std::span<std::uint32_t> leaf) {
    number_leaves();
    parallel_blocks(
        leaf.size(), block, threads_, [&](std::size_t begin, std::size_t end, std::size_t) {
          for (std::size_t row = begin; row < end; ++row) {
            std::size_t at = 0;
            while (node_[at].left != 0) {
              Cut const& cut = node_[at].cut;
              at = rows_.code[cut.column][row] <= cut.code ? node_[at].left : node_[at].right;
            }
            leaf[row] = number_[at];
          }
        });
  }

  std::size_t leaves() const { return n_leaves_; }

  // Adds the nodes, depth first, to those of the trees before; `leaf` is the number of the first.
  void append(std::vector<std::int32_t>& out, std::size_t leaf,
              std::span<std::uint8_t const> has_missing) const {
    append_node(0, out, leaf, has_missing);
  }

 private:
  std::size_t bins(std::size_t column) const {
    return static_cast<std::size_t>(rows_.start[column + 1] - rows_.start[column]) + 2;
  }
  std::size_t size() const { return offset_.back() * width_; }
  double* sums(std::size_t slot, std::size_t column) {
    return histogram_.data() + slot * size() + offset_[column] * width_;
  }

  std::size_t new_slot() {
    std::size_t const slot = leaf_.size();
    histogram_.resize(std::max(histogram_.size(), (slot + 1) * size()));
    return slot;
  }

  // Adds up the derivatives of the rows of a leaf by their codes in a column.
  void add_up(Leaf const& leaf, std::size_t column) {
    double* const out = sums(leaf.slot, column);
    std::fill(out, out + bins(column) * width_, 0.0);
    kernels_.add_rows(order_->data() + leaf.begin, leaf.rows(), rows_.code[column].data(),
                      slopes_->of(0), outputs_, out);
  }

  // What is left of the histogram of a parent, in the slot of `large`, without that of `small`.
  void subtract(Leaf const& large, Leaf const& small, std::size_t column) {
    kernels_.subtract(sums(large.slot, column), sums(small.slot, column), bins(column) * width_);
  }

  void each_column(auto&& body) {
    std::size_t const work = order_->size() * columns_.size() * outputs_;
    std::size_t const threads = work < 20'000 ? 1 : threads_;
    parallel_for(columns_.size(), threads,
                 [&](std::size_t place, std::size_t) { body(columns_[place]); });
  }

  void gather_root() {
    each_column([&](std::size_t column) { add_up(leaf_[0], column); });
  }

  double explained(double slope, double curvature) const {
    return slope * slope / std::max(curvature + plan_.l2, least_curvature);
  }

  // Writes what every cut of a column gains in a leaf, and marks those that are impossible.
  void weigh_cuts(Leaf const& leaf, std::size_t column, std::vector<double>& spare, double* gain) {
    std::size_t const n = bins(column);
    double const* const all = sums(leaf.slot, column);
    spare.assign(2 * width_, 0.0);
    double* const total = spare.data();
    double* const left = total + width_;
    for (std::size_t bin = 0; bin < n; ++bin)
      for (std::size_t i = 0; i < width_; ++i) total[i] += all[bin * width_ + i];
    double before = 0.0;
    Sums const whole{total, outputs_};
    for (std::size_t c = 0; c < outputs_; ++c)
      before += explained(whole.slope(c), whole.curvature(c));
    double last = impossible;  // gain of the cut before, which empty bins repeat
    for (std::size_t bin = 0; bin + 1 < n; ++bin) {
      double const* const here = all + bin * width_;
      if (here[2 * outputs_] != 0.0) {
        for (std::size_t i = 0; i < width_; ++i) left[i] += here[i];
        last = gain_of({left, outputs_}, whole, before);
      }
      gain[bin] = last;
    }
  }

  double gain_of(Sums left, Sums whole, double before) const {
    double const least = static_cast<double>(plan_.min_rows);
    if (left.rows() < least || whole.rows() - left.rows() < least) return impossible;
    double after = 0.0, curved_left = 0.0, curved_right = 0.0;
    for (std::size_t c = 0; c < outputs_; ++c) {
      double const slope = left.slope(c), curvature = left.curvature(c);
      double const rest = std::max(whole.curvature(c) - curvature, 0.0);
      after += explained(slope, curvature) + explained(whole.slope(c) - slope, rest);
      curved_left += curvature;
      curved_right += rest;
    }
    if (std::min(curved_left, curved_right) < least_split_curvature) return impossible;
    return after - before;
  }

  static constexpr double impossible = -std::numeric_limits<double>::infinity();

  // The best cut of one leaf, of those that leave enough rows on both sides.
  Cut best_cut(Leaf const& leaf) {
    return best_of_columns([&](std::size_t column, std::vector<double>& spare, double* gain) {
      weigh_cuts(leaf, column, spare, gain);
    });
  }

  // The best cut of all leaves of a level together.
  Cut best_cut_of_level() {
    return best_of_columns([&](std::size_t column, std::vector<double>& spare, double* gain) {
      spare.resize(gain_scratch(bins(column), outputs_));
      for (Leaf const& leaf : leaf_)
        if (leaf.rows() > 0)
          kernels_.add_gains(sums(leaf.slot, column), bins(column), outputs_, plan_.l2,
                             spare.data(), gain);
    });
  }

  Cut best_of_columns(auto&& weigh_column) {
    each_column([&](std::size_t column) {
      thread_local std::vector<double> spare, gain;
      gain.assign(bins(column), 0.0);
      weigh_column(column, spare, gain.data());
      Cut best{impossible, column, 0};
      for (std::size_t bin = 0; bin + 1 < bins(column); ++bin)
        if (gain[bin] > best.gain) best = {gain[bin], column, bin};
      best_of_column_[column] = best;
    });
    Cut best{impossible, 0, 0};
    for (std::size_t const column : columns_)
      if (best_of_column_[column].gain > best.gain) best = best_of_column_[column];
    return best;
  }

  // Divides the rows of a leaf, keeping their order; returns where those of the right child begin.
  std::size_t divide(Leaf const& leaf, Cut const& cut) {
    auto const code = rows_.code[cut.column];
    std::size_t left = leaf.begin, right = leaf.begin;
    for (std::size_t i = leaf.begin; i < leaf.end; ++i) {
      Row const row = (*order_)[i];
      bool const goes_left = code[row] <= cut.code;
      (*order_)[left] = row;
      other_[right] = row;
      left += goes_left;
      right += !goes_left;
    }
    std::copy(other_.begin() + static_cast<std::ptrdiff_t>(leaf.begin),
              other_.begin() + static_cast<std::ptrdiff_t>(right),
              order_->begin() + static_cast<std::ptrdiff_t>(left));
    return left;
  }

  // Makes a leaf a node of two; returns the child of fewer rows and the other, which has its slot.
  std::pair<std::size_t, std::size_t> split(std::size_t place, Cut const& cut) {
    Leaf const parent = leaf_[place];
    std::size_t const middle = divide(parent, cut);
    std::size_t const left = node_.size();
    node_[parent.node] = {cut, left, left + 1};
    node_.resize(node_.size() + 2);
    bool const left_is_large = middle - parent.begin >= parent.end - middle;
    std::size_t const fresh = new_slot();
    Leaf const first{
        left, parent.begin, middle, left_is_large ? parent.slot : fresh, parent.depth + 1, true,
        {}};
    Leaf const second{left + 1,         middle, parent.end, left_is_large ? fresh : parent.slot,
                      parent.depth + 1, true,   {}};
    leaf_[place] = first;
    leaf_.push_back(second);
    std::size_t const added = leaf_.size() - 1;
    return left_is_large ? std::pair{added, place} : std::pair{place, added};
  }

  void grow_levels() {
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    double first_gain = 0.0;
    for (std::size_t depth = 0; depth < plan_.max_depth; ++depth) {
      Cut const cut = best_cut_of_level();
      if (depth == 0) first_gain = std::max(cut.gain, 0.0);
      if (!(cut.gain > least_gain * first_gain)) return;
      bool const last = depth + 1 == plan_.max_depth;
      pairs.clear();
      for (std::size_t place = 0, count = leaf_.size(); place < count; ++place)
        pairs.push_back(split(place, cut));
      if (last) return;
      each_column([&](std::size_t column) {
        for (auto const& [small, large] : pairs) {
          add_up(leaf_[small], column);
          subtract(leaf_[large], leaf_[small], column);
        }
      });
      checkpoint();
    }
  }

  void weigh(std::size_t place) {
    Leaf& leaf = leaf_[place];
    bool const deep = plan_.max_depth > 0 && leaf.depth >= plan_.max_depth;
    leaf.is_splittable = !deep && leaf.rows() >= 2 * plan_.min_rows;
    if (!leaf.is_splittable) return;
    leaf.best = best_cut(leaf);
    leaf.is_splittable = leaf.best.gain > 0.0;
  }

  void grow_best_first() {
    weigh(0);
    while (leaf_.size() < plan_.max_leaves) {
      std::size_t best = leaf_.size();
      for (std::size_t place = 0; place < leaf_.size(); ++place)
        if (leaf_[place].is_splittable &&
            (best == leaf_.size() || leaf_[place].best.gain > leaf_[best].best.gain))
          best = place;
      if (best == leaf_.size()) return;
      auto const [small, large] = split(best, leaf_[best].best);
      if (leaf_.size() == plan_.max_leaves) return;
      each_column([&, small = small, large = large](std::size_t column) {
        add_up(leaf_[small], column);
        subtract(leaf_[large], leaf_[small], column);
      });
      weigh(small);
      weigh(large);
      checkpoint();
    }
  }

  void number_leaves() {
    number_.assign(node_.size(), 0);
    n_leaves_ = 0;
    number_from(0);
  }

  void number_from(std::size_t at) {
    if (node_[at].left == 0) {
      number_[at] = static_cast<std::uint32_t>(n_leaves_++);
      return;
    }
    number_from(node_[at].left);
    number_from(node_[at].right);
  }

  void append_node(std::size_t at, std::vector<std::int32_t>& out, std::size_t first,
                   std::span<std::uint8_t const> has_missing) const {
    Node const& node = node_[at];
    if (node.left == 0) {
      out.insert(out.end(), {-1, static_cast<std::int32_t>(first + number_[at]), 0});
      return;
    }
    Cut const& cut = node.cut;
    // Missing values have the smallest code; where none were seen, they go with the others' left.
    bool const missing = has_missing[cut.column] != 0 || cut.code > 0;
    float const below =
        cut.code == 0 ? -std::numeric_limits<float>::infinity()
                      : rows_.threshold[static_cast<std::size_t>(
                            rows_.start[cut.column] + static_cast<std::int64_t>(cut.code) - 1)];
    std::size_t const here = out.size();
    out.insert(out.end(), {static_cast<std::int32_t>(cut.column) + (missing ? missing_left : 0), 0,
                           std::bit_cast<std::int32_t>(below)});
    append_node(node.left, out, first, has_missing);
    out[here + 1] = static_cast<std::int32_t>(out.size() / 3);
    append_node(node.right, out, first, has_missing);
  }

  BinnedRows rows_;
  BoostingPlan plan_;
  HistogramKernels const& kernels_ = LOOKALIKE_CHOOSE(histogram_kernels);
  std::size_t outputs_, width_, threads_;
  std::vector<std::size_t> offset_;  // of the bins of a column in a histogram
  std::vector<Cut> best_of_column_;
  Lines<double> histogram_;  // one after the other by slot, column, bin
  Derivatives const* slopes_ = nullptr;
  std::vector<Row>* order_ = nullptr;
  std::vector<Row> other_;
  std::vector<std::size_t> columns_;
  std::vector<Node> node_;
  std::vector<Leaf> leaf_;
  std::vector<std::uint32_t> number_;
  std::size_t n_leaves_ = 0;
};

void check(BinnedRows const& rows, BoostingTargets const& targets, BoostingPlan const& plan) {
  std::size_t const n = rows.code.cols, columns = rows.code.rows, outputs = targets.start.size();
  require(n > 0 && columns > 0 && n < std::numeric_limits<Row>::max(),
          "there are no rows or columns, or too many rows");
  require(rows.start.size() == columns + 1, "each column needs its thresholds");
  require_starts(rows.start, rows.threshold.size(), "the thresholds do not follow each other");
  for (std::size_t column = 0; column < columns; ++column) {
    auto const bins = static_cast<std::size_t>(rows.start[column + 1] - rows.start[column]) + 2;
    require(bins <= most_bins, "a column has too many thresholds");
    for (auto const code : rows.code[column])
      require(code < bins, "a code is beyond the thresholds of its column");
  }
  bool const classes = !targets.label.empty();
  require((classes ? targets.label.size() : targets.number.size()) == n &&
              (!classes || targets.number.empty()),
          "each row needs one target");
  require(outputs >= 1 && (classes || outputs == 1), "the scores have no start");
  if (classes)
    require_places(targets.label, std::max<std::size_t>(outputs, 2), "a label is of no class");
  require(targets.is_out.empty() || targets.is_out.size() == n, "rows left out are not marked");
  require(
      plan.symmetric ? plan.max_depth >= 1 && plan.max_depth <= most_levels : plan.max_leaves >= 2,
      "trees need levels or leaves");
  require(plan.row_share > 0 && plan.column_share > 0, "no rows or columns are drawn");
}

// Some of the numbers, in rising order; each with the same probability.
template <class T>
std::vector<T> drawn(std::vector<T> const& numbers, double share, Random& random) {
  auto const count = static_cast<double>(numbers.size());
  auto wanted = static_cast<std::size_t>(std::max(std::round(share * count), 1.0));
  if (wanted >= numbers.size()) return numbers;
  std::vector<T> some;
  some.reserve(wanted);
  for (std::size_t i = 0; i < numbers.size() && wanted > 0; ++i) {  // [Knuth, algorithm S]
    double const left = static_cast<double>(numbers.size() - i);
    if (random.unit() * left < static_cast<double>(wanted)) {
      some.push_back(numbers[i]);
      --wanted;
    }
  }
  return some;
}

// The Newton step of every leaf over all rows that are learned from.
std::vector<double> leaf_values(std::span<std::uint32_t const> leaf, std::size_t leaves,
                                std::vector<Row> const& learned, Derivatives const& slopes,
                                BoostingPlan const& plan) {
  std::size_t const outputs = slopes.outputs();
  std::vector<double> sum(2 * leaves * outputs, 0.0), value;
  value.reserve(leaves * outputs);
  for (Row const row : learned) {
    double const* const slope = slopes.of(row);
    double* const out = sum.data() + 2 * outputs * leaf[row];
    for (std::size_t i = 0; i < 2 * outputs; ++i) out[i] += slope[i];
  }
  for (double const* slope = sum.data(); slope != sum.data() + sum.size(); slope += 2 * outputs)
    for (std::size_t c = 0; c < outputs; ++c)
      value.push_back(-plan.learning_rate * slope[c] /
                      std::max(slope[outputs + c] + plan.l2, least_curvature));
  return value;
}

std::vector<std::uint8_t> with_missing(View<std::uint8_t const> code) {
  std::vector<std::uint8_t> has(code.rows);
  for (std::size_t column = 0; column < code.rows; ++column)
    has[column] = std::ranges::find(code[column], 0) != code[column].end();
  return has;
}

}  // namespace

void bin_columns(View<float const> X, std::span<std::int64_t const> start,
                 std::span<float const> threshold, std::size_t threads, View<std::uint8_t> code) {
  require(has_shape(code, X.cols, X.rows) && start.size() == X.cols + 1, "the codes have no place");
  require_starts(start, threshold.size(), "the thresholds do not follow each other");
  parallel_for(X.cols, threads, [&](std::size_t column, std::size_t) {
    auto const own = threshold.subspan(static_cast<std::size_t>(start[column]),
                                       static_cast<std::size_t>(start[column + 1] - start[column]));
    require(own.size() + 2 <= most_bins, "a column has too many thresholds");
    for (std::size_t row = 0; row < X.rows; ++row) {
      float const value = X[row][column];
      auto const below = std::ranges::lower_bound(own, value) - own.begin();
      code[column][row] = static_cast<std::uint8_t>(value != value ? 0 : below + 1);
    }
    checkpoint();
  });
}

BoostedGrowth grow_boosted(BinnedRows const& rows, BoostingTargets const& targets,
                           BoostingPlan const& plan, std::size_t threads) {
  check(rows, targets, plan);
  threads = threads == 0 ? default_threads() : threads;
  std::size_t const n = rows.code.cols, outputs = targets.start.size();
  std::vector<Row> learned;
  for (std::size_t row = 0; row < n; ++row)
    if (targets.is_out.empty() || !targets.is_out[row]) learned.push_back(static_cast<Row>(row));
  require(!learned.empty(), "no row is learned from");
  std::vector<std::size_t> columns(rows.code.rows);
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  auto const has_missing = with_missing(rows.code);
  Derivatives slopes(targets, n);
  Tree tree(rows, plan, outputs, threads);
  Random random(plan.seed);
  BoostedGrowth grown;
  std::vector<std::uint32_t> leaf(n);
  bool const scored = learned.size() < n;
  if (scored) grown.out_loss.push_back(slopes.out_loss());
  double lowest = std::numeric_limits<double>::infinity();
  std::size_t best = 0;
  for (std::size_t step = 0; step < plan.steps; ++step) {
    slopes.update(threads);
    auto order = drawn(learned, plan.row_share, random);
    tree.grow(slopes, order, drawn(columns, plan.column_share, random));
    tree.find(leaf);
    auto const value = leaf_values(leaf, tree.leaves(), learned, slopes, plan);
    slopes.step(leaf, value, threads);
    grown.root.push_back(static_cast<std::int64_t>(grown.node.size() / 3));
    tree.append(grown.node, grown.value.size() / outputs, has_missing);
    grown.value.insert(grown.value.end(), value.begin(), value.end());
    checkpoint();
    if (!scored) continue;
    grown.out_loss.push_back(slopes.out_loss());
    if (grown.out_loss.back() < lowest) {
      lowest = grown.out_loss.back();
      best = step;
    }
    if (plan.patience > 0 && step - best >= plan.patience) break;
  }
  return grown;
}

}  // namespace lookalike
