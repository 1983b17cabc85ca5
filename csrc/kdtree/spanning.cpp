#include "kdtree/spanning.hpp"

#include <atomic>
#include <limits>

#include "core/bounds.hpp"
#include "core/parallel.hpp"
#include "kdtree/walk.hpp"

namespace lookalike {
namespace {

constexpr std::size_t kTaskRows = 1 << 10;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t kMixed = -1;  // of a node whose rows are of several components

using Shared = std::atomic<double>;

void lower(Shared& shared, double weight) {
  double now = shared.load(std::memory_order_relaxed);
  while (weight < now && !shared.compare_exchange_weak(now, weight, std::memory_order_relaxed)) {
  }
}

// What is known of a row: the best edge out of its component so far, whether it is proven to be,
// and what weighs any other.
struct Known {
  Edge edge;
  double least = 0.0;
  bool proven = false;
};

// The nearest row outside of the component of one row.
class NearestOutside {
 public:
  NearestOutside(SpanningForest const& forest, Minkowski metric, double scale,
                 std::vector<Shared>& shared)
      : forest_(forest),
        component_(forest.component()),
        metric_(metric),
        scale_(scale),
        shared_(shared) {}

  void aim(std::size_t row, Edge best) {
    own_ = row;
    core_ = forest_.core(row);
    best_ = best;
    bound_ = &shared_[static_cast<std::size_t>(component_[row])];
    limit_ = kInfinity;
    narrow();
  }
  void open(std::int64_t const* of_node) { of_node_ = of_node; }

  bool skips(std::uint32_t node) const { return of_node_[node] == component_[own_]; }
  bool refuses(double key, std::int64_t row) {
    if (bound_->load(std::memory_order_relaxed) < limit_) narrow();
    if (key > key_) return true;
    return core_ >= best_.weight &&
           !(Edge::of(core_, static_cast<std::int64_t>(own_), row) < best_);
  }
  void offer(Neighbor neighbor) {
    if (neighbor.key > key_) return;
    auto const row = static_cast<std::size_t>(neighbor.row);
    if (component_[row] == component_[own_]) return;
    double const weight = forest_.weight(own_, row, metric_.distance(neighbor.key, scale_));
    Edge const edge = Edge::of(weight, static_cast<std::int64_t>(own_), neighbor.row);
    if (!(edge < best_)) return;
    best_ = edge;
    lower(*bound_, weight);
    narrow();
  }
  // Afterwards: nothing that was passed over weighs less than limit().
  Edge best() const { return best_; }
  double limit() const { return limit_; }

 private:
  void narrow() {
    limit_ = std::min({limit_, best_.weight, bound_->load(std::memory_order_relaxed)});
    double const far = limit_ * forest_.alpha() * scale_ * (1.0 + 0x1p-40);
    key_ = metric_.norm == Norm::euclidean ? far * far : far;
  }

  SpanningForest const& forest_;
  std::span<std::int64_t const> component_;
  Minkowski metric_;
  double scale_;
  std::vector<Shared>& shared_;
  Shared* bound_ = nullptr;
  std::int64_t const* of_node_ = nullptr;
  std::size_t own_ = 0;
  double core_ = 0.0, limit_ = kInfinity, key_ = kInfinity;
  Edge best_;
};

template <class T>
std::int64_t mark(KDPart<T> const& part, KDNode node, std::span<std::int64_t const> component,
                  std::vector<std::int64_t>& of_node) {
  std::int64_t common = kMixed;
  if (node.leaves == 1) {
    std::size_t const from = node.leaf * part.leaf_size;
    std::size_t const count = leaf_rows(part.view(), node.leaf);
    common = component[part.row[from]];
    for (std::size_t i = 1; i < count; ++i)
      if (component[part.row[from + i]] != common) common = kMixed;
  } else {
    std::int64_t const left = mark(part, left_child(node), component, of_node);
    std::int64_t const right = mark(part, right_child(node), component, of_node);
    if (left == right) common = left;
  }
  return of_node[node.id] = common;
}

template <class T>
class Rounds {
 public:
  Rounds(std::vector<KDPart<T>> const& parts, Minkowski metric, NeighborTable lists,
         SpanningForest& forest, std::size_t threads)
      : parts_(parts),
        metric_(metric),
        lists_(lists),
        forest_(forest),
        threads_(threads == 0 ? default_threads() : threads),
        known_(forest.rows()),
        of_node_(parts.size()) {
    for (std::size_t i = 0; i < parts.size(); ++i)
      of_node_[i].resize(2 * root_of(parts[i].view()).leaves);
    std::vector<double> const zero(parts[0].cols);
    scale_ = scale_of(parts, zero.data(), metric);
  }

  void start() {
    parallel_blocks(forest_.rows(), kTaskRows, threads_,
                    [&](std::size_t begin, std::size_t end, std::size_t) {
                      for (std::size_t row = begin; row < end; ++row) known_[row] = listed(row);
                    });
  }

