#include "kdtree/core_rows.hpp"

#include <numeric>
#include <utility>

#include "core/bounds.hpp"
#include "core/parallel.hpp"
#include "density/components.hpp"
#include "kdtree/walk.hpp"

namespace lookalike {
namespace {

constexpr std::uint32_t kTaskLeaves = 256;  // of a subtree that one thread works on
constexpr std::size_t kCheckpointNodes = 1U << 14U;
constexpr std::int64_t kNoCore = -1;  // of a node without a core row
constexpr std::int64_t kMixed = -2;   // of a node whose core rows may be of several components

// What boxes say of all pairs of their rows: rounding is monotone, and the order is that of keys.
template <class T, Norm N>
class Boxes {
 public:
  Boxes(Minkowski metric, double scale, double radius, std::size_t cols)
      : metric_(metric), scale_(scale), bound_(metric.largest_key(radius, scale)), cols_(cols) {}

  double bound() const { return bound_; }
  bool all_within(T const* a, T const* b) const {
    double const key = key_of<N>(metric_.p, cols_, [&](std::size_t j) {
      return std::max(gap(a[cols_ + j], b[j]), gap(b[cols_ + j], a[j]));
    });
    return (N == Norm::minkowski ? key / kPowSlack : key) <= bound_;
  }
  bool none_within(T const* a, T const* b) const {
    double const key = key_of<N>(metric_.p, cols_, [&](std::size_t j) {
      return std::max(0.0, std::max(gap(b[j], a[cols_ + j]), gap(a[j], b[cols_ + j])));
    });
    return (N == Norm::minkowski ? key * kPowSlack : key) > bound_;
  }

 private:
  double gap(T high, T low) const {
    return static_cast<double>(high) * scale_ - static_cast<double>(low) * scale_;
  }

  Minkowski metric_;
  double scale_, bound_;
  std::size_t cols_;
};

// Subtrees of at most kTaskLeaves leaves, and the nodes above them, children before their parents.
struct Subtrees {
  explicit Subtrees(KDNode node) { add(node); }
  std::vector<KDNode> below, above;

 private:
  void add(KDNode node) {
    if (node.leaves <= kTaskLeaves) return below.push_back(node);
    add(left_child(node));
    add(right_child(node));
    above.push_back(node);
  }
};

// Counts rows within the radius, up to as many as are asked for.
class EnoughRows {
 public:
  EnoughRows(double bound, std::size_t least) : bound_(bound), least_(least) {}
  void start() { count_ = 0; }
  bool reached() const { return count_ >= least_; }
  bool refuses(double key, std::int64_t) const { return key > bound_ || reached(); }
  void offer(Neighbor neighbor) { count_ += neighbor.key <= bound_ ? 1 : 0; }

 private:
  double bound_;
  std::size_t least_, count_ = 0;
};

// The values of one row of a leaf, as queries are given.
template <class T>
void read_row(KDPartView<T> const& part, std::size_t leaf, std::size_t i, double* query) {
  std::size_t const count = leaf_rows(part, leaf);
  T const* const values = leaf_values(part, leaf) + i;
  for (std::size_t j = 0; j < part.cols; ++j) query[j] = static_cast<double>(values[j * count]);
}

template <class T, Norm N>
class CoreSearch {
 public:
  CoreSearch(std::vector<KDPart<T>> const& parts, Minkowski metric, double scale, double radius,
             std::size_t least, std::span<std::uint8_t> core)
      : parts_(parts),
        boxes_(metric, scale, radius, parts[0].cols),
        least_(least),
        core_(core),
        keep_(boxes_.bound(), least),
        walk_(metric.p, scale, parts[0].cols, largest_leaf(parts), keep_),
        query_(parts[0].cols) {}

  void look(KDPartView<T> const& part, KDNode node) {
    T const* const box = part.box + node.id * 2 * part.cols;
    std::size_t const from = node.leaf * part.leaf_size;
    std::size_t const to = std::min(from + node.leaves * part.leaf_size, part.rows);
    if (to - from >= least_ && boxes_.all_within(box, box)) {
      for (std::size_t place = from; place < to; ++place) core_[part.row[place]] = 1;
    } else if (node.leaves > 1) {
      look(part, left_child(node));
      look(part, right_child(node));
    } else {
      checkpoint();
      for (std::size_t place = from; place < to; ++place) {
        read_row(part, node.leaf, place - from, query_.data());
        core_[part.row[place]] = is_core() ? 1 : 0;
      }
    }
  }

 private:
  bool is_core() {
    keep_.start();
    walk_.aim({query_.data(), -1});
    for (KDPart<T> const& part : parts_) walk_.descend(part.view());
    return keep_.reached();
  }

