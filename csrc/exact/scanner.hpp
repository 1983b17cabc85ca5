// One pass of a few queries over some panels: codes first, wide codes next, float64 distances last.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/parallel.hpp"
#include "core/prefetch.hpp"
#include "distance/distance.hpp"
#include "exact/exact.hpp"

namespace lookalike {

struct Query {
  double const* value = nullptr;
  std::int8_t const* first = nullptr;
  std::int8_t const* wide = nullptr;
  Code first_code, wide_code;
  Tails tails;
  std::int64_t exclude = -1;
};

// Scratch of one thread. T is the number of the rows, Best the collector of one query.
template <class T, class Best>
class Scanner {
 public:
  Scanner(View<T const> X, Filter const* filter, std::span<std::uint8_t const> allowed)
      : X_(X),
        filter_(filter),
        allowed_(allowed),
        error_(key_error(X.cols)),
        distances_(distance_kernel<T>()) {
    if (filter == nullptr) return;
    Embedding const& embedding = filter->embedding;
    to_image_ = embedding.scale * embedding.stretch();
    // Larger by more than the float32 roundings of PanelKernels::filter.
    inverse_step_ = static_cast<float>((1.0 + 0x1p-19) / embedding.first_step());
    chunk_ = std::clamp<std::size_t>(kChunkBytes / (kPanelRows * embedding.first_width()), 1, 64);
    hits_.resize(chunk_ * kQueriesTogether + 1);
  }

  // Panels [from, to) for some queries; `seen` has one bit a panel for each query.
  void scan(std::span<Query const> queries, std::span<Best> best, std::size_t from, std::size_t to,
            std::span<std::uint64_t const> seen) {
    std::size_t const words = queries.empty() ? 0 : seen.size() / queries.size();
    waiting_.resize(std::max(waiting_.size(), queries.size()));
    for (std::size_t panel = from; panel < to; panel += chunk_) {
      checkpoint();
      std::size_t const panels = std::min(chunk_, to - panel);
      for (std::size_t q = 0; q < queries.size(); q += kQueriesTogether) {
        std::size_t const count = std::min(kQueriesTogether, queries.size() - q);
        filter_chunk(queries.subspan(q, count), best.subspan(q, count), q, panel, panels,
                     seen.subspan(q * words), words);
      }
    }
    for (std::size_t q = 0; q < queries.size(); ++q) {
      if (q + 1 < queries.size()) prefetch_likely(waiting_[q + 1]);
      work_off(queries[q], best[q], waiting_[q], 0);
    }
    effort.pairs += static_cast<std::int64_t>(queries.size() * (to - from) * kPanelRows);
  }

  // Without a filter: rows [from, to), all of them compared.
  void scan_all(std::span<Query const> queries, std::span<Best> best, std::size_t from,
                std::size_t to) {
    for (std::size_t row = from; row < to; row += kCompared) {
      checkpoint();
      std::size_t count = 0;
      for (std::size_t i = row; i < std::min(row + kCompared, to); ++i) {
        if (!is_allowed(i)) continue;
        rows_[count] = X_.data + i * X_.stride;
        numbers_[count++] = static_cast<std::int64_t>(i);
      }
      if (queries.size() < kLeastPacked) {
        for (std::size_t q = 0; q < queries.size(); ++q) compare(queries[q], best[q], count);
        continue;
      }
      pack(count);
      for (std::size_t q = 0; q < queries.size(); q += kPackedQueries) {
        std::size_t const some = std::min(kPackedQueries, queries.size() - q);
        compare_packed(queries.subspan(q, some), best.subspan(q, some), count);
      }
    }
    effort.pairs += static_cast<std::int64_t>(queries.size() * (to - from));
  }

  // Rows after those that have codes.
  void scan_uncoded(std::span<Query const> queries, std::span<Best> best) {
    scan_all(queries, best, filter_->codes.row.size(), X_.rows);
  }

  // Looks at the groups nearest to the query first, so that the rest is scanned with a limit that
  // is near its last value. Marks their panels in `seen`. `slots` has one more than are wanted, in
  // case the excluded row is among the likely ones.
  void seed(Query const& query, Best& best, std::span<Neighbor> slots,
            std::span<std::uint64_t> seen) {
    std::size_t const wanted = query.exclude < 0 ? slots.size() - 1 : slots.size();
    choose_panels(query, std::max<std::size_t>(kSeedRows, 16 * wanted), seen);
    Codes const& codes = filter_->codes;
    std::size_t const width = filter_->embedding.first_width();
    scores_.resize(near_.size() * kPanelRows);
    for (std::size_t i = 0; i < near_.size(); ++i)
      panel_.score(codes.code.data() + near_[i] * kPanelRows * width,
                   codes.start.data() + near_[i] * kPanelRows, width, query.first,
                   scores_.data() + i * kPanelRows);
    positions_.clear();
    for (Neighbor const& guess : best_scores(slots.first(wanted))) {
      auto const at = static_cast<std::size_t>(guess.row);
      positions_.push_back(near_[at / kPanelRows] * kPanelRows + at % kPanelRows);
      scores_[at] = kTaken;
      prefetch_row(positions_.back());
    }
    effort.passed_first += static_cast<std::int64_t>(positions_.size());
    compare_positions(query, best);
    take_scored(query, best);
    waiting_.resize(std::max<std::size_t>(waiting_.size(), 1));
    settle(query, best, waiting_[0]);
    work_off(query, best, waiting_[0], 0);
  }

