#include "density/components.hpp"

#include <stdexcept>

#include "core/parallel.hpp"

namespace lookalike {
namespace {

constexpr std::size_t kCheckpointRows = 1U << 14U;

void check(NearRows near) {
  if (near.start.size() != near.query.size() + 1 ||
      static_cast<std::size_t>(near.start.back()) != near.row.size())
    throw std::invalid_argument("starts and rows do not fit the queries");
}

}  // namespace

void join_core_rows(NearRows near, std::span<std::uint8_t const> core,
                    std::span<std::int64_t> parent) {
  check(near);
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
  check(near);
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
