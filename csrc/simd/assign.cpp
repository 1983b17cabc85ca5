// Scores of rows against centers, the contenders among them, and the sums of rows.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "kmeans/assign_kernels.hpp"
#include "simd/vec.hpp"

namespace lookalike::simd::LOOKALIKE_LEVEL {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr std::size_t kDirections = 64;  // of a block of projections

using Floats = Vec<float, kCentersTogether>;

[[maybe_unused]] std::int32_t two_codes(std::int16_t const* code) {
  std::int32_t word;
  std::memcpy(&word, code, sizeof word);
  return word;
}

#if defined(LOOKALIKE_LEVEL_avx512)
constexpr std::size_t kVectors = 4;  // of centers, scored together
#else
constexpr std::size_t kVectors = 1;
#endif

// Codes of some rows and centers, and where their scores go.
struct Scored {
  std::int16_t const* row;
  std::int16_t const* centers;
  std::size_t width;
  std::size_t padded;
  float unit;
  float const* height;
  float* score;
  float* least;
};

// Rows R by vectors V of 16 centers: all sums stay in registers.
#if defined(LOOKALIKE_LEVEL_avx512)

template <std::size_t R, std::size_t V>
LOOKALIKE_NOINLINE void score_some(Scored const& some) {
  auto const [row, centers, width, padded, unit, height, score, least] = some;
  __m512i sum[R][V];
  LOOKALIKE_UNROLL
  for (std::size_t r = 0; r < R; ++r) {
    LOOKALIKE_UNROLL
    for (std::size_t v = 0; v < V; ++v) sum[r][v] = _mm512_setzero_si512();
  }
  std::size_t const panel = width * kCentersTogether;
  for (std::size_t j = 0; j < width; j += 2) {
    __m512i c[V];
    LOOKALIKE_UNROLL
    for (std::size_t v = 0; v < V; ++v)
      c[v] = _mm512_loadu_si512(centers + v * panel + j * kCentersTogether);
    LOOKALIKE_UNROLL
    for (std::size_t r = 0; r < R; ++r) {
      __m512i const x = _mm512_set1_epi32(two_codes(row + r * width + j));
      LOOKALIKE_UNROLL
      for (std::size_t v = 0; v < V; ++v) sum[r][v] = _mm512_dpwssd_epi32(sum[r][v], c[v], x);
    }
  }
  LOOKALIKE_UNROLL
  for (std::size_t r = 0; r < R; ++r) {
    Floats smallest = Floats::load(least + r * minima(padded));
    LOOKALIKE_UNROLL
    for (std::size_t v = 0; v < V; ++v) {
      LOOKALIKE_IN_REGISTER(sum[r][v]);
      Floats const product = {{_mm512_cvtepi32_ps(sum[r][v])}};
      Floats const top = Floats::load(height + v * kCentersTogether);
      Floats const lanes = top - product * Floats::all(unit);
      lanes.store(score + r * padded + v * kCentersTogether);
      smallest = smaller(smallest, lanes);
    }
    smallest.store(least + r * minima(padded));
  }
}

#elif defined(LOOKALIKE_LEVEL_avx2)

template <std::size_t R, std::size_t V>
LOOKALIKE_NOINLINE void score_some(Scored const& some) {
  static_assert(V == 1);
  auto const [row, centers, width, padded, unit, height, score, least] = some;
  __m256i low[R], high[R];
  LOOKALIKE_UNROLL
  for (std::size_t r = 0; r < R; ++r) low[r] = high[r] = _mm256_setzero_si256();
  for (std::size_t j = 0; j < width; j += 2) {
    auto const* const place = reinterpret_cast<__m256i const*>(centers + j * kCentersTogether);
    __m256i const a = _mm256_loadu_si256(place), b = _mm256_loadu_si256(place + 1);
    LOOKALIKE_UNROLL
    for (std::size_t r = 0; r < R; ++r) {
      __m256i const x = _mm256_set1_epi32(two_codes(row + r * width + j));
      low[r] = _mm256_add_epi32(low[r], _mm256_madd_epi16(a, x));
      high[r] = _mm256_add_epi32(high[r], _mm256_madd_epi16(b, x));
    }
  }
  Floats const top = Floats::load(height);
  LOOKALIKE_UNROLL
  for (std::size_t r = 0; r < R; ++r) {
    Floats const product = {{_mm256_cvtepi32_ps(low[r]), _mm256_cvtepi32_ps(high[r])}};
    Floats const lanes = top - product * Floats::all(unit);
    lanes.store(score + r * padded);
    float* const place = least + r * minima(padded);
    smaller(Floats::load(place), lanes).store(place);
  }
}

#elif defined(LOOKALIKE_NEON)

template <std::size_t R, std::size_t V>
LOOKALIKE_NOINLINE void score_some(Scored const& some) {
  static_assert(V == 1);
  auto const [row, centers, width, padded, unit, height, score, least] = some;
  int32x4_t sum[R][4];
  LOOKALIKE_UNROLL
  for (std::size_t r = 0; r < R; ++r) {
    LOOKALIKE_UNROLL
    for (std::size_t v = 0; v < 4; ++v) sum[r][v] = vdupq_n_s32(0);
  }
  for (std::size_t j = 0; j < width; j += 2) {
    std::int16_t const* const place = centers + j * kCentersTogether;
    int16x8x2_t const a = vld2q_s16(place), b = vld2q_s16(place + kCentersTogether);
    LOOKALIKE_UNROLL
    for (std::size_t column = 0; column < 2; ++column) {
      LOOKALIKE_UNROLL
      for (std::size_t r = 0; r < R; ++r) {
        std::int16_t const x = row[r * width + j + column];
        sum[r][0] = vmlal_n_s16(sum[r][0], vget_low_s16(a.val[column]), x);
        sum[r][1] = vmlal_high_n_s16(sum[r][1], a.val[column], x);
        sum[r][2] = vmlal_n_s16(sum[r][2], vget_low_s16(b.val[column]), x);
        sum[r][3] = vmlal_high_n_s16(sum[r][3], b.val[column], x);
      }
    }
  }
  Floats const top = Floats::load(height);
  LOOKALIKE_UNROLL
  for (std::size_t r = 0; r < R; ++r) {
    auto const numbers = [&](std::size_t v) { return vcvtq_f32_s32(sum[r][v]); };
    Floats const product = {{{{numbers(0), numbers(1)}}, {{numbers(2), numbers(3)}}}};
    Floats const lanes = top - product * Floats::all(unit);
    lanes.store(score + r * padded);
    float* const place = least + r * minima(padded);
    smaller(Floats::load(place), lanes).store(place);
  }
}

#else

template <std::size_t R, std::size_t V>
void score_some(Scored const& some) {
  static_assert(V == 1);
  auto const [row, centers, width, padded, unit, height, score, least] = some;
  for (std::size_t r = 0; r < R; ++r) {
    std::int32_t sum[kCentersTogether] = {};
    for (std::size_t j = 0; j < width; j += 2) {
      std::int16_t const* const c = centers + j * kCentersTogether;
      std::int32_t const x = row[r * width + j], y = row[r * width + j + 1];
      for (std::size_t i = 0; i < kCentersTogether; ++i) sum[i] += c[2 * i] * x + c[2 * i + 1] * y;
    }
    float* const lanes = score + r * padded;
    for (std::size_t i = 0; i < kCentersTogether; ++i)
      lanes[i] = height[i] - static_cast<float>(sum[i]) * unit;
    float* const place = least + r * minima(padded);
    smaller(Floats::load(place), Floats::load(lanes)).store(place);
  }
}

#endif

template <std::size_t R>
void score_rows(Scored const& all) {
  std::size_t at = 0;
  auto const next = [&](auto score, std::size_t vectors) {
    Scored some = all;
    some.centers += at * all.width;
    some.height += at;
    some.score += at;
    some.least += at / kTile * kCentersTogether;
    score(some);
    at += vectors * kCentersTogether;
  };
  while (at + kVectors * kCentersTogether <= all.padded) next(score_some<R, kVectors>, kVectors);
#if defined(LOOKALIKE_LEVEL_avx512)
  switch ((all.padded - at) / kCentersTogether) {
    case 3: next(score_some<R, 3>, 3); break;
    case 2: next(score_some<R, 2>, 2); break;
    case 1: next(score_some<R, 1>, 1); break;
    default: break;
  }
#endif
}

void score(std::int16_t const* row, std::size_t rows, std::int16_t const* centers,
           std::size_t width, std::size_t padded, float unit, float const* height, float* score,
           float* least) {
  for (std::size_t i = 0; i < rows * minima(padded); i += kCentersTogether)
    Floats::all(kInfinity).store(least + i);
  if (rows == kScoredRows)
    return score_rows<kScoredRows>({row, centers, width, padded, unit, height, score, least});
  for (std::size_t r = 0; r < rows; ++r)
    score_rows<1>({row + r * width, centers, width, padded, unit, height, score + r * padded,
                   least + r * minima(padded)});
}

void add_column(float x, float const* column, std::size_t padded, float* score) {
  for (std::size_t c = 0; c < padded; c += kCentersTogether)
    (Floats::load(score + c) + Floats::load(column + c) * Floats::all(x)).store(score + c);
}

void below(float const* height, std::size_t padded, float* score, float* least) {
  for (std::size_t tile = 0; tile < padded; tile += kTile, least += kCentersTogether) {
    Floats smallest = Floats::load(height + tile) - Floats::load(score + tile);
    smallest.store(score + tile);
    for (std::size_t c = tile + kCentersTogether; c < tile + kTile && c < padded;
         c += kCentersTogether) {
      Floats const lanes = Floats::load(height + c) - Floats::load(score + c);
      lanes.store(score + c);
      smallest = smaller(smallest, lanes);
    }
    smallest.store(least);
  }
}

std::size_t best(float const* score, float const* least, std::size_t padded) {
  std::size_t const count = minima(padded);
  Floats smallest = Floats::load(least);
  for (std::size_t i = kCentersTogether; i < count; i += kCentersTogether)
    smallest = smaller(smallest, Floats::load(least + i));
  Floats const bar = Floats::all(smallest_of(smallest));
  std::size_t tile = 0;
  while (bits_where<Compare::at_most>(Floats::load(least + tile * kCentersTogether), bar) == 0)
    ++tile;
  std::size_t c = tile * kTile;
  std::uint32_t mask;
  while ((mask = bits_where<Compare::at_most>(Floats::load(score + c), bar)) == 0)
    c += kCentersTogether;
  return c + lowest_bit(mask);
}

std::size_t contenders(float const* score, float const* least, std::size_t padded, float limit,
                       float rest, float const* residual_distance, float farthest,
                       std::int32_t* candidates) {
  Floats const bar = Floats::all(limit), factor = Floats::all(rest);
  Floats const widest = Floats::all(limit + rest * farthest);
  std::size_t count = 0;
  for (std::size_t tile = 0; tile < padded; tile += kTile, least += kCentersTogether) {
    if (bits_where<Compare::at_most>(Floats::load(least), widest) == 0) continue;
    for (std::size_t c = tile; c < tile + kTile && c < padded; c += kCentersTogether) {
      Floats const top =
          residual_distance == nullptr ? bar : bar + Floats::load(residual_distance + c) * factor;
      for (std::uint32_t mask = bits_where<Compare::at_most>(Floats::load(score + c), top);
           mask != 0; mask &= mask - 1)
        candidates[count++] = static_cast<std::int32_t>(c + lowest_bit(mask));
    }
  }
  return count;
}

double round_row(double const* x, std::size_t count, double step, double largest,
                 std::int16_t* code) {
  constexpr std::size_t lanes = 8;
  constexpr double whole = 0x1.8p52;  // adding and subtracting it rounds to a whole number
  double const inverse = 1.0 / step;
  double lost[lanes] = {};
  auto const round_one = [&](std::size_t j, std::size_t lane) {
    double const steps = x[j] * inverse;
    double const inside = steps > largest ? largest : steps < -largest ? -largest : steps;
    double const rounded = (inside + whole) - whole;
    code[j] = static_cast<std::int16_t>(static_cast<std::int32_t>(rounded));
    double const gap = x[j] - rounded * step;
    lost[lane] += gap * gap;
  };
  std::size_t j = 0;
  for (; j + lanes <= count; j += lanes)
    for (std::size_t lane = 0; lane < lanes; ++lane) round_one(j + lane, lane);
  for (; j < count; ++j) round_one(j, 0);
  return ((lost[0] + lost[1]) + (lost[2] + lost[3])) + ((lost[4] + lost[5]) + (lost[6] + lost[7]));
}

void project(double const* x, std::size_t cols, float const* directions, double* image) {
  double sum[kDirections] = {};
  for (std::size_t i = 0; i < cols; ++i)
    for (std::size_t k = 0; k < kDirections; ++k)
      sum[k] += x[i] * static_cast<double>(directions[i * kDirections + k]);
  for (std::size_t k = 0; k < kDirections; ++k) image[k] = sum[k];
}

void leave(double const* image, std::size_t cols, float const* directions, double* rest) {
  constexpr std::size_t lanes = 8;
  for (std::size_t i = 0; i < cols; ++i) {
    double sum[lanes] = {};
    for (std::size_t k = 0; k < kDirections; k += lanes)
      for (std::size_t lane = 0; lane < lanes; ++lane)
        sum[lane] += image[k + lane] * static_cast<double>(directions[i * kDirections + k + lane]);
    rest[i] -= ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
  }
}

template <class T>
void widen(T const* x, std::size_t count, double* out) {
  for (std::size_t j = 0; j < count; ++j) out[j] = static_cast<double>(x[j]);
}

void add_terms(double const* x, double weight, double sign, double const* coarse,
               double const* fine, std::size_t count, double* high, double* low) {
  for (std::size_t j = 0; j < count; ++j) {
    double const term = x[j] * weight;
    double const first = (term + coarse[j]) - coarse[j];
    double const second = ((term - first) + fine[j]) - fine[j];
    high[j] += sign * first;
    low[j] += sign * second;
  }
}

}  // namespace

AssignKernels const assign_kernels = {&score,
                                      &add_column,
                                      &below,
                                      &best,
                                      &contenders,
                                      &round_row,
                                      &project,
                                      &leave,
                                      &widen<float>,
                                      &widen<std::uint8_t>,
                                      &widen<std::int8_t>,
                                      &add_terms};

}  // namespace lookalike::simd::LOOKALIKE_LEVEL