  Effort effort;

 private:
  static constexpr std::size_t kChunkBytes = 1 << 17;
  static constexpr std::size_t kCompared = 32;
  static constexpr std::size_t kLeastPacked = 4;     // queries that are worth panels of float64
  static constexpr std::size_t kPackedQueries = 16;  // compared with a panel at once
  static constexpr std::size_t kSeedRows = 1024;
  static constexpr std::size_t kWaiting = 12;  // rows that may wait for a better limit
  static constexpr std::int32_t kTaken = std::numeric_limits<std::int32_t>::min();

  struct Waiting {
    double low;  // no more than the image distance
    std::size_t position;
  };

  bool is_allowed(std::size_t row) const { return allowed_.empty() || allowed_[row] != 0; }
  bool is_allowed_at(std::size_t position) const {
    return allowed_.empty() ||
           allowed_[static_cast<std::size_t>(filter_->codes.row[position])] != 0;
  }

  double image_reach(Best const& best) const {
    return largest_distance(best.bound(), error_) * to_image_;
  }

  static float add_up(double reach, float margin) {  // rounded up to float32
    return static_cast<float>((reach + static_cast<double>(margin)) * (1.0 + 0x1p-22));
  }

  PanelQuery panel_query(Query const& query, Best const& best) const {
    return {query.first, query.first_code.norm / 2 + kCodeShift * query.first_code.sum,
            add_up(image_reach(best), query.first_code.margin), query.tails};
  }

  void filter_chunk(std::span<Query const> queries, std::span<Best> best, std::size_t first,
                    std::size_t panel, std::size_t panels, std::span<std::uint64_t const> seen,
                    std::size_t words) {
    Codes const& codes = filter_->codes;
    std::size_t const width = filter_->embedding.first_width();
    PanelQuery panel_queries[kQueriesTogether];
    for (std::size_t q = 0; q < queries.size(); ++q) {
      panel_queries[q] = panel_query(queries[q], best[q]);
      lists_[q].clear();
    }
    std::size_t const hits =
        panel_.filter(codes.code.data() + panel * kPanelRows * width,
                      codes.start.data() + panel * kPanelRows, codes.margin.data() + panel,
                      filter_->tails.empty() ? nullptr : filter_->tails.data() + panel, panels,
                      width, inverse_step_, panel_queries, queries.size(), hits_.data());
    for (std::size_t h = 0; h < hits; ++h) {
      PanelHit const& hit = hits_[h];
      std::size_t const at = panel + hit.panel;
      if (words > 0 && (seen[hit.query * words + at / 64] >> (at % 64) & 1)) continue;
      for (std::uint64_t rows = hit.rows; rows != 0; rows &= rows - 1) {
        std::size_t const position =
            at * kPanelRows + static_cast<std::size_t>(std::countr_zero(rows));
        if (position >= codes.row.size()) break;
        if (!is_allowed_at(position)) continue;
        lists_[hit.query].push_back(position);
        if (wide_width_ > 0)
          prefetch(codes.wide.data() + position * wide_width_, wide_width_);
        else
          prefetch_row(position);
      }
    }
    for (std::size_t q = 0; q < queries.size(); ++q) {
      positions_.swap(lists_[q]);
      settle(queries[q], best[q], waiting_[first + q]);
      positions_.swap(lists_[q]);
    }
    for (std::size_t q = 0; q < queries.size(); ++q)
      if (waiting_[first + q].size() > kWaiting)
        work_off(queries[q], best[q], waiting_[first + q], kWaiting / 2);
  }

  // The rows at positions_ that wide codes leave wait for their float64 distance, most likely
  // first: each that is near may rule out others. Without wide codes all are compared at once.
  void settle(Query const& query, Best& best, std::vector<Waiting>& waiting) {
    effort.passed_first += static_cast<std::int64_t>(positions_.size());
    if (positions_.empty()) return;
    if (wide_width_ > 0)
      narrow(query, image_reach(best), waiting);
    else
      compare_positions(query, best);
  }