  std::vector<KDPart<T>> const& parts_;
  Boxes<T, N> boxes_;
  std::size_t least_;
  std::span<std::uint8_t> core_;
  EnoughRows keep_;
  Walk<T, N, EnoughRows> walk_;
  std::vector<double> query_;
};

// Joins core rows, two nodes at a time. A node whose core rows are of one component is known by
// one of them; two such nodes need one pair within the radius, and none once they are joined.
template <class T, Norm N>
class Joining {
 public:
  // A part, and the row that stands for every node.
  struct Tree {
    KDPartView<T> part;
    std::vector<std::int64_t>& of_node;
  };

  Joining(Boxes<T, N> const& boxes, Minkowski metric, double scale,
          std::span<std::uint8_t const> core, std::span<std::int64_t> parent, std::size_t leaf_size,
          std::size_t cols)
      : boxes_(boxes),
        p_(metric.p),
        scale_(scale),
        core_(core),
        sets_(parent),
        query_(cols),
        lane_(kLanes * leaf_size),
        keys_(leaf_size) {}

  // Joins the core rows of a node, whose children may be done already.
  void join_below(Tree const& tree, KDNode node) {
    if (is_near(tree, node)) return;
    if (node.leaves == 1) {
      join_leaves(tree, node, tree, node);
    } else {
      join_below(tree, left_child(node));
      join_below(tree, right_child(node));
    }
    join_children(tree, node);
  }
  void join_children(Tree const& tree, KDNode node) {
    if (node.leaves > 1) join_nodes(tree, left_child(node), tree, right_child(node));
    mark(tree, node);
  }

  void join_nodes(Tree const& a, KDNode at, Tree const& b, KDNode bt) {
    if (++visited_ % kCheckpointNodes == 0) checkpoint();
    std::int64_t const own = known(a, at), other = known(b, bt);
    if (own == kNoCore || other == kNoCore) return;
    bool const whole = own >= 0 && other >= 0;
    if (whole && sets_.root(own) == sets_.root(other)) return;
    T const* const box = a.part.box + at.id * 2 * a.part.cols;
    T const* const beside = b.part.box + bt.id * 2 * b.part.cols;
    if (boxes_.none_within(box, beside)) return;
    if (whole && boxes_.all_within(box, beside)) {
      sets_.join(own, other);
    } else if (at.leaves == 1 && bt.leaves == 1) {
      join_leaves(a, at, b, bt);
    } else if (at.leaves >= bt.leaves) {
      join_nodes(a, left_child(at), b, bt);
      join_nodes(a, right_child(at), b, bt);
    } else {
      join_nodes(a, at, b, left_child(bt));
      join_nodes(a, at, b, right_child(bt));
    }
  }

 private:
  // Whether all rows of a node are within the radius of each other; they are joined then.
  bool is_near(Tree const& tree, KDNode node) {
    T const* const box = tree.part.box + node.id * 2 * tree.part.cols;
    if (!boxes_.all_within(box, box)) return false;
    std::size_t const from = node.leaf * tree.part.leaf_size;
    std::size_t const to = std::min(from + node.leaves * tree.part.leaf_size, tree.part.rows);
    std::int64_t first = kNoCore;
    for (std::size_t place = from; place < to; ++place) {
      std::int64_t const row = tree.part.row[place];
      if (core_[static_cast<std::size_t>(row)] == 0) continue;
      if (first < 0) first = row;
      sets_.join(first, row);
    }
    mark_below(tree, node);
    return true;
  }

  void mark_below(Tree const& tree, KDNode node) {
    if (node.leaves > 1) {
      mark_below(tree, left_child(node));
      mark_below(tree, right_child(node));
    }
    mark(tree, node);
  }

  // What stands for a node: its children may have been joined since it was marked.
  std::int64_t known(Tree const& tree, KDNode node) {
    if (tree.of_node[node.id] == kMixed && node.leaves > 1) mark(tree, node);
    return tree.of_node[node.id];
  }

  void mark(Tree const& tree, KDNode node) {
    std::int64_t common = kNoCore;
    auto const with = [&](std::int64_t row) {
      if (row == kNoCore || common == kMixed) return;
      if (row == kMixed || common == kNoCore)
        common = row;
      else if (sets_.root(common) != sets_.root(row))
        common = kMixed;
    };
    if (node.leaves > 1) {
      with(tree.of_node[left_child(node).id]);
      with(tree.of_node[right_child(node).id]);
    } else {
      std::size_t const from = node.leaf * tree.part.leaf_size;
      for (std::size_t i = 0; i < leaf_rows(tree.part, node.leaf); ++i)
        if (std::int64_t const row = tree.part.row[from + i];
            core_[static_cast<std::size_t>(row)] != 0)
          with(row);
    }
    tree.of_node[node.id] = common;
  }

