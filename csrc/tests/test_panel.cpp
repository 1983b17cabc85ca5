// Every vector level gives the plain integer sums, and no row within reach is left out.
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "check.hpp"
#include "exact/panel.hpp"

using namespace lookalike;

namespace {

struct Case {
  std::size_t width, panels = 3;
  std::vector<std::vector<int>> rows, queries;
  std::vector<std::uint8_t> code;
  std::vector<std::int32_t> start;
  std::vector<float> margin;
  std::vector<std::int8_t> query_code;

  Case(std::mt19937& random, std::size_t columns, int fade = 1)
      : width(columns), margin(panels, 0.25f) {
    auto const draw = [&] {
      std::vector<int> codes(width);
      for (int& value : codes) value = static_cast<int>(random() % 256) - 128;
      if (random() % 4 == 0)
        for (int& value : codes) value = random() % 2 ? 127 : -128;  // sums as large as can be
      for (std::size_t j = kHeads[0]; j < width; ++j)
        codes[j] /= j < kHeads[1] ? (fade + 1) / 2 : fade;
      return codes;
    };
    code.resize(panels * kPanelRows * width);
    for (std::size_t i = 0; i < panels * kPanelRows; ++i) {
      rows.push_back(draw());
      std::int32_t norm = 0;
      for (std::size_t j = 0; j < width; ++j) {
        norm += rows[i][j] * rows[i][j];
        code[i / kPanelRows * kPanelRows * width + panel_byte(i % kPanelRows, j)] =
            static_cast<std::uint8_t>(rows[i][j] + kCodeShift);
      }
      start.push_back(-(norm / 2));
    }
    for (std::size_t q = 0; q < kQueriesTogether; ++q) {
      queries.push_back(q < 3 ? draw() : rows[q * 7]);
      for (int value : queries[q]) query_code.push_back(static_cast<std::int8_t>(value));
    }
  }

  std::int64_t gap2(std::size_t row, std::size_t q) const {
    std::int64_t sum = 0;
    for (std::size_t j = 0; j < width; ++j) {
      std::int64_t const gap = rows[row][j] - queries[q][j];
      sum += gap * gap;
    }
    return sum;
  }
};

// A row within the reach passes; one that is clearly outside does not. With `tails`, panels are
// left after a head.
void filter_is_right(Case const& one, PanelKernels const& kernels, float reach,
                     std::vector<Tails> const& tails = {}) {
  float const step = 0.5f;
  for (std::size_t count = 1; count <= kQueriesTogether; ++count) {
    std::vector<PanelQuery> query;
    for (std::size_t q = 0; q < count; ++q) {
      std::int32_t norm = 0, sum = 0;
      for (int value : one.queries[q]) norm += value * value, sum += value;
      std::int8_t const* const code = one.query_code.data() + q * one.width;
      query.push_back(
          {code, norm / 2 + kCodeShift * sum, reach, tails.empty() ? Tails{} : query_tails(code)});
    }
    std::vector<PanelHit> hit(one.panels * count + 1);
    std::size_t const hits =
        kernels.filter(one.code.data(), one.start.data(), one.margin.data(),
                       tails.empty() ? nullptr : tails.data(), one.panels, one.width,
                       1.0f / step * (1.0f + 0x1p-19f), query.data(), count, hit.data());
    std::vector<std::uint64_t> passed(one.panels * count);
    for (std::size_t h = 0; h < hits; ++h)
      passed[hit[h].panel * count + hit[h].query] = hit[h].rows;
    double const limit = (static_cast<double>(reach) + 0.25) / static_cast<double>(step);
    for (std::size_t row = 0; row < one.rows.size(); ++row)
      for (std::size_t q = 0; q < count; ++q) {
        bool const passes = passed[row / kPanelRows * count + q] >> (row % kPanelRows) & 1;
        auto const gap2 = static_cast<double>(one.gap2(row, q));
        if (gap2 <= limit * limit) CHECK(passes);
        if (gap2 > limit * limit * 1.0001 + 8) CHECK(!passes);
      }
  }
}

std::size_t best_place(Case const& one, std::size_t q) {
  auto const score = [&](std::size_t row) {
    std::int64_t sum = one.start[row];
    for (std::size_t j = 0; j < one.width; ++j)
      sum += std::int64_t{one.rows[row][j] + kCodeShift} * one.queries[q][j];
    return sum;
  };
  std::size_t best = 0;
  for (std::size_t row = 1; row < one.rows.size(); ++row)
    if (score(row) > score(best)) best = row;
  return best;
}

void sums_are_right(Case const& one, PanelKernels const& kernels) {
  std::vector<std::size_t> position = {2, 0, 2, 1};
  std::vector<std::int32_t> dot(position.size()), score(kPanelRows);
  kernels.score(one.code.data(), one.start.data(), one.width, one.query_code.data(), score.data());
  for (std::size_t i = 0; i < kPanelRows; ++i) {
    std::int32_t expected = one.start[i];
    for (std::size_t j = 0; j < one.width; ++j)
      expected += (one.rows[i][j] + kCodeShift) * one.queries[0][j];
    CHECK(score[i] == expected);
  }
  std::int8_t const* code[kQueriesTogether];
  for (std::size_t q = 0; q < kQueriesTogether; ++q)
    code[q] = one.query_code.data() + q * one.width;
  for (std::size_t count = 1; count <= kQueriesTogether; ++count) {
    std::size_t place[kQueriesTogether];
    kernels.nearest(one.code.data(), one.start.data(), one.panels, one.width, code, count, place);
    for (std::size_t q = 0; q < count; ++q) CHECK(place[q] == best_place(one, q));
  }
  if (one.width % 64 != 0) return;
  std::vector<std::uint8_t> wide;
  for (std::size_t i = 0; i < 3; ++i)
    for (int value : one.rows[i]) wide.push_back(static_cast<std::uint8_t>(value + kCodeShift));
  kernels.wide(wide.data(), one.width, position.data(), position.size(), one.query_code.data(), 9,
               dot.data());
  for (std::size_t i = 0; i < position.size(); ++i) {
    std::int32_t expected = 0;
    for (std::size_t j = 0; j < one.width; ++j)
      expected += (j < 64 ? 9 : 1) * (one.rows[position[i]][j] + kCodeShift) * one.queries[0][j];
    CHECK(dot[i] == expected);
  }
}

void level_is_right(PanelKernels const& kernels) {
  std::mt19937 random(3);
  for (std::size_t width : {4u, 8u, 60u, 64u, 128u, 256u, 1000u}) {
    Case const one(random, width);
    sums_are_right(one, kernels);
    float const typical = 0.5f * std::sqrt(static_cast<float>(one.gap2(5, 0)));
    for (float reach : {0.0f, typical, 1e9f, std::numeric_limits<float>::infinity()})
      filter_is_right(one, kernels, reach);
  }
  for (int fade : {1, 3, 40}) {  // by which columns beyond a head are divided
    Case const one(random, kHeadedWidth, fade);
    for (std::size_t row : {0u, 5u, 60u})
      for (float factor : {0.2f, 0.5f, 0.9f, 1e9f})
        filter_is_right(one, kernels,
                        factor * 0.5f * std::sqrt(static_cast<float>(one.gap2(row, 0))),
                        panel_tails(one.code));
  }
}

}  // namespace

int main() {
  for (auto const* kernels : LOOKALIKE_AVAILABLE(panel_kernels)) level_is_right(*kernels);
  return 0;
}
