#include "density/cluster_tree.hpp"

#include <limits>
#include <numeric>
#include <utility>

#include "core/bounds.hpp"
#include "core/parallel.hpp"
#include "density/components.hpp"

namespace lookalike {

void merge_rows(std::span<std::int64_t const> a, std::span<std::int64_t const> b,
                std::span<double const> weight, Merges out) {
  std::size_t const rows = weight.size();
  require(rows > 0 && a.size() + 1 == rows && b.size() == a.size() && out.left.size() == a.size() &&
              out.right.size() == a.size() && out.size.size() == a.size(),
          "a tree has one edge less than rows");
  require_places(a, rows, "an edge has no row");
  require_places(b, rows, "an edge has no row");
  std::vector<std::int64_t> parent(rows), node(rows);
  std::iota(parent.begin(), parent.end(), 0);
  std::iota(node.begin(), node.end(), 0);  // of each root, the merge that made its component
  std::vector<double> total(weight.begin(), weight.end());
  DisjointSets sets(parent);
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::int64_t low = sets.root(a[i]), high = sets.root(b[i]);
    require(low != high, "the edges are not those of a tree");
    if (high < low) std::swap(low, high);
    auto const at = static_cast<std::size_t>(low), other = static_cast<std::size_t>(high);
    out.left[i] = node[at];
    out.right[i] = node[other];
    total[at] += total[other];
    out.size[i] = total[at];
    sets.join(low, high);  // the smaller row is the root
    node[at] = static_cast<std::int64_t>(rows + i);
  }
}

CondensedTree condense(std::span<std::int64_t const> left, std::span<std::int64_t const> right,
                       std::span<double const> height, std::span<double const> size,
                       std::span<double const> weight, double least) {
  std::size_t const merges = left.size(), rows = weight.size();
  require(rows == merges + 1 && right.size() == merges && height.size() == merges &&
              size.size() == merges && merges > 0,
          "a tree has one merge less than rows");
  std::vector<char> used(rows + merges);
  for (std::size_t i = 0; i < merges; ++i)
    for (std::int64_t const side : {left[i], right[i]}) {  // a row or an earlier merge, once
      require(is_place(side, rows + i) && used[static_cast<std::size_t>(side)] == 0,
              "a merge has no sides");
      used[static_cast<std::size_t>(side)] = 1;
    }
  CondensedTree tree;
  auto const weight_of = [&](std::int64_t node) {
    auto const at = static_cast<std::size_t>(node);
    return at < rows ? weight[at] : size[at - rows];
  };
  auto const add = [&](std::int64_t parent, std::int64_t child, double lambda, double of_child) {
    tree.parent.push_back(parent);
    tree.child.push_back(child);
    tree.lambda.push_back(lambda);
    tree.size.push_back(of_child);
  };
  std::vector<std::int64_t> below;
  auto const drop = [&](std::int64_t parent, std::int64_t node, double lambda) {
    below.assign(1, node);
    while (!below.empty()) {
      auto const at = static_cast<std::size_t>(below.back());
      below.pop_back();
      if (at < rows) {
        add(parent, static_cast<std::int64_t>(at), lambda, weight[at]);
      } else {
        below.push_back(right[at - rows]);
        below.push_back(left[at - rows]);
      }
    }
  };
  struct Waiting {
    std::int64_t node, cluster;
  };
  auto next = static_cast<std::int64_t>(rows);
  std::vector<Waiting> level{{static_cast<std::int64_t>(rows + merges - 1), next++}};
  while (!level.empty()) {  // level after level, so that clusters are numbered from the root down
    checkpoint();
    std::vector<Waiting> lower;
    for (auto const [node, cluster] : level) {
      auto const at = static_cast<std::size_t>(node);
      if (at < rows) {  // a row that weighs as much as a cluster: it never falls apart
        add(cluster, node, std::numeric_limits<double>::infinity(), weight[at]);
        continue;
      }
      double const far = height[at - rows];
      double const lambda = far > 0.0 ? 1.0 / far : std::numeric_limits<double>::infinity();
      std::int64_t const sides[] = {left[at - rows], right[at - rows]};
      bool const keeps[] = {weight_of(sides[0]) >= least, weight_of(sides[1]) >= least};
      for (int side = 0; side < 2; ++side) {
        if (!keeps[side]) {
          drop(cluster, sides[side], lambda);
        } else if (keeps[1 - side]) {
          add(cluster, next, lambda, weight_of(sides[side]));
          lower.push_back({sides[side], next++});
        } else {
          lower.push_back({sides[side], cluster});
        }
      }
    }
    level = std::move(lower);
  }
  return tree;
}

}  // namespace lookalike
