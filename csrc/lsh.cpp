#include "lsh.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>

#include "parallel.hpp"

namespace lookalike {
namespace {

constexpr std::size_t kBlock = 64;  // rows or queries a task
constexpr std::size_t kAhead = 4;
constexpr std::size_t kStep = 1 << 18;  // items sorted between two looks at whether to stop

HashKernels const& kernels() {
  static auto const& chosen = LOOKALIKE_CHOOSE(hash_kernels);
  return chosen;
}

std::uint64_t mix(std::uint64_t z) {  // [Steele14]
  z += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

std::uint64_t bucket_of(double const* code, std::size_t hashes) {
  std::uint64_t bucket = 0;
  for (std::size_t h = 0; h < hashes; ++h)
    bucket = mix(bucket ^ std::bit_cast<std::uint64_t>(code[h] + 0.0));  // -0 becomes 0
  return bucket;
}

struct Change {  // of one hash of a table: what it costs, and the code it becomes
  double cost;
  std::size_t hash;
  double code;
};

// The hashes of one row, table by table.
class RowHasher {
 public:
  RowHasher(HashFunctions const& functions, std::size_t cols)
      : f_(functions), row_(cols), dots_(f_.tables * f_.hashes), code_(f_.hashes) {}

  template <class T>
  void run(std::span<T const> x, std::size_t probes, std::span<std::uint64_t> buckets) {
    for (std::size_t j = 0; j < x.size(); ++j)
      row_[j] = static_cast<double>(x[j]) - (f_.centre.empty() ? 0.0 : f_.centre[j]);
    if (f_.family == HashFamily::stable || f_.family == HashFamily::sign)
      kernels().project(f_.direction.data, dots_.size(), row_.size(), row_.data(), dots_.data());
    for (std::size_t t = 0; t < f_.tables; ++t) {
      changes_.clear();
      for (std::size_t h = 0; h < f_.hashes; ++h) code_[h] = code_of(t * f_.hashes + h, h);
      auto const out = buckets.subspan(t * (1 + probes), 1 + probes);
      out[0] = bucket_of(code_.data(), f_.hashes);
      std::stable_sort(changes_.begin(), changes_.end(),
                       [](Change const& a, Change const& b) { return a.cost < b.cost; });
      for (std::size_t i = 0; i < probes; ++i) {
        double const before = std::exchange(code_[changes_[i].hash], changes_[i].code);
        out[1 + i] = bucket_of(code_.data(), f_.hashes);
        code_[changes_[i].hash] = before;
      }
    }
  }

 private:
  double code_of(std::size_t function, std::size_t hash) {
    switch (f_.family) {
      case HashFamily::stable: {
        double const at = dots_[function] / f_.width + f_.offset[function];
        double const code = std::floor(at);
        changes_.push_back({at - code, hash, code - 1.0});
        changes_.push_back({1.0 - (at - code), hash, code + 1.0});
        return code;
      }
      case HashFamily::sign: {
        double const code = dots_[function] >= 0.0 ? 1.0 : 0.0;
        changes_.push_back({std::abs(dots_[function]), hash, 1.0 - code});
        return code;
      }
      case HashFamily::minhash: return first_member(f_.seed[function]);
      default: return row_[static_cast<std::size_t>(f_.seed[function])];
    }
  }

  double first_member(std::uint64_t seed) const {
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    double first = -1.0;  // of an empty set
    for (std::size_t j = 0; j < row_.size(); ++j) {
      if (row_[j] == 0.0) continue;
      std::uint64_t const place = mix(seed ^ mix(j));
      if (place <= least) {
        least = place;
        first = static_cast<double>(j);
      }
    }
    return first;
  }

  HashFunctions const& f_;
  std::vector<double> row_, dots_, code_;
  std::vector<Change> changes_;
};

template <class T>
auto key_function(KeyForm form) {
  if constexpr (std::is_same_v<T, float>)
    return kernels().key_float[static_cast<int>(form)];
  else
    return kernels().key_double[static_cast<int>(form)];
}

double distance_of(double key, KeyForm form, std::size_t cols) {
  if (form == KeyForm::squared) return std::sqrt(key);
  if (form == KeyForm::half_squared) return std::min(0.5 * key, 2.0);
  return form == KeyForm::unequal ? key / static_cast<double>(cols) : key;
}

// The rows that share a bucket with a query, each once.
class Collector {
 public:
  Collector(HashTables tables, std::size_t rows) : tables_(tables), seen_(rows, 0) {}

  std::vector<std::int64_t> const& run(std::span<std::uint64_t const> buckets,
                                       std::int64_t exclude) {
    found_.clear();
    ++turn_;
    std::size_t const tables = tables_.bucket.rows;
    std::size_t const each = tables == 0 ? 0 : buckets.size() / tables;
    for (std::size_t t = 0; t < tables; ++t) {
      auto const sorted = tables_.bucket[t];
      for (std::size_t i = 0; i < each; ++i) {
        std::uint64_t const bucket = buckets[t * each + i];
        auto at = std::lower_bound(sorted.begin(), sorted.end(), bucket);
        for (; at != sorted.end() && *at == bucket; ++at)
          add(tables_.row[t][static_cast<std::size_t>(at - sorted.begin())], exclude);
      }
    }
    return found_;
  }

 private:
  void add(std::int64_t row, std::int64_t exclude) {
    std::uint32_t& seen = seen_[static_cast<std::size_t>(row)];
    if (seen == turn_ || row == exclude) return;
    seen = turn_;
    found_.push_back(row);
  }

  HashTables tables_;
  std::vector<std::uint32_t> seen_;
  std::uint32_t turn_ = 0;  // a task has fewer queries than turns
  std::vector<std::int64_t> found_;
};

std::int64_t excluded(HashQueries const& queries, std::size_t i) {
  return queries.exclude.empty() ? -1 : queries.exclude[i];
}

// Candidates lie anywhere: their values are asked for a few rows ahead.
template <class T>
void fetch_soon([[maybe_unused]] std::span<T const> x) {
#if defined(__GNUC__)
  constexpr std::size_t kLine = 64 / sizeof(T);
  for (std::size_t j = 0; j < std::min(x.size(), 16 * kLine); j += kLine)
    __builtin_prefetch(x.data() + j);
#endif
}

// Keeps the k smallest, in order.
void keep(std::vector<Found>& heap, std::size_t k, Found found) {
  if (heap.size() == k) {
    if (!(found < heap.front())) return;
    std::pop_heap(heap.begin(), heap.end());
    heap.back() = found;
  } else {
    heap.push_back(found);
  }
  std::push_heap(heap.begin(), heap.end());
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

template <class F>
void for_blocks(std::size_t count, std::size_t threads, F body) {
  std::size_t const workers = threads == 0 ? default_threads() : threads;
  std::size_t const size = std::max(kBlock, count / (8 * workers) + 1);
  parallel_for((count + size - 1) / size, threads, [&](std::size_t task, std::size_t) {
    body(task * size, std::min(count, (task + 1) * size));
  });
}

}  // namespace

template <class T>
void hash_rows(View<T const> X, HashFunctions const& functions, std::size_t probes,
               View<std::uint64_t> buckets, std::size_t threads) {
  for_blocks(X.rows, threads, [&](std::size_t begin, std::size_t end) {
    RowHasher hasher(functions, X.cols);
    for (std::size_t i = begin; i < end; ++i) {
      checkpoint();
      hasher.run(X[i], probes, buckets[i]);
    }
  });
}

void sort_tables(View<std::uint64_t> bucket, View<std::int64_t> row, std::size_t threads) {
  parallel_for(bucket.rows, threads, [&](std::size_t t, std::size_t) {
    std::vector<std::pair<std::uint64_t, std::int64_t>> both(bucket.cols);
    for (std::size_t i = 0; i < both.size(); ++i)
      both[i] = {bucket[t][i], static_cast<std::int64_t>(i)};
    sort_in_steps(both);
    for (std::size_t i = 0; i < both.size(); ++i) std::tie(bucket[t][i], row[t][i]) = both[i];
  });
}

template <class T>
void hash_nearest(View<T const> X, HashTables tables, HashQueries queries, KeyForm form,
                  Neighbors out, std::span<std::int64_t> candidates, std::size_t threads) {
  std::size_t const k = out.row.cols;
  auto const key = key_function<T>(form);
  for_blocks(queries.values.rows, threads, [&](std::size_t begin, std::size_t end) {
    Collector collector(tables, X.rows);
    std::vector<Found> best;
    for (std::size_t i = begin; i < end; ++i) {
      checkpoint();
      double const* const query = queries.values[i].data();
      auto const& rows = collector.run(queries.buckets[i], excluded(queries, i));
      best.clear();
      if (rows.size() >= k) {
        for (std::size_t j = 0; j < rows.size(); ++j) {
          if (j + kAhead < rows.size()) fetch_soon(X[static_cast<std::size_t>(rows[j + kAhead])]);
          auto const row = static_cast<std::size_t>(rows[j]);
          keep(best, k, {key(query, X[row].data(), X.cols), rows[j]});
        }
        candidates[i] = static_cast<std::int64_t>(rows.size());
      } else {
        for (std::size_t row = 0; row < X.rows; ++row) {
          if (row % 4096 == 0) checkpoint();
          if (static_cast<std::int64_t>(row) != excluded(queries, i))
            keep(best, k, {key(query, X[row].data(), X.cols), static_cast<std::int64_t>(row)});
        }
        candidates[i] = -1;
      }
      std::sort_heap(best.begin(), best.end());
      for (std::size_t j = 0; j < k; ++j) {
        out.distance[i][j] = distance_of(best[j].key, form, X.cols);
        out.row[i][j] = best[j].row;
      }
    }
  });
}

template <class T>
std::vector<std::vector<Found>> hash_within(View<T const> X, HashTables tables, HashQueries queries,
                                            KeyForm form, std::span<double const> radius,
                                            std::size_t threads) {
  std::vector<std::vector<Found>> found(queries.values.rows);
  auto const key = key_function<T>(form);
  for_blocks(queries.values.rows, threads, [&](std::size_t begin, std::size_t end) {
    Collector collector(tables, X.rows);
    for (std::size_t i = begin; i < end; ++i) {
      checkpoint();
      double const* const query = queries.values[i].data();
      for (std::int64_t const row : collector.run(queries.buckets[i], excluded(queries, i))) {
        Found const one{key(query, X[static_cast<std::size_t>(row)].data(), X.cols), row};
        if (distance_of(one.key, form, X.cols) <= radius[i]) found[i].push_back(one);
      }
      std::sort(found[i].begin(), found[i].end());
      for (Found& one : found[i]) one.key = distance_of(one.key, form, X.cols);
    }
  });
  return found;
}

#define LOOKALIKE_LSH(T)                                                                         \
  template void hash_rows(View<T const>, HashFunctions const&, std::size_t, View<std::uint64_t>, \
                          std::size_t);                                                          \
  template void hash_nearest(View<T const>, HashTables, HashQueries, KeyForm, Neighbors,         \
                             std::span<std::int64_t>, std::size_t);                              \
  template std::vector<std::vector<Found>> hash_within(                                          \
      View<T const>, HashTables, HashQueries, KeyForm, std::span<double const>, std::size_t);
LOOKALIKE_LSH(float)
LOOKALIKE_LSH(double)
#undef LOOKALIKE_LSH

}  // namespace lookalike
