// A packet of queries walks a KD-tree: one query in each lane, the rows of a leaf one by one.
#include <cmath>
#include <limits>
#include <utility>

#include "kdtree/kernels.hpp"
#include "simd/vec.hpp"

namespace lookalike::simd::LOOKALIKE_LEVEL {
namespace {

template <Norm N, class V>
V join(V gap, V sum) {
  if constexpr (N == Norm::manhattan) return sum + absolute(gap);
  if constexpr (N == Norm::euclidean) return multiply_add(gap, gap, sum);
  if constexpr (N == Norm::chebyshev) return larger(sum, absolute(gap));
}

// The smallest keys of every lane, ascending: S of them in registers.
template <class T, std::size_t S>
class Kept {
  using V = Vec<T>;

 public:
  // Slots that are not asked for hold what nothing is below.
  explicit Kept(Packet<T> const& packet) { clear(packet); }
  void clear(Packet<T> const& packet) {
    for (std::size_t i = 0; i < S; ++i)
      key_[i] = V::all(i < S - packet.slots ? T{-1} : std::numeric_limits<T>::max());
  }
  V last() const { return key_[S - 1]; }
  V insert(V value) {  // returns what is no longer kept
    V const dropped = larger(key_[S - 1], value);
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      ((key_[S - 1 - I] = smaller(key_[S - 1 - I], larger(key_[S - 2 - I], value))), ...);
    }(std::make_index_sequence<S - 1>{});
    key_[0] = smaller(key_[0], value);
    return dropped;
  }
  void store(Packet<T> const& packet) const {
    for (std::size_t i = S - packet.slots; i < S; ++i)
      key_[i].store(packet.key + (i - (S - packet.slots)) * V::kCount);
  }

 private:
  V key_[S];
};

// The same, as many as there are slots, in memory.
template <class T>
class Kept<T, 0> {
  using V = Vec<T>;

 public:
  explicit Kept(Packet<T> const& packet) { clear(packet); }
  void clear(Packet<T> const& packet) {
    end_ = packet.key + packet.slots * V::kCount;
    begin_ = packet.key;
    last_ = V::all(std::numeric_limits<T>::max());
    for (T* key = begin_; key != end_; key += V::kCount) last_.store(key);
  }
  V last() const { return last_; }
  V insert(V value) {
    V const dropped = larger(last_, value);
    V here = last_;
    for (T* key = end_ - V::kCount;; key -= V::kCount) {
      if (key == begin_) {
        smaller(here, value).store(key);
        break;
      }
      V const before = V::load(key - V::kCount);
      smaller(here, larger(before, value)).store(key);
      if (bits_where<Compare::less>(value, before) == 0) break;
      here = before;
    }
    last_ = V::load(end_ - V::kCount);
    return dropped;
  }
  void store(Packet<T> const&) const {}

 private:
  T* begin_;
  T* end_;
  V last_;
};

// D columns, or as many as the tree has where it is 0; S slots at most, or any number where it is
// 0.
template <class T, Norm N, std::size_t D, std::size_t S>
class Walk {
  using V = Vec<T>;
  static constexpr std::size_t kCount = V::kCount;
  static constexpr std::uint32_t kAll = (1u << kCount) - 1u;
  static constexpr T kMost = std::numeric_limits<T>::max();

 public:
  explicit Walk(Packet<T>& packet)
      : p_(packet), cols_(D > 0 ? D : packet.parts[0].cols), kept_(packet) {
    limit_ = runner_up_ = V::all(kMost);
    bound_ = kMost;
    for (std::size_t j = 0; j < cols_; ++j) {
      V const q = V::load(p_.query + j * kCount);
      p_.box[j] = -largest_of(V::all(0) - q);
      p_.box[cols_ + j] = largest_of(q);
    }
  }

  void run() {
    for (std::size_t i = 0; i < p_.n_parts; ++i) descend(p_.parts[i]);
    kept_.store(p_);
    runner_up_.store(p_.runner_up);
    limit_.store(p_.limit);
  }

