#include "lsh/lsh.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <compare>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "core/bounds.hpp"
#include "core/largest_key.hpp"
#include "core/parallel.hpp"
#include "core/prefetch.hpp"
#include "core/random.hpp"

namespace lookalike {
namespace {

constexpr std::size_t kBlock = 64;      // rows or queries a task
constexpr std::size_t kAhead = 12;      // candidates fetched before they are compared
constexpr std::size_t kStep = 1 << 18;  // items sorted between two looks at whether to stop

HashKernels const& kernels() {
  static auto const& chosen = LOOKALIKE_CHOOSE(hash_kernels);
  return chosen;
}

// What one hash adds to the bucket of its table.
std::uint64_t mixed(std::size_t hash, double code) {
  return splitmix(splitmix(hash) ^ std::bit_cast<std::uint64_t>(code + 0.0));  // -0 becomes 0
}

struct Change {  // of one hash of a table: what it costs, and how it changes the bucket
  double cost;
  std::size_t hash;
  std::uint64_t toggle;
  auto operator<=>(Change const&) const = default;
};

// The cheapest sets of changes, one after another [Lv07]: a set grows by the change after its
// last, or has its last replaced by that.
class ChangeSets {
 public:
  void start(std::span<Change const> sorted) {
    changes_ = sorted.first(std::min<std::size_t>(sorted.size(), 64));
    heap_.assign(1, {changes_[0].cost, 1U, 0});
  }

  // What the next set changes the bucket by.
  std::uint64_t next() {
    while (true) {
      require(!heap_.empty(), "there are fewer sets of changes than probes");
      std::pop_heap(heap_.begin(), heap_.end(), std::greater<>{});
      Set const set = heap_.back();
      heap_.pop_back();
      if (std::size_t const after = set.last + 1; after < changes_.size()) {
        double const more = set.cost + changes_[after].cost;
        push({more - changes_[set.last].cost, set.members ^ (std::uint64_t{3} << set.last), after});
        push({more, set.members | (std::uint64_t{1} << after), after});
      }
      if (auto const toggle = toggle_of(set.members)) return *toggle;
    }
  }

 private:
  struct Set {
    double cost;
    std::uint64_t members;  // bit i: the i-th cheapest change
    std::size_t last;
    auto operator<=>(Set const&) const = default;
  };

  void push(Set set) {
    heap_.push_back(set);
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>{});
  }

  // Nothing where a hash would change twice.
  std::optional<std::uint64_t> toggle_of(std::uint64_t members) {
    std::uint64_t toggle = 0;
    met_.clear();
    for (; members != 0; members &= members - 1) {
      Change const& change = changes_[static_cast<std::size_t>(std::countr_zero(members))];
      if (std::ranges::find(met_, change.hash) != met_.end()) return std::nullopt;
      met_.push_back(change.hash);
      toggle ^= change.toggle;
    }
    return toggle;
  }

  std::span<Change const> changes_;
  std::vector<Set> heap_;
  std::vector<std::size_t> met_;
};

// The hashes of one row, table by table.
class RowHasher {
 public:
  RowHasher(HashFunctions const& functions, std::size_t cols)
      : f_(functions), row_(cols), dots_(f_.tables * f_.hashes) {}

  template <class T>
  void run(std::span<T const> x, std::size_t probes, std::span<std::uint64_t> buckets) {
    for (std::size_t j = 0; j < x.size(); ++j)
      row_[j] = static_cast<double>(x[j]) - (f_.center.empty() ? 0.0 : f_.center[j]);
    if (f_.family == HashFamily::stable || f_.family == HashFamily::sign)
      kernels().project(f_.direction.data, dots_.size(), row_.size(), row_.data(), dots_.data());
    for (std::size_t t = 0; t < f_.tables; ++t) {
      changes_.clear();
      std::uint64_t bucket = 0;
      for (std::size_t h = 0; h < f_.hashes; ++h) bucket ^= hash(t * f_.hashes + h, h);
      auto const out = buckets.subspan(t * (1 + probes), 1 + probes);
      out[0] = bucket;
      if (probes == 0) continue;
      auto const some = std::min(probes, changes_.size());  // no set needs more
      std::ranges::partial_sort(changes_, changes_.begin() + static_cast<std::ptrdiff_t>(some));
      sets_.start({changes_.data(), some});
      for (std::size_t i = 1; i <= probes; ++i) out[i] = bucket ^ sets_.next();
    }
  }

