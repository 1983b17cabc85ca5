// A packet of queries walks a KD-tree: one query in each lane, the rows of a leaf one by one.
#include <cmath>

#include "kdtree_kernels.hpp"
#include "simd/kdtree_lanes.hpp"

namespace lookalike::simd::LOOKALIKE_LEVEL {
namespace {

template <Norm N, class V>
V join(V gap, V sum) {
  if constexpr (N == Norm::manhattan) return sum + size(gap);
  if constexpr (N == Norm::euclidean) return square_plus(gap, sum);
  if constexpr (N == Norm::chebyshev) return largest(sum, size(gap));
}

// Keeps the nearest rows of each query; or, with kGather, lists all rows as near as the last kept.
// D columns, or as many as the tree has where it is 0.
template <class T, Norm N, std::size_t D, bool kGather>
class Walk {
  using V = Lanes<T>;
  static constexpr std::size_t kLanes = V::kCount;
  static constexpr std::uint32_t kAll = (1u << kLanes) - 1u;

 public:
  explicit Walk(Packet<T> const& packet) : p_(packet), cols_(D > 0 ? D : packet.parts[0].cols) {
    if constexpr (kGather) {
      last_ = V::load(p_.key + (p_.slots - 1) * kLanes);
      tighten();
      for (std::size_t lane = 0; lane < kLanes; ++lane) p_.gathered[lane] = 0;
    } else {
      last_ = limit_ = V::all(static_cast<T>(INFINITY));
      bound_ = static_cast<T>(INFINITY);
      for (std::size_t i = 0; i < p_.slots; ++i) {
        last_.store(p_.key + i * kLanes);
        V::place(-1).store(p_.place + i * kLanes);
      }
    }
    runner_up_ = last_;
    for (std::size_t j = 0; j < cols_; ++j) {
      V const q = V::load(p_.query + j * kLanes);
      p_.box[j] = -largest_of(V::all(0) - q);
      p_.box[cols_ + j] = largest_of(q);
    }
  }

  void run() {
    for (std::size_t i = 0; i < p_.n_parts; ++i) descend(p_.parts[i]);
    if constexpr (!kGather) runner_up_.store(p_.runner_up);
  }

 private:
  void descend(KDPartView<T> const& part) {
    KDNode stack[40];  // a tree of fewer than 2^31 leaves is less deep
    std::size_t height = 0;
    stack[height++] = root_of(part);
    while (height > 0) {
      KDNode node = stack[--height];
      if (!wanted(gaps(part, node.id))) continue;
      for (;;) {
        if (node.leaves == 1) {
          visit(part, node.leaf);
          break;
        }
        KDNode const left = left_child(node), right = right_child(node);
        V const left_gap = gaps(part, left.id), right_gap = gaps(part, right.id);
        bool const go_left = wanted(left_gap), go_right = wanted(right_gap);
        if (!go_left && !go_right) break;
        bool const left_first =
            go_left && (!go_right || !(least_of(right_gap) < least_of(left_gap)));
        if (go_left && go_right) stack[height++] = left_first ? right : left;
        node = left_first ? left : right;
      }
    }
  }

  // The key of the gap between the box of a node and each query.
  V gaps(KDPartView<T> const& part, std::size_t node) const {
    T const* const low = part.box + node * 2 * cols_;
    V sum = V::all(0);
    for (std::size_t j = 0; j < cols_; ++j) {
      V const q = V::load(p_.query + j * kLanes);
      V const gap = largest(V::all(low[j]) - q, q - V::all(low[cols_ + j]));
      sum = join<N>(largest(gap, V::all(0)), sum);
    }
    return sum;
  }

  bool wanted(V gap) const { return bits(below(limit_, gap)) != kAll; }

  void visit(KDPartView<T> const& part, std::size_t leaf) {
    std::size_t const count = leaf_rows(part, leaf);
    T const* const values = leaf_values(part, leaf);
    std::size_t const place = part.first + leaf * part.leaf_size;
    changed_ = false;
    for (std::size_t i = 0; i < count; i += kLanes) {
      std::size_t const here = count - i < kLanes ? count - i : kLanes;
      V sum = V::all(0);
      for (std::size_t j = 0; j < cols_; ++j) {
        V const x = V::load(values + j * count + i);
        V const gap = largest(x - V::all(p_.box[cols_ + j]), V::all(p_.box[j]) - x);
        sum = join<N>(largest(gap, V::all(0)), sum);
      }
      std::uint32_t near = ~bits(below(V::all(bound_), sum)) & ((1u << here) - 1u);
      for (; near != 0; near &= near - 1) {
        std::size_t const at = i + lowest_bit(near);
        offer(values + at, count, static_cast<typename V::Place>(place + at));
      }
    }
    if (changed_) tighten();
  }