  void run() {
    std::vector<Shared> shared(forest_.components());
    std::vector<Edge> best(forest_.components());
    gather(best);
    for (std::size_t i = 0; i < best.size(); ++i) shared[i].store(best[i].weight);
    for (std::size_t i = 0; i < parts_.size(); ++i)
      mark(parts_[i], root_of(parts_[i].view()), forest_.component(), of_node_[i]);
    with_norm(metric_.norm, [&](auto norm) {
      for (KDPart<T> const& part : parts_)
        parallel_blocks(part.rows, kTaskRows, threads_,
                        [&](std::size_t begin, std::size_t end, std::size_t) {
                          checkpoint();
                          search<norm>(part, begin, end, shared);
                        });
    });
    gather(best);
    forest_.join(std::move(best));
  }

 private:
  bool inside(Edge edge) const {
    auto const component = forest_.component();
    return component[static_cast<std::size_t>(edge.low)] ==
           component[static_cast<std::size_t>(edge.high)];
  }

  Known listed(std::size_t row) const {
    Known known;
    auto const component = forest_.component();
    auto const distance = lists_.distance[row];
    for (std::size_t i = 0; i < distance.size(); ++i) {
      auto const other = static_cast<std::size_t>(lists_.row[row][i]);
      if (component[other] == component[row]) continue;
      known.edge = std::min(
          known.edge, Edge::of(forest_.weight(row, other, distance[i]),
                               static_cast<std::int64_t>(row), static_cast<std::int64_t>(other)));
    }
    double const unlisted = forest_.weight(row, row, distance.back());
    known.proven = known.edge.weight < unlisted;
    known.least = std::min(unlisted, known.edge.weight);  // other edges of the list weigh as much
    return known;
  }

  // Forgets edges that lie inside of components by now, and finds the best of each component.
  void gather(std::vector<Edge>& best) {
    auto const component = forest_.component();
    for (std::size_t row = 0; row < known_.size(); ++row) {
      Known& known = known_[row];
      if (known.edge.low >= 0 && inside(known.edge)) {
        double const least = known.proven ? std::max(known.least, known.edge.weight) : known.least;
        known = listed(row);
        known.least = std::max(known.least, least);
      }
      Edge& least = best[static_cast<std::size_t>(component[row])];
      least = std::min(least, known.edge);
    }
  }

  template <Norm N>
  void search(KDPart<T> const& part, std::size_t begin, std::size_t end,
              std::vector<Shared>& shared) {
    auto const component = forest_.component();
    NearestOutside keep(forest_, metric_, scale_, shared);
    Walk<T, N, NearestOutside> walk(metric_.p, scale_, part.cols, largest_leaf(parts_), keep);
    std::vector<double> query(part.cols);
    for (std::size_t place = begin; place < end; ++place) {
      std::size_t const row = part.row[place];
      Known& known = known_[row];
      Shared const& bound = shared[static_cast<std::size_t>(component[row])];
      if (known.proven || known.least > bound.load(std::memory_order_relaxed)) continue;
      std::size_t const leaf = place / part.leaf_size;
      std::size_t const count = leaf_rows(part.view(), leaf);
      T const* const values = leaf_values(part.view(), leaf) + place % part.leaf_size;
      for (std::size_t j = 0; j < part.cols; ++j) query[j] = static_cast<double>(values[j * count]);
      keep.aim(row, known.edge);
      walk.aim({query.data(), -1});
      for (std::size_t i = 0; i < parts_.size(); ++i) {
        keep.open(of_node_[i].data());
        walk.descend(parts_[i].view());
      }
      known.edge = keep.best();
      known.proven = known.edge.weight <= keep.limit();
      known.least = std::max(known.least, keep.limit());
    }
  }

  std::vector<KDPart<T>> const& parts_;
  Minkowski metric_;
  NeighborTable lists_;
  SpanningForest& forest_;
  std::size_t threads_;
  double scale_;
  std::vector<Known> known_;
  std::vector<std::vector<std::int64_t>> of_node_;
};

}  // namespace

template <class T>
void join_by_tree(std::vector<KDPart<T>> const& parts, Minkowski metric, NeighborTable lists,
                  SpanningForest& forest, std::size_t threads) {
  std::size_t const rows = parts.back().first + parts.back().rows;
  require(forest.rows() == rows && lists.row.rows == rows && lists.row.cols > 0 &&
              has_shape(lists.distance, rows, lists.row.cols),
          "the forest and the lists are not those of the rows");
  require_places(View<std::int64_t const>{lists.row.data, rows, lists.row.cols, lists.row.stride},
                 rows, "a neighbor is none of the rows");
  if (forest.components() < 2) return;
  Rounds<T> rounds(parts, metric, lists, forest, threads);
  rounds.start();
  while (forest.components() > 1) {
    checkpoint();
    std::size_t const before = forest.components();
    rounds.run();
    require(forest.components() < before, "rows are infinitely far from each other");
  }
}

#define LOOKALIKE_SPANNING(T)                                                         \
  template void join_by_tree(std::vector<KDPart<T>> const&, Minkowski, NeighborTable, \
                             SpanningForest&, std::size_t);
LOOKALIKE_SPANNING(float)
LOOKALIKE_SPANNING(double)
#undef LOOKALIKE_SPANNING

}  // namespace lookalike
