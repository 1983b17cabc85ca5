// Dot products of bytes, four columns of 16 rows at a time.
#include "exact/panel.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "core/prefetch.hpp"
#include "simd/intrinsics.hpp"

namespace lookalike::simd::LOOKALIKE_LEVEL {
namespace {

constexpr std::size_t kStepBytes = kPanelRows * 4;
constexpr std::size_t kPanelsAhead = 2;  // whose heads are brought near

[[maybe_unused]] std::int32_t four_codes(std::int8_t const* code) {
  std::int32_t word;
  std::memcpy(&word, code, sizeof word);
  return word;
}

// The least score that passes; 2^30 is beyond every distance, so that infinity passes all.
std::int32_t least_score(PanelQuery const& query, float margin, float inverse_step) {
  float const steps = (query.reach + margin) * inverse_step;
  float const half = 0.5f * steps * steps;
  return query.base - 1 - (half < 0x1p30f ? static_cast<std::int32_t>(half) : 1 << 30);
}

// The least sum after a head from which a row of the panel can still have the least score.
std::int32_t least_sum(std::size_t head, Tails const& query, Tails const& panel,
                       std::int32_t least) {
  float const most = query.norm[head] * panel.norm[head] * (1.0f + 0x1p-20f) + 1.0f;
  return least - query.shift[head] - static_cast<std::int32_t>(most);
}

#if defined(LOOKALIKE_LEVEL_avx512)

constexpr std::size_t kVectors = kPanelRows / 16;

// All loops over the sums are unrolled, so that the sums stay in registers.
template <std::size_t Q>
LOOKALIKE_INLINE void start_sums(std::int32_t const* start, __m512i (&sum)[Q][kVectors]) {
  LOOKALIKE_UNROLL
  for (std::size_t v = 0; v < kVectors; ++v) {
    __m512i const first = _mm512_loadu_si512(start + v * 16);
    LOOKALIKE_UNROLL
    for (std::size_t q = 0; q < Q; ++q) sum[q][v] = first;
  }
}

// Columns [from, to).
template <std::size_t Q>
LOOKALIKE_INLINE void add_products(std::uint8_t const* code, std::size_t from, std::size_t to,
                                   std::int8_t const* const* query, __m512i (&sum)[Q][kVectors]) {
  code += from / 4 * kStepBytes;
  for (std::size_t j = from; j < to; j += 4, code += kStepBytes) {
    __m512i x[kVectors];
    LOOKALIKE_UNROLL
    for (std::size_t v = 0; v < kVectors; ++v) x[v] = _mm512_loadu_si512(code + v * 64);
    LOOKALIKE_UNROLL
    for (std::size_t q = 0; q < Q; ++q) {
      __m512i const y = _mm512_set1_epi32(four_codes(query[q] + j));
      LOOKALIKE_UNROLL
      for (std::size_t v = 0; v < kVectors; ++v)
        sum[q][v] = _mm512_dpbusd_epi32(sum[q][v], x[v], y);
    }
  }
  LOOKALIKE_UNROLL
  for (std::size_t q = 0; q < Q; ++q) {
    LOOKALIKE_UNROLL
    for (std::size_t v = 0; v < kVectors; ++v) LOOKALIKE_IN_REGISTER(sum[q][v]);
  }
}

LOOKALIKE_INLINE std::uint64_t rows_from(__m512i const (&sum)[kVectors], std::int32_t least) {
  __m512i const bar = _mm512_set1_epi32(least);
  __mmask32 const low =
      _mm512_kunpackw(_mm512_cmpge_epi32_mask(sum[1], bar), _mm512_cmpge_epi32_mask(sum[0], bar));
  __mmask32 const high =
      _mm512_kunpackw(_mm512_cmpge_epi32_mask(sum[3], bar), _mm512_cmpge_epi32_mask(sum[2], bar));
  return _cvtmask64_u64(_mm512_kunpackd(high, low));
}

LOOKALIKE_INLINE bool any_from(__m512i const (&sum)[kVectors], std::int32_t least) {
  __m512i const largest =
      _mm512_max_epi32(_mm512_max_epi32(sum[0], sum[1]), _mm512_max_epi32(sum[2], sum[3]));
  return _mm512_cmpge_epi32_mask(largest, _mm512_set1_epi32(least)) != 0;
}

template <std::size_t Q>
LOOKALIKE_NOINLINE void passing(std::uint8_t const* code, std::int32_t const* start,
                                std::size_t width, std::int8_t const* const* query,
                                std::int32_t const* least, std::uint64_t* rows) {
  __m512i sum[Q][kVectors];
  start_sums<Q>(start, sum);
  add_products<Q>(code, 0, width, query, sum);
  LOOKALIKE_UNROLL
  for (std::size_t q = 0; q < Q; ++q) rows[q] = rows_from(sum[q], least[q]);
}

LOOKALIKE_NOINLINE std::uint64_t passing_heads(std::uint8_t const* code, std::int32_t const* start,
                                               std::int8_t const* query, std::int32_t least,
                                               std::int32_t const* bar) {
  __m512i sum[1][kVectors];
  start_sums<1>(start, sum);
  add_products<1>(code, 0, kHeads[0], &query, sum);
  if (!any_from(sum[0], bar[0])) return 0;
  add_products<1>(code, kHeads[0], kHeads[1], &query, sum);
  if (!any_from(sum[0], bar[1])) return 0;
  add_products<1>(code, kHeads[1], kHeadedWidth, &query, sum);
  return rows_from(sum[0], least);
}

template <std::size_t Q>
LOOKALIKE_NOINLINE void scores(std::uint8_t const* code, std::int32_t const* start,
                               std::size_t width, std::int8_t const* const* query,
                               std::int32_t (*out)[kPanelRows]) {
  __m512i sum[Q][kVectors];
  start_sums<Q>(start, sum);
  add_products<Q>(code, 0, width, query, sum);
  LOOKALIKE_UNROLL
  for (std::size_t q = 0; q < Q; ++q) {
    LOOKALIKE_UNROLL
    for (std::size_t v = 0; v < kVectors; ++v) _mm512_storeu_si512(out[q] + v * 16, sum[q][v]);
  }
}

std::int32_t wide_dot(std::uint8_t const* code, std::size_t width, std::int8_t const* query,
                      std::int32_t weight) {
  __m512i const head = _mm512_dpbusd_epi32(_mm512_setzero_si512(), _mm512_loadu_si512(code),
                                           _mm512_loadu_si512(query));
  __m512i sum = _mm512_mullo_epi32(head, _mm512_set1_epi32(weight));
  for (std::size_t j = 64; j < width; j += 64)
    sum = _mm512_dpbusd_epi32(sum, _mm512_loadu_si512(code + j), _mm512_loadu_si512(query + j));
  return _mm512_reduce_add_epi32(sum);
}

#elif defined(LOOKALIKE_LEVEL_avx2)

__m256i widen(std::uint8_t const* x) {
  return _mm256_cvtepu8_epi16(_mm_loadu_si128(reinterpret_cast<__m128i const*>(x)));
}

// Eight rows: four a vector, the four columns of a row in two 32-bit sums. Products of 16-bit
// integers never saturate, unlike those of bytes at this level.
template <std::size_t Q>
LOOKALIKE_NOINLINE void eight_rows(std::uint8_t const* code, std::int32_t const* start,
                                   std::size_t width, std::int8_t const* const* query,
                                   std::int32_t (*out)[kPanelRows]) {
  __m256i sum[Q][2];
  LOOKALIKE_UNROLL
  for (std::size_t q = 0; q < Q; ++q) sum[q][0] = sum[q][1] = _mm256_setzero_si256();
  for (std::size_t j = 0; j < width; j += 4, code += kStepBytes) {
    __m256i const x0 = widen(code), x1 = widen(code + 16);
    LOOKALIKE_UNROLL
    for (std::size_t q = 0; q < Q; ++q) {
      __m256i const y = _mm256_cvtepi8_epi16(_mm_set1_epi32(four_codes(query[q] + j)));
      sum[q][0] = _mm256_add_epi32(sum[q][0], _mm256_madd_epi16(x0, y));
      sum[q][1] = _mm256_add_epi32(sum[q][1], _mm256_madd_epi16(x1, y));
    }
  }
  LOOKALIKE_UNROLL
  for (std::size_t q = 0; q < Q; ++q) {
    LOOKALIKE_IN_REGISTER(sum[q][0]);
    LOOKALIKE_IN_REGISTER(sum[q][1]);
  }
  __m256i const first = _mm256_loadu_si256(reinterpret_cast<__m256i const*>(start));
  LOOKALIKE_UNROLL
  for (std::size_t q = 0; q < Q; ++q) {
    // hadd works within 128 bits: rows 0 1 4 5 2 3 6 7, put in order by 64-bit pairs
    __m256i const pairs = _mm256_permute4x64_epi64(_mm256_hadd_epi32(sum[q][0], sum[q][1]), 0xd8);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out[q]), _mm256_add_epi32(pairs, first));
  }
}

