#include "density/quantize.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/parallel.hpp"

namespace lookalike {
namespace {

constexpr std::size_t kValues = std::size_t{1} << 16;  // about as many in one task
constexpr double kRounds = 0x1.8p52;  // so large that adding it rounds to a whole number
constexpr double kApart = 1e-3;       // of a step
constexpr double kRounded = 0x1p-51;  // of the values: differences and products are rounded

template <class T>
double code_row(T const* x, std::size_t cols, Quantizer const& quantizer, std::int8_t* code) {
  double const inverse = 1.0 / quantizer.step, top = (kCodes - 1) * quantizer.step;
  double squares = 0.0, most = 0.0;
  bool outside = false;
  for (std::size_t j = 0; j < cols; ++j) {
    double const value = static_cast<double>(x[j]), least = quantizer.least[j],
                 above = value - least;
    double const clipped = quantizer.clip ? std::clamp(above, 0.0, top) : above;
    double const whole = (clipped * inverse + kRounds) - kRounds;
    double const left = std::abs(clipped - whole * quantizer.step);
    bool const exact = quantizer.step == 1.0 && left == 0.0 && least == std::floor(least);
    double const rest = exact ? 0.0 : left + kRounded * (std::abs(value) + std::abs(least));
    bool const inside = whole >= 0.0 && whole < kCodes;
    outside |= !inside;
    most = std::max(most, rest);
    squares += rest * rest;
    code[j] = inside ? static_cast<std::int8_t>(static_cast<int>(whole) - 128) : std::int8_t{0};
  }
  bool const far = outside || (!quantizer.clip && most > kApart * quantizer.step);
  return far ? std::numeric_limits<double>::infinity() : std::sqrt(squares) * (1.0 + 1e-9);
}

}  // namespace

void quantize_rows(AnyRows X, Quantizer const& quantizer, std::size_t threads,
                   View<std::int8_t> code, std::span<double> off) {
  std::size_t const batch = kValues / (X.cols() + 1) + 1;
  X.visit([&]<class T>(View<T const> rows) {
    parallel_blocks(rows.rows, batch, threads,
                    [&](std::size_t begin, std::size_t end, std::size_t) {
                      for (std::size_t i = begin; i < end; ++i) {
                        std::int8_t* const out = code.data + i * code.stride;
                        std::fill(out + rows.cols, out + code.cols, std::int8_t{0});
                        off[i] = code_row(rows.data + i * rows.stride, rows.cols, quantizer, out);
                      }
                    });
  });
}

}  // namespace lookalike
