// Boosted stumps: bins of values, one cut, values of leaves, and inputs that do not fit.
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "forest/boosted.hpp"

using namespace lookalike;

namespace {

constexpr std::size_t kRows = 6;
std::vector<std::int64_t> const start{0, 3};
std::vector<float> const threshold{0.5f, 1.5f, 2.5f};
std::vector<double> const number{0.0, 0.0, 8.0, 8.0, 8.0, 0.0};
std::vector<double> const base{4.0};

std::vector<std::uint8_t> codes(std::size_t threads) {
  float const missing = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> const X{0.0f, 1.0f, 2.0f, 3.0f, 2.5f, missing};
  std::vector<std::uint8_t> code(kRows);
  bin_columns({X.data(), kRows, 1, 1}, start, threshold, threads, {code.data(), 1, kRows, kRows});
  return code;
}

BoostingPlan stump(bool symmetric) { return {1, 0.5, 0.0, symmetric, 2, 1, 1, 1.0, 1.0, 0, 0}; }

void values_are_put_between_their_thresholds() {
  CHECK((codes(2) == std::vector<std::uint8_t>{1, 2, 3, 4, 3, 0}));
}

void a_stump_steps_towards_the_targets(bool symmetric) {
  auto const code = codes(1);
  BinnedRows const rows{{code.data(), 1, kRows, kRows}, start, threshold};
  auto const grown = grow_boosted(rows, {number, {}, base, {}}, stump(symmetric), 2);
  CHECK(grown.node.size() == 9 && grown.value.size() == 2);
  CHECK(std::bit_cast<float>(grown.node[2]) == 1.5f);  // missing values on the left
  CHECK(std::abs(grown.value[0] + 2.0) < 1e-12 && std::abs(grown.value[1] - 2.0) < 1e-12);
}

void a_code_beyond_its_thresholds_is_refused() {
  auto code = codes(1);
  code[0] = 9;
  BinnedRows const rows{{code.data(), 1, kRows, kRows}, start, threshold};
  bool refused = false;
  try {
    grow_boosted(rows, {number, {}, base, {}}, stump(true), 1);
  } catch (std::invalid_argument const&) {
    refused = true;
  }
  CHECK(refused);
}

}  // namespace

int main() {
  values_are_put_between_their_thresholds();
  a_stump_steps_towards_the_targets(true);
  a_stump_steps_towards_the_targets(false);
  a_code_beyond_its_thresholds_is_refused();
}
