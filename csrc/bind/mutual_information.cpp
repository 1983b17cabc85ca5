#include "stats/mutual_information.hpp"

#include "bind/arrays.hpp"
#include "bind/module.hpp"

namespace lookalike::bind {

void bind_mutual_information(nb::module_& m) {
  m.def(
      "mutual_information_with_classes",
      [](Matrix<double const> columns, Vector<std::int64_t const> code, std::size_t classes,
         std::size_t neighbors, std::size_t threads, Matrix<double> information) {
        auto const out = view(information);
        nb::gil_scoped_release unlocked;
        mutual_information_with_classes(view(columns), view(code), classes, neighbors, threads,
                                        out);
      },
      nb::kw_only(), "columns"_a, "code"_a, "classes"_a, "neighbors"_a, "threads"_a,
      "information"_a.noconvert(),
      "Write the information of each column about the classes, and its error, to `information`.");
  m.def(
      "mutual_information_with_numbers",
      [](Matrix<double const> columns, Vector<double const> target, std::size_t neighbors,
         std::size_t threads, Matrix<double> information) {
        auto const out = view(information);
        nb::gil_scoped_release unlocked;
        mutual_information_with_numbers(view(columns), view(target), neighbors, threads, out);
      },
      nb::kw_only(), "columns"_a, "target"_a, "neighbors"_a, "threads"_a,
      "information"_a.noconvert(),
      "Write the information of each column about the target, and its error, to `information`.");
}

}  // namespace lookalike::bind