  void tighten() {
    T const most = largest_of(last_);
    bound_ = most * p_.widen + p_.floor;
    limit_ = last_ * V::all(p_.widen) + V::all(p_.floor);
    if (most > 0) return;
    limit_ = V::all(-1);     // all lists are full of copies of the queries: only row numbers could
    runner_up_ = V::all(0);  // still decide, which is not for a packet to do
  }

  void offer(T const* values, std::size_t stride, typename V::Place place) {
    V sum = V::all(0);
    for (std::size_t j = 0; j < cols_; ++j)
      sum = join<N>(V::all(values[j * stride]) - V::load(p_.query + j * kLanes), sum);
    if constexpr (kGather) {
      for (std::uint32_t in = ~bits(below(limit_, sum)) & kAll; in != 0; in &= in - 1) {
        std::size_t const lane = lowest_bit(in), at = p_.gathered[lane]++;
        if (at < p_.room)
          p_.gathered_place[lane * p_.room + at] = static_cast<std::uint32_t>(place);
      }
      return;
    }
    auto const nearer = below(sum, last_);
    runner_up_ = least(runner_up_, largest(sum, last_));
    if (bits(nearer) != 0) insert(sum, V::place(place), nearer);
  }

  void insert(V value, V place, typename V::Mask nearer) {
    changed_ = true;
    std::size_t slot = p_.slots - 1;
    T* key = p_.key + slot * kLanes;
    T* held = p_.place + slot * kLanes;
    V here = last_, here_place = V::load(held);
    for (; slot > 0; --slot, key -= kLanes, held -= kLanes) {
      V const before = V::load(key - kLanes), before_place = V::load(held - kLanes);
      auto const further = below(value, before);
      least(here, largest(before, value)).store(key);
      choose(nearer, choose(further, before_place, place), here_place).store(held);
      if (bits(further) == 0) break;
      nearer = further;
      here = before;
      here_place = before_place;
    }
    if (slot == 0) {
      least(here, value).store(key);
      choose(nearer, place, here_place).store(held);
    }
    last_ = V::load(p_.key + (p_.slots - 1) * kLanes);
  }

  Packet<T> const& p_;
  std::size_t const cols_;
  V last_, limit_, runner_up_;
  T bound_;
  bool changed_ = false;
};

template <class T, Norm N, bool kGather>
void search(Packet<T> const& packet) {
  if constexpr (N == Norm::euclidean) {
    if (packet.parts[0].cols == 2) return Walk<T, N, 2, kGather>(packet).run();
    if (packet.parts[0].cols == 3) return Walk<T, N, 3, kGather>(packet).run();
  }
  Walk<T, N, 0, kGather>(packet).run();
}

template <class T, Norm N>
void leaf_keys(T const* values, std::size_t count, std::size_t cols, double const* query,
               double scale, double* lane, double* keys) {
  constexpr std::size_t kLaneCount = N == Norm::chebyshev ? 1 : 8;
  std::size_t width = cols < kLaneCount ? cols : kLaneCount;
  for (std::size_t i = 0; i < width * count; ++i) lane[i] = 0.0;
  for (std::size_t j = 0; j < cols; ++j) {
    double* __restrict const sum = lane + j % kLaneCount * count;
    T const* __restrict const x = values + j * count;
    for (std::size_t i = 0; i < count; ++i) {
      double const gap = query[j] - static_cast<double>(x[i]) * scale;
      double const extent = gap < 0.0 ? -gap : gap;
      if constexpr (N == Norm::euclidean) sum[i] += gap * gap;
      if constexpr (N == Norm::manhattan) sum[i] += extent;
      if constexpr (N == Norm::chebyshev) sum[i] = extent > sum[i] ? extent : sum[i];
    }
  }
  for (std::size_t half = kLaneCount / 2; half > 0; half /= 2) {
    for (std::size_t l = half; l < width; ++l) {
      double* __restrict const low = lane + (l - half) * count;
      double const* __restrict const high = lane + l * count;
      for (std::size_t i = 0; i < count; ++i) low[i] += high[i];
    }
    width = width < half ? width : half;
  }
  for (std::size_t i = 0; i < count; ++i) keys[i] = lane[i];
}

template <class T>
constexpr KDKernels<T> table() {
  return {Lanes<T>::kCount,
          {&search<T, Norm::manhattan, false>, &search<T, Norm::euclidean, false>,
           &search<T, Norm::chebyshev, false>},
          {&search<T, Norm::manhattan, true>, &search<T, Norm::euclidean, true>,
           &search<T, Norm::chebyshev, true>},
          {&leaf_keys<T, Norm::manhattan>, &leaf_keys<T, Norm::euclidean>,
           &leaf_keys<T, Norm::chebyshev>}};
}

}  // namespace

extern KDKernels<float> const kd_kernels_float;
extern KDKernels<double> const kd_kernels_double;
KDKernels<float> const kd_kernels_float = table<float>();
KDKernels<double> const kd_kernels_double = table<double>();

}  // namespace lookalike::simd::LOOKALIKE_LEVEL
