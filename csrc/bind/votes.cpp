#include "neighbors/votes.hpp"

#include "bind/arrays.hpp"

namespace lookalike::bind {
namespace {

using Number = std::int64_t;

}  // namespace

void bind_votes(nb::module_& m);
void bind_votes(nb::module_& m) {
  m.def(
      "gather_ballots",
      [](Matrix<double const> found_distance, Matrix<Number const> found_row,
         Vector<Number const> own, Vector<Number const> part, Vector<double const> row_weight,
         Vector<double const> copies, std::size_t threads, Matrix<double> distance,
         Matrix<Number> row, Matrix<double> weight, Vector<Number> length) {
        VoteCandidates const found{view(found_distance), view(found_row),  view(own),
                                   view(part),           view(row_weight), view(copies)};
        VoterArrays<Writable> const voters{view(distance), view(row), view(weight), view(length)};
        nb::gil_scoped_release unlocked;
        gather_voters(found, threads, voters);
      },
      "found_distance"_a.noconvert(), "found_row"_a.noconvert(), "own"_a.noconvert(),
      "part"_a.noconvert(), "row_weight"_a.noconvert(), "copies"_a.noconvert(), "threads"_a,
      "distance"_a.noconvert(), "row"_a.noconvert(), "weight"_a.noconvert(), "length"_a.noconvert(),
      "Write those of the rows found that may vote, nearest first.");
  m.def(
      "count_votes",
      [](Matrix<double const> distance, Matrix<Number const> row, Matrix<double const> weight,
         Vector<Number const> length, bool complete, Vector<Number const> code,
         Vector<double const> ratio, Vector<double const> prior, int weighting, int ties,
         Matrix<double const> k, Vector<Number const> truth, std::size_t threads,
         Matrix<Number> winner, Matrix<Number> size, Matrix<bool> tied, Matrix<double> share) {
        VoterTable const voters{view(distance), view(row), view(weight), view(length)};
        VotingRules const rules{view(code),
                                view(ratio),
                                view(prior),
                                static_cast<VoteWeight>(weighting),
                                static_cast<TieRule>(ties),
                                complete};
        VoteResults const out{view(winner), view(size), view(tied), view(share)};
        auto const ks = view(k);
        nb::gil_scoped_release unlocked;
        count_votes(voters, rules, ks, view(truth), threads, out);
      },
      "distance"_a.noconvert(), "row"_a.noconvert(), "weight"_a.noconvert(), "length"_a.noconvert(),
      "complete"_a, "code"_a.noconvert(), "ratio"_a.noconvert(), "belief"_a.noconvert(),
      "nearness"_a, "ties"_a, "k"_a.noconvert(), "truth"_a.noconvert(), "threads"_a,
      "winner"_a.noconvert(), "size"_a.noconvert(), "tied"_a.noconvert(), "share"_a.noconvert(),
      "Write who wins for every k and query, after how many voters.");
}

}  // namespace lookalike::bind
