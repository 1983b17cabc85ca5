#include "kdtree.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>

#include "parallel.hpp"

namespace lookalike {
namespace {

constexpr std::size_t kMostSlots = 128;    // longer lists are kept in a heap, a query at a time
constexpr std::size_t kMostColumns = 256;  // beyond them the box of a packet holds everything
constexpr std::size_t kTaskQueries = 1 << 13;

template <class T>
struct Place {  // where the values of one row lie
  T const* values;
  std::size_t stride;
  std::int64_t row;
};

template <class T>
Place<T> find_place(std::vector<KDPart<T>> const& parts, std::size_t place) {
  std::size_t at = parts.size() - 1;
  while (parts[at].first > place) --at;
  KDPart<T> const& part = parts[at];
  auto const inside = static_cast<std::uint32_t>(place - part.first);
  std::uint32_t const leaf = inside / static_cast<std::uint32_t>(part.leaf_size);
  std::size_t const start = leaf * part.leaf_size;
  return {part.values.data() + start * part.cols + (inside - start),
          std::min(part.leaf_size, part.rows - start), part.row[inside]};
}

// Answers queries a packet at a time: the lanes propose rows, float64 keys order them, and where
// rounding could have hidden a row the query is searched again alone.
template <class T>
class Answer {
  using Integer = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;

 public:
  Answer(std::vector<KDPart<T>> const& parts, KDRequest request, bool excluding, Neighbors out)
      : parts_(parts),
        metric_(request.metric),
        slack_(request.slack),
        out_(out),
        cols_(parts[0].cols),
        k_(out.row.cols),
        slots_(k_ + (excluding ? 1 : 0)),
        lanes_(kd_kernels<T>().lanes),
        together_(request.packets && metric_.norm != Norm::minkowski && slack_ == 0.0 &&
                  slots_ <= kMostSlots && cols_ <= kMostColumns),
        queries_(lanes_ * cols_),
        exclude_(lanes_),
        target_(lanes_) {
    for (KDPart<T> const& part : parts) {
      views_.push_back(part.view());
      largest_ = std::max(largest_, part.largest);
    }
    if (!together_) return;
    lane_query_.resize(lanes_ * cols_);
    box_.resize(2 * cols_);
    key_.resize(slots_ * lanes_);
    place_.resize(slots_ * lanes_);
    runner_up_.resize(lanes_);
    best_.reserve(slots_);
  }

  std::size_t lanes() const { return lanes_; }
  double* next(std::size_t target, std::int64_t exclude) {  // where to write the next query
    target_[waiting_] = target;
    exclude_[waiting_] = exclude;
    return queries_.data() + waiting_++ * cols_;
  }

  void flush() {
    if (waiting_ == 0) return;
    if (together_) search_together();
    for (std::size_t lane = 0; lane < waiting_; ++lane) {
      KDQuery const query{queries_.data() + lane * cols_, exclude_[lane]};
      double limit = std::numeric_limits<double>::infinity();
      double scale = 1.0;
      if (!together_ || !settle(query, lane, limit))
        scale = search_nearest(parts_, query, metric_, k_, limit, slack_, best_);
      write(target_[lane], scale);
    }
    waiting_ = 0;
  }

 private:
  double rounding() const {  // of a key computed in T, relative
    return static_cast<double>(cols_ + 8) * static_cast<double>(std::numeric_limits<T>::epsilon());
  }
  double underflow() const {  // of a key computed in T, absolute
    return 4.0 * static_cast<double>(cols_) * static_cast<double>(std::numeric_limits<T>::min());
  }

  void search_together() {
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      double const* const query = queries_.data() + (lane < waiting_ ? lane : 0) * cols_;
      for (std::size_t j = 0; j < cols_; ++j)
        lane_query_[j * lanes_ + lane] = static_cast<T>(query[j]);
    }
    kd_kernels<T>().search[static_cast<int>(metric_.norm)](
        {views_.data(), views_.size(), lane_query_.data(), box_.data(), slots_,
         static_cast<T>(1.0 + 8.0 * rounding()), static_cast<T>(underflow()), key_.data(),
         place_.data(), runner_up_.data()});
  }

  // Orders what the lane found by float64 keys. Whether that is certainly the answer; if not,
  // `limit` is a key that the answer does not exceed.
  bool settle(KDQuery query, std::size_t lane, double& limit) {
    if (!fits(query)) return false;
    best_.clear();
    for (std::size_t slot = 0; slot < slots_; ++slot) {
      Integer place;
      std::memcpy(&place, &place_[slot * lanes_ + lane], sizeof place);
      if (place < 0) break;
      Place<T> const at = find_place(parts_, static_cast<std::size_t>(place));
      if (at.row == query.exclude) continue;
      insert({row_key(metric_, query.values, at.values, at.stride, cols_, 1.0), at.row});
    }
    if (best_.size() < k_) return false;
    limit = best_[k_ - 1].key;
    double const others = static_cast<double>(runner_up_[lane]) * (1.0 - rounding()) - underflow();
    return others > limit && limit < 0.5 * static_cast<double>(std::numeric_limits<T>::max());
  }

