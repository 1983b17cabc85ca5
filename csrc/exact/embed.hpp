// Cheap copies of rows: a few bytes each, and how far they are from the truth at most.
//
// Two maps, neither of which takes two rows further apart (up to a measured factor `stretch`):
//   prefix: x -> (P x, |x - P'P x|), rotated leading directions and what they leave over;
//   full:   x -> x, the columns themselves.
// The image is rounded to multiples of a step: the code. Then for rows x, y with codes a, b
//   |x - y| stretch >= step |a - b| - margin_x - margin_y.
// docs/exactness.md derives every term.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/dispatch.hpp"

namespace lookalike {

inline constexpr std::size_t kBlock = 64;  // directions projected together, bytes of a cache line

struct Embedding {
  std::span<double const> mean;       // (cols,) any point: the nearer to the rows the better
  double scale = 1.0;                 // a power of two that brings usual values near 1
  std::span<float const> directions;  // (blocks, cols, 64), the 64th of block 0 zero; or empty
  std::size_t blocks = 0;             // 0 in the full map
  double defect = 0.0;                // at least |P P' - I|, in the Frobenius norm
  double step = 1.0;                  // of the codes of blocks 1, 2, …
  int ratio = 1;                      // the step of block 0, and of first codes, is ratio * step
  double rest[2] = {0.0, 0.0};        // subtracted from the rest after block 0, and after all

  std::size_t cols() const { return mean.size(); }
  bool full() const { return blocks == 0; }
  std::size_t first_width() const { return full() ? (cols() + 3) / 4 * 4 : kBlock; }
  std::size_t wide_width() const { return blocks > 1 ? blocks * kBlock : 0; }
  double first_step() const { return ratio * step; }
  double stretch() const;  // |image of x - image of y| <= stretch |x - y|
};

struct Code {
  std::int32_t norm = 0;  // sum of squares, those of block 0 times ratio^2 in wide codes
  std::int32_t sum = 0;   // likewise of the codes
  float margin = 0.0f;    // at least the distance between image and step * code
};

struct EmbedScratch {
  std::vector<double> row;
  std::vector<float> centered, image;
};

inline constexpr std::size_t kEmbedRows = 24;  // most rows of one call of embed()

// Writes the codes of `rows` rows of float64 values, which lie one after another. First codes have
// first_width() bytes a row and wide codes wide_width(), none where that is 0.
void embed(Embedding const& embedding, double const* X, std::size_t rows, EmbedScratch& scratch,
           std::int8_t* first, Code* first_code, std::int8_t* wide, Code* wide_code);

// The image of a row before it is rounded: `image` in steps, shifted like the codes of rows.
struct ImageBounds {
  double rest = 0.0;  // what all directions leave over; 0 in the full map
  double error =
      0.0;  // at least the distance of image and rest from the true ones; may be infinite
};

inline constexpr std::size_t kImagePad = 16;  // widths of images are multiples of it

// Writes images of image_width() floats: those of first codes without the rest, padded, and then
// those of the blocks after the first. What is padded, and the place of the rest, is 0.
std::size_t image_head(Embedding const& embedding);
std::size_t image_width(Embedding const& embedding);
void embed_images(Embedding const& embedding, double const* X, std::size_t rows,
                  EmbedScratch& scratch, float* image, ImageBounds* bounds);

inline constexpr double kMarginUp = 1.0 + 0x1p-30;  // covers the float64 roundings of margins
inline constexpr double kMarginTiny = 0x1p-100;     // covers every underflow: values are near 1

float round_up(double margin);  // to float32

// How far `count` computed projections are from the true ones: each sum of d products in float32,
// in any order within its pieces, and the rounding of the row itself to float32.
double projection_error(std::size_t cols, std::size_t count, double defect, double norm2);

struct Rest {
  double value;
  double error;
};

// r = |x - P'Px| from r^2 = |x|^2 - |Px|^2 + (Px)'(PP' - I)(Px), where the image is known to
// within `slip` and the last term only by its size.
Rest rest_of(double norm2, double image2, double slip, double defect, std::size_t cols);

struct EmbedKernels {
  // image = sum_i centered_i * directions_i for 64 directions; sums are cut every kSumTerms terms.
  void (*project)(float const* centered, std::size_t rows, std::size_t cols,
                  std::size_t image_stride, float const* directions, float* image);
  // v = (x - mean) * scale as float64 in place; returns the sum of squares.
  double (*center)(double* x, double const* mean, double scale, std::size_t cols);
  // Rounds values to codes; adds to `code` and returns the sum of squares of what was lost.
  double (*round_floats)(float const* x, std::size_t count, double step, std::int8_t* code,
                         Code* totals);
  double (*round_doubles)(double const* x, std::size_t count, double step, std::int8_t* code,
                          Code* totals);
};

inline constexpr std::size_t kSumTerms = 56;

LOOKALIKE_SIMD_TABLE(EmbedKernels, embed_kernels)

}  // namespace lookalike