 private:
  void descend(KDPartView<T> const& part) {
    KDNode stack[40];  // a tree with fewer than 2^31 leaves is less deep
    std::size_t height = 0;
    KDNode home = root_of(part);
    if (&part == p_.parts) {  // the first leaf is known; what lies beside the way to it waits
      while (home.leaves > 1) {
        KDNode const left = left_child(home), right = right_child(home);
        bool const go_left = p_.home < right.leaf;
        stack[height++] = go_left ? right : left;
        home = go_left ? left : right;
      }
      visit(part, home.leaf);
    } else {
      stack[height++] = home;
    }
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
        bool const left_first = go_left && (!go_right || most_lanes_left(left_gap, right_gap));
        if (go_left && go_right) stack[height++] = left_first ? right : left;
        node = left_first ? left : right;
      }
    }
  }

  static bool most_lanes_left(V left_gap, V right_gap) {
    return bit_count(bits_where<Compare::less>(right_gap, left_gap)) <=
           bit_count(bits_where<Compare::less>(left_gap, right_gap));
  }

  // The key of the gap between the box of a node and each query.
  V gaps(KDPartView<T> const& part, std::size_t node) const {
    T const* const low = part.box + node * 2 * cols_;
    V sum = V::all(0);
    for (std::size_t j = 0; j < cols_; ++j) {
      V const q = V::load(p_.query + j * kCount);
      V const gap = larger(V::all(low[j]) - q, q - V::all(low[cols_ + j]));
      sum = join<N>(larger(gap, V::all(0)), sum);
    }
    return sum;
  }

  bool wanted(V gap) const { return bits_where<Compare::less>(limit_, gap) != kAll; }

  void visit(KDPartView<T> const& part, std::size_t leaf) {
    std::size_t const count = leaf_rows(part, leaf);
    T const* const values = leaf_values(part, leaf);
    std::uint32_t const* const row = part.row + leaf * part.leaf_size;
    std::size_t const before = p_.candidates;
    for (std::size_t i = 0; i < count; i += kCount) {
      std::size_t const here = count - i < kCount ? count - i : kCount;
      if (p_.candidates + here > p_.room && !forget()) return;
      V sum = V::all(0);
      for (std::size_t j = 0; j < cols_; ++j) {
        V const x = V::load(values + j * count + i);
        V const gap = larger(x - V::all(p_.box[cols_ + j]), V::all(p_.box[j]) - x);
        sum = join<N>(larger(gap, V::all(0)), sum);
      }
      std::uint32_t const near =
          ~bits_where<Compare::less>(V::all(bound_), sum) & ((1u << here) - 1u);
      if (near != 0) offer(values + i, static_cast<std::uint32_t>(count), row + i, near);
    }
    if (p_.candidates != before) tighten();
  }

  // Compares the rows that `near` names with every query.
  void offer(T const* values, std::uint32_t stride, std::uint32_t const* row, std::uint32_t near) {
    Kept<T, S> kept = kept_;
    V limit = limit_, runner_up = runner_up_;
    V const widen = V::all(p_.widen), floor = V::all(p_.floor), most = V::all(kMost);
    std::size_t found = p_.candidates;
    for (; near != 0; near &= near - 1) {
      std::size_t const at = lowest_bit(near);
      V sum = V::all(0);
      for (std::size_t j = 0; j < cols_; ++j)
        sum = join<N>(V::all(values[j * stride + at]) - V::load(p_.query + j * kCount), sum);
      if (bits_where<Compare::less>(limit, sum) == kAll) continue;
      sum.store(p_.candidate_key + found * kCount);
      p_.candidate[found] = {values + at, stride, row[at]};
      runner_up = smaller(runner_up, kept.insert(numbered(sum, found++)));
      limit = smaller(kept.last() * widen + floor, most);
    }
    kept_ = kept;
    limit_ = limit;
    runner_up_ = runner_up;
    p_.candidates = found;
  }

  V numbered(V key, std::size_t number) const {
    using Word = typename V::Word;
    return tagged(smaller(key, V::all(kMost)), V::words(-static_cast<Word>(p_.room)),
                  V::words(static_cast<Word>(number)));
  }

  void tighten() {
    T const most = largest_of(kept_.last());
    bound_ = most * p_.widen + p_.floor;
    if (most < std::numeric_limits<T>::min()) stop();  // copies of the queries fill all lists: only
  }  // row numbers could still decide

  // Drops candidates that no query wants any more; false where too many are left.
  bool forget() {
    std::size_t left = 0;
    for (std::size_t i = 0; i < p_.candidates; ++i) {
      V const key = V::load(p_.candidate_key + i * kCount);
      if (bits_where<Compare::less>(limit_, key) == kAll) continue;
      key.store(p_.candidate_key + left * kCount);
      p_.candidate[left++] = p_.candidate[i];
    }
    p_.candidates = left;
    if (left > p_.room - p_.room / 4) {
      stop();
      return false;
    }
    kept_.clear(p_);
    for (std::size_t i = 0; i < left; ++i) {
      V const key = V::load(p_.candidate_key + i * kCount);
      runner_up_ = smaller(runner_up_, kept_.insert(numbered(key, i)));
    }
    return true;
  }

  void stop() {
    p_.complete = false;
    limit_ = V::all(-1);
    runner_up_ = V::all(0);
    bound_ = -1;
  }

  Packet<T>& p_;
  std::size_t const cols_;
  Kept<T, S> kept_;
  V limit_, runner_up_;
  T bound_;
};

template <class T, Norm N, std::size_t D>
void search_columns(Packet<T>& packet) {
  if (packet.slots <= 2) return Walk<T, N, D, 2>(packet).run();
  if (packet.slots <= 6) return Walk<T, N, D, 6>(packet).run();
  if (packet.slots <= 9) return Walk<T, N, D, 9>(packet).run();
  if (packet.slots <= 16) return Walk<T, N, D, 16>(packet).run();
  Walk<T, N, D, 0>(packet).run();
}

