// Answers to queries, a packet at a time: lanes propose rows, float64 keys decide.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "kdtree.hpp"

namespace lookalike {

constexpr std::size_t kMostSlots = 128;    // longer lists are kept in a heap, a query at a time
constexpr std::size_t kMostColumns = 256;  // beyond them boxes tell nothing

// Neighbours are written in the order of the rows given, which is not that of the tree.
inline void fetch_soon([[maybe_unused]] void* memory) {
#if defined(__GNUC__)
  __builtin_prefetch(memory, 1);
#endif
}

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

// keys[i] of the row at[i].
template <class T>
using KeysAt = void (*)(double const* query, Place<T> const* at, std::size_t count,
                        std::size_t cols, double* keys);

template <class T, Norm N, std::size_t D>
void keys_at(double const* query, Place<T> const* at, std::size_t count, std::size_t cols,
             double* keys) {
  for (std::size_t i = 0; i < count; ++i) {
    T const* const values = at[i].values;
    std::size_t const stride = at[i].stride;
    keys[i] = key_of<N, D>(0.0, cols, [=](std::size_t j) {
      return std::abs(query[j] - static_cast<double>(values[j * stride]));
    });
  }
}

template <class T>
KeysAt<T> choose_keys_at(Norm norm, std::size_t cols) {
  return with_norm(norm, [=](auto n) -> KeysAt<T> {
    if constexpr (n == Norm::minkowski) return nullptr;  // never searched in packets
    switch (cols) {
      case 1: return &keys_at<T, n, 1>;
      case 2: return &keys_at<T, n, 2>;
      case 3: return &keys_at<T, n, 3>;
      default: return &keys_at<T, n, 0>;
    }
  });
}

// Collects queries until a packet is full, then answers them. Where the lists of a lane leave open
// which rows are nearest, all rows about as near are gathered and ordered; where those are too
// many, or the arithmetic of T does not serve the query, it is searched alone.
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
        room_(4 * slots_ + 64),
        together_(request.packets && metric_.norm != Norm::minkowski && slack_ == 0.0 &&
                  slots_ <= kMostSlots && cols_ <= kMostColumns),
        queries_(lanes_ * cols_),
        exclude_(lanes_),
        target_(lanes_),
        keys_at_(choose_keys_at<T>(metric_.norm, cols_)) {
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
    gathered_.resize(lanes_);
    gathered_place_.resize(lanes_ * room_);
    best_.reserve(room_);
    at_.resize(room_);
    keys_.resize(room_);
  }

  double* next(std::size_t target, std::int64_t exclude) {  // where to write the next query
    fetch_soon(out_.distance[target].data());
    fetch_soon(out_.row[target].data());
    target_[waiting_] = target;
    exclude_[waiting_] = exclude;
    return queries_.data() + waiting_++ * cols_;
  }

  void flush() {
    if (waiting_ == 0) return;
    if (together_) run(kd_kernels<T>().search);
    bool gathered = false;
    for (std::size_t lane = 0; lane < waiting_; ++lane) {
      KDQuery const query{queries_.data() + lane * cols_, exclude_[lane]};
      double scale = 1.0;
      bool settled = together_ && fits(query) && settle_kept(query, lane);
      if (!settled && together_ && fits(query) && best_.size() >= k_ && best_[k_ - 1].key > 0.0) {
        if (!gathered) run(kd_kernels<T>().gather);
        gathered = true;
        settled = settle_gathered(query, lane);
      }
      if (!settled) scale = search_nearest(parts_, query, metric_, k_, slack_, best_);
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

  void run(void (*const (&kernels)[3])(Packet<T> const&)) {
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      double const* const query = queries_.data() + (lane < waiting_ ? lane : 0) * cols_;
      for (std::size_t j = 0; j < cols_; ++j)
        lane_query_[j * lanes_ + lane] = static_cast<T>(query[j]);
    }
    kernels[static_cast<int>(metric_.norm)](
        {views_.data(), views_.size(), lane_query_.data(), box_.data(), slots_,
         static_cast<T>(1.0 + 8.0 * rounding()), static_cast<T>(underflow()), key_.data(),
         place_.data(), runner_up_.data(), room_, gathered_.data(), gathered_place_.data()});
  }

  // Whether arithmetic in T tells about this query: T holds it, and its keys need no scale.
  bool fits(KDQuery query) const {
    double largest = largest_;
    for (std::size_t j = 0; j < cols_; ++j) {
      if (static_cast<double>(static_cast<T>(query.values[j])) != query.values[j]) return false;
      largest = std::max(largest, std::abs(query.values[j]));
    }
    return Minkowski::scale(largest) == 1.0;
  }

  // Orders the rows that the lane kept. Whether they are certainly the answer.
  bool settle_kept(KDQuery query, std::size_t lane) {
    std::size_t count = 0;
    for (std::size_t slot = 0; slot < slots_; ++slot) {
      Integer place;
      std::memcpy(&place, &place_[slot * lanes_ + lane], sizeof place);
      if (place < 0) break;
      at_[count] = find_place(parts_, static_cast<std::size_t>(place));
      count += at_[count].row == query.exclude ? 0 : 1;
    }
    order(query, count);
    if (count < k_) return false;
    double const limit = best_[k_ - 1].key;
    double const others = static_cast<double>(runner_up_[lane]) * (1.0 - rounding()) - underflow();
    return others > limit && limit < 0.5 * static_cast<double>(std::numeric_limits<T>::max());
  }

  // Orders all rows that may be as near as those kept; false where there were too many to list.
  bool settle_gathered(KDQuery query, std::size_t lane) {
    if (gathered_[lane] > room_ ||
        best_[k_ - 1].key >= 0.5 * static_cast<double>(std::numeric_limits<T>::max()))
      return false;
    std::size_t count = 0;
    for (std::size_t i = 0; i < gathered_[lane]; ++i) {
      at_[count] = find_place(parts_, gathered_place_[lane * room_ + i]);
      count += at_[count].row == query.exclude ? 0 : 1;
    }
    order(query, count);
    return count >= k_;  // none are listed where the keys of all lanes vanish in T
  }

  void order(KDQuery query, std::size_t count) {
    keys_at_(query.values, at_.data(), count, cols_, keys_.data());
    best_.clear();
    for (std::size_t i = 0; i < count; ++i) {
      Found const found{keys_[i], at_[i].row};
      if (best_.size() == k_) {
        if (!(found < best_.back())) continue;
        best_.pop_back();
      }
      std::size_t at = best_.size();
      best_.push_back(found);
      for (; at > 0 && found < best_[at - 1]; --at) best_[at] = best_[at - 1];
      best_[at] = found;
    }
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
  std::size_t cols_, k_, slots_, lanes_, room_;
  bool together_;
  double largest_ = 0.0;
  std::size_t waiting_ = 0;
  std::vector<double> queries_;
  std::vector<std::int64_t> exclude_;
  std::vector<std::size_t> target_;
  std::vector<KDPartView<T>> views_;
  std::vector<T> lane_query_, box_, key_, place_, runner_up_;
  std::vector<std::uint32_t> gathered_, gathered_place_;
  std::vector<Found> best_;
  std::vector<Place<T>> at_;
  std::vector<double> keys_;
  KeysAt<T> keys_at_;
};

}  // namespace lookalike
