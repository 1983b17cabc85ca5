// The codes of all rows, arranged for search: similar rows together, 64 rows a panel.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "core/any_rows.hpp"
#include "core/view.hpp"
#include "exact/embed.hpp"
#include "exact/panel.hpp"

namespace lookalike {

// Borrowed arrays. A position is a place in the arrangement; row[position] its row number.
template <template <class> class Const>
struct CodeArrays {
  std::span<Const<std::uint8_t>> code;         // (panels, first_width / 4, 64, 4)
  std::span<Const<std::int32_t>> start;        // (panels * 64,) -floor(norm / 2)
  std::span<Const<float>> margin;              // (panels,) the largest of its rows
  std::span<Const<std::uint8_t>> wide;         // (rows, wide_width)
  std::span<Const<std::int32_t>> wide_norm;    // (rows,)
  std::span<Const<float>> wide_margin;         // (rows,)
  std::span<Const<std::int64_t>> row;          // (rows,)
  std::span<Const<std::uint8_t>> group_code;   // panels of the rows that groups formed around
  std::span<Const<std::int32_t>> group_start;  // (groups, rounded up to panels * 64)
  std::span<Const<std::int64_t>> group_first;  // (groups + 1,) position of the first row of each
};

using Codes = CodeArrays<ReadOnly>;

inline constexpr std::int32_t kNoRow = std::numeric_limits<std::int32_t>::min() / 2;  // a start

constexpr std::size_t panels_of(std::size_t rows) { return (rows + kPanelRows - 1) / kPanelRows; }

// Fills `codes` from the rows of X. Each row joins the group of the nearest of the rows named by
// `centers`; rows whose codes are poor come last, so that they spoil no panel but their own.
void build_codes(AnyRows X, Embedding const& embedding, std::span<std::int64_t const> centers,
                 std::size_t threads, CodeArrays<Writable> codes);

// Codes of some rows as they lie in a file: first codes as they are, and of wide codes only the
// columns from the 64th on, which first codes do not have; those beyond `extra` are zero and left
// out. What else a search needs is derived from these.
struct PackedCodes {
  std::size_t rows = 0;
  std::size_t extra = 0;                // columns of `more`, at most wide_width() - 63
  std::span<std::uint8_t const> code;   // as in CodeArrays
  std::span<std::uint8_t const> more;   // (rows, extra)
  std::span<float const> margin;        // (panels,) the largest of its rows
  std::span<float const> wide_margin;   // likewise of wide codes; or empty
  std::span<std::uint8_t const> share;  // (rows,) margins of wide codes are (share + 1) / 256 of it
  std::span<std::uint32_t const> poor;  // the rows at the last positions; others are in their order
};

}  // namespace lookalike
