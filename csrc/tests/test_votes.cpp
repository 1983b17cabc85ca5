// Who may vote, and what every tie rule makes of one small election, on one thread and on several.
#include <limits>
#include <memory>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "neighbors/votes.hpp"

using namespace lookalike;

namespace {

constexpr std::size_t kQueries = 300, kWidth = 5;

// Rows 0 and 1 of class 1 and 0 at distance 1 and 1, rows 2, 3, 4 of 0, 1, 1 at 2, 3 and 4.
struct Election {
  Election() {
    for (std::size_t i = 0; i < kQueries; ++i) {
      distance.insert(distance.end(), {1.0, 1.0, 2.0, 3.0, 4.0});
      row.insert(row.end(), {0, 1, 2, 3, 4});
    }
    length.assign(kQueries, kWidth);
  }
  VoterTable voters() const {
    return {{distance.data(), kQueries, kWidth, kWidth},
            {row.data(), kQueries, kWidth, kWidth},
            {},
            length};
  }

  std::vector<double> distance;
  std::vector<std::int64_t> row, length;
};

std::vector<std::int64_t> winners(TieRule ties, bool complete, std::size_t threads) {
  Election const election;
  std::vector<std::int64_t> const code{1, 0, 0, 1, 1}, truth(kQueries, 1);
  std::vector<double> const ratio{1.0, 1.0}, prior{0.4, 0.6}, k{1, 2, 3, 4, 5};
  VotingRules const rules{code, ratio, prior, VoteWeight::uniform, ties, complete};
  std::vector<std::int64_t> winner(k.size() * kQueries), size(winner);
  std::vector<double> share(winner.size());
  auto const tied = std::make_unique<bool[]>(winner.size());
  VoteResults const out{{winner.data(), k.size(), kQueries, kQueries},
                        {size.data(), k.size(), kQueries, kQueries},
                        {tied.get(), k.size(), kQueries, kQueries},
                        {share.data(), k.size(), kQueries, kQueries}};
  count_votes(election.voters(), rules, {k.data(), k.size(), 1, 1}, truth, threads, out);
  std::vector<std::int64_t> each;
  for (std::size_t i = 0; i < k.size(); ++i) {
    each.push_back(out.winner[i][0]);
    for (std::size_t query = 1; query < kQueries; ++query)
      CHECK(out.winner[i][query] == each.back());
  }
  return each;
}

void tie_rules_decide(std::size_t threads) {
  using List = std::vector<std::int64_t>;
  CHECK((winners(TieRule::grow, true, threads) == List{0, 0, 0, 1, 1}));
  CHECK((winners(TieRule::grow, false, threads) == List{0, 0, 0, -1, -1}));
  CHECK((winners(TieRule::nearest, true, threads) == List{1, 0, 0, 0, 1}));
  CHECK((winners(TieRule::fewer, true, threads) == List{1, 1, 0, 0, 1}));
  CHECK((winners(TieRule::prior, true, threads) == List{1, 1, 0, 1, 1}));
}

void rows_of_a_part_and_of_no_weight_have_no_vote(std::size_t threads) {
  Election const election;
  std::vector<std::int64_t> const own(kQueries, 5), part{0, 1, 0, 1, 1, 1};
  std::vector<double> const weight{1.0, 1.0, 0.0, 2.0, 1.0, 3.0}, copies(6, 2.0);
  std::vector<double> distance(kQueries * kWidth), held(distance);
  std::vector<std::int64_t> row(distance.size()), length(kQueries);
  VoterTable const found = election.voters();
  VoterArrays<Writable> const out{{distance.data(), kQueries, kWidth, kWidth},
                                  {row.data(), kQueries, kWidth, kWidth},
                                  {held.data(), kQueries, kWidth, kWidth},
                                  length};
  gather_voters({found.distance, found.row, own, part, weight, {}}, threads, out);
  for (std::size_t query = 0; query < kQueries; ++query) {
    CHECK(length[query] == 1);
    CHECK(out.row[query][0] == 0 && out.row[query][1] == -1);
    CHECK(out.distance[query][1] == std::numeric_limits<double>::infinity());
  }
  bool refused = false;  // copies come first, and need a place
  try {
    gather_voters({found.distance, found.row, own, {}, weight, copies}, threads, out);
  } catch (std::invalid_argument const&) {
    refused = true;
  }
  CHECK(refused);
}

template <class Call>
bool is_refused(Call const& call) {
  try {
    call();
  } catch (std::invalid_argument const&) {
    return true;
  }
  return false;
}

void rows_and_classes_beyond_the_last_are_refused(std::size_t threads) {
  Election const election;
  std::vector<double> const ratio{1.0, 1.0}, prior{0.4, 0.6}, k{1};
  std::vector<std::int64_t> winner(kQueries), size(kQueries);
  auto const tied = std::make_unique<bool[]>(kQueries);
  VoteResults const out{{winner.data(), 1, kQueries, kQueries},
                        {size.data(), 1, kQueries, kQueries},
                        {tied.get(), 1, kQueries, kQueries},
                        {}};
  using Codes = std::vector<std::int64_t>;
  for (Codes const& code :
       {Codes{1, 0, 0, 1}, Codes{}, Codes{1, 0, 0, 1, 2}, Codes{1, 0, -1, 1, 1}}) {
    VotingRules const rules{code, ratio, prior, VoteWeight::uniform, TieRule::grow, true};
    CHECK(is_refused(
        [&] { count_votes(election.voters(), rules, {k.data(), 1, 1, 1}, {}, threads, out); }));
  }
}

}  // namespace

int main() {
  for (std::size_t const threads : {1u, 2u}) {
    tie_rules_decide(threads);
    rows_of_a_part_and_of_no_weight_have_no_vote(threads);
    rows_and_classes_beyond_the_last_are_refused(threads);
  }
}
