"""`lookalike card`: what a model file and its study say of a model, for whoever is to use it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lookalike.cli.options import Json, Model

Use = Annotated[
    str, typer.Option("--use", help="What the model is for, in your words; nothing else says so.")
]
OutCard = Annotated[
    Path | None, typer.Option("--out", "-o", help="Write to this file; default: standard output.")
]


def card(model: Model, *, use: Use = "", out: OutCard = None, json: Json = False) -> None:
    """Write the model card of MODEL: its data, scores with intervals and method, and limits.

    In the folder of a study the card quotes what the study measured; of a model file alone it
    says that nothing was.

    Example: lookalike card digits_study -o MODEL_CARD.md
    """
    from lookalike.cli.destination import check_destinations, destination
    from lookalike.cli.output import print_json, print_paths
    from lookalike.report.card import write_model_card
    from lookalike.store.study_files import STUDY_FILE, model_path

    out = Path("-") if out is None else out
    streamed = check_destinations(out, json=json, inputs=(model_path(model), model / STUDY_FILE))
    write_model_card(model, destination(out), intended_use=use)
    if json:
        print_json({"card": str(out)})
    elif not streamed:
        print_paths({"Model card": out})