  void narrow(Query const& query, double reach, std::vector<Waiting>& waiting) {
    Codes const& codes = filter_->codes;
    Embedding const& embedding = filter_->embedding;
    dots_.resize(positions_.size());
    panel_.wide(codes.wide.data(), wide_width_, positions_.data(), positions_.size(), query.wide,
                embedding.ratio * embedding.ratio, dots_.data());
    std::int64_t const own =
        query.wide_code.norm + std::int64_t{2 * kCodeShift} * query.wide_code.sum;
    double const margin = static_cast<double>(query.wide_code.margin);
    double const inverse = (1.0 + 0x1p-40) / embedding.step;
    for (std::size_t i = 0; i < positions_.size(); ++i) {
      std::size_t const position = positions_[i];
      double const slack = margin + static_cast<double>(codes.wide_margin[position]);
      auto const gap2 =
          static_cast<double>(codes.wide_norm[position] + own - 2 * std::int64_t{dots_[i]});
      double const steps = (reach + slack) * inverse;
      if (gap2 > steps * steps) continue;
      waiting.push_back({std::sqrt(gap2) * embedding.step * (1.0 - 0x1p-40) - slack, position});
      ++effort.passed_wide;
    }
  }

  // Puts the most likely rows last and brings them near.
  void prefetch_likely(std::vector<Waiting>& waiting) {
    std::ranges::sort(waiting, std::ranges::greater{}, &Waiting::low);
    for (std::size_t i = 0; i < std::min<std::size_t>(4, waiting.size()); ++i)
      prefetch_row(waiting[waiting.size() - 1 - i].position);
  }

  // Compares rows that wait, those with the lowest bound first, until at most `leave` are left that
  // the limit does not rule out.
  void work_off(Query const& query, Best& best, std::vector<Waiting>& waiting, std::size_t leave) {
    if (waiting.empty()) return;
    prefetch_likely(waiting);
    while (waiting.size() > leave) {
      double const reach = image_reach(best);
      positions_.clear();
      std::size_t const few = Best::kTightens ? 4 : kCompared;
      while (!waiting.empty() && positions_.size() < few) {
        if (waiting.back().low > reach) {
          waiting.clear();  // the others are no nearer
          break;
        }
        positions_.push_back(waiting.back().position);
        waiting.pop_back();
      }
      for (std::size_t i = 0; i < std::min(few, waiting.size()); ++i)
        prefetch_row(waiting[waiting.size() - 1 - i].position);
      compare_positions(query, best);
    }
  }

  void prefetch_row(std::size_t position) const {
    auto const row = static_cast<std::size_t>(filter_->codes.row[position]);
    prefetch(X_.data + row * X_.stride, std::min<std::size_t>(X_.cols * sizeof(T), 4096));
  }

  void compare_positions(Query const& query, Best& best) {
    for (std::size_t from = 0; from < positions_.size(); from += kCompared) {
      std::size_t const count = std::min(kCompared, positions_.size() - from);
      for (std::size_t i = 0; i < count; ++i) {
        numbers_[i] = filter_->codes.row[positions_[from + i]];
        rows_[i] = X_.data + static_cast<std::size_t>(numbers_[i]) * X_.stride;
      }
      compare(query, best, count);
    }
  }

  void compare(Query const& query, Best& best, std::size_t count) {
    double key[kCompared];
    distances_(query.value, rows_, count, X_.cols, key);
    for (std::size_t i = 0; i < count; ++i)
      if (numbers_[i] != query.exclude) best.offer({key[i], numbers_[i]});
    effort.distances += static_cast<std::int64_t>(count);
  }

  // Puts the first `count` of rows_ into panels of kLanes rows; the last may lack some.
  void pack(std::size_t count) {
    panels_.resize((count + kLanes - 1) / kLanes * kLanes * X_.cols);
    for (std::size_t i = 0; i < count; ++i) {
      double* const panel = panels_.data() + i / kLanes * kLanes * X_.cols + i % kLanes;
      for (std::size_t j = 0; j < X_.cols; ++j)
        panel[j * kLanes] = static_cast<double>(rows_[i][j]);
    }
  }

  // Compares queries with the rows that are packed.
  void compare_packed(std::span<Query const> queries, std::span<Best> best, std::size_t count) {
    double const* value[kPackedQueries];
    double keys[kPackedQueries * kLanes];
    for (std::size_t q = 0; q < queries.size(); ++q) value[q] = queries[q].value;
    for (std::size_t first = 0; first < count; first += kLanes) {
      std::size_t const rows = std::min(kLanes, count - first);
      panel_distances_(value, queries.size(), panels_.data() + first * X_.cols, X_.cols, keys);
      for (std::size_t q = 0; q < queries.size(); ++q) {
        double const* const key = keys + q * kLanes;
        double reach = best[q].bound();
        for (std::size_t i = 0; i < rows; ++i) {
          std::int64_t const number = numbers_[first + i];
          if (key[i] > reach || number == queries[q].exclude) continue;
          best[q].offer({key[i], number});
          reach = best[q].bound();
        }
      }
    }
    effort.distances += static_cast<std::int64_t>(queries.size() * count);
  }

