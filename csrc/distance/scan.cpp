#include "distance/scan.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "core/parallel.hpp"

namespace lookalike {
namespace {

constexpr std::size_t kLeastRows = 2048;  // a share of the rows worth a thread of its own
constexpr std::size_t kFirstRows = 64;    // of the first tile of a share

// How the pairs are cut into tasks: tiles of queries, and shares of the rows where there are few.
struct Cut {
  Cut(Pairs const& pairs, std::size_t n_threads) {
    threads = n_threads == 0 ? default_threads() : n_threads;
    std::size_t const even = (pairs.queries() + threads - 1) / threads;
    tile = std::clamp<std::size_t>(even, 1, pairs.most_queries());
    tiles = (pairs.queries() + tile - 1) / tile;
    std::size_t const free = tiles == 0 ? 1 : (threads + tiles - 1) / tiles;
    shares = std::clamp<std::size_t>(pairs.rows() / kLeastRows, 1, free);
  }
  std::size_t threads, tile, tiles, shares;
};

// The first place from `at` on whose key is not beyond `reach`; `count` where there is none.
std::size_t next_within(double const* key, std::size_t at, std::size_t count, double reach) {
  constexpr std::size_t kAtOnce = 8;
  for (; at + kAtOnce <= count; at += kAtOnce) {
    unsigned beyond = 0;
    for (std::size_t i = 0; i < kAtOnce; ++i) beyond += key[at + i] > reach ? 1U : 0U;
    if (beyond < kAtOnce) break;
  }
  while (at < count && key[at] > reach) ++at;
  return at;
}

// Offers the rows of one share to the collectors of the queries of one tile, rows rising.
template <class Collector>
void scan_tile(Pairs const& pairs, std::size_t query, std::span<Collector> collectors,
               std::size_t begin, std::size_t end, std::span<std::int64_t const> exclude) {
  std::size_t const most = std::min(pairs.most_rows(), end - begin);
  std::vector<double> scratch(pairs.scratch());
  std::vector<double> bound(collectors.size());
  std::vector<double> keys(collectors.size() * most);
  pairs.open(query, collectors.size(), scratch.data());
  std::size_t count = std::min(most, kFirstRows);  // then twice as many: bounds come early
  for (std::size_t first = begin; first < end; first += count, count = std::min(2 * count, most)) {
    checkpoint();
    count = std::min(count, end - first);
    View<double> const tile{keys.data(), collectors.size(), count, count};
    for (std::size_t i = 0; i < collectors.size(); ++i) bound[i] = collectors[i].bound();
    pairs.keys(query, first, bound.data(), scratch.data(), tile);
    for (std::size_t i = 0; i < collectors.size(); ++i) {
      std::int64_t const skip = exclude.empty() ? -1 : exclude[query + i];
      double const* const key = tile[i].data();
      double reach = bound[i];
      for (std::size_t j = next_within(key, 0, count, reach); j < count;
           j = next_within(key, j + 1, count, reach)) {
        auto const row = static_cast<std::int64_t>(first + j);
        if (row != skip) collectors[i].offer({key[j], row});
        reach = collectors[i].bound();
      }
    }
  }
}

// Calls done(query, neighbors) once a query, neighbors sorted; make(query, slots) makes the
// collector of a query, which may use `width` slots.
template <class Make, class Done>
void scan(Pairs const& pairs, std::span<std::int64_t const> exclude, std::size_t threads,
          std::size_t width, Make make, Done done) {
  if (!exclude.empty() && exclude.size() != pairs.queries())
    throw std::invalid_argument("one excluded row a query is needed");
  Cut const cut(pairs, threads);
  std::vector<std::vector<Neighbor>> parts(cut.shares > 1 ? cut.shares * pairs.queries() : 0);
  parallel_for(cut.tiles * cut.shares, cut.threads, [&](std::size_t task, std::size_t) {
    std::size_t const share = task % cut.shares;
    std::size_t const query = task / cut.shares * cut.tile;
    std::size_t const count = std::min(cut.tile, pairs.queries() - query);
    std::vector<Neighbor> slots(count * width);
    std::vector<decltype(make(query, std::span(slots)))> collectors;
    collectors.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
      collectors.push_back(make(query + i, std::span(slots).subspan(i * width, width)));
    scan_tile(pairs, query, std::span(collectors), share * pairs.rows() / cut.shares,
              (share + 1) * pairs.rows() / cut.shares, exclude);
    for (std::size_t i = 0; i < count; ++i) {
      auto const neighbors = collectors[i].sorted();
      if (cut.shares > 1)
        parts[(query + i) * cut.shares + share].assign(neighbors.begin(), neighbors.end());
      else
        done(query + i, neighbors);
    }
  });
  if (cut.shares == 1) return;
  for (std::size_t query = 0; query < pairs.queries(); ++query) {
    std::vector<Neighbor> all;
    for (std::size_t share = 0; share < cut.shares; ++share) {
      auto& part = parts[query * cut.shares + share];
      all.insert(all.end(), part.begin(), part.end());
      part = {};
    }
    std::sort(all.begin(), all.end());
    done(query, std::span<Neighbor const>(all));
  }
}

}  // namespace

void scan_nearest(Pairs const& pairs, std::span<std::int64_t const> exclude, std::size_t threads,
                  View<double> key, View<std::int64_t> row) {
  if (key.rows != pairs.queries() || row.rows != key.rows || row.cols != key.cols)
    throw std::invalid_argument("keys and rows of every query have no place");
  if (key.cols + (exclude.empty() ? 0 : 1) > pairs.rows())
    throw std::invalid_argument("more neighbors are requested than there are rows");
  scan(
      pairs, exclude, threads, key.cols,
      [](std::size_t, std::span<Neighbor> slots) { return TopK(slots); },
      [&](std::size_t query, std::span<Neighbor const> neighbors) {
        for (std::size_t i = 0; i < key.cols; ++i) {
          key[query][i] = neighbors[i].key;
          row[query][i] = neighbors[i].row;
        }
      });
}

void scan_keys(Pairs const& pairs, std::size_t threads, View<double> key) {
  if (key.rows != pairs.queries() || key.cols != pairs.rows())
    throw std::invalid_argument("keys of every pair have no place");
  Cut const cut(pairs, threads);
  std::size_t const most = pairs.most_rows();
  parallel_for(cut.tiles, cut.threads, [&](std::size_t task, std::size_t) {
    std::size_t const query = task * cut.tile;
    std::size_t const count = std::min(cut.tile, pairs.queries() - query);
    std::vector<double> scratch(pairs.scratch());
    std::vector<double> const bound(count, std::numeric_limits<double>::infinity());
    pairs.open(query, count, scratch.data());
    for (std::size_t first = 0; first < pairs.rows(); first += most) {
      checkpoint();
      std::size_t const some = std::min(most, pairs.rows() - first);
      pairs.keys(query, first, bound.data(), scratch.data(),
                 {key[query].data() + first, count, some, key.stride});
    }
  });
}

RadiusNeighbors scan_within(Pairs const& pairs, std::span<double const> most,
                            std::span<std::int64_t const> exclude, std::size_t threads) {
  if (most.size() != pairs.queries()) throw std::invalid_argument("one limit per query is needed");
  std::vector<std::vector<Neighbor>> within(pairs.queries());
  scan(
      pairs, exclude, threads, 0,
      [&](std::size_t query, std::span<Neighbor>) { return RadiusCollector(most[query]); },
      [&](std::size_t query, std::span<Neighbor const> neighbors) {
        within[query].assign(neighbors.begin(), neighbors.end());
      });
  return join_queries(std::move(within));
}

}  // namespace lookalike
