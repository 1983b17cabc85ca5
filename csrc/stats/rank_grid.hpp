// Points of the plane in cells of equal rank, to find the k-th neighbor in the maximum norm.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace lookalike {

// Cells hold equally many values along each axis, so that neither outliers nor skewed columns
// overfill them; points with one value share a rank and a cell.
class RankGrid {
 public:
  RankGrid(std::span<double const> x, std::span<double const> y);

  // The distance of point i to its k-th nearest other point, k being the size of `slots`.
  double kth_distance(std::size_t i, std::span<double> slots) const;

  std::span<double const> sorted_x() const { return x_.sorted; }
  std::span<double const> sorted_y() const { return y_.sorted; }
  std::size_t rank_x(std::size_t i) const { return x_.rank[i]; }
  std::size_t rank_y(std::size_t i) const { return y_.rank[i]; }

 private:
  struct Axis {
    std::vector<double> value;        // of each point
    std::vector<double> sorted;       // all values
    std::vector<std::size_t> rank;    // of each point: the first place of its value
    std::vector<std::size_t> cell;    // of each point
    std::vector<double> first, last;  // least value in the cells from b on, largest up to b

    Axis(std::span<double const> values, std::size_t cells);
    // How far a point is at least from all points more than `ring` cells away.
    double clearance(std::size_t i, std::size_t ring) const;
  };

  template <class Visit>
  void visit_ring(std::size_t i, std::size_t ring, Visit visit) const;

  std::size_t cells_;  // along an axis
  Axis x_, y_;
  std::vector<std::size_t> start_;  // where the points of each cell begin in `member_`
  std::vector<std::size_t> member_;
};

}  // namespace lookalike
