// Calls kernels with arrays whose numbers are read from bytes: what is wrong must be refused, and
// nothing else may happen. Shared by the fuzz target and by the test that draws bytes itself.
#pragma once
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

#include "core/bounds.hpp"
#include "density/components.hpp"
#include "distance/pair_keys.hpp"
#include "distance/pairs.hpp"
#include "forest/forest.hpp"
#include "layout/tsne.hpp"
#include "layout/umap.hpp"
#include "lsh/lsh.hpp"
#include "neighbors/donors.hpp"
#include "neighbors/leave_one_out.hpp"
#include "neighbors/votes.hpp"
#include "stats/mutual_information.hpp"

namespace lookalike {

// Numbers from bytes: mostly small, some far out of any array.
class FuzzBytes {
 public:
  explicit FuzzBytes(std::span<std::uint8_t const> bytes) : bytes_(bytes) {}

  std::size_t below(std::size_t count) { return next() % count; }

  template <class T = std::int64_t>
  T number(std::size_t usual) {
    std::size_t const kind = next();
    if (kind == 0) return std::numeric_limits<T>::min();
    if (kind == 1) return std::numeric_limits<T>::max();
    if (kind == 2) return static_cast<T>(-1);
    if (kind == 3) return static_cast<T>(usual);
    return static_cast<T>(next() % std::max<std::size_t>(usual, 1));
  }

  template <class T = std::int64_t>
  std::vector<T> numbers(std::size_t count, std::size_t usual) {
    std::vector<T> values(count);
    for (T& value : values) value = number<T>(usual);
    return values;
  }

  std::vector<std::int64_t> starts(std::size_t count, std::size_t end) {
    std::vector<std::int64_t> values = numbers(count, end + 1);
    if (below(4) != 0) {
      values = {};
      for (std::size_t i = 0; i <= count; ++i)
        values.push_back(static_cast<std::int64_t>(end * i / std::max<std::size_t>(count, 1)));
    }
    return values;
  }

  template <class T>
  std::vector<T> values(std::size_t count) {
    std::vector<T> drawn(count);
    for (T& value : drawn) value = static_cast<T>(next()) / 16;
    return drawn;
  }

 private:
  std::size_t next() { return at_ < bytes_.size() ? bytes_[at_++] : 128; }

