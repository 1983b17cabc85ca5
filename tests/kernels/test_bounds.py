"""Native kernels refuse numbers that would lead them out of their arrays."""

from __future__ import annotations

import re
import subprocess
import sys
from ast import literal_eval
from pathlib import Path

import numpy as np
import pytest

from lookalike import _core
from lookalike.errors import ShapeError
from lookalike.index.exact import ExactIndex
from lookalike.kernels.exact import CodeMap, Filter
from lookalike.kernels.pair_keys import pair_keys
from lookalike.kernels.spanning_forest import ForestPass, SpanningForest
from lookalike.kernels.votes import VoterTable, VotingRule, count_votes, gather_voters

WRONG_ROWS = [-1, 3, 2**31, 2**62, -(2**62)]

WITHOUT_ROW_NUMBERS = {  # native functions that take no numbers of rows, nor where lists begin
    *("Assigner.drop_codes", "BlockSearch.lower", "BlockSearch.size", "KDTree.copy_nodes"),
    *("best_simd_level", "checksum", "kernel_sums_filtered", "kernel_sums_of_codes"),
    *("mixture_sums_given", "simd_level", "simd_levels"),
}


@pytest.mark.parametrize("row", WRONG_ROWS)
def test_votes_of_rows_that_have_no_class_are_refused(row):
    voters = VoterTable(np.array([[1.0, 2.0]]), np.array([[0, row]]), None, np.array([2]), True)
    with pytest.raises(ValueError, match="none of the rows"):
        count_votes(voters, np.array([0, 1, 1]), VotingRule(2), [2])


@pytest.mark.parametrize("row", WRONG_ROWS)
def test_candidates_that_are_no_rows_are_refused(row):
    with pytest.raises(ValueError, match="none of the rows"):
        gather_voters(
            np.array([[1.0, 2.0]]), np.array([[0, row]]), weight=np.ones(3), complete=True
        )


@pytest.mark.parametrize("row", WRONG_ROWS)
def test_pairs_with_rows_that_there_are_not_are_refused(row):
    rows = np.ones((3, 2))
    with pytest.raises(ValueError, match="names a row that there is not"):
        pair_keys(rows[:1], rows, np.array([[row]]), threads=1)


@pytest.mark.parametrize("blocks", [2**62, 2**58, 1])
def test_codes_of_more_blocks_than_there_are_directions_are_refused(blocks):
    index = ExactIndex(np.random.default_rng(0).standard_normal((300, 64)), filter="full")
    arrays = index._state.filter.arrays
    with pytest.raises(ShapeError, match="directions of the codes"):
        Filter(CodeMap(blocks=blocks), arrays)


@pytest.mark.parametrize("offset", [[-1], [5, 3], [2**63 - 2]])
def test_rows_at_offsets_that_no_file_has_are_refused(offset, tmp_path):
    (tmp_path / "rows").write_bytes(bytes(100))
    out = np.empty((len(offset), 4), np.uint8)
    with open(tmp_path / "rows", "rb") as file, pytest.raises(ValueError, match="row"):
        _core.read_rows(file=file.fileno(), offset=np.array(offset), threads=1, out=out)


@pytest.mark.parametrize("place", [2, 2**63, 2**64 - 1])
def test_blocks_of_pairs_beyond_the_rows_are_refused(place):
    look = ForestPass(SpanningForest(np.zeros(3)), np.arange(3), threads=1)
    X = np.arange(3.0)[:, None]
    for query, first in ((place, 0), (0, place)):
        with pytest.raises(ValueError, match="beyond the rows"):
            look.offer_distances(np.ones((2, 2)), query, first)
        with pytest.raises(ValueError, match="beyond the rows"):
            look.offer_products(np.ones((2, 2), np.float32), np.ones(3), X, query, first)


def test_pairs_after_the_last_block_are_refused():
    look = ForestPass(SpanningForest(np.zeros(3)), np.arange(3), threads=1)
    look.offer_distances(np.abs(np.subtract.outer(np.arange(3.0), np.arange(3.0))), 0, 0)
    look.finish()
    with pytest.raises(ValueError, match="joined already"):
        look.offer_distances(np.ones((3, 3)), 0, 0)


@pytest.mark.skipif(sys.platform != "linux", reason="makes the calls in forks of a process")
def test_calls_of_every_estimator_with_wrong_numbers_end_in_a_result_or_an_error():
    program = Path(__file__).parents[1] / "native_calls.py"
    done = subprocess.run(
        [sys.executable, str(program)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    called = re.fullmatch(r"\d+ functions, without (\[.*\])\n", done.stdout)
    assert called, done.stdout
    assert set(literal_eval(called[1])) <= WITHOUT_ROW_NUMBERS