 private:
  std::uint64_t hash(std::size_t function, std::size_t h) {
    switch (f_.family) {
      case HashFamily::stable: {
        double const at = dots_[function] / f_.width + f_.offset[function];
        double const code = std::floor(at), above = at - code, below = 1.0 - above;
        std::uint64_t const own = mixed(h, code);
        changes_.push_back({above * above, h, own ^ mixed(h, code - 1.0)});
        changes_.push_back({below * below, h, own ^ mixed(h, code + 1.0)});
        return own;
      }
      case HashFamily::sign: {
        double const dot = dots_[function];
        std::uint64_t const yes = mixed(h, 1.0), no = mixed(h, 0.0);
        changes_.push_back({dot * dot, h, yes ^ no});
        return dot >= 0.0 ? yes : no;
      }
      case HashFamily::minhash: return mixed(h, first_member(f_.seed[function]));
      default: return mixed(h, row_[static_cast<std::size_t>(f_.seed[function])]);
    }
  }

  double first_member(std::uint64_t seed) const {
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    double first = -1.0;  // of an empty set
    for (std::size_t j = 0; j < row_.size(); ++j) {
      if (row_[j] == 0.0) continue;
      std::uint64_t const place = splitmix(seed ^ splitmix(j));
      if (place <= least) {
        least = place;
        first = static_cast<double>(j);
      }
    }
    return first;
  }

  HashFunctions const& f_;
  std::vector<double> row_, dots_;
  std::vector<Change> changes_;
  ChangeSets sets_;
};

// The number of the beginning that a bucket has, of 1 << bits.
std::size_t beginning(std::uint64_t bucket, int bits) {
  return static_cast<std::size_t>(bits == 0 ? 0 : bucket >> (64 - bits));
}

template <class T>
auto key_function(KeyForm form) {
  if constexpr (std::is_same_v<T, float>)
    return kernels().key_float[static_cast<int>(form)];
  else
    return kernels().key_double[static_cast<int>(form)];
}

double distance_of(double key, KeyForm form, std::size_t cols) {
  if (form == KeyForm::squared) return std::sqrt(key);
  if (form == KeyForm::cosine) return std::min(0.5 * key, 2.0);
  return form == KeyForm::hamming ? key / static_cast<double>(cols) : key;
}

double largest_key_of(double radius, KeyForm form, std::size_t cols) {
  double guess = radius;
  if (form == KeyForm::squared) guess = radius * radius;
  if (form == KeyForm::cosine) guess = 2.0 * radius;
  if (form == KeyForm::hamming) guess = radius * static_cast<double>(cols);
  return largest_key_within(guess,
                            [&](double key) { return distance_of(key, form, cols) <= radius; });
}

// The rows that share a bucket with a query, each once.
class BucketRows {
 public:
  BucketRows(HashTables tables, std::size_t rows) : tables_(tables), rows_(rows) {}

  std::vector<std::int64_t> const& run(std::span<std::uint64_t const> buckets,
                                       std::int64_t exclude) {
    seen_.resize(rows_, 0);  // by the thread that uses it
    rows_met_.clear();
    if (++turn_ == 0) {  // all turns were had
      std::ranges::fill(seen_, 0);
      turn_ = 1;
    }
    std::size_t const tables = tables_.bucket.rows;
    std::size_t const each = tables == 0 ? 0 : buckets.size() / tables;
    for (std::size_t i = 0; i < each * tables; ++i)
      prefetch(&tables_.start[i / each][beginning(buckets[i], bits_)]);
    for (std::size_t i = 0; i < each * tables; ++i) {
      auto const first = tables_.start[i / each][beginning(buckets[i], bits_)];
      if (is_place(first, tables_.bucket.cols)) prefetch(tables_.bucket[i / each].data() + first);
    }
    for (std::size_t i = 0; i < each * tables; ++i) look(i / each, buckets[i], exclude);
    return rows_met_;
  }

 private:
  void look(std::size_t t, std::uint64_t bucket, std::int64_t exclude) {
    std::int64_t const* const start = &tables_.start[t][beginning(bucket, bits_)];
    require(start[0] >= 0 && start[0] <= start[1] &&
                static_cast<std::uint64_t>(start[1]) <= tables_.bucket.cols,
            "the buckets of a table do not follow each other");
    std::uint64_t const* const sorted = tables_.bucket[t].data();
    std::uint64_t const* const end = sorted + start[1];
    auto const* at = std::lower_bound(sorted + start[0], end, bucket);
    for (; at != end && *at == bucket; ++at)
      add(tables_.row[t][static_cast<std::size_t>(at - sorted)], exclude);
  }

  void add(std::int64_t row, std::int64_t exclude) {
    require(is_place(row, rows_), "a bucket holds a row that there is not");
    std::uint32_t& seen = seen_[static_cast<std::size_t>(row)];
    if (seen == turn_ || row == exclude) return;
    seen = turn_;
    rows_met_.push_back(row);
  }

