#include "kmeans/exact_sums.hpp"

#include <algorithm>
#include <cstdint>
#include <mutex>

#include "core/parallel.hpp"
#include "exact/embed.hpp"
#include "kmeans/assign_kernels.hpp"

namespace lookalike {
namespace {

constexpr std::size_t kSegment = 512;  // terms of one task
constexpr std::size_t kAhead = 8;      // terms whose rows are already on their way
constexpr std::size_t kLocks = 64;

struct Term {
  std::int64_t row;
  double sign;
};

struct SortedTerms {
  std::vector<std::size_t> first;  // (centers + 1,)
  std::vector<Term> term;

  // Counting sort by center.
  SortedTerms(std::span<Reassignment const> moves, std::size_t centers) : first(centers + 1) {
    for (Reassignment const& move : moves) {
      if (move.from >= 0) ++first[static_cast<std::size_t>(move.from) + 1];
      ++first[static_cast<std::size_t>(move.to) + 1];
    }
    for (std::size_t c = 0; c < centers; ++c) first[c + 1] += first[c];
    term.resize(first.back());
    auto next = first;
    for (Reassignment const& move : moves) {
      if (move.from >= 0) term[next[static_cast<std::size_t>(move.from)]++] = {move.row, -1.0};
      term[next[static_cast<std::size_t>(move.to)]++] = {move.row, 1.0};
    }
  }
};

struct Partial {
  std::vector<double> row, high, low;
};

}  // namespace

void move_rows(RowReader const& rows, std::span<double const> weight, Grid grid,
               std::span<Reassignment const> moves, std::size_t threads, View<double> high,
               View<double> low) {
  AssignKernels const& kernels = LOOKALIKE_CHOOSE(assign_kernels);
  EmbedKernels const& embed = LOOKALIKE_CHOOSE(embed_kernels);
  std::size_t const cols = rows.cols(), width = cols + kExtraSums;
  SortedTerms const sorted(moves, high.rows);
  std::vector<std::mutex> locks(kLocks);
  std::vector<Partial> partials(threads);

  auto const add_run = [&](std::size_t center, std::size_t from, std::size_t to, Partial& sum) {
    sum.high.assign(width, 0.0);
    sum.low.assign(width, 0.0);
    sum.row.resize(width);
    for (std::size_t i = from; i < to; ++i) {
      Term const& term = sorted.term[i];
      auto const row = static_cast<std::size_t>(term.row);
      if (i + kAhead < to) rows.prefetch(static_cast<std::size_t>(sorted.term[i + kAhead].row));
      rows.load(row, 1, sum.row.data());
      sum.row[cols + 1] = embed.center(sum.row.data(), grid.shift.data(), 1.0, cols);
      sum.row[cols] = 1.0;
      kernels.add_terms(sum.row.data(), weight.empty() ? 1.0 : weight[row], term.sign,
                        grid.coarse.data(), grid.fine.data(), width, sum.high.data(),
                        sum.low.data());
    }
    std::lock_guard const lock(locks[center % kLocks]);
    for (std::size_t j = 0; j < width; ++j) {
      high[center][j] += sum.high[j];
      low[center][j] += sum.low[j];
    }
  };

  std::size_t const total = sorted.term.size();
  parallel_blocks(
      total, kSegment, threads, [&](std::size_t begin, std::size_t end, std::size_t worker) {
        for (std::size_t at = begin; at < end;) {
          auto const above = std::upper_bound(sorted.first.begin(), sorted.first.end(), at);
          auto const center = static_cast<std::size_t>(above - sorted.first.begin()) - 1;
          std::size_t const stop = std::min(end, *above);
          checkpoint();
          add_run(center, at, stop, partials[worker]);
          at = stop;
        }
      });
}

}  // namespace lookalike