template <std::size_t Q>
void scores(std::uint8_t const* code, std::int32_t const* start, std::size_t width,
            std::int8_t const* const* query, std::int32_t (*out)[kPanelRows]) {
  for (std::size_t row = 0; row < kPanelRows; row += 8)
    eight_rows<Q>(code + row * 4, start + row, width, query,
                  reinterpret_cast<std::int32_t (*)[kPanelRows]>(out[0] + row));
}

std::int32_t wide_dot(std::uint8_t const* code, std::size_t width, std::int8_t const* query,
                      std::int32_t weight) {
  __m256i sum = _mm256_setzero_si256();
  for (std::size_t j = 0; j < width; j += 16) {
    __m256i const x = widen(code + j);
    __m256i const y =
        _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<__m128i const*>(query + j)));
    sum = _mm256_add_epi32(sum, _mm256_madd_epi16(x, y));
    if (j == 48) sum = _mm256_mullo_epi32(sum, _mm256_set1_epi32(weight));
  }
  __m128i const four = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
  __m128i const two = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4e));
  return _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32(two, 0xb1)));
}

#elif defined(LOOKALIKE_NEON)

#if defined(LOOKALIKE_LEVEL_dotprod)

constexpr std::size_t kRowsTogether = 16;  // four a register

// Codes less 128 have signs, as the instruction wants.
int8x16_t lowered(std::uint8_t const* code) {
  return vreinterpretq_s8_u8(veorq_u8(vld1q_u8(code), vdupq_n_u8(0x80)));
}

