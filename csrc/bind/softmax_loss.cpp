#include "neighbors/softmax_loss.hpp"

#include "bind/arrays.hpp"
#include "bind/module.hpp"

namespace lookalike::bind {

void bind_softmax_loss(nb::module_& m) {
  m.def(
      "softmax_loss",
      [](Matrix<double const> Z, Vector<double const> y, bool classes, std::size_t threads,
         Vector<double> loss, Matrix<double> gradient) {
        auto const rows = view(Z);
        auto const out = view(gradient);
        nb::gil_scoped_release unlocked;
        softmax_loss(rows, view(y), classes, threads, view(loss), out);
      },
      nb::kw_only(), "Z"_a, "y"_a, "classes"_a, "threads"_a, "loss"_a.noconvert(),
      "gradient"_a.noconvert(),
      "Write the leave-one-out loss of softmax-weighted neighbors, and its derivative by the "
      "rows.");
}

}  // namespace lookalike::bind
