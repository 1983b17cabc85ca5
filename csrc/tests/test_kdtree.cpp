// The KD-tree against a plain scan: both value types, all norms, added rows, many threads.
#include <algorithm>
#include <cmath>
#include <vector>

#include "check.hpp"
#include "kdtree/kdtree.hpp"
#include "kdtree/median.hpp"

using namespace lookalike;

template <class T>
std::vector<T> random_values(std::size_t count, std::size_t levels, std::uint64_t seed) {
  Random random(seed);
  std::vector<T> values(count);
  for (T& value : values)
    value = levels > 0 ? static_cast<T>(random.below(levels)) : static_cast<T>(random.unit());
  return values;
}

template <class T>
std::vector<Neighbor> scan(View<T const> X, double const* query, Minkowski metric,
                           std::int64_t skip) {
  std::vector<Neighbor> all;
  for (std::size_t i = 0; i < X.rows; ++i)
    if (static_cast<std::int64_t>(i) != skip)
      all.push_back({with_norm(metric.norm,
                               [&](auto norm) {
                                 return key_of<norm>(metric.p, X.cols, [&](std::size_t j) {
                                   return std::abs(query[j] - static_cast<double>(X[i][j]));
                                 });
                               }),
                     static_cast<std::int64_t>(i)});
  std::sort(all.begin(), all.end());
  return all;
}

template <class T>
void check_tree(std::size_t n, std::size_t d, std::size_t k, std::size_t leaf_size,
                std::size_t levels, Minkowski metric) {
  auto const values = random_values<T>(n * d, levels, n + d);
  View<T const> const X{values.data(), n, d, d};
  KDTree<T> tree({values.data(), n / 2 + 1, d, d}, {leaf_size, levels > 0, 1}, 3);
  for (std::size_t i = n / 2 + 1; i < n; i += 7)
    tree.add({X[i].data(), std::min<std::size_t>(7, n - i), d, d}, 3);
  CHECK(tree.rows() == n);

  std::vector<double> distance(n * k);
  std::vector<std::int64_t> row(n * k);
  tree.nearest_of_rows({metric}, {{distance.data(), n, k, k}, {row.data(), n, k, k}}, 3);
  std::vector<double> queries(values.begin(), values.end());
  std::vector<double> const radius(n, 0.5);
  auto const within = tree.within({queries.data(), n, d, d}, radius, {}, metric, 3);
  for (std::size_t i = 0; i < n; ++i) {
    auto const expected = scan(X, queries.data() + i * d, metric, static_cast<std::int64_t>(i));
    for (std::size_t j = 0; j < k; ++j) {
      CHECK(row[i * k + j] == expected[j].row);
      CHECK(distance[i * k + j] == metric.distance(expected[j].key, 1.0));
    }
    auto const all = scan(X, queries.data() + i * d, metric, -1);
    auto const inside = std::count_if(all.begin(), all.end(), [&](Neighbor const& one) {
      return metric.distance(one.key, 1.0) <= 0.5;
    });
    CHECK(within.start[i + 1] - within.start[i] == inside);
  }
}

void check_select() {
  for (std::size_t const levels : {0, 1, 2, 50}) {
    auto const values = random_values<float>(5000, levels, 3);
    for (std::size_t const rank : {0, 1, 2499, 4998, 4999}) {
      std::vector<Tagged<float>> items;
      for (std::size_t i = 0; i < values.size(); ++i)
        items.emplace_back(values[i], static_cast<std::uint32_t>(i));
      auto sorted = items;
      std::sort(sorted.begin(), sorted.end());
      select(items.data(), items.size(), rank);
      CHECK(items[rank].id() == sorted[rank].id());
      for (std::size_t i = 0; i < items.size(); ++i) CHECK((items[i] < sorted[rank]) == (i < rank));
    }
  }
}

int main() {
  check_select();
  Minkowski const metrics[] = {{Norm::manhattan, 1.0},
                               {Norm::euclidean, 2.0},
                               {Norm::chebyshev, 0.0},
                               {Norm::minkowski, 3.0}};
  for (Minkowski const metric : metrics) {
    check_tree<float>(400, 3, 8, 16, 0, metric);
    check_tree<double>(200, 9, 40, 5, 0, metric);
    check_tree<float>(150, 2, 130, 16, 4, metric);
    check_tree<double>(60, 1, 3, 1, 3, metric);
  }
  return 0;
}
