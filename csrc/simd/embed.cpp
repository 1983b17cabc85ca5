// Centering, projection and rounding of rows.
#include "exact/embed.hpp"

#include <cstddef>
#include <cstdint>

#include "simd/vec.hpp"

namespace lookalike::simd::LOOKALIKE_LEVEL {
namespace {

constexpr std::size_t kTogether = 6;  // rows whose sums are in registers at once

using Floats = Vec<float>;
#if defined(LOOKALIKE_LEVEL_avx512)
constexpr std::size_t kVectors = 4;
#else
constexpr std::size_t kVectors = 2;
#endif

// R rows, and as many directions as kVectors hold.
template <std::size_t R>
LOOKALIKE_NOINLINE void project_part(float const* centered, std::size_t cols,
                                     std::size_t image_stride, float const* directions,
                                     float* image) {
  for (std::size_t from = 0; from < cols; from += kSumTerms) {
    std::size_t const to = from + kSumTerms < cols ? from + kSumTerms : cols;
    Floats sum[R][kVectors];
    LOOKALIKE_UNROLL
    for (std::size_t r = 0; r < R; ++r) {
      LOOKALIKE_UNROLL
      for (std::size_t v = 0; v < kVectors; ++v) sum[r][v] = Floats::all(0.0f);
    }
    for (std::size_t i = from; i < to; ++i) {
      Floats axis[kVectors];
      LOOKALIKE_UNROLL
      for (std::size_t v = 0; v < kVectors; ++v)
        axis[v] = Floats::load(directions + i * kBlock + v * Floats::kCount);
      LOOKALIKE_UNROLL
      for (std::size_t r = 0; r < R; ++r) {
        Floats const x = Floats::all(centered[r * cols + i]);
        LOOKALIKE_UNROLL
        for (std::size_t v = 0; v < kVectors; ++v) sum[r][v] = multiply_add(x, axis[v], sum[r][v]);
      }
    }
    LOOKALIKE_UNROLL
    for (std::size_t r = 0; r < R; ++r) {
      LOOKALIKE_UNROLL
      for (std::size_t v = 0; v < kVectors; ++v) {
        float* const out = image + r * image_stride + v * Floats::kCount;
        (from == 0 ? sum[r][v] : Floats::load(out) + sum[r][v]).store(out);
      }
    }
  }
}

template <std::size_t R>
void project_rows(float const* centered, std::size_t cols, std::size_t image_stride,
                  float const* directions, float* image) {
  for (std::size_t column = 0; column < kBlock; column += kVectors * Floats::kCount)
    project_part<R>(centered, cols, image_stride, directions + column, image + column);
}

void project(float const* centered, std::size_t rows, std::size_t cols, std::size_t image_stride,
             float const* directions, float* image) {
  std::size_t i = 0;
  for (; i + kTogether <= rows; i += kTogether)
    project_rows<kTogether>(centered + i * cols, cols, image_stride, directions,
                            image + i * image_stride);
  for (; i < rows; ++i)
    project_rows<1>(centered + i * cols, cols, image_stride, directions, image + i * image_stride);
}

double center(double* x, double const* mean, double scale, std::size_t cols) {
  double sum[8] = {};
  std::size_t j = 0;
  for (; j + 8 <= cols; j += 8)
    for (std::size_t lane = 0; lane < 8; ++lane) {
      double const value = (x[j + lane] - mean[j + lane]) * scale;
      x[j + lane] = value;
      sum[lane] += value * value;
    }
  for (; j < cols; ++j) {
    x[j] = (x[j] - mean[j]) * scale;
    sum[0] += x[j] * x[j];
  }
  return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

template <class T>
double round_one(T x, double step, std::int8_t* code, Code* totals) {
  double const value = static_cast<double>(x);
  double const steps = value * (1.0 / step);
  double const inside = steps > 127.0 ? 127.0 : steps < -128.0 ? -128.0 : steps;
  int const rounded = static_cast<int>(inside + (inside < 0.0 ? -0.5 : 0.5));
  *code = static_cast<std::int8_t>(rounded);
  totals->norm += rounded * rounded;
  totals->sum += rounded;
  double const gap = value - rounded * step;
  return gap * gap;
}

#if defined(LOOKALIKE_LEVEL_avx512)

__m512d eight(float const* x) { return _mm512_cvtps_pd(_mm256_loadu_ps(x)); }
__m512d eight(double const* x) { return _mm512_loadu_pd(x); }

template <class T>
double round_values(T const* x, std::size_t count, double step, std::int8_t* code, Code* totals) {
  __m512d const steps = _mm512_set1_pd(1.0 / step), width = _mm512_set1_pd(step);
  __m512d lost = _mm512_setzero_pd();
  __m256i norm = _mm256_setzero_si256(), sum = _mm256_setzero_si256();
  std::size_t j = 0;
  for (; j + 8 <= count; j += 8) {
    __m512d const value = eight(x + j);
    __m512d const inside = _mm512_max_pd(
        _mm512_min_pd(_mm512_mul_pd(value, steps), _mm512_set1_pd(127.0)), _mm512_set1_pd(-128.0));
    __m256i const rounded = _mm512_cvtpd_epi32(inside);
    __m512d const gap = _mm512_sub_pd(value, _mm512_mul_pd(_mm512_cvtepi32_pd(rounded), width));
    lost = _mm512_add_pd(lost, _mm512_mul_pd(gap, gap));
    norm = _mm256_add_epi32(norm, _mm256_mullo_epi32(rounded, rounded));
    sum = _mm256_add_epi32(sum, rounded);
    _mm_storel_epi64(reinterpret_cast<__m128i*>(code + j), _mm256_cvtepi32_epi8(rounded));
  }
  totals->norm += _mm512_reduce_add_epi32(_mm512_zextsi256_si512(norm));
  totals->sum += _mm512_reduce_add_epi32(_mm512_zextsi256_si512(sum));
  double all = _mm512_reduce_add_pd(lost);
  for (; j < count; ++j) all += round_one(x[j], step, code + j, totals);
  return all;
}

#else

template <class T>
double round_values(T const* x, std::size_t count, double step, std::int8_t* code, Code* totals) {
  double lost = 0.0;
  for (std::size_t j = 0; j < count; ++j) lost += round_one(x[j], step, code + j, totals);
  return lost;
}

#endif

}  // namespace

EmbedKernels const embed_kernels = {&project, &center, &round_values<float>, &round_values<double>};

}  // namespace lookalike::simd::LOOKALIKE_LEVEL
