// Scores of rows against centers, the contenders among them, and the sums of rows.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "kmeans/assign_kernels.hpp"
#include "simd/intrinsics.hpp"

namespace lookalike::simd::LOOKALIKE_LEVEL {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr std::size_t kDirections = 64;  // of a block of projections

#if defined(LOOKALIKE_LEVEL_avx512)

struct Sixteen {
  __m512 lanes;

  static Sixteen load(float const* x) { return {_mm512_loadu_ps(x)}; }
  static Sixteen all(float x) { return {_mm512_set1_ps(x)}; }
  void store(float* out) const { _mm512_storeu_ps(out, lanes); }
  Sixteen plus(Sixteen x) const { return {_mm512_add_ps(lanes, x.lanes)}; }
  Sixteen minus(Sixteen x) const { return {_mm512_sub_ps(lanes, x.lanes)}; }
  Sixteen times(Sixteen x) const { return {_mm512_mul_ps(lanes, x.lanes)}; }
  Sixteen least(Sixteen x) const { return {_mm512_min_ps(lanes, x.lanes)}; }
  unsigned at_most(Sixteen x) const {
    return _cvtmask16_u32(_mm512_cmp_ps_mask(lanes, x.lanes, _CMP_LE_OQ));
  }
  float least() const { return _mm512_reduce_min_ps(lanes); }
};

#elif defined(LOOKALIKE_LEVEL_avx2)

struct Sixteen {
  __m256 low, high;

  static Sixteen load(float const* x) { return {_mm256_loadu_ps(x), _mm256_loadu_ps(x + 8)}; }
  static Sixteen all(float x) { return {_mm256_set1_ps(x), _mm256_set1_ps(x)}; }
  void store(float* out) const {
    _mm256_storeu_ps(out, low);
    _mm256_storeu_ps(out + 8, high);
  }
  Sixteen plus(Sixteen x) const { return {_mm256_add_ps(low, x.low), _mm256_add_ps(high, x.high)}; }
  Sixteen minus(Sixteen x) const {
    return {_mm256_sub_ps(low, x.low), _mm256_sub_ps(high, x.high)};
  }
  Sixteen times(Sixteen x) const {
    return {_mm256_mul_ps(low, x.low), _mm256_mul_ps(high, x.high)};
  }
  Sixteen least(Sixteen x) const {
    return {_mm256_min_ps(low, x.low), _mm256_min_ps(high, x.high)};
  }
  unsigned at_most(Sixteen x) const {
    int const a = _mm256_movemask_ps(_mm256_cmp_ps(low, x.low, _CMP_LE_OQ));
    int const b = _mm256_movemask_ps(_mm256_cmp_ps(high, x.high, _CMP_LE_OQ));
    return static_cast<unsigned>(a | b << 8);
  }
  float least() const {
    __m256 const eight = _mm256_min_ps(low, high);
    __m128 const four = _mm_min_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    __m128 const two = _mm_min_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_min_ss(two, _mm_movehdup_ps(two)));
  }
};

#else

struct Sixteen {
  float lanes[kCentersTogether];

  template <class F>
  static Sixteen made(F&& lane) {
    Sixteen result;
    for (std::size_t i = 0; i < kCentersTogether; ++i) result.lanes[i] = lane(i);
    return result;
  }
  static Sixteen load(float const* x) {
    return made([&](std::size_t i) { return x[i]; });
  }
  static Sixteen all(float x) {
    return made([&](std::size_t) { return x; });
  }
  void store(float* out) const {
    for (std::size_t i = 0; i < kCentersTogether; ++i) out[i] = lanes[i];
  }
  Sixteen plus(Sixteen const& x) const {
    return made([&](std::size_t i) { return lanes[i] + x.lanes[i]; });
  }
  Sixteen minus(Sixteen const& x) const {
    return made([&](std::size_t i) { return lanes[i] - x.lanes[i]; });
  }
  Sixteen times(Sixteen const& x) const {
    return made([&](std::size_t i) { return lanes[i] * x.lanes[i]; });
  }
  Sixteen least(Sixteen const& x) const {
    return made([&](std::size_t i) { return lanes[i] < x.lanes[i] ? lanes[i] : x.lanes[i]; });
  }
  unsigned at_most(Sixteen const& x) const {
    unsigned mask = 0;
    for (std::size_t i = 0; i < kCentersTogether; ++i)
      mask |= static_cast<unsigned>(lanes[i] <= x.lanes[i]) << i;
    return mask;
  }
  float least() const {
    float smallest = lanes[0];
    for (std::size_t i = 1; i < kCentersTogether; ++i)
      smallest = lanes[i] < smallest ? lanes[i] : smallest;
    return smallest;
  }
};

#endif

[[maybe_unused]] std::int32_t two_codes(std::int16_t const* code) {
  std::int32_t word;
  std::memcpy(&word, code, sizeof word);
  return word;
}

// Rows R by vectors V of 16 centers: all sums stay in registers.
#if defined(LOOKALIKE_LEVEL_avx512)

constexpr std::size_t kVectors = 4;

template <std::size_t R, std::size_t V>
LOOKALIKE_NOINLINE void score_some(std::int16_t const* row, std::int16_t const* centers,
                                   std::size_t width, std::size_t padded, float unit,
                                   float const* height, float* score, float* least) {
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
    Sixteen smallest = Sixteen::load(least + r * minima(padded));
    LOOKALIKE_UNROLL
    for (std::size_t v = 0; v < V; ++v) {
      LOOKALIKE_IN_REGISTER(sum[r][v]);
      Sixteen const product = {_mm512_cvtepi32_ps(sum[r][v])};
      Sixteen const top = Sixteen::load(height + v * kCentersTogether);
      Sixteen const lanes = top.minus(product.times(Sixteen::all(unit)));
      lanes.store(score + r * padded + v * kCentersTogether);
      smallest = smallest.least(lanes);
    }
    smallest.store(least + r * minima(padded));
  }
}

