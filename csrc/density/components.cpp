#include "density/components.hpp"

#include "core/bounds.hpp"
#include "core/parallel.hpp"

namespace lookalike {
namespace {

constexpr std::size_t kCheckpointRows = 1U << 14U;

// The rows near the queries must be some of `rows` rows.
void check(NearRows near, std::size_t rows) {
  require(near.start.size() == near.query.size() + 1, "starts and rows do not fit the queries");
  require_starts(near.start, near.row.size(), "starts and rows do not fit the queries");
  require_places(near.row, rows, "a row near a query is none of the rows");
}

}  // namespace

void join_core_rows(NearRows near, std::span<std::uint8_t const> core,
                    std::span<std::int64_t> parent) {
  check(near, core.size());
  require_places(near.query, core.size(), "a query is none of the rows");
  require(parent.size() == core.size(), "one parent per row is needed");
  for (std::size_t row = 0; row < parent.size(); ++row)  // so that no walk to a root is endless
    require(is_place(parent[row], row + 1), "the parent of a row comes after it");
  DisjointSets components(parent);
  for (std::size_t i = 0; i < near.query.size(); ++i) {
    if (i % kCheckpointRows == 0) checkpoint();
    std::int64_t const own = near.query[i];
    if (core[static_cast<std::size_t>(own)] == 0) continue;
    for (auto at = near.start[i]; at < near.start[i + 1]; ++at) {
      std::int64_t const other = near.row[static_cast<std::size_t>(at)];
      if (core[static_cast<std::size_t>(other)] != 0) components.join(own, other);
    }
  }
  for (std::size_t row = 0; row < parent.size(); ++row)
    components.root(static_cast<std::int64_t>(row));
}

void least_labels(NearRows near, std::span<std::int64_t const> label_of_row,
                  std::span<std::int64_t> label) {
  check(near, label_of_row.size());
  require(label.size() == near.query.size(), "one label per query is needed");
  for (std::size_t i = 0; i < near.query.size(); ++i) {
    std::int64_t least = -1;
    for (auto at = near.start[i]; at < near.start[i + 1]; ++at) {
      std::int64_t const other =
          label_of_row[static_cast<std::size_t>(near.row[static_cast<std::size_t>(at)])];
      if (other >= 0 && (least < 0 || other < least)) least = other;
    }
    label[i] = least;
  }
}

}  // namespace lookalike