// What `lowered` takes from the sums of every four columns, added to `sum`.
int32x4_t lost(int32x4_t sum, int8x16_t query) { return vdotq_s32(sum, vdupq_n_s8(-128), query); }

template <std::size_t Q>
LOOKALIKE_NOINLINE void some_rows(std::uint8_t const* code, std::int32_t const* start,
                                  std::size_t width, std::int8_t const* const* query,
                                  std::int32_t (*out)[kPanelRows]) {
  int32x4_t sum[Q][4], less[Q];
  LOOKALIKE_UNROLL
  for (std::size_t q = 0; q < Q; ++q) less[q] = vdupq_n_s32(0);
  LOOKALIKE_UNROLL
  for (std::size_t q = 0; q < Q; ++q) {
    LOOKALIKE_UNROLL
    for (std::size_t v = 0; v < 4; ++v) sum[q][v] = vld1q_s32(start + v * 4);
  }
  for (std::size_t j = 0; j < width; j += 4, code += kStepBytes) {
    int8x16_t x[4];
    LOOKALIKE_UNROLL
    for (std::size_t v = 0; v < 4; ++v) x[v] = lowered(code + v * 16);
    LOOKALIKE_UNROLL
    for (std::size_t q = 0; q < Q; ++q) {
      int8x16_t const y = vreinterpretq_s8_s32(vdupq_n_s32(four_codes(query[q] + j)));
      less[q] = lost(less[q], y);
      LOOKALIKE_UNROLL
      for (std::size_t v = 0; v < 4; ++v) sum[q][v] = vdotq_s32(sum[q][v], x[v], y);
    }
  }
  LOOKALIKE_UNROLL
  for (std::size_t q = 0; q < Q; ++q) {
    LOOKALIKE_UNROLL
    for (std::size_t v = 0; v < 4; ++v) vst1q_s32(out[q] + v * 4, vsubq_s32(sum[q][v], less[q]));
  }
}

