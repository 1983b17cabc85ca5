#include "forest/forest.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>
#include <vector>

#include "core/bounds.hpp"
#include "core/parallel.hpp"

namespace lookalike {
namespace {

constexpr std::size_t block = 2048;  // rows that go through one tree after the other
constexpr std::size_t together =
    32;  // rows on their way at once, so that memory is waited for once

using Nodes = std::span<TreeNode const>;

// The node after node `at` for the row x, chosen without a branch, which could not be foreseen.
// Children come after their parent, so that no walk leaves the nodes or goes round in them.
std::int32_t child(Nodes nodes, std::int32_t at, std::span<float const> x) {
  TreeNode const node = nodes[static_cast<std::size_t>(at)];
  auto const feature = static_cast<std::uint32_t>(node.feature & ~missing_left);
  require(feature < x.size(), "a tree asks for a column that there is not");
  float const value = x[feature];
  bool const below = value <= std::bit_cast<float>(node.threshold);
  bool const missing = (value != value) & ((node.feature & missing_left) != 0);
  auto const left = -static_cast<std::int32_t>(below | missing);  // all bits or none
  std::int32_t const next = (left & (at + 1)) | (~left & node.right);
  require(next > at && static_cast<std::size_t>(next) < nodes.size(),
          "a node of a tree leads out of it");
  return next;
}

// Writes the leaves of `count` <= together rows from the root of a tree.
void descend(Nodes nodes, std::int32_t root, View<float const> X, std::size_t first,
             std::size_t count, std::int32_t* leaf) {
  auto const node = [&](std::int32_t number) -> TreeNode const& {
    return nodes[static_cast<std::size_t>(number)];
  };
  std::array<std::int32_t, together> at;
  std::array<std::uint32_t, together> order;  // of the rows that are not in a leaf yet
  for (std::size_t i = 0; i < count; ++i) {
    at[i] = root;
    order[i] = static_cast<std::uint32_t>(i);
  }
  std::size_t left = node(root).feature < 0 ? 0 : count;
  while (left > 0) {
    std::size_t kept = 0;
    for (std::size_t a = 0; a < left; ++a) {
      auto const i = order[a];
      at[i] = child(nodes, at[i], X[first + i]);
      order[kept] = i;
      kept += node(at[i]).feature >= 0;
    }
    left = kept;
  }
  for (std::size_t i = 0; i < count; ++i) leaf[i] = node(at[i]).right;
}

// Calls visit(row, tree, leaf) for every row in [begin, end) and every tree, tree by tree.
template <class F>
void each_leaf(Forest const& forest, View<float const> X, std::size_t begin, std::size_t end,
               F&& visit) {
  std::array<std::int32_t, together> leaf;
  for (std::size_t tree = 0; tree < forest.root.size(); ++tree) {
    for (std::size_t first = begin; first < end; first += together) {
      std::size_t const count = std::min(together, end - first);
      descend(forest.node, static_cast<std::int32_t>(forest.root[tree]), X, first, count,
              leaf.data());
      for (std::size_t i = 0; i < count; ++i) visit(first + i, tree, leaf[i]);
    }
    checkpoint();
  }
}

// A value for every training row, of which few are other than zero at a time.
template <class T>
class Tally {
 public:
  explicit Tally(std::size_t rows) : value_(rows) {}

  void add(std::int32_t row, T amount) {
    require(is_place(row, value_.size()), "a leaf holds a row that there is not");
    auto& value = value_[static_cast<std::size_t>(row)];
    if (value == T{}) touched_.push_back(row);
    value += amount;
  }

  std::size_t size() const { return value_.size(); }
  T of(std::int32_t row) const { return value_[static_cast<std::size_t>(row)]; }
  std::vector<std::int32_t>& touched() { return touched_; }

  void clear() {
    for (auto const row : touched_) value_[static_cast<std::size_t>(row)] = T{};
    touched_.clear();
  }

 private:
  std::vector<T> value_;
  std::vector<std::int32_t> touched_;
};

template <class T>
Tally<T>& tally_of(std::vector<Tally<T>>& tallies, std::size_t worker, std::size_t rows) {
  if (tallies[worker].size() != rows) tallies[worker] = Tally<T>(rows);
  return tallies[worker];
}

// Where the rows of a leaf begin and end.
std::pair<std::size_t, std::size_t> range_of(LeafRows const& members, std::int32_t leaf) {
  require(leaf >= 0 && static_cast<std::size_t>(leaf) + 1 < members.start.size(),
          "there is no leaf of this number");
  auto const begin = members.start[static_cast<std::size_t>(leaf)];
  auto const end = members.start[static_cast<std::size_t>(leaf) + 1];
  require(begin >= 0 && begin <= end && static_cast<std::uint64_t>(end) <= members.row.size(),
          "the rows of a leaf are not in the list");
  return {static_cast<std::size_t>(begin), static_cast<std::size_t>(end)};
}

}  // namespace

void find_leaves(Forest const& forest, View<float const> X, std::size_t threads,
                 View<std::int32_t> leaf) {
  require_places(forest.root, forest.node.size(), "a tree begins at no node");
  require(has_shape(leaf, X.rows, forest.root.size()), "the leaves have no place");
  parallel_blocks(X.rows, block, threads, [&](std::size_t begin, std::size_t end, std::size_t) {
    each_leaf(forest, X, begin, end, [&](std::size_t row, std::size_t tree, std::int32_t number) {
      leaf[row][tree] = number;
    });
  });
}

void mean_leaf_values(Forest const& forest, View<float const> X, View<double const> value,
                      std::size_t threads, View<double> mean) {
  require_places(forest.root, forest.node.size(), "a tree begins at no node");
  require(has_shape(mean, X.rows, value.cols), "the means have no place");
  auto const trees = static_cast<double>(forest.root.size());
  parallel_blocks(X.rows, block, threads, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t row = begin; row < end; ++row) std::ranges::fill(mean[row], 0.0);
    each_leaf(forest, X, begin, end, [&](std::size_t row, std::size_t, std::int32_t number) {
      require(is_place(number, value.rows), "a leaf has no value");
      double const* const add = value.data + static_cast<std::size_t>(number) * value.stride;
      double* const sum = mean.data + row * mean.stride;
      for (std::size_t c = 0; c < mean.cols; ++c) sum[c] += add[c];
    });
    for (std::size_t row = begin; row < end; ++row)
      for (auto& sum : mean[row]) sum /= trees;
  });
}

