#include "exact/exact.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/bounds.hpp"
#include "core/parallel.hpp"
#include "exact/scanner.hpp"

namespace lookalike {
namespace {

constexpr std::size_t kTile = 192;                        // queries of one task
constexpr std::size_t kWaveBytes = std::size_t{1} << 24;  // of queries as float64
constexpr std::size_t kPlainRows = 4096;                  // least rows of a part of a plain scan

// Some thousand queries ready to be scanned, cut into tiles; and the rows cut into parts where
// there are fewer tiles than threads.
class Wave {
 public:
  Wave(AnyRows X, Filter const* filter, Queries const& queries)
      : filter_(filter),
        queries_(queries),
        threads_(queries.threads == 0 ? default_threads() : queries.threads),
        cols_(X.cols()),
        units_(filter == nullptr ? X.rows() : panels_of(filter->codes.row.size())),
        words_(filter == nullptr ? 0 : (units_ + 63) / 64) {}

  std::size_t largest() const {
    std::size_t const fit = kWaveBytes / (cols_ * sizeof(double) + 1);
    return std::max(std::min<std::size_t>(fit, 4096), 2 * kTile * threads_);
  }

  // Reads queries [from, from + count), embeds them, and calls ready(local query, worker).
  template <class Ready>
  void prepare(std::size_t from, std::size_t count, Ready&& ready) {
    allot(count);
    std::vector<EmbedScratch> scratch(threads_);
    parallel_blocks(count, kEmbedRows, threads_,
                    [&](std::size_t begin, std::size_t end, std::size_t worker) {
                      load(from, begin, end - begin, scratch[worker]);
                      for (std::size_t q = begin; q < end; ++q) ready(q, worker);
                    });
  }

  // Calls scan(queries, first local query, part, from, to, worker) for every tile and part.
  template <class Scan>
  void run(Scan&& scan) {
    std::size_t const tiles = (query.size() + tile_ - 1) / tile_;
    parallel_for(tiles * parts, threads_, [&](std::size_t task, std::size_t worker) {
      std::size_t const at = task / parts * tile_, part = task % parts;
      std::size_t const count = std::min(tile_, query.size() - at);
      scan(at, count, part, units_ * part / parts, units_ * (part + 1) / parts, worker);
    });
  }

  std::span<std::uint64_t> seen(std::size_t q, std::size_t count) {
    return std::span(seen_).subspan(q * words_, count * words_);
  }

  std::size_t threads() const { return threads_; }
  std::size_t units() const { return units_; }
  std::span<std::uint8_t const> allowed() const { return queries_.allowed; }

  std::vector<Query> query;
  std::size_t parts = 1;

 private:
  void allot(std::size_t count) {
    query.assign(count, {});
    std::size_t const rounds = (count + threads_ * kTile - 1) / (threads_ * kTile);
    tile_ = std::max<std::size_t>(1, (count + threads_ * rounds - 1) / (threads_ * rounds));
    std::size_t const tiles = (count + tile_ - 1) / tile_;
    std::size_t const least = filter_ == nullptr ? kPlainRows : 16;
    parts = tiles >= 2 * threads_ || threads_ == 1
                ? 1
                : std::clamp<std::size_t>(units_ / least, 1, (2 * threads_ + tiles - 1) / tiles);
    value_.resize(count * cols_);
    seen_.assign(count * words_, 0);
    if (filter_ == nullptr) return;
    first_.resize(count * filter_->embedding.first_width());
    wide_.resize(count * filter_->embedding.wide_width());
  }

