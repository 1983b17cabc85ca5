"""The type of a column follows from the evidence of its cells and its name."""

from __future__ import annotations

import pytest

from lookalike.data.column_names import names_a_code, names_an_amount, names_an_id, type_advice
from lookalike.data.column_types import CellEvidence, type_by_evidence


@pytest.mark.parametrize(
    ("evidence", "kind"),
    [
        (CellEvidence(100, 100, 100, 100), "number"),
        (CellEvidence(100, 92, 90, 82), "number"),  # nine in ten
        (CellEvidence(100, 92, 89, 81), "category"),
        (CellEvidence(1000, 6, 990, 5), "number"),  # of few distinct ones, all but typing errors
        (CellEvidence(1000, 6, 989, 5), "category"),
        (CellEvidence(891, 681, 661, 500, characters=6000, words=1150), "category"),  # a ticket
        (CellEvidence(100, 99, characters=1000, words=100), "id"),
        (CellEvidence(100, 99, characters=1000, words=300), "text"),
        (CellEvidence(20, 20, characters=200, words=20), "category"),
        (CellEvidence(20, 20, characters=2001, words=20), "text"),
        (CellEvidence(100, 99, 100, 99, codes=1, only_digits=True), "id"),
        (CellEvidence(100, 50, 100, 50, codes=1, only_digits=True), "category"),
        (CellEvidence(100, 50, 100, 50, codes=1, only_digits=False), "number"),
        (CellEvidence(0, 0), "number"),
    ],
)
def test_the_type_follows_from_counts_of_cells(evidence, kind):
    assert type_by_evidence(evidence)[0] == kind


@pytest.mark.parametrize(("distinct", "kind"), [(2, "number"), (50, "category"), (99, "number")])
def test_a_name_makes_codes_of_whole_numbers_that_come_back(distinct, kind):
    evidence = CellEvidence(100, distinct, 100, distinct, only_digits=True)
    assert type_by_evidence(evidence, "zip")[0] == kind
    assert type_by_evidence(evidence._replace(only_digits=False), "zip")[0] == "number"


def test_names_are_read_word_by_word():
    codes = ["zip", "ZIPCode", "postal_code", "PLZ", "Phone No.", "user id", "customerID", "code"]
    assert all(map(names_a_code, codes))
    others = ["", "encode", "zip_population", "phoneCalls", "idea", "paid", "number", "code lines"]
    assert not any(map(names_a_code, others))
    assert names_an_id("PassengerId")
    assert not names_an_id("zip")
    assert names_an_amount("LotArea")


def test_the_advice_is_quoted_for_a_shell_and_for_python():
    assert type_advice("it's", "id") == (
        """--types 'it'"'"'s=id' (in Python types={"it's": 'id'})"""
    )


def test_distinct_words_under_the_name_of_a_code_are_identifiers():
    phones = CellEvidence(90, 90, characters=1170, words=270)  # +49 30 123456
    assert type_by_evidence(phones, "phone")[0] == "id"
    assert type_by_evidence(phones, "slogan")[0] == "text"