#elif defined(LOOKALIKE_LEVEL_avx2)

constexpr std::size_t kVectors = 1;

template <std::size_t R, std::size_t V>
LOOKALIKE_NOINLINE void score_some(std::int16_t const* row, std::int16_t const* centers,
                                   std::size_t width, std::size_t padded, float unit,
                                   float const* height, float* score, float* least) {
  static_assert(V == 1);
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
  Sixteen const top = Sixteen::load(height);
  LOOKALIKE_UNROLL
  for (std::size_t r = 0; r < R; ++r) {
    Sixteen const product = {_mm256_cvtepi32_ps(low[r]), _mm256_cvtepi32_ps(high[r])};
    Sixteen const lanes = top.minus(product.times(Sixteen::all(unit)));
    lanes.store(score + r * padded);
    float* const place = least + r * minima(padded);
    Sixteen::load(place).least(lanes).store(place);
  }
}

#else

constexpr std::size_t kVectors = 1;

template <std::size_t R, std::size_t V>
void score_some(std::int16_t const* row, std::int16_t const* centers, std::size_t width,
                std::size_t padded, float unit, float const* height, float* score, float* least) {
  static_assert(V == 1);
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
    Sixteen::load(place).least(Sixteen::load(lanes)).store(place);
  }
}

#endif

template <std::size_t R>
void score_rows(std::int16_t const* row, std::int16_t const* centers, std::size_t width,
                std::size_t padded, float unit, float const* height, float* score, float* least) {
  std::size_t at = 0;
  auto const next = [&](auto some, std::size_t vectors) {
    some(row, centers + at * width, width, padded, unit, height + at, score + at,
         least + at / kTile * kCentersTogether);
    at += vectors * kCentersTogether;
  };
  while (at + kVectors * kCentersTogether <= padded) next(score_some<R, kVectors>, kVectors);
#if defined(LOOKALIKE_LEVEL_avx512)
  switch ((padded - at) / kCentersTogether) {
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
    Sixteen::all(kInfinity).store(least + i);
  if (rows == kScoredRows)
    return score_rows<kScoredRows>(row, centers, width, padded, unit, height, score, least);
  for (std::size_t r = 0; r < rows; ++r)
    score_rows<1>(row + r * width, centers, width, padded, unit, height, score + r * padded,
                  least + r * minima(padded));
}

void add_column(float x, float const* column, std::size_t padded, float* score) {
  for (std::size_t c = 0; c < padded; c += kCentersTogether)
    Sixteen::load(score + c)
        .plus(Sixteen::load(column + c).times(Sixteen::all(x)))
        .store(score + c);
}

void below(float const* height, std::size_t padded, float* score, float* least) {
  for (std::size_t tile = 0; tile < padded; tile += kTile, least += kCentersTogether) {
    Sixteen smallest = Sixteen::load(height + tile).minus(Sixteen::load(score + tile));
    smallest.store(score + tile);
    for (std::size_t c = tile + kCentersTogether; c < tile + kTile && c < padded;
         c += kCentersTogether) {
      Sixteen const lanes = Sixteen::load(height + c).minus(Sixteen::load(score + c));
      lanes.store(score + c);
      smallest = smallest.least(lanes);
    }
    smallest.store(least);
  }
}

std::size_t lowest_bit(unsigned mask) {
#if defined(__GNUC__)
  return static_cast<std::size_t>(__builtin_ctz(mask));
#else
  std::size_t place = 0;
  while ((mask >> place & 1u) == 0) ++place;
  return place;
#endif
}

std::size_t best(float const* score, float const* least, std::size_t padded) {
  std::size_t const count = minima(padded);
  Sixteen smallest = Sixteen::load(least);
  for (std::size_t i = kCentersTogether; i < count; i += kCentersTogether)
    smallest = smallest.least(Sixteen::load(least + i));
  Sixteen const bar = Sixteen::all(smallest.least());
  std::size_t tile = 0;
  while (Sixteen::load(least + tile * kCentersTogether).at_most(bar) == 0) ++tile;
  std::size_t c = tile * kTile;
  unsigned mask;
  while ((mask = Sixteen::load(score + c).at_most(bar)) == 0) c += kCentersTogether;
  return c + lowest_bit(mask);
}

std::size_t contenders(float const* score, float const* least, std::size_t padded, float limit,
                       float rest, float const* residual_distance, float farthest,
                       std::int32_t* candidates) {
  Sixteen const bar = Sixteen::all(limit), factor = Sixteen::all(rest);
  Sixteen const widest = Sixteen::all(limit + rest * farthest);
  std::size_t count = 0;
  for (std::size_t tile = 0; tile < padded; tile += kTile, least += kCentersTogether) {
    if (Sixteen::load(least).at_most(widest) == 0) continue;
    for (std::size_t c = tile; c < tile + kTile && c < padded; c += kCentersTogether) {
      Sixteen const top = residual_distance == nullptr
                              ? bar
                              : bar.plus(Sixteen::load(residual_distance + c).times(factor));
      for (unsigned mask = Sixteen::load(score + c).at_most(top); mask != 0; mask &= mask - 1)
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

extern AssignKernels const assign_kernels;
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
