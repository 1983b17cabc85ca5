"""`lookalike card` prints a model card or writes it, and replaces nothing that it reads."""

from __future__ import annotations

from lookalike.report import model_card


def test_the_card_is_printed_or_written(run_cli, model, tmp_path):
    code, out, _ = run_cli("card", model)
    assert code == 0
    assert out == model_card(model)
    code, out, _ = run_cli("card", model, "--use", "Sorts flowers.", "-o", tmp_path / "card.md")
    assert code == 0
    assert out == f"Model card: {tmp_path / 'card.md'}\n"
    assert "Sorts flowers." in (tmp_path / "card.md").read_text()


def test_the_card_does_not_replace_the_model(refused, model):
    assert "which is read" in refused("card", model, "-o", model)


def test_a_file_that_is_not_a_model_is_refused(refused, flowers):
    assert "flowers.csv" in refused("card", flowers)