  HashTables tables_;
  int bits_ = static_cast<int>(std::bit_width(tables_.start.cols)) - 1;
  std::size_t rows_;
  std::vector<std::uint32_t> seen_;  // the turn in which a row was met
  std::uint32_t turn_ = 0;
  std::vector<std::int64_t> rows_met_;
};

std::int64_t excluded(HashQueries const& queries, std::size_t i) {
  return queries.exclude.empty() ? -1 : queries.exclude[i];
}

// Candidates lie anywhere: their values are fetched a few rows ahead.
template <class T>
void prefetch_row(std::span<T const> x) {
  constexpr std::size_t kMostBytes = 1024;
  prefetch(x.data(), std::min(x.size() * sizeof(T), kMostBytes));
}

template <class Item>
void sort_in_steps(std::vector<Item>& items) {  // so that it can be stopped
  auto const at = [&](std::size_t i) {
    return items.begin() + static_cast<std::ptrdiff_t>(std::min(i, items.size()));
  };
  for (std::size_t i = 0; i < items.size(); i += kStep) {
    checkpoint();
    std::sort(at(i), at(i + kStep));
  }
  for (std::size_t size = kStep; size < items.size(); size *= 2)
    for (std::size_t i = 0; i + size < items.size(); i += 2 * size) {
      checkpoint();
      std::inplace_merge(at(i), at(i + size), at(i + 2 * size));
    }
}

std::size_t workers_of(std::size_t threads) { return threads == 0 ? default_threads() : threads; }

template <class F>
void for_blocks(std::size_t count, std::size_t threads, F body) {
  std::size_t const size = std::max(kBlock, count / (8 * workers_of(threads)) + 1);
  parallel_blocks(count, size, threads, body);
}

void require_fit(HashFunctions const& of, std::size_t cols) {
  std::size_t const hashes = of.tables * of.hashes;
  bool const projects = of.family == HashFamily::stable || of.family == HashFamily::sign;
  require(
      of.hashes > 0 && of.tables <= hashes && (of.center.empty() || of.center.size() == cols) &&
          (!projects || (has_shape(of.direction, hashes, cols) && of.direction.stride == cols)) &&
          (of.family != HashFamily::stable || of.offset.size() == hashes) &&
          (projects || of.seed.size() == hashes),
      "the hash functions do not fit the rows");
  for (std::uint64_t const column : of.seed)
    require(of.family != HashFamily::sample || column < cols, "a hash function samples no column");
}

void require_fit(HashTables const& tables, HashQueries const& queries, std::size_t cols) {
  std::size_t const count = queries.values.rows, starts = tables.start.cols;
  require(has_shape(tables.row, tables.bucket.rows, tables.bucket.cols) &&
              tables.start.rows == tables.bucket.rows &&
              (tables.bucket.rows == 0 || (starts > 1 && std::has_single_bit(starts - 1))),
          "the tables do not fit together");
  require(queries.values.cols == cols && queries.buckets.rows == count &&
              (queries.exclude.empty() || queries.exclude.size() == count),
          "the queries do not fit the rows");
}

}  // namespace

template <class T>
void hash_rows(View<T const> X, HashFunctions const& functions, std::size_t probes,
               View<std::uint64_t> buckets, std::size_t threads) {
  require_fit(functions, X.cols);
  require(buckets.rows == X.rows && probes < buckets.cols + 1 &&
              buckets.cols == functions.tables * (1 + probes),
          "the buckets have no place");
  for_blocks(X.rows, threads, [&](std::size_t begin, std::size_t end, std::size_t) {
    RowHasher hasher(functions, X.cols);
    for (std::size_t i = begin; i < end; ++i) {
      checkpoint();
      hasher.run(X[i], probes, buckets[i]);
    }
  });
}

void sort_tables(View<std::uint64_t> bucket, View<std::int64_t> row, View<std::int64_t> start,
                 std::size_t threads) {
  require(has_shape(row, bucket.rows, bucket.cols) && start.rows == bucket.rows && start.cols > 1 &&
              std::has_single_bit(start.cols - 1),
          "the tables have no place");
  int const bits = static_cast<int>(std::bit_width(start.cols)) - 1;
  parallel_for(bucket.rows, threads, [&](std::size_t t, std::size_t) {
    std::vector<std::pair<std::uint64_t, std::int64_t>> both(bucket.cols);
    for (std::size_t i = 0; i < both.size(); ++i)
      both[i] = {bucket[t][i], static_cast<std::int64_t>(i)};
    sort_in_steps(both);
    std::ranges::fill(start[t], 0);
    for (std::size_t i = 0; i < both.size(); ++i) {
      std::tie(bucket[t][i], row[t][i]) = both[i];
      ++start[t][1 + beginning(both[i].first, bits)];
    }
    std::partial_sum(start[t].begin(), start[t].end(), start[t].begin());
  });
}