int32x4_t add_products(int32x4_t sum, std::uint8_t const* code, std::int8_t const* query) {
  int8x16_t const y = vld1q_s8(query);
  return vsubq_s32(vdotq_s32(sum, lowered(code), y), lost(vdupq_n_s32(0), y));
}

#else

constexpr std::size_t kRowsTogether = 8;  // two a register: products of bytes fit 16 bits

template <std::size_t Q>
LOOKALIKE_NOINLINE void some_rows(std::uint8_t const* code, std::int32_t const* start,
                                  std::size_t width, std::int8_t const* const* query,
                                  std::int32_t (*out)[kPanelRows]) {
  int32x4_t sum[Q][4];
  LOOKALIKE_UNROLL
  for (std::size_t q = 0; q < Q; ++q) {
    LOOKALIKE_UNROLL
    for (std::size_t v = 0; v < 4; ++v) sum[q][v] = vdupq_n_s32(0);
  }
  for (std::size_t j = 0; j < width; j += 4, code += kStepBytes) {
    int16x8_t x[4];
    LOOKALIKE_UNROLL
    for (std::size_t v = 0; v < 4; ++v)
      x[v] = vreinterpretq_s16_u16(vmovl_u8(vld1_u8(code + 8 * v)));
    LOOKALIKE_UNROLL
    for (std::size_t q = 0; q < Q; ++q) {
      int16x8_t const y = vmovl_s8(vreinterpret_s8_s32(vdup_n_s32(four_codes(query[q] + j))));
      LOOKALIKE_UNROLL
      for (std::size_t v = 0; v < 4; ++v) sum[q][v] = vpadalq_s16(sum[q][v], vmulq_s16(x[v], y));
    }
  }
  LOOKALIKE_UNROLL
  for (std::size_t q = 0; q < Q; ++q) {
    int32x4_t const low = vpaddq_s32(sum[q][0], sum[q][1]);
    int32x4_t const high = vpaddq_s32(sum[q][2], sum[q][3]);
    vst1q_s32(out[q], vaddq_s32(low, vld1q_s32(start)));
    vst1q_s32(out[q] + 4, vaddq_s32(high, vld1q_s32(start + 4)));
  }
}

int32x4_t add_products(int32x4_t sum, std::uint8_t const* code, std::int8_t const* query) {
  uint8x16_t const x = vld1q_u8(code);
  int8x16_t const y = vld1q_s8(query);
  int16x8_t const low = vreinterpretq_s16_u16(vmovl_u8(vget_low_u8(x)));
  int16x8_t const high = vreinterpretq_s16_u16(vmovl_high_u8(x));
  sum = vpadalq_s16(sum, vmulq_s16(low, vmovl_s8(vget_low_s8(y))));
  return vpadalq_s16(sum, vmulq_s16(high, vmovl_high_s8(y)));
}

#endif

template <std::size_t Q>
void scores(std::uint8_t const* code, std::int32_t const* start, std::size_t width,
            std::int8_t const* const* query, std::int32_t (*out)[kPanelRows]) {
  for (std::size_t row = 0; row < kPanelRows; row += kRowsTogether)
    some_rows<Q>(code + row * 4, start + row, width, query,
                 reinterpret_cast<std::int32_t (*)[kPanelRows]>(out[0] + row));
}

std::int32_t wide_dot(std::uint8_t const* code, std::size_t width, std::int8_t const* query,
                      std::int32_t weight) {
  int32x4_t sum = vdupq_n_s32(0);
  for (std::size_t j = 0; j < width; j += 16) {
    sum = add_products(sum, code + j, query + j);
    if (j == 48) sum = vmulq_n_s32(sum, weight);
  }
  return vaddvq_s32(sum);
}

#else

template <std::size_t Q>
void scores(std::uint8_t const* code, std::int32_t const* start, std::size_t width,
            std::int8_t const* const* query, std::int32_t (*out)[kPanelRows]) {
  for (std::size_t q = 0; q < Q; ++q) {
    for (std::size_t i = 0; i < kPanelRows; ++i) out[q][i] = start[i];
    for (std::size_t j = 0; j < width; j += 4) {
      std::uint8_t const* const x = code + j * kPanelRows;
      std::int32_t const y[4] = {query[q][j], query[q][j + 1], query[q][j + 2], query[q][j + 3]};
      for (std::size_t i = 0; i < kPanelRows; ++i)
        out[q][i] +=
            x[4 * i] * y[0] + x[4 * i + 1] * y[1] + x[4 * i + 2] * y[2] + x[4 * i + 3] * y[3];
    }
  }
}

