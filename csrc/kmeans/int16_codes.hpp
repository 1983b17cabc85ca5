// Rows as 16-bit whole numbers: half the bytes of float32, exact products, a margin for the rest.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/row_reader.hpp"

namespace lookalike {

// What is coded: v = (x - middle) * scale itself, or its projections P v.
struct Int16Map {
  std::span<double const> middle;     // (cols,) any point: the nearer to the centers the better
  double scale = 1.0;                 // a power of two
  std::span<float const> directions;  // (blocks, cols, 64), nearly orthonormal; or empty
  std::size_t used = 0;               // how many directions; the others are zero
  double defect = 0.0;                // at least |P P' - I| in the Frobenius norm

  std::size_t blocks() const;
  std::size_t values() const { return used > 0 ? used : middle.size(); }  // of an image
  std::size_t width() const { return (values() + 1) / 2 * 2; }            // of a code: even
};

// The true image of a row is within `spread` of step * code; what the image leaves over is at
// most `rest` long, the row itself at most `norm`. Rows that are not coded have infinite spread.
struct Int16Margin {
  float spread, rest, norm;
};

struct Int16Codes {
  std::vector<double> middle;
  std::vector<float> directions;
  double scale = 1.0, defect = 0.0, step = 1.0;
  std::size_t used = 0, width = 0;  // width 0: there are no codes
  std::vector<std::int16_t> code;   // (rows, width)
  std::vector<Int16Margin> margin;  // (rows,)

  Int16Map map() const { return {middle, scale, directions, used, defect}; }
};

Int16Codes int16_codes(RowReader const& rows, Int16Map const& map, std::size_t threads);

// The largest code of `width` columns whose products cannot leave 32 bits.
double largest_int16_code(std::size_t width);

// The power of two by which values up to `largest` become codes.
double int16_step(double largest, std::size_t width);

}  // namespace lookalike
