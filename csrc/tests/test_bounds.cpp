// Numbers, offsets and sizes drawn at random, most of them wrong: kernels refuse what would lead
// them out of their arrays, and the sanitizers see whether they refused enough.
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "fuzz_kernels.hpp"

using namespace lookalike;

namespace {

template <class F>
void refuses(F&& call) {
  bool refused = false;
  try {
    call();
  } catch (std::invalid_argument const&) {
    refused = true;
  }
  CHECK(refused);
}

void places_and_starts_are_those_of_arrays() {
  std::vector<std::int64_t> const good{0, 2, 1}, negative{0, -1}, large{3};
  std::vector<std::int64_t> const starts{0, 2, 2, 5}, falling{0, 3, 2, 5}, late{1, 5};
  using Numbers = std::span<std::int64_t const>;
  require_places(Numbers(good), 3, "");
  require_places(Numbers(), 0, "");
  require_starts(starts, 5, "");
  refuses([&] { require_places(Numbers(negative), 3, ""); });
  refuses([&] { require_places(Numbers(large), 3, ""); });
  refuses([&] { require_starts(falling, 5, ""); });
  refuses([&] { require_starts(late, 5, ""); });
  refuses([&] { require_starts(starts, 4, ""); });
  refuses([&] { require_starts({}, 0, ""); });
}

// Newer rows with older codes: the row numbers of a table that grew.
void votes_of_rows_without_a_class_are_refused() {
  std::vector<double> const distance{1.0, 2.0}, ratio{1.0, 1.0}, k{2.0};
  std::vector<std::int64_t> const code{0, 1}, length{2};
  std::vector<std::int64_t> winner(1), size(1);
  bool tied = false;
  auto const count = [&](std::vector<std::int64_t> const& row,
                         std::vector<std::int64_t> const& classes,
                         std::vector<std::int64_t> const& lengths) {
    VoterTable const voters{{distance.data(), 1, 2, 2}, {row.data(), 1, 2, 2}, {}, lengths};
    VotingRules const rules{classes, ratio, ratio, VoteWeight::uniform, TieRule::grow, true};
    count_votes(voters, rules, {k.data(), 1, 1, 1}, {}, 1,
                {{winner.data(), 1, 1, 1}, {size.data(), 1, 1, 1}, {&tied, 1, 1, 1}, {}});
  };
  count({0, 1}, code, length);
  refuses([&] { count({0, 2}, code, length); });
  refuses([&] { count({0, -1}, code, length); });
  refuses([&] { count({0, 1}, {0, 2}, length); });
  refuses([&] { count({0, 1}, code, {3}); });
  refuses([&] { count({0, 1}, code, {-1}); });
}

void random_inputs_are_answered_or_refused() {
  std::uint64_t state = 20;
  std::vector<std::uint8_t> bytes(256);
  for (int round = 0; round < 20000; ++round) {
    for (std::uint8_t& byte : bytes) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      byte = static_cast<std::uint8_t>(state >> 56);
    }
    call_kernels(bytes);
  }
}

}  // namespace

int main() {
  places_and_starts_are_those_of_arrays();
  votes_of_rows_without_a_class_are_refused();
  random_inputs_are_answered_or_refused();
}
