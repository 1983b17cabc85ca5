#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/parallel.hpp"
#include "kdtree/median.hpp"
#include "kdtree/part.hpp"

namespace lookalike {
namespace {

constexpr std::size_t kSample = 32;  // rows that choose the column of a split
constexpr std::size_t kLocalValues = 1
                                     << 15;  // a subtree this small is built on a copy of its rows
constexpr std::size_t kTaskRows = 1 << 12;   // smaller nodes are not worth a task

template <class T>
class Builder {
 public:
  Builder(View<T const> X, KDTreeShape shape, KDPart<T>& part)
      : X_(X), shape_(shape), part_(part), order_(X.rows), scratch_(X.rows) {}

  void run(std::size_t threads) {
    for (std::size_t i = 0; i < X_.rows; ++i) order_[i] = static_cast<std::uint32_t>(i);
    std::vector<KDNode> top, level{root_of(part_.view())};
    while (level.size() < 4 * threads && rows_of(level[0]) > kTaskRows) {
      parallel_for(level.size(), threads,
                   [&](std::size_t i, std::size_t) { split(X_, level[i], order_of(level[i])); });
      std::vector<KDNode> next;
      for (KDNode const node : level) {
        top.push_back(node);
        next.push_back(left_child(node));
        next.push_back(right_child(node));
      }
      level.swap(next);
    }
    parallel_for(level.size(), threads,
                 [&](std::size_t i, std::size_t) { grow(X_, level[i], order_of(level[i])); });
    for (std::size_t i = top.size(); i-- > 0;) join(top[i]);
    for (std::size_t j = 0; j < 2 * X_.cols; ++j)
      part_.largest = std::max(part_.largest, std::abs(static_cast<double>(part_.box[j])));
  }

 private:
  std::size_t first_of(KDNode node) const { return node.leaf * shape_.leaf_size; }
  std::size_t rows_of(KDNode node) const {
    return std::min(X_.rows - first_of(node), node.leaves * shape_.leaf_size);
  }
  std::uint32_t* order_of(KDNode node) { return order_.data() + first_of(node); }

  // Builds all below `node`; `order` lists its rows as numbers of rows of `rows`.
  void grow(View<T const> rows, KDNode node, std::uint32_t* order) {
    std::size_t const count = rows_of(node);
    if (rows.data == X_.data && count * X_.cols <= kLocalValues) {
      grow_locally(node, order, count);
      return;
    }
    subtree(rows, node, order, order);
  }

  void subtree(View<T const> rows, KDNode node, std::uint32_t* order, std::uint32_t const* names) {
    if (node.leaves == 1) {
      fill_leaf(rows, node, order, names);
      return;
    }
    split(rows, node, order);
    std::uint32_t* const right = order + left_leaves(node) * shape_.leaf_size;
    if (names == order) {
      grow(rows, left_child(node), order);
      grow(rows, right_child(node), right);
    } else {
      subtree(rows, left_child(node), order, names);
      subtree(rows, right_child(node), right, names);
    }
    join(node);
  }

  // Rows that are looked at again on every level are brought together first.
  void grow_locally(KDNode node, std::uint32_t const* order, std::size_t count) {
    checkpoint();
    std::vector<T> copy(count * X_.cols);
    std::vector<std::uint32_t> local(count);
    for (std::size_t i = 0; i < count; ++i) {
      std::ranges::copy(X_[order[i]], copy.begin() + static_cast<std::ptrdiff_t>(i * X_.cols));
      local[i] = static_cast<std::uint32_t>(i);
    }
    subtree({copy.data(), count, X_.cols, X_.cols}, node, local.data(), order);
  }

  void split(View<T const> rows, KDNode node, std::uint32_t* order) {
    checkpoint();
    std::size_t const count = rows_of(node);
    std::size_t const rank = left_leaves(node) * shape_.leaf_size;
    std::size_t const column = choose_column(rows, node, order, count);
    Tagged<T>* const scratch = scratch_.data() + first_of(node);
    for (std::size_t i = 0; i < count; ++i)
      scratch[i] = Tagged<T>(rows.data[order[i] * rows.stride + column], order[i]);
    select(scratch, count, rank);
    for (std::size_t i = 0; i < count; ++i) order[i] = scratch[i].id();
    part_.split_column[node.id] = static_cast<std::uint32_t>(column);
    part_.split_value[node.id] = rows.data[order[rank] * rows.stride + column];
  }

  // The column of largest variance in a sample of the node, or a random one that varies in it.
  std::size_t choose_column(View<T const> rows, KDNode node, std::uint32_t const* order,
                            std::size_t count) const {
    if (X_.cols == 1) return 0;
    std::size_t const sample = std::min(kSample, count);
    Random random(shape_.seed + node.id);
    std::uint32_t picked[kSample];
    for (std::size_t i = 0; i < sample; ++i)
      picked[i] = order[sample == count ? i : random.below(count)];
    std::size_t best = 0;
    double most = -1.0;
    for (std::size_t j = 0; j < X_.cols; ++j) {
      double const spread = spread_of(rows, picked, sample, j);
      double const score = shape_.random_split && spread > 0.0 ? random.unit() : spread;
      if (score > most) {
        most = score;
        best = j;
      }
    }
    return best;
  }

