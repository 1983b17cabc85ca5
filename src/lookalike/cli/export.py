"""`lookalike export`: a model as ONNX, for programs that run it without Python."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lookalike.cli.options import Json, Model

OutOnnx = Annotated[
    Path, typer.Argument(help="The file to write, model.onnx for example.", metavar="FILE")
]


def export(model: Model, out: OutOnnx, *, json: Json = False) -> None:
    """Write MODEL to an ONNX file that gives the same labels and numbers.

    Needs the extra: pip install 'lookalike[onnx]'. Each column of a table is an input of its own:
    numbers float64 of shape (rows, 1), categories strings. What ONNX cannot express is an error
    that names the step.

    Example: lookalike export iris_study model.onnx
    """
    from lookalike.cli.destination import check_destinations, destination
    from lookalike.cli.output import print_json, print_paths
    from lookalike.errors import ParameterError
    from lookalike.store.file import load
    from lookalike.store.onnx import export_onnx
    from lookalike.store.study_files import STUDY_FILE, model_path

    if out.suffix.lower() != ".onnx" and str(out) != "-":
        raise ParameterError(f"{out} does not end in .onnx, the one format there is. Rename it.")
    streamed = check_destinations(out, json=json, inputs=(model_path(model), model / STUDY_FILE))
    export_onnx(load(model), destination(out))
    if json:
        print_json({"model": str(out)})
    elif not streamed:
        print_paths({"ONNX model": out})
