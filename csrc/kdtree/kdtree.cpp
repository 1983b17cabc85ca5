#include "kdtree/kdtree.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <memory>
#include <numeric>
#include <utility>

#include "core/bounds.hpp"
#include "core/parallel.hpp"
#include "kdtree/core_rows.hpp"
#include "kdtree/packet_search.hpp"
#include "kdtree/spanning.hpp"

namespace lookalike {
namespace {

constexpr std::size_t kTaskQueries = 1 << 13;

// One PacketSearch a thread, made when the thread first needs it.
template <class T>
class PacketSearches {
 public:
  PacketSearches(std::vector<KDPart<T>> const& parts, KDRequest request, bool excluding,
                 NeighborTable out, std::size_t threads)
      : make_([=, &parts] {
          return std::make_unique<PacketSearch<T>>(parts, request, excluding, out);
        }),
        of_worker_(threads == 0 ? default_threads() : threads) {}
  PacketSearch<T>& operator[](std::size_t worker) {
    if (!of_worker_[worker]) of_worker_[worker] = make_();
    return *of_worker_[worker];
  }

 private:
  std::function<std::unique_ptr<PacketSearch<T>>()> make_;
  std::vector<std::unique_ptr<PacketSearch<T>>> of_worker_;
};

std::size_t queries_per_task(std::size_t queries, std::size_t threads, std::size_t lanes) {
  std::size_t const workers = threads == 0 ? default_threads() : threads;
  std::size_t const share = queries / (8 * workers) + 1;
  return (std::min(share, kTaskQueries) + lanes - 1) / lanes * lanes;
}

template <class T>
struct Leaf {
  T const* values;  // column after column
  std::uint32_t const* row;
  std::size_t rows;
  std::size_t first;  // the place of its first row
};

template <class T>
Leaf<T> find_leaf(std::vector<KDPart<T>> const& parts, std::size_t place) {
  std::size_t at = parts.size() - 1;
  while (parts[at].first > place) --at;
  KDPart<T> const& part = parts[at];
  std::size_t const leaf = (place - part.first) / part.leaf_size, before = leaf * part.leaf_size;
  auto const view = part.view();
  return {leaf_values(view, leaf), part.row.data() + before, leaf_rows(view, leaf),
          part.first + before};
}

template <class T>
void copy_rows_of(KDPart<T> const& part, View<T> X, std::size_t first) {  // row `first` to X[0]
  auto const view = part.view();
  for (std::size_t leaf = 0; leaf < root_of(view).leaves; ++leaf) {
    std::size_t const count = leaf_rows(view, leaf);
    T const* const values = leaf_values(view, leaf);
    for (std::size_t i = 0; i < count; ++i) {
      auto const out = X[part.row[leaf * part.leaf_size + i] - first];
      for (std::size_t j = 0; j < part.cols; ++j) out[j] = values[j * count + i];
    }
  }
}

template <class T>
std::uint32_t leaf_of(KDPart<T> const& part, std::span<double const> query) {
  KDNode node = root_of(part.view());
  while (node.leaves > 1) {
    bool const left =
        query[part.split_column[node.id]] < static_cast<double>(part.split_value[node.id]);
    node = left ? left_child(node) : right_child(node);
  }
  return node.leaf;
}

void require_queries(View<double const> Q, std::size_t cols, std::size_t excluded) {
  require(Q.cols == cols, "queries and rows differ in their number of columns");
  require(excluded == 0 || excluded == Q.rows, "one excluded row a query is needed");
}

void require_room(NeighborTable const& out, std::size_t queries, std::size_t most) {
  require(has_shape(out.distance, queries, out.row.cols) && out.row.rows == queries &&
              out.row.cols > 0 && out.row.cols <= most,
          "the neighbors have no place, or are more than the rows");
}

}  // namespace

template <class T>
KDTree<T>::KDTree(View<T const> X, KDTreeShape shape, std::size_t threads) : shape_(shape) {
  parts_.push_back(build_kdpart(X, 0, shape, threads));
}

template <class T>
void KDTree<T>::add(View<T const> X, std::size_t threads) {
  std::size_t joined = parts_.size();
  std::size_t first = rows();
  while (joined > 0 && parts_[joined - 1].rows <= 2 * (rows() - first + X.rows))
    first = parts_[--joined].first;
  std::size_t const total = rows() - first + X.rows;
  std::vector<T> copy(total * X.cols);
  for (std::size_t i = joined; i < parts_.size(); ++i)
    copy_rows_of(parts_[i], {copy.data(), total, X.cols, X.cols}, first);
  for (std::size_t i = 0; i < X.rows; ++i)
    std::ranges::copy(X[i], copy.end() - static_cast<std::ptrdiff_t>((X.rows - i) * X.cols));
  KDPart<T> part = build_kdpart<T>({copy.data(), total, X.cols, X.cols}, first, shape_, threads);
  parts_.resize(joined);
  parts_.push_back(std::move(part));
}

template <class T>
std::size_t KDTree<T>::depth() const {
  std::size_t depth = 0;
  for (KDPart<T> const& part : parts_)
    depth = std::max<std::size_t>(depth, std::bit_width(root_of(part.view()).leaves - 1));
  return depth;
}

template <class T>
void KDTree<T>::copy_rows(View<T> X) const {
  require(has_shape(X, rows(), cols()), "the rows have no place");
  for (KDPart<T> const& part : parts_) copy_rows_of(part, X, 0);
}

template <class T>
void KDTree<T>::copy_nodes(std::span<std::int64_t> column, std::span<double> value,
                           std::span<std::int64_t> row) const {
  KDPart<T> const& part = parts_.front();
  require(column.size() == nodes() && value.size() == nodes() && row.size() == part.rows,
          "the nodes have no place");
  std::ranges::copy(part.split_column, column.begin());
  std::ranges::copy(part.split_value, value.begin());
  std::ranges::copy_n(part.row.begin(), static_cast<std::ptrdiff_t>(part.rows), row.begin());
}

template <class T>
std::vector<std::size_t> KDTree<T>::tree_order(View<double const> Q, std::size_t threads) const {
  KDPart<T> const& part = parts_[0];
  std::size_t shift = 0;  // few queries need no order finer than some leaves together
  while (root_of(part.view()).leaves >> shift > 4 * Q.rows) ++shift;
  std::vector<std::size_t> bucket(Q.rows);
  std::size_t const size = queries_per_task(Q.rows, threads, 1);
  parallel_blocks(Q.rows, size, threads, [&](std::size_t begin, std::size_t end, std::size_t) {
    checkpoint();
    for (std::size_t i = begin; i < end; ++i) bucket[i] = leaf_of(part, Q[i]) >> shift;
  });
  std::vector<std::size_t> start((root_of(part.view()).leaves >> shift) + 2);
  for (std::size_t const b : bucket) ++start[b + 1];
  std::partial_sum(start.begin(), start.end(), start.begin());
  std::vector<std::size_t> order(Q.rows);
  for (std::size_t i = 0; i < Q.rows; ++i) order[start[bucket[i]]++] = i;
  return order;
}

template <class T>
void KDTree<T>::nearest(View<double const> Q, std::span<std::int64_t const> exclude,
                        KDRequest request, NeighborTable out, std::size_t threads) const {
  require_queries(Q, cols(), exclude.size());
  require_room(out, Q.rows, rows() - (exclude.empty() ? 0 : 1));
  std::size_t const lanes = kd_kernels<T>().lanes;
  std::size_t const size = queries_per_task(Q.rows, threads, lanes);
  auto const order = tree_order(Q, threads);
  PacketSearches<T> searches(parts_, request, !exclude.empty(), out, threads);
  parallel_blocks(Q.rows, size, threads,
                  [&](std::size_t begin, std::size_t end, std::size_t worker) {
                    PacketSearch<T>& search = searches[worker];
                    for (std::size_t i = begin; i < end; ++i) {
                      std::int64_t const excluded = exclude.empty() ? -1 : exclude[order[i]];
                      std::ranges::copy(Q[order[i]], search.next(order[i], excluded));
                      if (!search.full() && i + 1 != end) continue;
                      checkpoint();
                      search.flush(leaf_of(parts_[0], Q[order[i]]));
                    }
                  });
}

template <class T>
void KDTree<T>::nearest_of_rows(KDRequest request, NeighborTable out, std::size_t threads) const {
  require_room(out, rows(), rows() - 1);
  std::size_t const lanes = kd_kernels<T>().lanes;
  std::size_t const size = queries_per_task(rows(), threads, lanes);
  PacketSearches<T> searches(parts_, request, true, out, threads);
  parallel_blocks(
      rows(), size, threads, [&](std::size_t begin, std::size_t end, std::size_t worker) {
        PacketSearch<T>& search = searches[worker];
        for (std::size_t place = begin; place < end;) {
          Leaf<T> const leaf = find_leaf(parts_, place);
          for (std::size_t i = place - leaf.first; i < leaf.rows && place < end; ++i, ++place) {
            double* const query = search.next(leaf.row[i], leaf.row[i]);
            for (std::size_t j = 0; j < cols(); ++j)
              query[j] = static_cast<double>(leaf.values[j * leaf.rows + i]);
            if (!search.full() && place + 1 != end) continue;
            checkpoint();
            bool const first = place < parts_[0].rows;  // others may begin anywhere
            search.flush(first ? static_cast<std::uint32_t>(place / parts_[0].leaf_size) : 0);
          }
        }
      });
}

template <class T>
RadiusNeighbors KDTree<T>::within(View<double const> Q, std::span<double const> radius,
                                  std::span<std::int64_t const> exclude, Minkowski metric,
                                  std::size_t threads) const {
  require_queries(Q, cols(), exclude.size());
  require(radius.size() == Q.rows, "a radius of every query is needed");
  std::vector<std::vector<Neighbor>> neighbors(Q.rows);
  std::size_t const size = queries_per_task(Q.rows, threads, 1);
  parallel_blocks(Q.rows, size, threads, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t i = begin; i < end; ++i) {
      checkpoint();
      KDQuery const query{Q[i].data(), exclude.empty() ? -1 : exclude[i]};
      neighbors[i] = search_within(parts_, query, metric, radius[i]);
    }
  });
  return join_queries(std::move(neighbors));
}

template <class T>
void KDTree<T>::span(SpanningForest& forest, NeighborTable lists, Minkowski metric,
                     std::size_t threads) const {
  join_by_tree(parts_, metric, lists, forest, threads);
}

template <class T>
void KDTree<T>::core_rows(double radius, std::size_t least, Minkowski metric,
                          std::span<std::uint8_t> core, std::size_t threads) const {
  find_core_rows(parts_, metric, radius, least, core, threads);
}

template <class T>
void KDTree<T>::components(double radius, Minkowski metric, std::span<std::uint8_t const> core,
                           std::span<std::int64_t> parent, std::size_t threads) const {
  find_components(parts_, metric, radius, core, parent, threads);
}

template class KDTree<float>;
template class KDTree<double>;

}  // namespace lookalike
