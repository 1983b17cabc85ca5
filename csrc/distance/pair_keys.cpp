#include "distance/pair_keys.hpp"

#include <algorithm>
#include <vector>

#include "core/bounds.hpp"
#include "core/parallel.hpp"
#include "distance/distance.hpp"

namespace lookalike {

void pair_keys(AnyRows Q, AnyRows X, View<std::int64_t const> row, std::size_t threads,
               View<double> key) {
  constexpr std::size_t kQueries = 64;
  require(Q.cols() == X.cols(), "queries and rows differ in their number of columns");
  require(row.rows == Q.rows() && has_shape(key, row.rows, row.cols), "the keys have no place");
  require_places(row, X.rows(), "a pair names a row that there is not");
  X.visit([&]<class T>(View<T const> rows) {
    parallel_blocks(
        Q.rows(), kQueries, threads, [&](std::size_t begin, std::size_t end, std::size_t) {
          std::vector<double> query(rows.cols);
          std::vector<T const*> chosen(row.cols);
          for (std::size_t i = begin; i < end; ++i) {
            Q.load(i, 1, 1.0, query.data());
            for (std::size_t j = 0; j < row.cols; ++j)
              chosen[j] = rows.data + static_cast<std::size_t>(row[i][j]) * rows.stride;
            distance_kernel<T>()(query.data(), chosen.data(), row.cols, rows.cols, key[i].data());
          }
        });
  });
}

}  // namespace lookalike
