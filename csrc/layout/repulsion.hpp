// The repulsion of Student's t kernel between all points of a plane, by convolution on a grid.
#pragma once
#include <cstddef>
#include <memory>
#include <vector>

#include "core/dispatch.hpp"
#include "core/view.hpp"
#include "layout/fft.hpp"

namespace lookalike {

// With w(d) = 1 / (1 + d^2), the force on a point y is sum_j w(|y - y_j|)^2 (y - y_j), and its
// weight sum_j w(|y - y_j|). Points are spread over the nodes of a grid by cubic splines, the
// forces between nodes are found by Fourier transforms, and read off by the same interpolation
// [after Linderman et al. 2019, Nat. Methods 16, 243]. Sums run in an order that does not depend
// on the number of threads.
class RepulsionGrid {
 public:
  // The points that repel. Few of them repel each other directly, and no grid is made.
  void spread(View<double const> points, std::size_t threads);
  // Prepares weights, too, which only points that are placed among others ask for.
  void weigh(std::size_t threads);
  // The force on a point, and its weight where it was prepared.
  struct Field {
    double x, y, weight;
  };
  Field at(double x, double y) const;
  // That on one of the points themselves, by its number.
  Field of(std::size_t i, double x, double y) const {
    return across_.empty() ? at(x, y) : fields_[i];
  }
  // The sum of the weights of all pairs of points, a point with itself left out.
  double pair_weight() const { return pair_weight_; }

 private:
  struct Cell {
    std::size_t node;           // the first of 4 x 4
    double across[4], down[4];  // shares of the columns, of the rows
  };
  Cell cell(double x, double y) const;
  void keep(View<double const> points, std::size_t threads);
  void place(View<double const> points);
  void prepare(std::size_t threads);
  void deposit(View<double const> points, std::size_t threads);

  double left_ = 0.0, top_ = 0.0, step_ = 0.0;
  std::size_t nodes_ = 0;       // a side of the grid
  double prepared_step_ = 0.0;  // of the kernel transforms
  std::unique_ptr<FftPlan> plan_;
  ComplexGrid charge_, half_, full_, force_;  // the pipeline of the transforms
  ComplexGrid force_kernel_, weight_kernel_;  // transforms of w^2 (x + i y), and of w
  ComplexGrid potential_;                     // weights of the nodes
  std::vector<double> slices_;                // charges of slices of the points
  std::vector<double> across_, down_;         // of few points, all of them
  std::vector<Field> fields_;                 // and what acts on each
  double pair_weight_ = 0.0;
};

struct RepulsionKernels {
  // The force and the weight of `count` points at (across, down) on one at (x, y).
  void (*push)(double const* across, double const* down, std::size_t count, double x, double y,
               double* field);
};

LOOKALIKE_SIMD_TABLE(RepulsionKernels, repulsion_kernels)

}  // namespace lookalike
