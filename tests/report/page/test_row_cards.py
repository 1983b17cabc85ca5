"""A flagged row stands beside its nearest rows: what differs is marked, what is equal is not."""

from __future__ import annotations

from lookalike.report.page.row_cards import row_card
from lookalike.studies.analysis_results import FlaggedRow, Neighbor


def flagged(**fields):
    return FlaggedRow(5, "mislabel", 0.9, "yes", "no", **fields)


def test_cells_that_differ_are_marked_and_columns_equal_in_all_are_one_line():
    near = (
        Neighbor(6, 0.1, "no", values={"age": "30", "sex": "f", "fare": ""}),
        Neighbor(7, 0.2, "yes", values={"age": "31", "sex": "f", "fare": ""}),
    )
    card = row_card(flagged(values={"age": "30", "sex": "f", "fare": ""}, neighbors=near), "90%")
    assert '<td class="same">30</td><td class="differs">31</td>' in card
    assert "Equal in all: sex f; fare –." in card
    assert '<td class="wrong">yes</td><td class="differs">no</td>' in card
    assert "/row/5" in card


def test_words_that_texts_share_are_marked():
    near = (Neighbor(6, 0.1, "no", text="Win a <prize> now"),)
    card = row_card(flagged(text="a PRIZE for you", neighbors=near), "")
    assert "Win a &lt;<mark>prize</mark>&gt; now" in card


def test_images_stand_side_by_side_with_their_labels():
    near = (Neighbor(6, 0.1, "no", thumbnail="data:,b"),)
    card = row_card(flagged(thumbnail="data:,a", neighbors=near), "")
    assert card.count("<img") == 2
    assert 'alt="row 6, label no"' in card


def test_a_row_without_neighbors_has_its_cells():
    assert "30" in row_card(flagged(values={"age": "30"}), "")