  // The largest of scores_, best first; rows are places in scores_.
  std::span<Neighbor const> best_scores(std::span<Neighbor> slots) const {
    TopK likely(slots);
    std::int32_t bar = kTaken;
    for (std::size_t i = 0; i < near_.size(); ++i) {
      std::int32_t const* const score = scores_.data() + i * kPanelRows;
      std::size_t const rows =
          std::min(kPanelRows, filter_->codes.row.size() - near_[i] * kPanelRows);
      for (std::size_t j = 0; j < rows; ++j) {
        if (score[j] <= bar || !is_allowed_at(near_[i] * kPanelRows + j)) continue;
        likely.offer(
            {-static_cast<double>(score[j]), static_cast<std::int64_t>(i * kPanelRows + j)});
        bar = static_cast<std::int32_t>(std::max(-likely.bound(), double{kTaken}));
      }
    }
    return likely.sorted();
  }

  // Panels of the nearest groups that hold at least `wanted` rows.
  void choose_panels(Query const& query, std::size_t wanted, std::span<std::uint64_t> seen) {
    Codes const& codes = filter_->codes;
    std::size_t const width = filter_->embedding.first_width();
    near_.clear();
    groups_.resize(codes.group_start.size());
    for (std::size_t from = 0; from < groups_.size(); from += kPanelRows)
      panel_.score(codes.group_code.data() + from * width, codes.group_start.data() + from, width,
                   query.first, groups_.data() + from);
    std::size_t const groups = codes.group_first.size() - 1;
    for (std::size_t round = 0; round < groups && near_.size() * kPanelRows < wanted; ++round) {
      auto const nearest =
          std::max_element(groups_.begin(), groups_.begin() + static_cast<std::ptrdiff_t>(groups));
      auto const group = static_cast<std::size_t>(nearest - groups_.begin());
      *nearest = std::numeric_limits<std::int32_t>::min();
      auto const first = static_cast<std::size_t>(codes.group_first[group]);
      auto const end = static_cast<std::size_t>(codes.group_first[group + 1]);
      for (std::size_t panel = first / kPanelRows; panel * kPanelRows < end; ++panel) {
        std::uint64_t const bit = std::uint64_t{1} << (panel % 64);
        if (!(seen[panel / 64] & bit)) near_.push_back(panel);
        seen[panel / 64] |= bit;
      }
    }
  }

  // Rows of the near panels whose scores pass the limit become positions_.
  void take_scored(Query const& query, Best const& best) {
    Codes const& codes = filter_->codes;
    PanelQuery const panel_queries = panel_query(query, best);
    positions_.clear();
    for (std::size_t i = 0; i < near_.size(); ++i) {
      double const steps =
          (static_cast<double>(panel_queries.reach) + static_cast<double>(codes.margin[near_[i]])) *
          static_cast<double>(inverse_step_);
      double const bar = static_cast<double>(panel_queries.base) - 2.0 - 0.5 * steps * steps;
      auto const least = static_cast<std::int32_t>(std::max(bar, double{kTaken} + 1.0));
      for (std::size_t j = 0; j < kPanelRows; ++j) {
        if (scores_[i * kPanelRows + j] < least) continue;
        std::size_t const position = near_[i] * kPanelRows + j;
        if (position < codes.row.size() && is_allowed_at(position)) positions_.push_back(position);
      }
    }
  }

  View<T const> X_;
  Filter const* filter_;
  std::span<std::uint8_t const> allowed_;
  KeyError error_;
  DistanceKernel<T> distances_;
  PanelDistanceKernel panel_distances_ = LOOKALIKE_CHOOSE(distance_kernels).of_panel;
  PanelKernels const& panel_ = LOOKALIKE_CHOOSE(panel_kernels);
  std::size_t wide_width_ = filter_ == nullptr ? 0 : filter_->embedding.wide_width();
  double to_image_ = 1.0;
  float inverse_step_ = 1.0f;
  std::size_t chunk_ = 1;
  std::vector<PanelHit> hits_;
  std::vector<std::size_t> lists_[kQueriesTogether];
  std::vector<std::size_t> positions_, near_;
  std::vector<std::vector<Waiting>> waiting_;  // of each query of a tile
  std::vector<std::int32_t> dots_, scores_, groups_;
  std::vector<double> panels_;  // rows that are compared with many queries
  T const* rows_[kCompared] = {};
  std::int64_t numbers_[kCompared] = {};
};

}  // namespace lookalike