std::int32_t wide_dot(std::uint8_t const* code, std::size_t width, std::int8_t const* query,
                      std::int32_t weight) {
  std::int32_t head = 0, rest = 0;
  for (std::size_t j = 0; j < 64; ++j) head += code[j] * query[j];
  for (std::size_t j = 64; j < width; ++j) rest += code[j] * query[j];
  return weight * head + rest;
}

#endif

#if !defined(LOOKALIKE_LEVEL_avx512)

template <std::size_t Q>
void passing(std::uint8_t const* code, std::int32_t const* start, std::size_t width,
             std::int8_t const* const* query, std::int32_t const* least, std::uint64_t* rows) {
  std::int32_t found[Q][kPanelRows];
  scores<Q>(code, start, width, query, found);
  for (std::size_t q = 0; q < Q; ++q) {
    std::int32_t any = 0;  // most panels have no row that passes, which vectors see at once
    for (std::size_t i = 0; i < kPanelRows; ++i) any |= found[q][i] >= least[q];
    rows[q] = 0;
    for (std::size_t i = 0; any != 0 && i < kPanelRows; ++i)
      rows[q] |= static_cast<std::uint64_t>(found[q][i] >= least[q]) << i;
  }
}

std::uint64_t passing_heads(std::uint8_t const* code, std::int32_t const* start,
                            std::int8_t const* query, std::int32_t least, std::int32_t const* bar) {
  std::int32_t sum[1][kPanelRows], any = 0;
  scores<1>(code, start, kHeads[0], &query, sum);
  for (std::size_t i = 0; i < kPanelRows; ++i) any |= sum[0][i] >= bar[0];
  std::uint64_t rows = 0;
  if (any != 0) passing<1>(code, start, kHeadedWidth, &query, &least, &rows);
  return rows;
}

#endif

void score(std::uint8_t const* code, std::int32_t const* start, std::size_t width,
           std::int8_t const* query, std::int32_t* out) {
  scores<1>(code, start, width, &query, reinterpret_cast<std::int32_t (*)[kPanelRows]>(out));
}

void scores_of(std::uint8_t const* code, std::int32_t const* start, std::size_t width,
               std::int8_t const* const* query, std::size_t queries,
               std::int32_t (*out)[kPanelRows]) {
  switch (queries) {
    case 1: return scores<1>(code, start, width, query, out);
    case 2: return scores<2>(code, start, width, query, out);
    case 3: return scores<3>(code, start, width, query, out);
    case 4: return scores<4>(code, start, width, query, out);
    case 5: return scores<5>(code, start, width, query, out);
    default: return scores<6>(code, start, width, query, out);
  }
}

void dots(std::uint8_t const* code, std::size_t width, std::int8_t const* const* query,
          std::size_t queries, std::int32_t (*dot)[kPanelRows]) {
  static constexpr std::int32_t kNone[kPanelRows] = {};
  scores_of(code, kNone, width, query, queries, dot);
}

void nearest(std::uint8_t const* code, std::int32_t const* start, std::size_t panels,
             std::size_t width, std::int8_t const* const* query, std::size_t queries,
             std::size_t* place) {
  std::int32_t found[kQueriesTogether][kPanelRows], best[kQueriesTogether];
  for (std::size_t panel = 0; panel < panels; ++panel) {
    scores_of(code + panel * kPanelRows * width, start + panel * kPanelRows, width, query, queries,
              found);
    for (std::size_t q = 0; q < queries; ++q) {
      std::int32_t most = found[q][0];
      for (std::size_t i = 1; i < kPanelRows; ++i) most = found[q][i] > most ? found[q][i] : most;
      if (panel > 0 && most <= best[q]) continue;
      std::size_t i = 0;
      while (found[q][i] != most) ++i;
      best[q] = most;
      place[q] = panel * kPanelRows + i;
    }
  }
}

