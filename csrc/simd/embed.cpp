// Centring, projection and rounding of rows.
#include "embed.hpp"

#include <cstddef>
#include <cstdint>

#include "simd/intrinsics.hpp"

namespace lookalike::simd::LOOKALIKE_LEVEL {
namespace {

constexpr std::size_t kTogether = 6;  // rows whose sums are in registers at once

#if defined(LOOKALIKE_LEVEL_avx512)

template <std::size_t R>
void project_rows(float const* centred, std::size_t cols, std::size_t image_stride,
                  float const* directions, float* image) {
  constexpr std::size_t vectors = kBlock / 16;
  for (std::size_t from = 0; from < cols; from += kSumTerms) {
    std::size_t const to = from + kSumTerms < cols ? from + kSumTerms : cols;
    __m512 sum[R][vectors];
    for (std::size_t r = 0; r < R; ++r)
      for (std::size_t v = 0; v < vectors; ++v) sum[r][v] = _mm512_setzero_ps();
    for (std::size_t i = from; i < to; ++i) {
      __m512 axis[vectors];
      for (std::size_t v = 0; v < vectors; ++v)
        axis[v] = _mm512_loadu_ps(directions + i * kBlock + v * 16);
      for (std::size_t r = 0; r < R; ++r) {
        __m512 const x = _mm512_set1_ps(centred[r * cols + i]);
        for (std::size_t v = 0; v < vectors; ++v)
          sum[r][v] = _mm512_fmadd_ps(x, axis[v], sum[r][v]);
      }
    }
    for (std::size_t r = 0; r < R; ++r)
      for (std::size_t v = 0; v < vectors; ++v) {
        float* const out = image + r * image_stride + v * 16;
        __m512 const before = from == 0 ? _mm512_setzero_ps() : _mm512_loadu_ps(out);
        _mm512_storeu_ps(out, _mm512_add_ps(before, sum[r][v]));
      }
  }
}

#else

template <std::size_t R>
void project_rows(float const* centred, std::size_t cols, std::size_t image_stride,
                  float const* directions, float* image) {
  constexpr std::size_t part = 16;
  for (std::size_t r = 0; r < R; ++r)
    for (std::size_t column = 0; column < kBlock; column += part) {
      float total[part] = {};
      for (std::size_t from = 0; from < cols; from += kSumTerms) {
        std::size_t const to = from + kSumTerms < cols ? from + kSumTerms : cols;
        float sum[part] = {};
        for (std::size_t i = from; i < to; ++i) {
          float const x = centred[r * cols + i];
          float const* const axis = directions + i * kBlock + column;
          for (std::size_t v = 0; v < part; ++v) sum[v] += x * axis[v];
        }
        for (std::size_t v = 0; v < part; ++v) total[v] += sum[v];
      }
      for (std::size_t v = 0; v < part; ++v) image[r * image_stride + column + v] = total[v];
    }
}

#endif

void project(float const* centred, std::size_t rows, std::size_t cols, std::size_t image_stride,
             float const* directions, float* image) {
  std::size_t i = 0;
  for (; i + kTogether <= rows; i += kTogether)
    project_rows<kTogether>(centred + i * cols, cols, image_stride, directions,
                            image + i * image_stride);
  for (; i < rows; ++i)
    project_rows<1>(centred + i * cols, cols, image_stride, directions, image + i * image_stride);
}

double centre(double* x, double const* mean, double scale, std::size_t cols) {
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
double round_values(T const* x, std::size_t count, double step, std::int8_t* code, Code* totals) {
  constexpr std::size_t lanes = 16;
  double const steps = 1.0 / step;
  double lost[lanes] = {};
  std::int32_t norm = 0, sum = 0;
  std::size_t j = 0;
  auto const one = [&](std::size_t at, std::size_t lane) {
    double const value = static_cast<double>(x[at]);
    double const asked = value * steps;
    double const inside = asked > 127.0 ? 127.0 : asked < -128.0 ? -128.0 : asked;
    int const rounded = static_cast<int>(inside + (inside < 0.0 ? -0.5 : 0.5));
    double const gap = value - rounded * step;
    code[at] = static_cast<std::int8_t>(rounded);
    norm += rounded * rounded;
    sum += rounded;
    lost[lane] += gap * gap;
  };
  for (; j + lanes <= count; j += lanes)
    for (std::size_t lane = 0; lane < lanes; ++lane) one(j + lane, lane);
  for (; j < count; ++j) one(j, 0);
  totals->norm += norm;
  totals->sum += sum;
  for (std::size_t half = lanes / 2; half > 0; half /= 2)
    for (std::size_t lane = 0; lane < half; ++lane) lost[lane] += lost[lane + half];
  return lost[0];
}

}  // namespace

extern EmbedKernels const embed_kernels;
EmbedKernels const embed_kernels = {&project, &centre, &round_values<float>, &round_values<double>};

}  // namespace lookalike::simd::LOOKALIKE_LEVEL