template <class T, Norm N>
void search(Packet<T>& packet) {
  if constexpr (N == Norm::euclidean) {
    if (packet.parts[0].cols == 2) return search_columns<T, N, 2>(packet);
    if (packet.parts[0].cols == 3) return search_columns<T, N, 3>(packet);
    return search_columns<T, N, 0>(packet);
  }
  Walk<T, N, 0, 0>(packet).run();
}

template <class T>
void gather(Packet<T>& packet) {
  using V = Vec<T>;
  constexpr std::uint32_t kAll = (1u << V::kCount) - 1u;
  V const limit = V::load(packet.limit);
  for (std::size_t lane = 0; lane < V::kCount; ++lane) packet.gathered[lane] = 0;
  for (std::size_t i = 0; i < packet.candidates; ++i) {
    V const key = V::load(packet.candidate_key + i * V::kCount);
    for (std::uint32_t in = ~bits_where<Compare::less>(limit, key) & kAll; in != 0; in &= in - 1) {
      std::size_t const lane = lowest_bit(in);
      packet.gathered_at[lane * packet.room + packet.gathered[lane]++] =
          static_cast<std::uint32_t>(i);
    }
  }
}

template <class T, Norm N>
void leaf_keys(T const* values, std::size_t count, std::size_t cols, double const* query,
               double scale, double* lane, double* keys) {
  constexpr std::size_t kLaneCount = N == Norm::chebyshev ? 1 : kLanes;
  std::size_t width = cols < kLaneCount ? cols : kLaneCount;
  for (std::size_t i = 0; i < width * count; ++i) lane[i] = 0.0;
  for (std::size_t j = 0; j < cols; ++j) {
    double* __restrict const sum = lane + j % kLaneCount * count;
    T const* __restrict const x = values + j * count;
    for (std::size_t i = 0; i < count; ++i) {
      double const gap = (query == nullptr ? 0.0 : query[j]) - static_cast<double>(x[i]) * scale;
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

// Looks up the values of what was kept, all lanes of a slot, and subtracts them from the queries.
template <class T, std::size_t D>
void note_gaps(Packet<T> const& packet, std::size_t slot, double* gaps, Measured kept) {
  constexpr std::size_t kCount = Vec<T>::kCount;
  using Word = typename Vec<T>::Word;
  std::size_t const cols = D > 0 ? D : packet.parts[0].cols;
  Candidate<T> const* from[kCount];
  for (std::size_t lane = 0; lane < kCount; ++lane) {
    Word number;
    std::memcpy(&number, packet.key + slot * kCount + lane, sizeof number);
    std::size_t const candidate = static_cast<std::size_t>(number) & (packet.room - 1);
    from[lane] = packet.candidate + candidate;
    kept.at[slot * kCount + lane] = static_cast<std::uint32_t>(candidate);
    kept.row[slot * kCount + lane] = from[lane]->row;
  }
  for (std::size_t j = 0; j < cols; ++j) {
    T x[kCount];
    for (std::size_t lane = 0; lane < kCount; ++lane)
      x[lane] = from[lane]->values[j * from[lane]->stride];
    double* const gap = gaps + (j * packet.slots + slot) * kCount;
    T const* const q = packet.query + j * kCount;
    for (std::size_t lane = 0; lane < kCount; ++lane)
      gap[lane] = static_cast<double>(q[lane]) - static_cast<double>(x[lane]);
  }
}

template <class T, Norm N>
void measure(Packet<T> const& packet, double* gaps, double* scratch, Measured kept) {
  std::size_t const cols = packet.parts[0].cols, count = packet.slots * Vec<T>::kCount;
  auto const note = cols == 2 ? &note_gaps<T, 2> : cols == 3 ? &note_gaps<T, 3> : &note_gaps<T, 0>;
  for (std::size_t slot = 0; slot < packet.slots; ++slot) note(packet, slot, gaps, kept);
  leaf_keys<double, N>(gaps, count, cols, nullptr, 1.0, scratch, kept.key);
  for (std::size_t i = 0; i < count; i += Vec<double>::kCount) {
    Vec<double> const key = Vec<double>::load(kept.key + i);
    (N == Norm::euclidean ? root(key) : key).store(kept.distance + i);
  }
}

template <class T>
constexpr KDKernels<T> table() {
  return {
      Vec<T>::kCount,
      {&search<T, Norm::manhattan>, &search<T, Norm::euclidean>, &search<T, Norm::chebyshev>},
      &gather<T>,
      {&measure<T, Norm::manhattan>, &measure<T, Norm::euclidean>, &measure<T, Norm::chebyshev>},
      {&leaf_keys<T, Norm::manhattan>, &leaf_keys<T, Norm::euclidean>,
       &leaf_keys<T, Norm::chebyshev>}};
}

}  // namespace

KDKernels<float> const kd_kernels_float = table<float>();
KDKernels<double> const kd_kernels_double = table<double>();

}  // namespace lookalike::simd::LOOKALIKE_LEVEL
