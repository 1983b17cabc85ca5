// Connected components: rows joined by pairs, whose smallest row stands for them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace lookalike {

// A forest over borrowed parents; the parent of a root is itself, and roots are the smallest rows.
class DisjointSets {
 public:
  explicit DisjointSets(std::span<std::int64_t> parent) : parent_(parent) {}

  std::int64_t root(std::int64_t row) {
    std::int64_t top = row;
    while (parent(top) != top) top = parent(top);
    while (parent(row) != top) row = std::exchange(parent(row), top);
    return top;
  }
  // Returns whether the two were apart.
  bool join(std::int64_t a, std::int64_t b) {
    a = root(a);
    b = root(b);
    if (a == b) return false;
    parent(a < b ? b : a) = a < b ? a : b;
    return true;
  }

 private:
  std::int64_t& parent(std::int64_t row) { return parent_[static_cast<std::size_t>(row)]; }

  std::span<std::int64_t> parent_;
};

// Rows near some queries: those of query i, itself row `query[i]`, are at [start[i], start[i + 1]).
struct NearRows {
  std::span<std::int64_t const> query;
  std::span<std::int64_t const> start;
  std::span<std::int64_t const> row;
};

// Joins every query that is a core row with the core rows near it. Afterwards each parent is a
// root.
void join_core_rows(NearRows near, std::span<std::uint8_t const> core,
                    std::span<std::int64_t> parent);

// label[i] = the least label of the core rows near query i, -1 where there is none.
void least_labels(NearRows near, std::span<std::int64_t const> label_of_row,
                  std::span<std::int64_t> label);

}  // namespace lookalike