  std::span<std::uint8_t const> bytes_;
  std::size_t at_ = 0;
};

template <class T>
View<T> matrix_of(std::vector<std::remove_const_t<T>>& values, std::size_t rows) {
  std::size_t const cols = rows == 0 ? 0 : values.size() / rows;
  return {values.data(), rows, cols, cols};
}

inline void fuzz_votes(FuzzBytes& bytes) {
  std::size_t const queries = 1 + bytes.below(3), width = 1 + bytes.below(4);
  std::size_t const rows = 1 + bytes.below(6);
  auto distance = bytes.values<double>(queries * width);
  auto row = bytes.numbers(queries * width, rows);
  auto const own = bytes.numbers(bytes.below(2) * queries, rows);
  auto const part = bytes.numbers(bytes.below(2) * rows, 3);
  auto const weight = bytes.values<double>(bytes.below(2) * rows);
  auto const copies = bytes.values<double>(bytes.below(2) * rows);
  std::size_t const room = width + (copies.empty() ? 0 : 1);
  std::vector<double> near(queries * room), counts(weight.empty() ? 0 : queries * room);
  std::vector<std::int64_t> voter(queries * room), length(queries);
  gather_voters({matrix_of<double const>(distance, queries),
                 matrix_of<std::int64_t const>(row, queries), own, part, weight, copies},
                1,
                {matrix_of<double>(near, queries), matrix_of<std::int64_t>(voter, queries),
                 matrix_of<double>(counts, counts.empty() ? 0 : queries), length});
}

inline void fuzz_count(FuzzBytes& bytes) {
  std::size_t const queries = 1 + bytes.below(3), width = 1 + bytes.below(4);
  std::size_t const rows = 1 + bytes.below(6), classes = 1 + bytes.below(4), ks = 1;
  auto distance = bytes.values<double>(queries * width);
  auto row = bytes.numbers(queries * width, rows);
  auto const length = bytes.numbers(queries, width + 1), code = bytes.numbers(rows, classes);
  auto const truth = bytes.numbers(bytes.below(2) * queries, classes);
  auto const ratio = bytes.values<double>(classes), prior = bytes.values<double>(classes);
  auto k = bytes.values<double>(ks);
  std::vector<std::int64_t> winner(queries), size(queries);
  auto const tied = std::make_unique<bool[]>(queries);
  auto const ties = static_cast<TieRule>(bytes.below(4));
  count_votes(
      {matrix_of<double const>(distance, queries),
       matrix_of<std::int64_t const>(row, queries),
       {},
       length},
      {code, ratio, prior, static_cast<VoteWeight>(bytes.below(2)), ties, bytes.below(2) == 0},
      {k.data(), ks, 1, 1}, truth, 1,
      {{winner.data(), ks, queries, queries},
       {size.data(), ks, queries, queries},
       {tied.get(), ks, queries, queries},
       {}});
}

inline void fuzz_leave_one_out(FuzzBytes& bytes) {
  std::size_t const features = 1 + bytes.below(4), rows = 1 + bytes.below(6);
  std::size_t const classes = 1 + bytes.below(3), k = bytes.below(7);
  auto columns = bytes.values<double>(features * rows);
  auto const chosen = bytes.numbers(bytes.below(3), features);
  auto const candidates = bytes.numbers(bytes.below(3), features);
  auto const code = bytes.numbers(rows, classes);
  std::vector<double> prediction(candidates.size() * rows);
  auto const change = bytes.below(2) == 0 ? SetChange::add : SetChange::remove;
  leave_one_out_classes({matrix_of<double const>(columns, features), chosen, candidates, change},
                        code, classes, k, 1, {prediction.data(), candidates.size(), rows, rows});
}

inline void fuzz_forest(FuzzBytes& bytes) {
  std::size_t const queries = 1 + bytes.below(2), trees = 1 + bytes.below(3);
  std::size_t const leaves = 1 + bytes.below(3), rows = 1 + bytes.below(5);
  auto leaf = bytes.numbers<std::int32_t>(queries * trees, leaves);
  auto const row = bytes.numbers<std::int32_t>(1 + bytes.below(5), rows);
  auto const start = bytes.starts(leaves, row.size());
  auto const drawn = bytes.numbers<std::uint16_t>(row.size(), 3);
  auto const inverse = bytes.values<double>(leaves);
  LeafRows const members{start, row, drawn, {}, inverse};
  View<std::int32_t const> const of_query = matrix_of<std::int32_t const>(leaf, queries);
  if (bytes.below(2) == 0) {
    forest_weights(of_query, members, rows, 1);
    return;
  }
  auto const exclude = bytes.numbers(bytes.below(2) * queries, rows);
  std::size_t const k = 1 + bytes.below(3);
  std::vector<std::int32_t> shared(queries * k);
  std::vector<std::int64_t> near(queries * k);
  most_shared_leaves(of_query, members, rows, exclude, 1, matrix_of<std::int32_t>(shared, queries),
                     matrix_of<std::int64_t>(near, queries));
}

inline void fuzz_trees(FuzzBytes& bytes) {
  std::size_t const rows = 1 + bytes.below(3), cols = 1 + bytes.below(3);
  std::size_t const nodes = 1 + bytes.below(7), trees = 1 + bytes.below(2);
  std::vector<TreeNode> node(nodes);
  for (TreeNode& one : node) {
    auto const feature = bytes.number<std::int32_t>(cols);
    one = {bytes.below(3) == 0 ? feature | missing_left : feature,
           bytes.number<std::int32_t>(nodes), bytes.number<std::int32_t>(nodes)};
  }
  auto const root = bytes.numbers(trees, nodes);
  auto X = bytes.values<float>(rows * cols);
  std::vector<std::int32_t> leaf(rows * trees);
  find_leaves({node, root}, matrix_of<float const>(X, rows), 1,
              matrix_of<std::int32_t>(leaf, rows));
  auto value = bytes.values<double>(2);
  std::vector<double> mean(rows);
  mean_leaf_values({node, root}, matrix_of<float const>(X, rows), matrix_of<double const>(value, 2),
                   1, matrix_of<double>(mean, rows));
}

inline void fuzz_buckets(FuzzBytes& bytes) {
  std::size_t const tables = 1 + bytes.below(2), rows = 1 + bytes.below(5), cols = 2, starts = 3;
  auto X = bytes.values<double>(rows * cols), Q = bytes.values<double>(cols);
  auto bucket = bytes.numbers<std::uint64_t>(tables * rows, 3);
  auto row = bytes.numbers(tables * rows, rows), start = bytes.numbers(tables * starts, rows + 1);
  auto wanted = bytes.numbers<std::uint64_t>(tables, 3);
  std::vector<double> distance(1);
  std::vector<std::int64_t> near(1), candidates(1);
  hash_nearest<double>(
      matrix_of<double const>(X, rows),
      {matrix_of<std::uint64_t const>(bucket, tables), matrix_of<std::int64_t const>(row, tables),
       matrix_of<std::int64_t const>(start, tables)},
      {matrix_of<double const>(Q, 1), matrix_of<std::uint64_t const>(wanted, 1), {}},
      KeyForm::squared, true, {matrix_of<double>(distance, 1), matrix_of<std::int64_t>(near, 1)},
      candidates, 1);
}

inline void fuzz_pairs(FuzzBytes& bytes) {
  std::size_t const queries = 1 + bytes.below(2), rows = 1 + bytes.below(4), cols = 3;
  auto Q = bytes.values<double>(queries * cols), X = bytes.values<double>(rows * cols);
  auto row = bytes.numbers(queries * 2, rows);
  std::vector<double> key(queries * 2);
  pair_keys(AnyRows(matrix_of<double const>(Q, queries)), AnyRows(matrix_of<double const>(X, rows)),
            matrix_of<std::int64_t const>(row, queries), 1, matrix_of<double>(key, queries));
}

inline void fuzz_sparse(FuzzBytes& bytes) {
  std::size_t const rows = 1 + bytes.below(3), cols = 1 + bytes.below(9), stored = bytes.below(6);
  auto const column = bytes.numbers<std::int32_t>(stored, cols);
  auto const value = bytes.values<double>(stored);
  auto const start = bytes.starts(rows, stored);
  std::vector<double> out(stored), norm(rows);
  require(start.size() == rows + 1, "rows are not those of the sums");
  SparseRows const sparse{start, column, value, cols};
  std::vector<double> key(rows);
  std::vector<std::int64_t> near(rows);
  auto const pairs = sparse_pairs(sparse, sparse, MetricForm::squared);
  scan_nearest(*pairs, {}, 1, {key.data(), rows, 1, 1}, {near.data(), rows, 1, 1});
}

inline void fuzz_layout(FuzzBytes& bytes) {
  std::size_t const rows = 2 + bytes.below(4), edges = bytes.below(8);
  auto const row = bytes.numbers<std::int32_t>(edges, rows);
  auto const start = bytes.starts(rows, edges);
  auto const weight = bytes.values<float>(edges);
  auto position = bytes.values<double>(2 * rows);
  umap_epoch({start, row, weight}, {1.0, 1.0, 2, 3}, 1, 0.5, matrix_of<double>(position, rows), 1);
}

inline void fuzz_information(FuzzBytes& bytes) {
  std::size_t const rows = bytes.below(7), classes = bytes.below(4);
  auto columns = bytes.values<double>(rows);
  auto const code = bytes.numbers(rows, classes);
  std::vector<double> out(2);
  mutual_information_with_classes({columns.data(), 1, rows, rows}, code, classes, 3, 1,
                                  {out.data(), 1, 2, 2});
}

inline void fuzz_components(FuzzBytes& bytes) {
  std::size_t const rows = 1 + bytes.below(6), queries = bytes.below(4), near = bytes.below(8);
  auto const query = bytes.numbers(queries, rows), row = bytes.numbers(near, rows);
  auto const start = bytes.starts(queries, near), label = bytes.numbers(rows, rows);
  auto const core = bytes.numbers<std::uint8_t>(rows, 2);
  auto parent = bytes.numbers(rows, rows);
  std::vector<std::int64_t> least(queries);
  if (bytes.below(2) == 0) {
    least_labels({query, start, row}, label, least);
    return;
  }
  if (bytes.below(2) == 0) std::iota(parent.begin(), parent.end(), 0);
  join_core_rows({query, start, row}, core, parent);
}

inline void fuzz_donors(FuzzBytes& bytes) {
  std::size_t const rows = 1 + bytes.below(5), cols = 1 + bytes.below(4);
  std::size_t const queries = 1 + bytes.below(3), missing = bytes.below(5), k = 1 + bytes.below(3);
  auto X = bytes.values<double>(rows * cols), Q = bytes.values<double>(queries * cols);
  auto const column = bytes.numbers(missing, cols), start = bytes.starts(queries, missing);
  std::vector<double> key(missing * k);
  std::vector<std::int64_t> row(missing * k);
  nearest_donors(matrix_of<double const>(Q, queries), matrix_of<double const>(X, rows),
                 {start, column}, 1, {{key.data(), missing, k, k}, {row.data(), missing, k, k}});
}

inline void call_kernels(std::span<std::uint8_t const> data) {
  FuzzBytes bytes(data);
  constexpr void (*kernels[])(FuzzBytes&) = {
      fuzz_votes,  fuzz_count,  fuzz_leave_one_out, fuzz_forest, fuzz_buckets,    fuzz_pairs,
      fuzz_sparse, fuzz_layout, fuzz_information,   fuzz_trees,  fuzz_components, fuzz_donors};
  try {
    kernels[bytes.below(std::size(kernels))](bytes);
  } catch (std::invalid_argument const&) {
    return;  // refused
  }
}

}  // namespace lookalike
