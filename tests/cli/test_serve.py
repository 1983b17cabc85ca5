"""`lookalike serve` opens what it is given, or says in one sentence why not."""

from __future__ import annotations

from lookalike.cli.program import run


def test_a_path_that_does_not_exist_is_one_sentence(capsys):
    assert run(["serve", "nowhere/model.lookalike"]) == 2
    assert "does not exist" in capsys.readouterr().err
