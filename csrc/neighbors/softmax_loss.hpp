// The leave-one-out loss of softmax-weighted neighbors, and its derivative by the rows.
#pragma once
#include <cstddef>
#include <span>

#include "core/view.hpp"

namespace lookalike {

// Row j predicts row i with the share p_ij = exp(-|z_i - z_j|^2) / sum_{k != i} exp(-|z_i -
// z_k|^2). With `classes`, loss[i] is minus the share of the rows whose y equals that of row i;
// without, the squared difference of y_i and the mean of the y_j. gradient[i] = d sum(loss) / d
// z_i. Shares below e^-kNegligible of the largest are taken for zero. The same bits on any number
// of threads.
void softmax_loss(View<double const> Z, std::span<double const> y, bool classes,
                  std::size_t threads, std::span<double> loss, View<double> gradient);

}  // namespace lookalike
