#include "kdtree/search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace lookalike {
namespace {

constexpr double kPowSlack = 1.0 - 0x1p-40;  // pow is not promised to be monotone in its last bits

// What a search keeps: the k best so far. A heap whose top is the worst of them.
class Best {
 public:
  Best(std::vector<Found>& heap, std::size_t k, double shrink)
      : heap_(heap), k_(k), shrink_(shrink) {
    heap_.clear();
  }
  // Whether nothing at or above `key`, of rows numbered from `row`, can be wanted.
  bool refuses(double key, std::int64_t row) const {
    if (heap_.size() < k_) return false;
    Found const& worst = heap_.front();
    return key > worst.key * shrink_ || (key == worst.key && row > worst.row);
  }
  void offer(Found found) {
    if (heap_.size() == k_) {
      if (!(found < heap_.front())) return;
      std::pop_heap(heap_.begin(), heap_.end());
      heap_.back() = found;
    } else {
      heap_.push_back(found);
    }
    std::push_heap(heap_.begin(), heap_.end());
  }

 private:
  std::vector<Found>& heap_;
  std::size_t k_;
  double shrink_;
};

// What a search keeps: everything within a radius.
class Ball {
 public:
  Ball(std::vector<Found>& found, Minkowski metric, double scale, double radius)
      : found_(found), metric_(metric), scale_(scale), radius_(radius) {
    found_.clear();
  }
  bool refuses(double key, std::int64_t) const { return metric_.distance(key, scale_) > radius_; }
  void offer(Found found) {
    if (!refuses(found.key, found.row)) found_.push_back(found);
  }

 private:
  std::vector<Found>& found_;
  Minkowski metric_;
  double scale_, radius_;
};

template <class T, Norm N, class Keep>
class Search {
 public:
  Search(KDQuery query, double p, double scale, std::size_t cols, std::size_t leaf_size, Keep& keep)
      : query_(query),
        p_(p),
        scale_(scale),
        keep_(keep),
        scaled_(cols),
        lane_(kLanes * leaf_size),
        keys_(leaf_size) {
    for (std::size_t j = 0; j < cols; ++j) scaled_[j] = query.values[j] * scale;
  }

  void descend(KDPartView<T> const& part) {
    Waiting stack[40];
    std::size_t height = 0;
    stack[height++] = waiting(part, root_of(part));
    while (height > 0) {
      Waiting now = stack[--height];
      while (!keep_.refuses(now.key, now.row) && now.node.leaves > 1) {
        Waiting near = waiting(part, left_child(now.node));
        Waiting far = waiting(part, right_child(now.node));
        if (far.key < near.key || (far.key == near.key && far.row < near.row)) std::swap(near, far);
        if (!keep_.refuses(far.key, far.row)) stack[height++] = far;
        now = near;
      }
      if (!keep_.refuses(now.key, now.row)) visit(part, now.node.leaf);
    }
  }

 private:
  struct Waiting {
    KDNode node;
    double
        key;  // no row below the node has a smaller one: rounding is monotone, the order the same
    std::int64_t row;
  };

  Waiting waiting(KDPartView<T> const& part, KDNode node) const {
    T const* const low = part.box + node.id * 2 * part.cols;
    T const* const high = low + part.cols;
    double const key = key_of<N>(p_, part.cols, [&](std::size_t j) {
      double const under = static_cast<double>(low[j]) * scale_ - scaled_[j];
      double const over = scaled_[j] - static_cast<double>(high[j]) * scale_;
      return std::max(0.0, std::max(under, over));
    });
    return {node, N == Norm::minkowski ? key * kPowSlack : key, part.least_row[node.id]};
  }

  void visit(KDPartView<T> const& part, std::size_t leaf) {
    std::size_t const count = leaf_rows(part, leaf);
    T const* const values = leaf_values(part, leaf);
    if constexpr (N == Norm::minkowski) {
      for (std::size_t i = 0; i < count; ++i)
        keys_[i] = key_of<N>(p_, part.cols, [&](std::size_t j) {
          return std::abs(scaled_[j] - static_cast<double>(values[j * count + i]) * scale_);
        });
    } else {
      kd_kernels<T>().leaf_keys[static_cast<int>(N)](values, count, part.cols, scaled_.data(),
                                                     scale_, lane_.data(), keys_.data());
    }
    std::uint32_t const* const row = part.row + leaf * part.leaf_size;
    for (std::size_t i = 0; i < count; ++i) {
      Found const found{keys_[i], row[i]};
      if (found.row != query_.exclude) keep_.offer(found);
    }
  }

  KDQuery query_;
  double p_, scale_;
  Keep& keep_;
  std::vector<double> scaled_, lane_, keys_;
};

template <class T>
double scale_of(std::vector<KDPart<T>> const& parts, KDQuery query, Minkowski metric) {
  double largest = 0.0;
  for (KDPart<T> const& part : parts) largest = std::max(largest, part.largest);
  for (std::size_t j = 0; j < parts[0].cols; ++j)
    largest = std::max(largest, std::abs(query.values[j]));
  return metric.scale(largest);
}

template <class T, class Keep>
void search(std::vector<KDPart<T>> const& parts, KDQuery query, Minkowski metric, double scale,
            Keep& keep) {
  std::size_t leaf_size = 1;
  for (KDPart<T> const& part : parts) leaf_size = std::max(leaf_size, part.leaf_size);
  with_norm(metric.norm, [&](auto norm) {
    Search<T, norm, Keep> one(query, metric.p, scale, parts[0].cols, leaf_size, keep);
    for (KDPart<T> const& part : parts) one.descend(part.view());
  });
}

}  // namespace

template <class T>
double search_nearest(std::vector<KDPart<T>> const& parts, KDQuery query, Minkowski metric,
                      std::size_t k, double slack, std::vector<Found>& best) {
  double const scale = scale_of(parts, query, metric);
  double const widen = 1.0 + slack;
  Best keep(best, k, metric.norm == Norm::euclidean ? 1.0 / (widen * widen) : 1.0 / widen);
  search(parts, query, metric, scale, keep);
  std::sort_heap(best.begin(), best.end());
  return scale;
}

template <class T>
double search_within(std::vector<KDPart<T>> const& parts, KDQuery query, Minkowski metric,
                     double radius, std::vector<Found>& found) {
  double const scale = scale_of(parts, query, metric);
  Ball keep(found, metric, scale, radius);
  search(parts, query, metric, scale, keep);
  std::sort(found.begin(), found.end());
  return scale;
}

template <>
KDKernels<float> const& kd_kernels<float>() {
  static auto const& kernels = LOOKALIKE_CHOOSE(kd_kernels_float);
  return kernels;
}
template <>
KDKernels<double> const& kd_kernels<double>() {
  static auto const& kernels = LOOKALIKE_CHOOSE(kd_kernels_double);
  return kernels;
}

#define LOOKALIKE_SEARCH(T)                                                                      \
  template double search_nearest(std::vector<KDPart<T>> const&, KDQuery, Minkowski, std::size_t, \
                                 double, std::vector<Found>&);                                   \
  template double search_within(std::vector<KDPart<T>> const&, KDQuery, Minkowski, double,       \
                                std::vector<Found>&);
LOOKALIKE_SEARCH(float)
LOOKALIKE_SEARCH(double)
#undef LOOKALIKE_SEARCH

}  // namespace lookalike
