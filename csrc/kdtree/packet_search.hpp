// The nearest rows of a packet of queries: vector lanes propose rows, float64 keys decide.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/prefetch.hpp"
#include "core/topk.hpp"
#include "kdtree/kdtree.hpp"

namespace lookalike {

constexpr std::size_t kMostSlots = 128;    // longer lists are kept in a heap, a query at a time
constexpr std::size_t kMostColumns = 256;  // beyond them boxes rule nothing out

// Collects queries until a packet is full, then searches for all of them. Where the lists of a lane
// leave open which rows are nearest, all candidates about as near are ordered; where those are too
// many, or the arithmetic of T does not serve the query, it is searched alone.
template <class T>
class PacketSearch {
 public:
  PacketSearch(std::vector<KDPart<T>> const& parts, KDRequest request, bool excluding,
               NeighborTable out)
      : parts_(parts),
        metric_(request.metric),
        slack_(request.slack),
        out_(out),
        cols_(parts[0].cols),
        k_(out.row.cols),
        slots_(k_ + (excluding ? 1 : 0)),
        lanes_(kd_kernels<T>().lanes),
        room_(slots_ <= 16 ? 1 << 10 : 1 << 12),
        together_(request.packets && metric_.norm != Norm::minkowski && slack_ == 0.0 &&
                  slots_ <= kMostSlots && cols_ <= kMostColumns),
        queries_(lanes_ * cols_),
        exclude_(lanes_),
        target_(lanes_),
        fits_(lanes_),
        best_(k_) {
    for (KDPart<T> const& part : parts) {
      views_.push_back(part.view());
      largest_ = std::max(largest_, part.largest);
    }
    if (!together_) return;
    lane_query_.resize(lanes_ * cols_);
    box_.resize(2 * cols_);
    candidate_.resize(room_);
    candidate_key_.resize(room_ * lanes_);
    key_.resize(slots_ * lanes_);
    runner_up_.resize(lanes_);
    limit_.resize(lanes_);
    gathered_.resize(lanes_);
    gathered_at_.resize(lanes_ * room_);
    gaps_.resize(cols_ * slots_ * lanes_);
    scratch_.resize(8 * slots_ * lanes_);
    kept_key_.resize(slots_ * lanes_);
    kept_distance_.resize(slots_ * lanes_);
    kept_at_.resize(slots_ * lanes_);
    stamped_.resize(room_);
    others_.resize(room_ + 1);
    kept_row_.resize(slots_ * lanes_);
  }

  // Where to write the next query. Neighbors are written in the order of the rows given, which is
  // not that of the tree: their places are fetched meanwhile.
  double* next(std::size_t target, std::int64_t exclude) {
    prefetch_for_write(&out_.distance[target].front());
    prefetch_for_write(&out_.distance[target].back());
    prefetch_for_write(&out_.row[target].front());
    prefetch_for_write(&out_.row[target].back());
    target_[waiting_] = target;
    exclude_[waiting_] = exclude;
    return queries_.data() + waiting_++ * cols_;
  }

  bool full() const { return waiting_ == lanes_; }

  void flush(std::uint32_t home) {  // the leaf of the first tree in which the queries lie
    if (waiting_ == 0) return;
    home_ = home;
    bool const walked = together_ && walk();
    gathered_yet_ = false;
    for (std::size_t lane = 0; lane < waiting_; ++lane) {
      bool const proposed = walked && fits_[lane];
      if (proposed && write_kept(lane)) continue;
      KDQuery const query{queries_.data() + lane * cols_, exclude_[lane]};
      TopK best(best_);
      double scale = 1.0;
      if (!proposed || !(settle_kept(query, lane, best) || settle_gathered(query, lane, best))) {
        best = TopK(best_);
        scale = search_nearest(parts_, query, metric_, slack_, best);
      }
      write(target_[lane], scale, best.sorted());
    }
    waiting_ = 0;
  }