  // Whether arithmetic in T tells about this query: T holds it, and its keys need no scale.
  bool fits(KDQuery query) const {
    double largest = largest_;
    for (std::size_t j = 0; j < cols_; ++j) {
      if (static_cast<double>(static_cast<T>(query.values[j])) != query.values[j]) return false;
      largest = std::max(largest, std::abs(query.values[j]));
    }
    return std::is_same_v<T, float> || metric_.scale(largest) == 1.0;
  }

  void insert(Found found) {  // almost always at the end
    std::size_t at = best_.size();
    best_.push_back(found);
    for (; at > 0 && found < best_[at - 1]; --at) best_[at] = best_[at - 1];
    best_[at] = found;
  }

  void write(std::size_t target, double scale) {
    auto const distance = out_.distance[target];
    auto const row = out_.row[target];
    for (std::size_t i = 0; i < k_; ++i) {
      distance[i] = metric_.distance(best_[i].key, scale);
      row[i] = best_[i].row;
    }
  }

  std::vector<KDPart<T>> const& parts_;
  Minkowski metric_;
  double slack_;
  Neighbors out_;
  std::size_t cols_, k_, slots_, lanes_;
  bool together_;
  double largest_ = 0.0;
  std::size_t waiting_ = 0;
  std::vector<double> queries_;
  std::vector<std::int64_t> exclude_;
  std::vector<std::size_t> target_;
  std::vector<KDPartView<T>> views_;
  std::vector<T> lane_query_, box_, key_, place_, runner_up_;
  std::vector<Found> best_;
};

std::size_t queries_per_task(std::size_t queries, std::size_t threads, std::size_t lanes) {
  std::size_t const workers = threads == 0 ? default_threads() : threads;
  std::size_t const share = queries / (8 * workers) + 1;
  return (std::min(share, kTaskQueries) + lanes - 1) / lanes * lanes;
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
  for (KDPart<T> const& part : parts_) copy_rows_of(part, X, 0);
}

template <class T>
std::vector<std::size_t> KDTree<T>::tree_order(View<double const> Q, std::size_t threads) const {
  KDPart<T> const& part = parts_[0];
  std::size_t shift = 0;  // sparse queries need not be told apart by the leaf
  while (root_of(part.view()).leaves >> shift > 4 * Q.rows) ++shift;
  std::vector<std::size_t> bucket(Q.rows);
  std::size_t const size = queries_per_task(Q.rows, threads, 1);
  parallel_for((Q.rows + size - 1) / size, threads, [&](std::size_t task, std::size_t) {
    checkpoint();
    for (std::size_t i = task * size; i < std::min(Q.rows, (task + 1) * size); ++i)
      bucket[i] = leaf_of(part, Q[i]) >> shift;
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
                        KDRequest request, Neighbors out, std::size_t threads) const {
  std::size_t const lanes = kd_kernels<T>().lanes;
  std::size_t const size = queries_per_task(Q.rows, threads, lanes);
  auto const order = tree_order(Q, threads);
  parallel_for((Q.rows + size - 1) / size, threads, [&](std::size_t task, std::size_t) {
    Answer<T> answer(parts_, request, !exclude.empty(), out);
    std::size_t const end = std::min(Q.rows, (task + 1) * size);
    for (std::size_t i = task * size; i < end; ++i) {
      std::int64_t const excluded = exclude.empty() ? -1 : exclude[order[i]];
      std::ranges::copy(Q[order[i]], answer.next(order[i], excluded));
      if ((i + 1) % lanes != 0 && i + 1 != end) continue;
      checkpoint();
      answer.flush();
    }
  });
}

template <class T>
void KDTree<T>::nearest_of_rows(KDRequest request, Neighbors out, std::size_t threads) const {
  std::size_t const lanes = kd_kernels<T>().lanes;
  std::size_t const size = queries_per_task(rows(), threads, lanes);
  parallel_for((rows() + size - 1) / size, threads, [&](std::size_t task, std::size_t) {
    Answer<T> answer(parts_, request, true, out);
    std::size_t const end = std::min(rows(), (task + 1) * size);
    for (std::size_t place = task * size; place < end; ++place) {
      Place<T> const at = find_place(parts_, place);
      double* const query = answer.next(static_cast<std::size_t>(at.row), at.row);
      for (std::size_t j = 0; j < cols(); ++j)
        query[j] = static_cast<double>(at.values[j * at.stride]);
      if ((place + 1) % lanes != 0 && place + 1 != end) continue;
      checkpoint();
      answer.flush();
    }
  });
}

template <class T>
std::vector<std::vector<Found>> KDTree<T>::within(View<double const> Q,
                                                  std::span<double const> radius,
                                                  std::span<std::int64_t const> exclude,
                                                  Minkowski metric, std::size_t threads) const {
  std::vector<std::vector<Found>> found(Q.rows);
  std::size_t const size = queries_per_task(Q.rows, threads, 1);
  parallel_for((Q.rows + size - 1) / size, threads, [&](std::size_t task, std::size_t) {
    for (std::size_t i = task * size; i < std::min(Q.rows, (task + 1) * size); ++i) {
      checkpoint();
      KDQuery const query{Q[i].data(), exclude.empty() ? -1 : exclude[i]};
      double const scale = search_within(parts_, query, metric, radius[i], found[i]);
      for (Found& one : found[i]) one.key = metric.distance(one.key, scale);
    }
  });
  return found;
}

template class KDTree<float>;
template class KDTree<double>;

}  // namespace lookalike
