// Rows of a file by explicit reads, near ones together: a file that is cut ends no process.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace lookalike {

struct RowsRead {
  std::size_t rows = 0;   // that were there
  std::size_t bytes = 0;  // with those between rows that lie near each other
};

// Reads rows of `size` bytes from the rising offsets of an open file into `out`, one after another.
// All of them are announced to the system first, so that it fetches many at once.
RowsRead read_rows(int file, std::span<std::int64_t const> offset, std::size_t size,
                   std::size_t threads, std::uint8_t* out);

}  // namespace lookalike