  // The square root of the scatter: comparable between columns at 1e200 and at 1e-200 too.
  static double spread_of(View<T const> rows, std::uint32_t const* picked, std::size_t count,
                          std::size_t column) {
    auto const gap = [&](std::size_t i) {  // halved: the largest doubles must not overflow
      return 0.5 * static_cast<double>(rows.data[picked[i] * rows.stride + column]) -
             0.5 * static_cast<double>(rows.data[picked[0] * rows.stride + column]);
    };
    auto const scatter = [&](double unit) {
      double sum = 0.0, squares = 0.0;
      for (std::size_t i = 0; i < count; ++i) {
        double const part = gap(i) * unit;
        sum += part;
        squares += part * part;
      }
      return squares - sum / static_cast<double>(count) * sum;
    };
    double const plain = scatter(1.0);
    if (plain > 0x1p-900 && plain < 0x1p1000) return std::sqrt(plain);
    double most = 0.0;
    for (std::size_t i = 0; i < count; ++i) most = std::max(most, std::abs(gap(i)));
    if (most == 0.0) return 0.0;
    int const exponent = std::min(std::ilogb(most), 1000);
    return std::ldexp(std::sqrt(scatter(std::ldexp(1.0, std::min(-exponent, 1000)))), exponent);
  }

  void fill_leaf(View<T const> rows, KDNode node, std::uint32_t const* order,
                 std::uint32_t const* names) {
    std::size_t const count = rows_of(node);
    T* const out = part_.values.data() + first_of(node) * X_.cols;
    T* const box = part_.box.data() + node.id * 2 * X_.cols;
    for (std::size_t j = 0; j < X_.cols; ++j) {
      T least = std::numeric_limits<T>::infinity(), most = -least;
      for (std::size_t i = 0; i < count; ++i) {
        T const value = rows.data[order[i] * rows.stride + j];
        out[j * count + i] = value;
        least = std::min(least, value);
        most = std::max(most, value);
      }
      box[j] = least;
      box[X_.cols + j] = most;
    }
    std::uint32_t* const row = part_.row.data() + first_of(node);
    std::uint32_t least_row = std::numeric_limits<std::uint32_t>::max();
    for (std::size_t i = 0; i < count; ++i) {
      std::uint32_t const name = names == order ? order[i] : names[order[i]];
      row[i] = static_cast<std::uint32_t>(part_.first) + name;
      least_row = std::min(least_row, row[i]);
    }
    part_.least_row[node.id] = least_row;
  }

  void join(KDNode node) {
    T* const box = part_.box.data() + node.id * 2 * X_.cols;
    T const* const left = part_.box.data() + left_child(node).id * 2 * X_.cols;
    T const* const right = part_.box.data() + right_child(node).id * 2 * X_.cols;
    for (std::size_t j = 0; j < X_.cols; ++j) {
      box[j] = std::min(left[j], right[j]);
      box[X_.cols + j] = std::max(left[X_.cols + j], right[X_.cols + j]);
    }
    part_.least_row[node.id] =
        std::min(part_.least_row[left_child(node).id], part_.least_row[right_child(node).id]);
  }

  View<T const> X_;
  KDTreeShape shape_;
  KDPart<T>& part_;
  Lines<std::uint32_t> order_;
  Lines<Tagged<T>> scratch_;
};

}  // namespace

template <class T>
KDPart<T> build_kdpart(View<T const> X, std::size_t first, KDTreeShape shape, std::size_t threads) {
  KDPart<T> part;
  part.rows = X.rows;
  part.cols = X.cols;
  part.leaf_size = std::min(shape.leaf_size, X.rows);
  shape.leaf_size = part.leaf_size;
  part.first = first;
  std::size_t const nodes = 2 * root_of(part.view()).leaves - 1;
  part.values.resize(X.rows * X.cols + KDPart<T>::kPadding);
  part.row.resize(X.rows);
  part.box.resize(nodes * 2 * X.cols);
  part.least_row.resize(nodes);
  part.split_column.resize(nodes);
  part.split_value.resize(nodes);
  std::fill(part.values.end() - KDPart<T>::kPadding, part.values.end(), T{0});
  Builder<T>(X, shape, part).run(threads == 0 ? default_threads() : threads);
  return part;
}

template KDPart<float> build_kdpart(View<float const>, std::size_t, KDTreeShape, std::size_t);
template KDPart<double> build_kdpart(View<double const>, std::size_t, KDTreeShape, std::size_t);

}  // namespace lookalike
