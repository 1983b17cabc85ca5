#include "kdtree/search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace lookalike {
namespace {

constexpr double kPowSlack = 1.0 - 0x1p-40;  // pow is not promised to be monotone in its last bits

// The k nearest so far. `shrink` below one gives up rows that are hardly nearer than the last.
class NearestRows {
 public:
  NearestRows(TopK& best, double shrink) : best_(best), shrink_(shrink) {}
  // Whether nothing at or above `key`, of rows numbered from `row`, can be wanted.
  bool refuses(double key, std::int64_t row) const {
    if (!best_.full()) return false;
    Neighbor const& worst = best_.farthest();
    return key > worst.key * shrink_ || (key == worst.key && row > worst.row);
  }
  void offer(Neighbor neighbor) { best_.offer(neighbor); }

 private:
  TopK& best_;
  double shrink_;
};

// All rows within a radius.
class RowsWithin {
 public:
  explicit RowsWithin(RadiusCollector& collector) : collector_(collector) {}
  bool refuses(double key, std::int64_t) const { return key > collector_.bound(); }
  void offer(Neighbor neighbor) { collector_.offer(neighbor); }

 private:
  RadiusCollector& collector_;
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
    // No row below the node has a smaller key: rounding is monotone, and the order is the same.
    double key;
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
      Neighbor const neighbor{keys_[i], row[i]};
      if (neighbor.row != query_.exclude) keep_.offer(neighbor);
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
                      double slack, TopK& best) {
  double const scale = scale_of(parts, query, metric);
  double const widen = 1.0 + slack;
  NearestRows keep(best, metric.norm == Norm::euclidean ? 1.0 / (widen * widen) : 1.0 / widen);
  search(parts, query, metric, scale, keep);
  return scale;
}

template <class T>
std::vector<Neighbor> search_within(std::vector<KDPart<T>> const& parts, KDQuery query,
                                    Minkowski metric, double radius) {
  double const scale = scale_of(parts, query, metric);
  RadiusCollector collector(metric.largest_key(radius, scale));
  RowsWithin keep(collector);
  search(parts, query, metric, scale, keep);
  auto const sorted = collector.sorted();
  std::vector<Neighbor> neighbors(sorted.begin(), sorted.end());
  for (Neighbor& neighbor : neighbors) neighbor.key = metric.distance(neighbor.key, scale);
  return neighbors;
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

#define LOOKALIKE_SEARCH(T)                                                                       \
  template double search_nearest(std::vector<KDPart<T>> const&, KDQuery, Minkowski, double,       \
                                 TopK&);                                                          \
  template std::vector<Neighbor> search_within(std::vector<KDPart<T>> const&, KDQuery, Minkowski, \
                                               double);
LOOKALIKE_SEARCH(float)
LOOKALIKE_SEARCH(double)
#undef LOOKALIKE_SEARCH

}  // namespace lookalike
