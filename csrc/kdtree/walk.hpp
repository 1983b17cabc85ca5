// The way of one query through a KD-tree: into every box that what it keeps does not refuse.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/topk.hpp"
#include "kdtree/kernels.hpp"
#include "kdtree/keys.hpp"
#include "kdtree/part.hpp"
#include "kdtree/search.hpp"

namespace lookalike {

constexpr double kPowSlack = 1.0 - 0x1p-40;  // pow is not promised to be monotone in its last bits

// `keep` says refuses(key, row) of all rows from `row` on at `key` or farther, and takes what is
// offered; it may say skips(node) of all rows of a node.
template <class T, Norm N, class Keep>
class Walk {
 public:
  Walk(double p, double scale, std::size_t cols, std::size_t leaf_size, Keep& keep)
      : p_(p),
        scale_(scale),
        keep_(keep),
        scaled_(cols),
        lane_(kLanes * leaf_size),
        keys_(leaf_size) {}

  void aim(KDQuery query) {
    exclude_ = query.exclude;
    for (std::size_t j = 0; j < scaled_.size(); ++j) scaled_[j] = query.values[j] * scale_;
  }

  void descend(KDPartView<T> const& part) {
    Waiting stack[40];
    std::size_t height = 0;
    stack[height++] = waiting(part, root_of(part));
    while (height > 0) {
      Waiting now = stack[--height];
      while (!refuses(now) && now.node.leaves > 1) {
        Waiting near = waiting(part, left_child(now.node));
        Waiting far = waiting(part, right_child(now.node));
        if (far.key < near.key || (far.key == near.key && far.row < near.row)) std::swap(near, far);
        if (!refuses(far)) stack[height++] = far;
        now = near;
      }
      if (!refuses(now)) visit(part, now.node.leaf);
    }
  }

 private:
  struct Waiting {
    KDNode node;
    // No row below the node has a smaller key: rounding is monotone, and the order is the same.
    double key;
    std::int64_t row;
  };

  bool refuses(Waiting const& at) const {
    if constexpr (requires { keep_.skips(at.node.id); })
      if (keep_.skips(at.node.id)) return true;
    return keep_.refuses(at.key, at.row);
  }

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
      if (neighbor.row != exclude_) keep_.offer(neighbor);
    }
  }

  std::int64_t exclude_ = -1;
  double p_, scale_;
  Keep& keep_;
  std::vector<double> scaled_, lane_, keys_;
};

// The scale of all keys of a query.
template <class T>
double scale_of(std::vector<KDPart<T>> const& parts, double const* query, Minkowski metric) {
  double largest = 0.0;
  for (KDPart<T> const& part : parts) largest = std::max(largest, part.largest);
  for (std::size_t j = 0; j < parts[0].cols; ++j) largest = std::max(largest, std::abs(query[j]));
  return metric.scale(largest);
}

template <class T>
std::size_t largest_leaf(std::vector<KDPart<T>> const& parts) {
  std::size_t leaf_size = 1;
  for (KDPart<T> const& part : parts) leaf_size = std::max(leaf_size, part.leaf_size);
  return leaf_size;
}

}  // namespace lookalike