  void load(std::size_t from, std::size_t at, std::size_t count, EmbedScratch& scratch) {
    double* const value = value_.data() + at * cols_;
    queries_.rows.load(from + at, count, queries_.scale, value);
    for (std::size_t i = 0; i < count; ++i) {
      query[at + i].value = value + i * cols_;
      if (!queries_.exclude.empty()) query[at + i].exclude = queries_.exclude[from + at + i];
    }
    if (filter_ == nullptr) return;
    Embedding const& embedding = filter_->embedding;
    Code first_code[kEmbedRows], wide_code[kEmbedRows];
    std::int8_t* const first = first_.data() + at * embedding.first_width();
    std::int8_t* const wide = wide_.data() + at * embedding.wide_width();
    embed(embedding, value, count, scratch, first, first_code, wide, wide_code);
    for (std::size_t i = 0; i < count; ++i) {
      query[at + i].first = first + i * embedding.first_width();
      query[at + i].wide = wide + i * embedding.wide_width();
      query[at + i].first_code = first_code[i];
      query[at + i].wide_code = wide_code[i];
      if (!filter_->tails.empty()) query[at + i].tails = query_tails(query[at + i].first);
    }
  }

  Filter const* filter_;
  Queries const& queries_;
  std::size_t threads_, cols_, units_, words_, tile_ = kTile;
  std::vector<double> value_;
  std::vector<std::int8_t> first_, wide_;
  std::vector<std::uint64_t> seen_;
};

template <class T, class Best>
std::vector<Scanner<T, Best>> scanners(View<T const> X, Filter const* filter, Wave const& wave) {
  std::vector<Scanner<T, Best>> made;
  for (std::size_t i = 0; i < wave.threads(); ++i) made.emplace_back(X, filter, wave.allowed());
  return made;
}

template <class T, class Best>
void scan_part(Scanner<T, Best>& scanner, bool filtered, Wave& wave, std::size_t at,
               std::size_t count, std::span<Best> best, std::size_t from, std::size_t to) {
  auto const queries = std::span<Query const>(wave.query).subspan(at, count);
  if (!filtered) return scanner.scan_all(queries, best, from, to);
  scanner.scan(queries, best, from, to, wave.seen(at, count));
  if (to == wave.units()) scanner.scan_uncoded(queries, best);
}

void write(std::span<Neighbor const> neighbors, double unit, std::span<double> distance,
           std::span<std::int64_t> row) {
  for (std::size_t i = 0; i < neighbors.size(); ++i) {
    distance[i] = std::sqrt(neighbors[i].key) * unit;
    row[i] = neighbors[i].row;
  }
}

template <class T>
Effort topk(View<T const> X, Filter const* filter, Queries const& queries, View<double> distance,
            View<std::int64_t> row) {
  constexpr std::size_t kMostSeeded = 1024;
  std::size_t const k = distance.cols, total = queries.rows.rows();
  Wave wave(X, filter, queries);
  auto workers = scanners<T, TopK>(X, filter, wave);
  std::vector<Neighbor> slots, seed_slots(wave.threads() * (k + 1));
  std::vector<TopK> best;
  for (std::size_t from = 0; from < total; from += wave.largest()) {
    std::size_t const count = std::min(wave.largest(), total - from);
    slots.resize(count * k);
    best.assign(count, {});
    wave.prepare(from, count, [&](std::size_t q, std::size_t worker) {
      best[q] = TopK(std::span(slots).subspan(q * k, k));
      if (filter != nullptr && k <= kMostSeeded)
        workers[worker].seed(wave.query[q], best[q],
                             std::span(seed_slots).subspan(worker * (k + 1), k + 1),
                             wave.seen(q, 1));
    });
    // The first part goes on with the collectors; the others have their own, joined afterwards.
    std::vector<Neighbor> part_slots((wave.parts - 1) * count * k);
    std::vector<TopK> part_best((wave.parts - 1) * count);
    for (std::size_t i = 0; i < part_best.size(); ++i)
      part_best[i] = TopK(std::span(part_slots).subspan(i * k, k), best[i % count].bound());
    wave.run([&](std::size_t at, std::size_t some, std::size_t part, std::size_t begin,
                 std::size_t end, std::size_t worker) {
      auto const all =
          part == 0 ? std::span(best) : std::span(part_best).subspan((part - 1) * count);
      scan_part(workers[worker], filter != nullptr, wave, at, some, all.subspan(at, some), begin,
                end);
    });
    for (std::size_t i = 0; i < part_best.size(); ++i)
      for (Neighbor const& neighbor : part_best[i].sorted()) best[i % count].offer(neighbor);
    for (std::size_t q = 0; q < count; ++q)
      write(best[q].sorted(), queries.unit, distance[from + q], row[from + q]);
  }
  Effort effort;
  for (auto const& worker : workers) effort += worker.effort;
  return effort;
}

// All rows that the collectors take which none(query) makes; keys become what value(key) says.
template <class Best, class T, class None, class Value>
RadiusNeighbors collect(View<T const> X, Filter const* filter, Queries const& queries, None&& none,
                        Value&& value, Effort& effort) {
  std::size_t const total = queries.rows.rows();
  Wave wave(X, filter, queries);
  auto workers = scanners<T, Best>(X, filter, wave);
  RadiusNeighbors within;
  std::vector<Neighbor> neighbors;
  for (std::size_t from = 0; from < total; from += wave.largest()) {
    std::size_t const count = std::min(wave.largest(), total - from);
    wave.prepare(from, count, [](std::size_t, std::size_t) {});
    std::vector<Best> best(wave.parts * count);
    for (std::size_t q = 0; q < count; ++q) {
      Best const empty = none(from + q);
      for (std::size_t part = 0; part < wave.parts; ++part) best[part * count + q] = empty;
    }
    wave.run([&](std::size_t at, std::size_t some, std::size_t part, std::size_t begin,
                 std::size_t end, std::size_t worker) {
      scan_part(workers[worker], filter != nullptr, wave, at, some,
                std::span(best).subspan(part * count + at, some), begin, end);
    });
    for (std::size_t q = 0; q < count; ++q) {
      neighbors.clear();
      for (std::size_t part = 0; part < wave.parts; ++part) {
        auto const sorted = best[part * count + q].sorted();
        neighbors.insert(neighbors.end(), sorted.begin(), sorted.end());
      }
      if (wave.parts > 1) std::sort(neighbors.begin(), neighbors.end());
      for (Neighbor& neighbor : neighbors) neighbor.key = value(neighbor.key);
      within.append(neighbors);
    }
  }
  for (auto const& worker : workers) effort += worker.effort;
  return within;
}

void require_fit(AnyRows X, Filter const* filter, Queries const& queries) {
  std::size_t const count = queries.rows.rows();
  require(queries.rows.cols() == X.cols(), "queries and rows differ in their number of columns");
  require((queries.exclude.empty() || queries.exclude.size() == count) &&
              (queries.allowed.empty() || queries.allowed.size() == X.rows()),
          "what is excluded or allowed does not fit the queries and rows");
  require(filter == nullptr ||
              (filter->codes.row.size() <= X.rows() && filter->embedding.cols() == X.cols()),
          "the codes are not those of the rows");
}

}  // namespace

// Directions are in the order of what they tell, columns are in any.
std::vector<Tails> Filter::tails_of(Embedding const& embedding, Codes const& codes) {
  return embedding.full() ? std::vector<Tails>{} : panel_tails(codes.code);
}

Effort& Effort::operator+=(Effort const& other) {
  pairs += other.pairs;
  passed_first += other.passed_first;
  passed_wide += other.passed_wide;
  distances += other.distances;
  return *this;
}

Effort exact_topk(AnyRows X, Filter const* filter, Queries const& queries, View<double> distance,
                  View<std::int64_t> row) {
  require_fit(X, filter, queries);
  require(has_shape(distance, queries.rows.rows(), row.cols) && row.rows == distance.rows &&
              row.cols <= X.rows(),
          "the neighbors have no place, or are more than the rows");
  return X.visit([&](auto rows) { return topk(rows, filter, queries, distance, row); });
}

RadiusNeighbors exact_radius(AnyRows X, Filter const* filter, Queries const& queries,
                             std::span<double const> radius, Effort& effort) {
  require_fit(X, filter, queries);
  require(radius.size() == queries.rows.rows(), "a radius of every query is needed");
  return X.visit([&](auto rows) {
    return collect<RadiusCollector>(
        rows, filter, queries,
        [&](std::size_t query) {
          return RadiusCollector(largest_key(radius[query], queries.unit));
        },
        [&](double key) { return std::sqrt(key) * queries.unit; }, effort);
  });
}

}  // namespace lookalike