  void join_leaves(Tree const& a, KDNode at, Tree const& b, KDNode bt) {
    std::size_t const count = leaf_rows(b.part, bt.leaf);
    std::uint32_t const* const row = a.part.row + at.leaf * a.part.leaf_size;
    std::uint32_t const* const others = b.part.row + bt.leaf * b.part.leaf_size;
    for (std::size_t i = 0; i < leaf_rows(a.part, at.leaf); ++i) {
      if (core_[row[i]] == 0) continue;
      read_row(a.part, at.leaf, i, query_.data());
      for (double& value : query_) value *= scale_;
      measure(b.part, bt.leaf, count);
      for (std::size_t j = 0; j < count; ++j)
        if (keys_[j] <= boxes_.bound() && core_[others[j]] != 0) sets_.join(row[i], others[j]);
    }
  }

  void measure(KDPartView<T> const& part, std::size_t leaf, std::size_t count) {
    T const* const values = leaf_values(part, leaf);
    if constexpr (N == Norm::minkowski) {
      for (std::size_t i = 0; i < count; ++i)
        keys_[i] = key_of<N>(p_, part.cols, [&](std::size_t j) {
          return std::abs(query_[j] - static_cast<double>(values[j * count + i]) * scale_);
        });
    } else {
      kd_kernels<T>().leaf_keys[static_cast<int>(N)](values, count, part.cols, query_.data(),
                                                     scale_, lane_.data(), keys_.data());
    }
  }

  Boxes<T, N> const& boxes_;
  double p_, scale_;
  std::span<std::uint8_t const> core_;
  DisjointSets sets_;
  std::vector<double> query_, lane_, keys_;
  std::size_t visited_ = 0;
};

template <class T>
double scale_of_rows(std::vector<KDPart<T>> const& parts, Minkowski metric) {
  std::vector<double> const zero(parts[0].cols);
  return scale_of(parts, zero.data(), metric);
}

template <class T, Norm N>
void join_parts(std::vector<KDPart<T>> const& parts, Minkowski metric, double radius,
                std::span<std::uint8_t const> core, std::span<std::int64_t> parent,
                std::size_t threads) {
  double const scale = scale_of_rows(parts, metric);
  Boxes<T, N> const boxes(metric, scale, radius, parts[0].cols);
  auto const make = [&] {
    return Joining<T, N>(boxes, metric, scale, core, parent, largest_leaf(parts), parts[0].cols);
  };
  std::vector<std::vector<std::int64_t>> of_node(parts.size());
  Joining<T, N> last = make();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    KDNode const root = root_of(parts[i].view());
    of_node[i].resize(2 * root.leaves);
    typename Joining<T, N>::Tree const tree{parts[i].view(), of_node[i]};
    Subtrees const subtrees(root);
    // Their rows, and so the parents that are written, are apart.
    parallel_for(subtrees.below.size(), threads, [&](std::size_t task, std::size_t) {
      make().join_below(tree, subtrees.below[task]);
    });
    for (KDNode const node : subtrees.above) last.join_children(tree, node);
    for (std::size_t before = 0; before < i; ++before)
      last.join_nodes({parts[before].view(), of_node[before]}, root_of(parts[before].view()), tree,
                      root);
  }
}

}  // namespace

template <class T>
void find_core_rows(std::vector<KDPart<T>> const& parts, Minkowski metric, double radius,
                    std::size_t least, std::span<std::uint8_t> core, std::size_t threads) {
  require(core.size() == parts.back().first + parts.back().rows, "one mark per row is needed");
  double const scale = scale_of_rows(parts, metric);
  with_norm(metric.norm, [&](auto norm) {
    for (KDPart<T> const& part : parts) {
      Subtrees const subtrees(root_of(part.view()));
      parallel_for(subtrees.below.size(), threads, [&](std::size_t task, std::size_t) {
        CoreSearch<T, norm> search(parts, metric, scale, radius, least, core);
        search.look(part.view(), subtrees.below[task]);
      });
    }
  });
}

template <class T>
void find_components(std::vector<KDPart<T>> const& parts, Minkowski metric, double radius,
                     std::span<std::uint8_t const> core, std::span<std::int64_t> parent,
                     std::size_t threads) {
  std::size_t const rows = parts.back().first + parts.back().rows;
  require(core.size() == rows && parent.size() == rows, "one mark and parent per row is needed");
  std::iota(parent.begin(), parent.end(), 0);
  with_norm(metric.norm,
            [&](auto norm) { join_parts<T, norm>(parts, metric, radius, core, parent, threads); });
  DisjointSets sets(parent);
  for (std::size_t row = 0; row < rows; ++row) sets.root(static_cast<std::int64_t>(row));
}

#define LOOKALIKE_CORE_ROWS(T)                                                                \
  template void find_core_rows(std::vector<KDPart<T>> const&, Minkowski, double, std::size_t, \
                               std::span<std::uint8_t>, std::size_t);                         \
  template void find_components(std::vector<KDPart<T>> const&, Minkowski, double,             \
                                std::span<std::uint8_t const>, std::span<std::int64_t>,       \
                                std::size_t);
LOOKALIKE_CORE_ROWS(float)
LOOKALIKE_CORE_ROWS(double)
#undef LOOKALIKE_CORE_ROWS

}  // namespace lookalike
