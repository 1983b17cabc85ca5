// Spanning trees by lists, by a KD-tree and by passes over all pairs, against Kruskal's algorithm.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "core/random.hpp"
#include "density/cluster_tree.hpp"
#include "density/spanning_forest.hpp"
#include "kdtree/kdtree.hpp"

using namespace lookalike;

struct Problem {
  Problem(std::size_t n, std::size_t d, std::size_t levels)
      : rows(n), cols(d), values(n * d), distance(n * n), core(n) {
    Random random(n + d);
    for (double& value : values)
      value = levels > 0
                  ? static_cast<double>(random.below(levels))
                  : static_cast<double>(random.below(4096)) / 64.0;  // whose squares are exact
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        double sum = 0.0;
        for (std::size_t c = 0; c < d; ++c) {
          double const gap = values[i * d + c] - values[j * d + c];
          sum += gap * gap;
        }
        distance[i * n + j] = std::sqrt(sum);
      }
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<double> far(distance.begin() + static_cast<std::ptrdiff_t>(i * n),
                              distance.begin() + static_cast<std::ptrdiff_t>((i + 1) * n));
      std::sort(far.begin(), far.end());
      core[i] = far[3];
    }
  }
  std::vector<Edge> tree() const {
    SpanningForest forest(core, 1.0);
    std::vector<Edge> all;
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = i + 1; j < rows; ++j)
        all.push_back(Edge::of(forest.weight(i, j, distance[i * rows + j]),
                               static_cast<std::int64_t>(i), static_cast<std::int64_t>(j)));
    forest.join(all);
    return sorted(forest);
  }
  static std::vector<Edge> sorted(SpanningForest const& forest) {
    std::vector<Edge> edges(forest.edges().begin(), forest.edges().end());
    std::sort(edges.begin(), edges.end());
    return edges;
  }

  std::size_t rows, cols;
  std::vector<double> values, distance, core;
};

void check_same(std::vector<Edge> const& a, std::vector<Edge> const& b) {
  CHECK(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(!(a[i] < b[i]) && !(b[i] < a[i]));
}

void check_forest(std::size_t n, std::size_t d, std::size_t levels, std::size_t k) {
  Problem const problem(n, d, levels);
  auto const expected = problem.tree();
  CHECK(expected.size() == n - 1);
  KDTree<double> const tree({problem.values.data(), n, d, d}, {8, false, 0}, 2);
  std::vector<double> far(n * k);
  std::vector<std::int64_t> row(n * k), order(n);
  NeighborTable const lists{{far.data(), n, k, k}, {row.data(), n, k, k}};
  tree.nearest_of_rows({{Norm::euclidean, 2.0}}, lists, 2);

  SpanningForest by_tree(problem.core, 1.0);
  by_tree.join_listed(lists);
  tree.span(by_tree, lists, {Norm::euclidean, 2.0}, 3);
  check_same(Problem::sorted(by_tree), expected);

  std::iota(order.rbegin(), order.rend(), 0);
  SpanningForest by_pass(problem.core, 1.0);
  while (by_pass.components() > 1) {
    ForestPass pass(by_pass, order, 3);
    std::vector<double> block(n * n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        block[i * n + j] = problem.distance[(n - 1 - i) * n + (n - 1 - j)];
    pass.offer_distances({block.data(), n, n, n}, 0, 0);
    pass.finish();
  }
  check_same(Problem::sorted(by_pass), expected);

  std::vector<std::int64_t> a, b, left(n - 1), right(n - 1);
  std::vector<double> height, size(n - 1);
  std::vector<double> const weight(n, 1.0);
  for (Edge const& edge : expected) {
    a.push_back(edge.low);
    b.push_back(edge.high);
    height.push_back(edge.weight);
  }
  merge_rows(a, b, weight, {left, right, size});
  CHECK(size.back() == static_cast<double>(n));
  CondensedTree const condensed = condense(left, right, height, size, weight, 5.0);
  std::size_t fallen = 0;
  for (std::int64_t const child : condensed.child) fallen += child < static_cast<std::int64_t>(n);
  CHECK(fallen == n);
  right[n - 2] = left[n - 2];
  bool refused = false;
  try {
    condense(left, right, height, size, weight, 5.0);
  } catch (std::invalid_argument const&) {
    refused = true;
  }
  CHECK(refused);
}

int main() {
  check_forest(300, 3, 0, 5);
  check_forest(200, 2, 6, 4);
  check_forest(1300, 2, 0, 4);
  return 0;
}
