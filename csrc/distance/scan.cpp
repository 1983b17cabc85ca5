#include "distance/scan.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "core/parallel.hpp"

namespace lookalike {
namespace {

constexpr std::size_t kLeastRows = 2048;  // a share of the rows worth a thread of its own
constexpr std::size_t kFirstRows = 64;    // of the first tile of a share

struct Find {
  double key;
  std::int64_t row;
  bool operator<(Find const& other) const {
    return key < other.key || (key == other.key && row < other.row);
  }
};

// The k smallest finds of rows offered in rising order: a heap, its largest on top.
class Smallest {
 public:
  explicit Smallest(std::size_t k) : k_(k) { heap_.reserve(k); }

  void offer(double key, std::int64_t row) {
    if (heap_.size() < k_) {
      heap_.push_back({key, row});
      std::push_heap(heap_.begin(), heap_.end());
    } else if (key < heap_.front().key) {
      std::pop_heap(heap_.begin(), heap_.end());
      heap_.back() = {key, row};
      std::push_heap(heap_.begin(), heap_.end());
    }
  }
  double bound() const {  // a larger key is of no use
    return heap_.size() < k_ ? std::numeric_limits<double>::infinity() : heap_.front().key;
  }
  std::vector<Find>& finds() { return heap_; }

 private:
  std::size_t k_;
  std::vector<Find> heap_;
};

class Everything {
 public:
  explicit Everything(double most) : most_(most) {}

  void offer(double key, std::int64_t row) {
    if (key <= most_) finds_.push_back({key, row});
  }
  double bound() const { return most_; }
  std::vector<Find>& finds() { return finds_; }

 private:
  double most_;
  std::vector<Find> finds_;
};

// How the pairs are cut into tasks: tiles of queries, and shares of the rows where there are few.
struct Cut {
  Cut(Pairs const& pairs, std::size_t asked) {
    threads = asked == 0 ? default_threads() : asked;
    std::size_t const even = (pairs.queries() + threads - 1) / threads;
    tile = std::clamp<std::size_t>(even, 1, pairs.most_queries());
    tiles = (pairs.queries() + tile - 1) / tile;
    std::size_t const free = tiles == 0 ? 1 : (threads + tiles - 1) / tiles;
    shares = std::clamp<std::size_t>(pairs.rows() / kLeastRows, 1, free);
  }
  std::size_t threads, tile, tiles, shares;
};

// Offers the rows of one share to the keepers of the queries of one tile, rows rising.
template <class Keeper>
void scan_tile(Pairs const& pairs, std::size_t query, std::span<Keeper> keepers, std::size_t begin,
               std::size_t end, std::span<std::int64_t const> exclude) {
  std::size_t const most = std::min(pairs.most_rows(), end - begin);
  std::vector<double> scratch(pairs.scratch());
  std::vector<double> bound(keepers.size());
  std::vector<double> keys(keepers.size() * most);
  pairs.open(query, keepers.size(), scratch.data());
  std::size_t count = std::min(most, kFirstRows);  // then twice as many: bounds come early
  for (std::size_t first = begin; first < end; first += count, count = std::min(2 * count, most)) {
    checkpoint();
    count = std::min(count, end - first);
    View<double> const tile{keys.data(), keepers.size(), count, count};
    for (std::size_t i = 0; i < keepers.size(); ++i) bound[i] = keepers[i].bound();
    pairs.keys(query, first, bound.data(), scratch.data(), tile);
    for (std::size_t i = 0; i < keepers.size(); ++i) {
      std::int64_t const skip = exclude.empty() ? -1 : exclude[query + i];
      double const* const key = tile[i].data();
      double reach = bound[i];
      for (std::size_t j = 0; j < count; ++j) {
        if (key[j] > reach) continue;
        auto const row = static_cast<std::int64_t>(first + j);
        if (row != skip) keepers[i].offer(key[j], row);
        reach = keepers[i].bound();
      }
    }
  }
}

// Calls done(query, finds) once a query, finds sorted; `make(query)` makes its keeper.
template <class Make, class Done>
void scan(Pairs const& pairs, std::span<std::int64_t const> exclude, std::size_t threads, Make make,
          Done done) {
  if (!exclude.empty() && exclude.size() != pairs.queries())
    throw std::invalid_argument("one excluded row a query is needed");
  Cut const cut(pairs, threads);
  std::vector<std::vector<Find>> parts(cut.shares > 1 ? cut.shares * pairs.queries() : 0);
  parallel_for(cut.tiles * cut.shares, cut.threads, [&](std::size_t task, std::size_t) {
    std::size_t const share = task % cut.shares;
    std::size_t const query = task / cut.shares * cut.tile;
    std::size_t const count = std::min(cut.tile, pairs.queries() - query);
    std::vector<decltype(make(query))> keepers;
    keepers.reserve(count);
    for (std::size_t i = 0; i < count; ++i) keepers.push_back(make(query + i));
    scan_tile(pairs, query, std::span(keepers), share * pairs.rows() / cut.shares,
              (share + 1) * pairs.rows() / cut.shares, exclude);
    for (std::size_t i = 0; i < count; ++i) {
      if (cut.shares > 1) {
        parts[(query + i) * cut.shares + share] = std::move(keepers[i].finds());
      } else {
        std::ranges::sort(keepers[i].finds(), std::less<>{});
        done(query + i, keepers[i].finds());
      }
    }
  });
  if (cut.shares == 1) return;
  for (std::size_t query = 0; query < pairs.queries(); ++query) {
    std::vector<Find> all;
    for (std::size_t share = 0; share < cut.shares; ++share) {
      auto& part = parts[query * cut.shares + share];
      all.insert(all.end(), part.begin(), part.end());
      part = {};
    }
    std::ranges::sort(all, std::less<>{});
    done(query, all);
  }
}

}  // namespace

void scan_nearest(Pairs const& pairs, std::span<std::int64_t const> exclude, std::size_t threads,
                  View<double> key, View<std::int64_t> row) {
  if (key.rows != pairs.queries() || row.rows != key.rows || row.cols != key.cols)
    throw std::invalid_argument("keys and rows of every query have no place");
  if (key.cols + (exclude.empty() ? 0 : 1) > pairs.rows())
    throw std::invalid_argument("more neighbors are asked for than there are rows");
  scan(
      pairs, exclude, threads, [&](std::size_t) { return Smallest(key.cols); },
      [&](std::size_t query, std::vector<Find> const& finds) {
        for (std::size_t i = 0; i < key.cols; ++i) {
          key[query][i] = finds[i].key;
          row[query][i] = finds[i].row;
        }
      });
}

Finds scan_within(Pairs const& pairs, std::span<double const> most,
                  std::span<std::int64_t const> exclude, std::size_t threads) {
  std::vector<std::vector<Find>> finds(pairs.queries());
  scan(
      pairs, exclude, threads, [&](std::size_t query) { return Everything(most[query]); },
      [&](std::size_t query, std::vector<Find>& found) { finds[query] = std::move(found); });
  Finds within;
  within.start.assign(1, 0);
  for (auto const& found : finds)
    within.start.push_back(within.start.back() + static_cast<std::int64_t>(found.size()));
  within.key.reserve(static_cast<std::size_t>(within.start.back()));
  within.row.reserve(static_cast<std::size_t>(within.start.back()));
  for (auto& found : finds) {
    for (Find const& find : found) {
      within.key.push_back(find.key);
      within.row.push_back(find.row);
    }
    found = {};
  }
  return within;
}

}  // namespace lookalike
