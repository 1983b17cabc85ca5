// The nearest center of every row: a cheap copy rules centers out by a proven bound, float64
// decides the rest.
//
// With v, a, c the row and two centers less a common point, f_c = |c|^2 / 2 - v'c orders the
// centers as the distance does. Scores are f_c up to a known error; a center whose score exceeds
// the least one by more than the errors of both is not the nearest. docs/exactness.md has the
// terms.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/row_reader.hpp"
#include "core/view.hpp"
#include "kmeans/int16_codes.hpp"

namespace lookalike {

struct Reassignment {  // a row that left one center (-1: none) for another
  std::int64_t row;
  std::int32_t from, to;
};

struct AssignEffort {
  std::int64_t ambiguous = 0;  // rows whose center the scores left open
  std::int64_t distances = 0;  // distances computed for them
};

class Assigner {
 public:
  // `scale` is a power of two that brings usual differences of rows near 1; 0 trusts no score, so
  // that every distance is computed.
  Assigner(RowReader rows, double scale, std::size_t threads);

  // Keeps int16 codes of all rows, which make later calls cheaper: of the columns themselves, or
  // of their projections where `map` has directions. Rows are dense.
  void code(Int16Map const& map);
  void drop_codes() { codes_ = {}; }

  // label[i] becomes the number of the center nearest to row i, of equally near ones the lowest.
  // `moves` receives the rows whose label changed, in no particular order.
  AssignEffort assign(View<double const> centers, std::span<std::int32_t> label,
                      std::vector<Reassignment>& moves) const;

  // key[i] = squared distance of row i to the center label[i].
  void keys(View<double const> centers, std::span<std::int32_t const> label,
            std::span<double> key) const;

  RowReader const& rows() const { return rows_; }
  std::size_t threads() const { return threads_; }

 private:
  RowReader rows_;
  double scale_;
  std::size_t threads_;
  Int16Codes codes_;
};

}  // namespace lookalike
