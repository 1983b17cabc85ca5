// The centers of one call, laid out for the scores.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/view.hpp"
#include "kmeans/int16_codes.hpp"

namespace lookalike {

struct CenterTable {
  std::size_t count = 0;
  std::size_t padded = 0;      // a multiple of 16; scores beyond `count` are infinite
  std::vector<float> height;   // (padded,) |c|^2 / 2
  std::vector<double> middle;  // what was taken from the centers, and is to be from rows
  double longest = 0.0;        // at least every |c|
  bool usable = true;          // false: too far away for scores, every distance is computed

  // Scores of int16 codes.
  std::vector<std::int16_t> code;        // (padded / 16, width / 2, 16, 2)
  std::vector<float> residual_distance;  // (count, padded) between residuals; or empty
  std::vector<float> farthest;           // (count,) the largest of each row of `residual_distance`
  float unit = 0.0f;                     // of the product of two codes
  double image = 0.0;                    // at least the length of every image
  double lost = 0.0;                     // how far centers are from their codes at most

  // Scores of float32 rows.
  std::vector<float> columns;  // dense: (padded / 64, cols, 64); sparse: (cols, padded)
};

CenterTable int16_center_table(View<double const> centers, Int16Codes const& codes,
                               std::size_t threads);
CenterTable float_center_table(View<double const> centers, double scale, bool sparse);

}  // namespace lookalike
