// Integer dot products of codes: which rows of a panel of 64 could be near enough to a query.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/dispatch.hpp"

namespace lookalike {

inline constexpr std::size_t kPanelRows = 64;
inline constexpr int kCodeShift = 128;  // rows keep code + 128 as an unsigned byte, queries code
inline constexpr std::size_t kQueriesTogether = 6;
inline constexpr std::size_t kWidestCode = 32768;  // beyond, sums could leave 32 bits
inline constexpr std::size_t kHeads[] = {16, 32};  // columns after which a panel may be left
inline constexpr std::size_t kHeadedWidth = 64;    // of the codes that have tails beyond a head

// Byte of column j of row i in a panel of first codes: four columns of 16 rows lie side by side.
constexpr std::size_t panel_byte(std::size_t i, std::size_t j) {
  return j / 4 * (kPanelRows * 4) + i * 4 + j % 4;
}

// What columns beyond each head can add to a score: at most |a| |b| of these columns, by
// Cauchy-Schwarz, and 128 sum(b).
struct Tails {
  std::array<float, std::size(kHeads)> norm{};  // |b|, or the largest |a| of a panel, rounded up
  std::array<std::int32_t, std::size(kHeads)> shift{};  // 128 sum(b); not used of a panel
};

struct PanelQuery {
  std::int8_t const* code;
  std::int32_t base;  // floor(norm / 2) + 128 * sum of the codes
  float reach;        // largest image distance of interest plus the margin of the query
  Tails tails{};
};

Tails query_tails(std::int8_t const* code);
std::vector<Tails> panel_tails(std::span<std::uint8_t const> code);  // of codes of kHeadedWidth

struct PanelHit {  // the rows of one panel that pass for one query, one bit each
  std::uint32_t panel;
  std::uint32_t query;
  std::uint64_t rows;
};

// With a, b the codes of a row and a query, `start` of the row is -floor(|a|^2 / 2), so that
// start + (a + 128) b = -(|a - b|^2 - |b|^2) / 2 + 128 sum(b), up to half a unit in the safe
// direction. A row passes when step |a - b| <= reach + margin, `margin` being that of its panel.
struct PanelKernels {
  // At most kQueriesTogether queries; writes at most panels * queries hits, returns how many. With
  // `tails` of the panels, one query leaves a panel after a head where no row can pass: the hits
  // are the same.
  std::size_t (*filter)(std::uint8_t const* code, std::int32_t const* start, float const* margin,
                        Tails const* tails, std::size_t panels, std::size_t width,
                        float inverse_step, PanelQuery const* query, std::size_t queries,
                        PanelHit* hit);
  // score[i] = start + (a + 128) b of the 64 rows of one panel: the larger the nearer.
  void (*score)(std::uint8_t const* code, std::int32_t const* start, std::size_t width,
                std::int8_t const* query, std::int32_t* score);
  // The place with the largest score among all rows of the panels, the first of equal ones, for
  // each of at most kQueriesTogether queries.
  void (*nearest)(std::uint8_t const* code, std::int32_t const* start, std::size_t panels,
                  std::size_t width, std::int8_t const* const* query, std::size_t queries,
                  std::size_t* place);
  // dot[q][i] = (a + 128) b of the 64 rows of one panel, at most kQueriesTogether queries.
  void (*dots)(std::uint8_t const* code, std::size_t width, std::int8_t const* const* query,
               std::size_t queries, std::int32_t (*dot)[kPanelRows]);
  // dot[i] = (a + 128) b of wide codes, the first 64 columns times `weight`. `width` is a
  // multiple of 64 and row position[i] starts at code + position[i] * width.
  void (*wide)(std::uint8_t const* code, std::size_t width, std::size_t const* position,
               std::size_t count, std::int8_t const* query, std::int32_t weight, std::int32_t* dot);
  // sum_j (image_j - code_j)^2 in 16 sums of float32; `count` is a multiple of 16.
  float (*gap2)(float const* image, std::uint8_t const* code, std::size_t count);
};

LOOKALIKE_SIMD_TABLE(PanelKernels, panel_kernels)

}  // namespace lookalike
