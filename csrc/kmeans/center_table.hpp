// The centers of one call, as scores need them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/view.hpp"
#include "kmeans/int16_codes.hpp"

namespace lookalike {

struct Lineup {
  std::size_t count = 0;
  std::size_t padded = 0;      // a multiple of 16; scores beyond `count` are infinite
  std::vector<float> height;   // (padded,) |c|^2 / 2
  std::vector<double> middle;  // what was taken from the centers, and is to be from rows
  double longest = 0.0;        // at least every |c|
  bool usable = true;          // false: too far away for scores, every distance is to be judged

  // Scores of short codes.
  std::vector<std::int16_t> code;  // (padded / 16, width / 2, 16, 2)
  std::vector<float> apart;        // (count, padded) of what projections leave over; or empty
  std::vector<float> farthest;     // (count,) the largest of each row of `apart`
  float unit = 0.0f;               // of the product of two codes
  double image = 0.0;              // at least the length of every image
  double lost = 0.0;               // how far centers are from their codes at most

  // Scores of float32 rows.
  std::vector<float> columns;  // dense: (padded / 64, cols, 64); sparse: (cols, padded)
};

Lineup coded_lineup(View<double const> centers, ShortCodes const& codes, std::size_t threads);
Lineup float_lineup(View<double const> centers, double scale, bool sparse);

}  // namespace lookalike