template <class T>
void hash_nearest(View<T const> X, HashTables tables, HashQueries queries, KeyForm form, bool scan,
                  NeighborTable out, std::span<std::int64_t> candidates, std::size_t threads) {
  std::size_t const k = out.row.cols;
  require_fit(tables, queries, X.cols);
  require(has_shape(out.row, queries.values.rows, k) &&
              has_shape(out.distance, queries.values.rows, k) &&
              candidates.size() == queries.values.rows,
          "the neighbors have no place");
  require(k + (queries.exclude.empty() ? 0 : 1) <= X.rows, "there are fewer rows than neighbors");
  auto const key = key_function<T>(form);
  std::vector<BucketRows> bucket_rows(workers_of(threads), BucketRows(tables, X.rows));
  for_blocks(
      queries.values.rows, threads, [&](std::size_t begin, std::size_t end, std::size_t worker) {
        std::vector<Neighbor> slots(k);
        for (std::size_t i = begin; i < end; ++i) {
          checkpoint();
          double const* const query = queries.values[i].data();
          auto const& rows = bucket_rows[worker].run(queries.buckets[i], excluded(queries, i));
          TopK best(slots);
          bool const enough = rows.size() >= k;
          candidates[i] = enough ? static_cast<std::int64_t>(rows.size()) : -1;
          if (!enough && !scan) continue;
          for (std::size_t j = 0; enough && j < rows.size(); ++j) {
            if (j + kAhead < rows.size())
              prefetch_row(X[static_cast<std::size_t>(rows[j + kAhead])]);
            auto const row = static_cast<std::size_t>(rows[j]);
            best.offer({key(query, X[row].data(), X.cols), rows[j]});
          }
          for (std::size_t row = 0; !enough && row < X.rows; ++row) {
            if (row % 4096 == 0) checkpoint();
            if (static_cast<std::int64_t>(row) != excluded(queries, i))
              best.offer({key(query, X[row].data(), X.cols), static_cast<std::int64_t>(row)});
          }
          auto const nearest = best.sorted();
          for (std::size_t j = 0; j < nearest.size(); ++j) {
            out.distance[i][j] = distance_of(nearest[j].key, form, X.cols);
            out.row[i][j] = nearest[j].row;
          }
        }
      });
}

template <class T>
RadiusNeighbors hash_within(View<T const> X, HashTables tables, HashQueries queries, KeyForm form,
                            std::span<double const> radius, std::size_t threads) {
  require_fit(tables, queries, X.cols);
  require(radius.size() == queries.values.rows, "a radius of every query is needed");
  std::vector<std::vector<Neighbor>> within(queries.values.rows);
  auto const key = key_function<T>(form);
  std::vector<BucketRows> bucket_rows(workers_of(threads), BucketRows(tables, X.rows));
  for_blocks(queries.values.rows, threads,
             [&](std::size_t begin, std::size_t end, std::size_t worker) {
               for (std::size_t i = begin; i < end; ++i) {
                 checkpoint();
                 double const* const query = queries.values[i].data();
                 RadiusCollector near(largest_key_of(radius[i], form, X.cols));
                 for (std::int64_t const row :
                      bucket_rows[worker].run(queries.buckets[i], excluded(queries, i)))
                   near.offer({key(query, X[static_cast<std::size_t>(row)].data(), X.cols), row});
                 for (Neighbor const& neighbor : near.sorted())
                   within[i].push_back({distance_of(neighbor.key, form, X.cols), neighbor.row});
               }
             });
  return join_queries(std::move(within));
}

#define LOOKALIKE_LSH(T)                                                                           \
  template void hash_rows(View<T const>, HashFunctions const&, std::size_t, View<std::uint64_t>,   \
                          std::size_t);                                                            \
  template void hash_nearest(View<T const>, HashTables, HashQueries, KeyForm, bool, NeighborTable, \
                             std::span<std::int64_t>, std::size_t);                                \
  template RadiusNeighbors hash_within(View<T const>, HashTables, HashQueries, KeyForm,            \
                                       std::span<double const>, std::size_t);
LOOKALIKE_LSH(float)
LOOKALIKE_LSH(double)
#undef LOOKALIKE_LSH

}  // namespace lookalike