 private:
  double rounding() const {  // of a key computed in T, relative
    return static_cast<double>(cols_ + 8) * static_cast<double>(std::numeric_limits<T>::epsilon());
  }
  double numbering() const {  // of a key whose last bits are the number of its candidate, relative
    return static_cast<double>(room_) * static_cast<double>(std::numeric_limits<T>::epsilon());
  }
  double underflow() const {  // of a key computed in T, absolute
    return 4.0 * static_cast<double>(cols_) * static_cast<double>(std::numeric_limits<T>::min());
  }

  Packet<T> packet() {
    return {.parts = views_.data(),
            .n_parts = views_.size(),
            .query = lane_query_.data(),
            .box = box_.data(),
            .home = home_,
            .slots = slots_,
            .widen = static_cast<T>(1.0 + 8.0 * rounding() + 2.0 * numbering()),
            .floor = static_cast<T>(underflow()),
            .room = room_,
            .candidate = candidate_.data(),
            .candidate_key = candidate_key_.data(),
            .key = key_.data(),
            .runner_up = runner_up_.data(),
            .limit = limit_.data(),
            .candidates = candidates_,
            .complete = complete_,
            .gathered = gathered_.data(),
            .gathered_at = gathered_at_.data()};
  }

  // Lets the queries that T can hold walk the tree; false where they keep too few rows.
  bool walk() {
    std::size_t stand_in = lanes_;
    for (std::size_t lane = waiting_; lane-- > 0;) {
      fits_[lane] = fits(queries_.data() + lane * cols_);
      if (fits_[lane]) stand_in = lane;
    }
    if (stand_in == lanes_) return false;
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      std::size_t const from = lane < waiting_ && fits_[lane] ? lane : stand_in;
      for (std::size_t j = 0; j < cols_; ++j)
        lane_query_[j * lanes_ + lane] = static_cast<T>(queries_[from * cols_ + j]);
    }
    candidates_ = 0;
    complete_ = true;
    Packet<T> all = packet();
    kd_kernels<T>().search[static_cast<int>(metric_.norm)](all);
    candidates_ = all.candidates;
    complete_ = all.complete;
    if (candidates_ < slots_) return false;
    kd_kernels<T>().measure[static_cast<int>(metric_.norm)](
        all, gaps_.data(), scratch_.data(),
        {kept_key_.data(), kept_distance_.data(), kept_at_.data(), kept_row_.data()});
    return true;
  }

  void gather() {
    Packet<T> all = packet();
    kd_kernels<T>().gather(all);
    gathered_yet_ = true;
  }

  // Whether arithmetic in T serves this query: T holds it, and its keys need no scale.
  bool fits(double const* query) const {
    double largest = largest_;
    bool exact = true;
    for (std::size_t j = 0; j < cols_; ++j) {
      exact &= static_cast<double>(static_cast<T>(query[j])) == query[j];
      largest = std::max(largest, std::abs(query[j]));
    }
    return exact && Minkowski::scale(largest) == 1.0;
  }

  // Writes the rows that the lane kept, where they are certainly the nearest and in order.
  bool write_kept(std::size_t lane) {
    double* const distance = out_.distance[target_[lane]].data();
    std::int64_t* const row = out_.row[target_[lane]].data();
    std::size_t count = 0;
    double last = -1.0;
    bool ascending = true;
    for (std::size_t i = lane; i < slots_ * lanes_; i += lanes_) {
      if (kept_row_[i] == exclude_[lane]) continue;
      ascending &= kept_key_[i] > last;
      if (count == k_) break;
      last = kept_key_[i];
      distance[count] = kept_distance_[i];
      row[count++] = kept_row_[i];
    }
    return ascending && count == k_ && no_other_below(last, lane);
  }

  bool no_other_below(double key, std::size_t lane) const {
    double const others =
        static_cast<double>(runner_up_[lane]) * (1.0 - rounding() - 2.0 * numbering()) -
        underflow();
    return others > key && is_reliable(key);
  }