RadiusNeighbors forest_weights(View<std::int32_t const> leaf, LeafRows const& members,
                               std::size_t rows, std::size_t threads) {
  threads = threads == 0 ? default_threads() : threads;
  require(members.drawn.size() == members.row.size() &&
              members.inverse_weight.size() + 1 == members.start.size() &&
              (members.weight.empty() || members.weight.size() == rows),
          "the rows of the leaves do not fit together");
  double const trees = static_cast<double>(leaf.cols);
  std::vector<Tally<double>> tallies(threads, Tally<double>(0));
  std::vector<std::vector<std::pair<std::int32_t, double>>> of_query(leaf.rows);
  parallel_blocks(leaf.rows, 1, threads, [&](std::size_t query, std::size_t, std::size_t worker) {
    auto& tally = tally_of(tallies, worker, rows);
    for (auto const number : leaf[query]) {
      auto const [begin, end] = range_of(members, number);
      double const share = members.inverse_weight[static_cast<std::size_t>(number)] / trees;
      for (std::size_t m = begin; m < end; ++m) {
        auto const row = members.row[m];
        require(is_place(row, rows), "a leaf holds a row that there is not");
        double const weight =
            members.weight.empty() ? 1.0 : members.weight[static_cast<std::size_t>(row)];
        if (members.drawn[m] != 0 && weight > 0) tally.add(row, members.drawn[m] * weight * share);
      }
    }
    std::ranges::sort(tally.touched());
    of_query[query].reserve(tally.touched().size());
    for (auto const row : tally.touched()) of_query[query].emplace_back(row, tally.of(row));
    tally.clear();
  });
  RadiusNeighbors joined;
  for (auto const& pairs : of_query) {
    for (auto const& [row, weight] : pairs) {
      joined.row.push_back(row);
      joined.key.push_back(weight);
    }
    joined.start.push_back(static_cast<std::int64_t>(joined.row.size()));
  }
  return joined;
}

void most_shared_leaves(View<std::int32_t const> leaf, LeafRows const& members, std::size_t rows,
                        std::span<std::int64_t const> exclude, std::size_t threads,
                        View<std::int32_t> shared, View<std::int64_t> row) {
  require(exclude.empty() || exclude.size() == leaf.rows, "one excluded row a query is needed");
  for (std::int64_t const own : exclude)
    require(own < 0 || is_place(own, rows), "an excluded row is none of the rows");
  require(row.cols + (exclude.empty() ? 0 : 1) <= rows, "there are fewer rows than neighbors");
  require(has_shape(row, leaf.rows, row.cols) && has_shape(shared, leaf.rows, row.cols),
          "the neighbors have no place");
  threads = threads == 0 ? default_threads() : threads;
  std::vector<Tally<std::int32_t>> tallies(threads, Tally<std::int32_t>(0));
  parallel_blocks(leaf.rows, 1, threads, [&](std::size_t query, std::size_t, std::size_t worker) {
    auto& tally = tally_of(tallies, worker, rows);
    for (auto const number : leaf[query]) {
      auto const [begin, end] = range_of(members, number);
      for (std::size_t m = begin; m < end; ++m) tally.add(members.row[m], 1);
    }
    std::int64_t const own = exclude.empty() ? -1 : exclude[query];
    auto& near = tally.touched();
    std::erase_if(near, [&](std::int32_t r) { return r == own; });
    std::size_t const some = std::min(row.cols, near.size());
    std::ranges::partial_sort(near, near.begin() + static_cast<std::ptrdiff_t>(some),
                              [&](std::int32_t a, std::int32_t b) {
                                return std::pair(-tally.of(a), a) < std::pair(-tally.of(b), b);
                              });
    for (std::size_t i = 0; i < some; ++i) {
      row[query][i] = near[i];
      shared[query][i] = tally.of(near[i]);
    }
    std::size_t i = some;  // rows that share no leaf follow by number
    for (std::int32_t r = 0; i < row.cols; ++r) {
      if (tally.of(r) != 0 || r == own) continue;
      row[query][i] = r;
      shared[query][i++] = 0;
    }
    if (own >= 0) near.push_back(static_cast<std::int32_t>(own));
    tally.clear();
  });
}

}  // namespace lookalike
