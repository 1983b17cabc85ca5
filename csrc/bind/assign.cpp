#include "kmeans/assign.hpp"

#include "bind/any_rows.hpp"
#include "bind/module.hpp"
#include "core/bounds.hpp"
#include "exact/embed.hpp"
#include "kmeans/exact_sums.hpp"

namespace lookalike::bind {
namespace {

// An assigner and the arrays that it borrows.
struct BoundAssigner {
  nb::list kept;
  Assigner assigner;
};

void check_sums(BoundAssigner const& self, std::size_t centers, Vector<double const> const& weight,
                Grid grid, Matrix<double> const& high, Matrix<double> const& low) {
  std::size_t const rows = self.assigner.rows().rows();
  std::size_t const cols = self.assigner.rows().cols(), width = cols + kExtraSums;
  bool const fits = (weight.shape(0) == 0 || weight.shape(0) == rows) &&
                    grid.shift.size() >= cols && grid.coarse.size() >= width &&
                    grid.fine.size() >= width && high.shape(0) == centers &&
                    low.shape(0) == centers && high.shape(1) == width && low.shape(1) == width;
  if (!fits) throw nb::value_error("weights, grid and sums do not fit the rows");
}

void check_labels(Vector<std::int32_t> const& label, BoundAssigner const& self,
                  Matrix<double const> const& centers) {
  if (label.shape(0) != self.assigner.rows().rows() || centers.shape(0) == 0 ||
      centers.shape(1) != self.assigner.rows().cols())
    throw nb::value_error("labels and centers do not fit the rows, or there is no center");
  std::span<std::int32_t const> const labels(label.data(), label.shape(0));
  for (std::int32_t const center : labels)
    require(center < 0 || is_place(center, centers.shape(0)), "a label is none of the centers");
}

nb::tuple step(BoundAssigner const& self, Matrix<double const> centers, Vector<std::int32_t> label,
               Vector<double const> weight, Matrix<double const> grid, Matrix<double> high,
               Matrix<double> low) {
  check_labels(label, self, centers);
  auto const parts = view(grid);
  require(parts.rows == 3, "a grid has three rows");
  Grid const sums{parts[0], parts[1], parts[2]};
  check_sums(self, centers.shape(0), weight, sums, high, low);
  std::vector<Reassignment> moves;
  AssignEffort stats;
  {
    nb::gil_scoped_release unlocked;
    stats = self.assigner.assign(view(centers), view(label), moves);
    move_rows(self.assigner.rows(), view(weight), sums, moves, self.assigner.threads(), view(high),
              view(low));
  }
  return nb::make_tuple(static_cast<std::int64_t>(moves.size()), stats.ambiguous, stats.distances);
}

}  // namespace

void bind_assign(nb::module_& m) {
  m.attr("EXTRA_SUMS") = kExtraSums;
  nb::class_<BoundAssigner>(m, "Assigner", "Rows that are assigned to the nearest center.")
      .def(
          "__init__",
          [](BoundAssigner* self, AnyMatrix X, double scale, std::size_t threads) {
            nb::list kept;
            kept.append(X);
            new (self) BoundAssigner{kept, Assigner(any_rows(X), scale, threads)};
          },
          nb::kw_only(), "X"_a, "scale"_a, "threads"_a)
      .def(
          "__init__",
          [](BoundAssigner* self, Vector<std::int64_t const> start,
             Vector<std::int32_t const> column, Vector<double const> value, std::size_t cols,
             double scale, std::size_t threads) {
            nb::list kept;
            kept.append(start);
            kept.append(column);
            kept.append(value);
            SparseRows const rows{view(start), view(column), view(value), cols};
            require_sparse(rows);
            new (self) BoundAssigner{kept, Assigner(rows, scale, threads)};
          },
          nb::kw_only(), "start"_a, "column"_a, "value"_a, "cols"_a, "scale"_a, "threads"_a)
      .def(
          "code",
          [](BoundAssigner& self, Vector<double const> middle, double scale,
             Vector<float const> directions, std::size_t used, double defect) {
            Int16Map const map{view(middle), scale, view(directions), used, defect};
            if (map.middle.size() != self.assigner.rows().cols() ||
                map.directions.size() != map.blocks() * map.middle.size() * kBlock ||
                used > map.blocks() * kBlock || self.assigner.rows().is_sparse())
              throw nb::value_error("middle and directions do not fit the rows");
            nb::gil_scoped_release unlocked;
            self.assigner.code(map);
          },
          nb::kw_only(), "middle"_a, "scale"_a, "directions"_a, "used"_a, "defect"_a,
          "Keep short codes of all rows.")
      .def(
          "drop_codes", [](BoundAssigner& self) { self.assigner.drop_codes(); },
          "Forget the short codes.")
      .def("step", &step, nb::kw_only(), "centers"_a, "label"_a.noconvert(), "weight"_a, "grid"_a,
           "high"_a.noconvert(), "low"_a.noconvert(),
           "Assign all rows and move them between the sums; return moved, ambiguous, distances.")
      .def(
          "assign",
          [](BoundAssigner const& self, Matrix<double const> centers, Vector<std::int32_t> label) {
            check_labels(label, self, centers);
            std::vector<Reassignment> moves;
            AssignEffort stats;
            {
              nb::gil_scoped_release unlocked;
              stats = self.assigner.assign(view(centers), view(label), moves);
            }
            return nb::make_tuple(static_cast<std::int64_t>(moves.size()), stats.ambiguous,
                                  stats.distances);
          },
          nb::kw_only(), "centers"_a, "label"_a.noconvert(),
          "Assign all rows; return moved, ambiguous, distances.")
      .def(
          "keys",
          [](BoundAssigner const& self, Matrix<double const> centers, Vector<std::int32_t> label,
             Vector<double> key) {
            check_labels(label, self, centers);
            std::span<std::int32_t const> const labels(label.data(), label.shape(0));
            require_places(labels, centers.shape(0), "a row has no label");
            require(key.shape(0) == label.shape(0), "the keys have no place");
            nb::gil_scoped_release unlocked;
            self.assigner.keys(view(centers), view(label), view(key));
          },
          nb::kw_only(), "centers"_a, "label"_a, "key"_a.noconvert(),
          "Write the squared distance of every row to its center.");
}

}  // namespace lookalike::bind