  // Orders the rows that the lane kept. Whether they are certainly the nearest.
  bool settle_kept(KDQuery query, std::size_t lane, TopK& best) const {
    for (std::size_t i = lane; i < slots_ * lanes_; i += lanes_)
      offer(query, {kept_key_[i], kept_row_[i]}, best);
    return best.full() && no_other_below(best.bound(), lane);
  }

  static bool is_reliable(double key) {  // whether a key is far from overflow in T
    return key < 0.25 * static_cast<double>(std::numeric_limits<T>::max());
  }

  // Orders the candidates about as near among those kept; false where keys in T are not reliable.
  bool settle_gathered(KDQuery query, std::size_t lane, TopK& best) {
    if (!complete_ || !is_reliable(static_cast<double>(limit_[lane]))) return false;
    if (!gathered_yet_) gather();
    std::size_t const count = others_gathered(lane);
    if (keys_.size() < count) {
      keys_.resize(count);
      gaps_.resize(std::max(gaps_.size(), count * cols_));
      scratch_.resize(std::max(scratch_.size(), count * 8));
    }
    for (std::size_t i = 0; i < count; ++i) {
      Candidate<T> const& from = candidate_[others_[i]];
      for (std::size_t j = 0; j < cols_; ++j)
        gaps_[j * count + i] = query.values[j] - static_cast<double>(from.values[j * from.stride]);
    }
    kd_kernels<double>().leaf_keys[static_cast<int>(metric_.norm)](
        gaps_.data(), count, cols_, nullptr, 1.0, scratch_.data(), keys_.data());
    for (std::size_t i = 0; i < count; ++i)
      offer(query, {keys_[i], candidate_[others_[i]].row}, best);
    return best.full();
  }

  // Lists the candidates of a lane that it did not keep.
  std::size_t others_gathered(std::size_t lane) {
    if (++stamp_ == 0) std::ranges::fill(stamped_, stamp_++);
    for (std::size_t slot = 0; slot < slots_; ++slot)
      stamped_[kept_at_[slot * lanes_ + lane]] = stamp_;
    std::size_t count = 0;
    for (std::size_t i = 0; i < gathered_[lane]; ++i) {
      others_[count] = gathered_at_[lane * room_ + i];
      count += stamped_[others_[count]] == stamp_ ? 0 : 1;
    }
    return count;
  }

  static void offer(KDQuery query, Neighbor neighbor, TopK& best) {
    if (neighbor.row != query.exclude) best.offer(neighbor);
  }

  void write(std::size_t target, double scale, std::span<Neighbor const> neighbors) {
    auto const distance = out_.distance[target];
    auto const row = out_.row[target];
    for (std::size_t i = 0; i < neighbors.size(); ++i) {
      distance[i] = metric_.distance(neighbors[i].key, scale);
      row[i] = neighbors[i].row;
    }
  }

  std::vector<KDPart<T>> const& parts_;
  Minkowski metric_;
  double slack_;
  NeighborTable out_;
  std::size_t cols_, k_, slots_, lanes_, room_;
  bool together_;
  double largest_ = 0.0;
  std::size_t waiting_ = 0, candidates_ = 0;
  bool complete_ = true, gathered_yet_ = false;
  std::uint32_t stamp_ = 0, home_ = 0;
  std::vector<double> queries_;
  std::vector<std::int64_t> exclude_;
  std::vector<std::size_t> target_;
  std::vector<char> fits_;
  std::vector<KDPartView<T>> views_;
  std::vector<T> lane_query_, box_, key_, runner_up_, limit_;
  Lines<T> candidate_key_;
  Lines<Candidate<T>> candidate_;
  Lines<std::uint32_t> gathered_at_;
  std::vector<std::uint32_t> gathered_, kept_at_, kept_row_, stamped_, others_;
  std::vector<double> gaps_, scratch_, keys_, kept_key_, kept_distance_;
  std::vector<Neighbor> best_;  // the slots of one query
};

}  // namespace lookalike
