"""A study compares the candidates that are named, and no others."""

from __future__ import annotations

import pytest

import lookalike
from lookalike.errors import ParameterError, ParameterTypeError
from lookalike.studies.select.candidate_names import check_models


def test_one_named_candidate_is_the_model_that_is_kept():
    study = lookalike.study("iris", models=["ridge"], time="20s")
    assert [one.name for one in study.candidates] == ["ridge"]
    assert study.winner == "ridge"
    assert study.settings["models"] == "ridge"


def test_names_are_given_with_commas_or_as_a_list_and_each_counts_once():
    assert check_models("knn, forest,knn") == check_models(["knn", "forest"]) == ("knn", "forest")
    assert check_models("") == check_models(()) == ()


def test_a_name_that_there_is_no_candidate_of_is_refused_with_those_there_are():
    with pytest.raises(ParameterError, match=r"'tree', and there is no such candidate.* forest,"):
        lookalike.study("iris", models=["tree"])
    with pytest.raises(
        ParameterError, match=r"none of them is for such data\. Choose from baseline"
    ):
        lookalike.study("diabetes", models=["lda", "tfidf_knn"], time="20s")
    with pytest.raises(ParameterTypeError, match="Give a list of texts"):
        check_models([3])
