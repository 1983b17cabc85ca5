#include "distance/distance.hpp"

#include <vector>

#include "bind/any_rows.hpp"
#include "bind/module.hpp"
#include "core/bounds.hpp"
#include "core/parallel.hpp"

namespace lookalike::bind {
namespace {

void squared_distances(AnyRows Q, AnyRows X, View<double> key) {
  X.visit([&]<class T>(View<T const> rows) {
    std::vector<T const*> row(rows.rows);
    for (std::size_t i = 0; i < rows.rows; ++i) row[i] = rows.data + i * rows.stride;
    std::vector<double> query(rows.cols);
    for (std::size_t q = 0; q < Q.rows(); ++q) {
      checkpoint();
      Q.load(q, 1, 1.0, query.data());
      distance_kernel<T>()(query.data(), row.data(), row.size(), rows.cols, key[q].data());
    }
  });
}

}  // namespace

void bind_distance(nb::module_& m) {
  m.def(
      "squared_distances",
      [](AnyMatrix Q, AnyMatrix X, Matrix<double> key) {
        AnyRows const queries = any_rows(Q), rows = any_rows(X);
        View<double> const out = view(key);
        require(queries.cols() == rows.cols() && has_shape(out, queries.rows(), rows.rows()),
                "queries, rows and keys do not fit together");
        nb::gil_scoped_release unlocked;
        squared_distances(queries, rows, out);
      },
      nb::kw_only(), "Q"_a, "X"_a, "key"_a.noconvert(),
      "Write sum_j (q_j - x_j)^2 of every pair to `key`.");
}

}  // namespace lookalike::bind
