// The plain scan: the key of every (query, row) pair is computed once and only the smallest stay.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/topk.hpp"
#include "core/view.hpp"

namespace lookalike {

// Computes the keys of tiles of pairs. The smaller its key, the nearer a row; a key depends on the
// pair alone, never on the tile in which it was computed.
class Pairs {
 public:
  Pairs(std::size_t queries, std::size_t rows) : queries_(queries), rows_(rows) {}
  Pairs(Pairs const&) = delete;
  Pairs& operator=(Pairs const&) = delete;
  virtual ~Pairs() = default;

  std::size_t queries() const { return queries_; }
  std::size_t rows() const { return rows_; }

  virtual std::size_t most_queries() const = 0;  // of a tile
  virtual std::size_t most_rows() const = 0;
  virtual std::size_t scratch() const = 0;  // doubles that one tile at work needs

  // Prepares queries [first, first + count) in `scratch` for the calls of `keys` that follow.
  virtual void open(std::size_t first, std::size_t count, double* scratch) const = 0;
  // Row i of `key` receives the keys of query + i, all of them open, and the key.cols rows from
  // `row` on. Where a key is certainly above bound[i], infinity will do.
  virtual void keys(std::size_t query, std::size_t row, double const* bound, double* scratch,
                    View<double> key) const = 0;

 private:
  std::size_t queries_;
  std::size_t rows_;
};

// Row i of `key` and `row` receives the key.cols smallest keys of query i, smallest first, equal
// keys by row number. `exclude` is empty or names one row per query that is left out; the rows left
// must not be fewer than key.cols. The same on any number of threads.
void scan_nearest(Pairs const& pairs, std::span<std::int64_t const> exclude, std::size_t threads,
                  View<double> key, View<std::int64_t> row);

// Every key: row i of `key` receives those of query i.
void scan_keys(Pairs const& pairs, std::size_t threads, View<double> key);

// Every row whose key is at most most[i], in the order of scan_nearest.
RadiusNeighbors scan_within(Pairs const& pairs, std::span<double const> most,
                            std::span<std::int64_t const> exclude, std::size_t threads);

}  // namespace lookalike
