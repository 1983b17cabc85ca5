"""Labels that differ by case or spaces only are pointed out, never merged."""

import numpy as np

from lookalike import study
from lookalike.decisions import Decisions
from lookalike.studies.load.similar_labels import similar_labels
from lookalike.studies.load.target import recognize_target

LABELS = np.array(["Yes"] * 40 + ["no"] * 40 + ["yes "] * 12 + ["YES"] * 8)


def test_groups_have_their_counts_the_most_frequent_first():
    assert similar_labels(LABELS) == [[("Yes", 40), ("yes ", 12), ("YES", 8)]]
    assert similar_labels(np.array(["a", "b"])) == []
    assert similar_labels(np.array([1, 2, 1])) == []
    assert similar_labels(np.array(["new  york", "New York"])) == [
        [("New York", 1), ("new  york", 1)]
    ]


def test_they_stay_classes_of_their_own_and_the_decision_says_so():
    decisions = Decisions()
    target = recognize_target(LABELS, "churn", "auto", decisions)
    assert target.summary().classes == ("YES", "Yes", "no", "yes ")
    (decision,) = decisions.about("labels of churn")
    assert decision.choice == "kept apart"
    assert decision.reason == (
        "'Yes' (40 rows), 'yes ' (12 rows) and 'YES' (8 rows) differ by case or spaces only. If "
        "they are one class, write them alike in the data"
    )


def test_the_study_says_it_in_its_summary_and_in_an_alert(few_candidates):
    X = np.random.default_rng(0).normal(size=(100, 2))
    result = study(X, LABELS)
    assert "differ by case or spaces only: 'Yes' (40 rows), 'yes ' (12 rows)" in str(result)
    assert "similar_labels" in [alert.kind for alert in result.target.profile.alerts]


def test_codes_with_leading_zeros_stay_text():
    target = recognize_target(np.array(["007", "07", "7"] * 10), "agent", "auto", Decisions())
    assert target.summary().classes == ("007", "07", "7")