template <std::size_t Q>
std::size_t filter_few(std::uint8_t const* code, std::int32_t const* start, float const* margin,
                       std::size_t panels, std::size_t width, float inverse_step,
                       PanelQuery const* query, PanelHit* hit) {
  std::int8_t const* codes[Q];
  for (std::size_t q = 0; q < Q; ++q) codes[q] = query[q].code;
  std::size_t hits = 0;
  for (std::size_t panel = 0; panel < panels; ++panel) {
    std::int32_t least[Q];
    std::uint64_t rows[Q];
    for (std::size_t q = 0; q < Q; ++q)
      least[q] = least_score(query[q], margin[panel], inverse_step);
    passing<Q>(code + panel * kPanelRows * width, start + panel * kPanelRows, width, codes, least,
               rows);
    for (std::size_t q = 0; q < Q; ++q) {
      hit[hits] = {static_cast<std::uint32_t>(panel), static_cast<std::uint32_t>(q), rows[q]};
      hits += rows[q] != 0;
    }
  }
  return hits;
}

std::size_t filter_by_heads(std::uint8_t const* code, std::int32_t const* start,
                            float const* margin, Tails const* tails, std::size_t panels,
                            float inverse_step, PanelQuery const& query, PanelHit* hit) {
  constexpr std::size_t kBytes = kPanelRows * kHeadedWidth;
  std::size_t hits = 0;
  for (std::size_t panel = 0; panel < panels; ++panel) {
    prefetch(code + (panel + kPanelsAhead) * kBytes, kPanelRows * kHeads[0]);
    std::int32_t const least = least_score(query, margin[panel], inverse_step);
    std::int32_t bar[std::size(kHeads)];
    for (std::size_t head = 0; head < std::size(kHeads); ++head)
      bar[head] = least_sum(head, query.tails, tails[panel], least);
    std::uint64_t const rows =
        passing_heads(code + panel * kBytes, start + panel * kPanelRows, query.code, least, bar);
    hit[hits] = {static_cast<std::uint32_t>(panel), 0, rows};
    hits += rows != 0;
  }
  return hits;
}

std::size_t filter(std::uint8_t const* code, std::int32_t const* start, float const* margin,
                   Tails const* tails, std::size_t panels, std::size_t width, float inverse_step,
                   PanelQuery const* query, std::size_t queries, PanelHit* hit) {
  if (queries == 1 && tails != nullptr && width == kHeadedWidth)
    return filter_by_heads(code, start, margin, tails, panels, inverse_step, *query, hit);
  switch (queries) {
    case 1: return filter_few<1>(code, start, margin, panels, width, inverse_step, query, hit);
    case 2: return filter_few<2>(code, start, margin, panels, width, inverse_step, query, hit);
    case 3: return filter_few<3>(code, start, margin, panels, width, inverse_step, query, hit);
    case 4: return filter_few<4>(code, start, margin, panels, width, inverse_step, query, hit);
    case 5: return filter_few<5>(code, start, margin, panels, width, inverse_step, query, hit);
    default: return filter_few<6>(code, start, margin, panels, width, inverse_step, query, hit);
  }
}

void wide(std::uint8_t const* code, std::size_t width, std::size_t const* position,
          std::size_t count, std::int8_t const* query, std::int32_t weight, std::int32_t* dot) {
  for (std::size_t i = 0; i < count; ++i)
    dot[i] = wide_dot(code + position[i] * width, width, query, weight);
}

float gap2(float const* image, std::uint8_t const* code, std::size_t count) {
  float sum[16] = {};
  for (std::size_t j = 0; j < count; j += 16)
    for (std::size_t lane = 0; lane < 16; ++lane) {
      float const gap = image[j + lane] - static_cast<float>(code[j + lane]);
      sum[lane] += gap * gap;
    }
  for (std::size_t half = 8; half > 0; half /= 2)
    for (std::size_t lane = 0; lane < half; ++lane) sum[lane] += sum[lane + half];
  return sum[0];
}

}  // namespace

PanelKernels const panel_kernels = {&filter, &score, &nearest, &dots, &wide, &gap2};

}  // namespace lookalike::simd::LOOKALIKE_LEVEL
