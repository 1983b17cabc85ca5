#include "exact/panel.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace lookalike {
namespace {

float root_up(std::int32_t square) {  // exact in float32: below 2^24
  return std::sqrt(static_cast<float>(square)) * (1.0f + 0x1p-22f);
}

}  // namespace

Tails query_tails(std::int8_t const* code) {
  Tails tails;
  for (std::size_t head = 0; head < std::size(kHeads); ++head) {
    std::int32_t square = 0, sum = 0;
    for (std::size_t j = kHeads[head]; j < kHeadedWidth; ++j) {
      square += code[j] * code[j];
      sum += code[j];
    }
    tails.norm[head] = root_up(square);
    tails.shift[head] = kCodeShift * sum;
  }
  return tails;
}

std::vector<Tails> panel_tails(std::span<std::uint8_t const> code) {
  std::vector<Tails> tails(code.size() / (kPanelRows * kHeadedWidth));
  for (std::size_t panel = 0; panel < tails.size(); ++panel) {
    std::uint8_t const* const codes = code.data() + panel * kPanelRows * kHeadedWidth;
    std::int32_t square[kPanelRows] = {};
    std::size_t end = kHeadedWidth;
    for (std::size_t head = std::size(kHeads); head-- > 0; end = kHeads[head]) {
      for (std::size_t j = kHeads[head]; j < end; j += 4)
        for (std::size_t i = 0; i < kPanelRows; ++i)
          for (std::size_t byte = panel_byte(i, j); byte < panel_byte(i, j) + 4; ++byte) {
            std::int32_t const value = codes[byte] - kCodeShift;
            square[i] += value * value;
          }
      tails[panel].norm[head] = root_up(*std::max_element(square, square + kPanelRows));
    }
  }
  return tails;
}

}  // namespace lookalike
