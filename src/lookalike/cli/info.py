"""`lookalike info`: the header of a model file, read without building the model."""

from __future__ import annotations

from lookalike.cli.options import Json, Model

ENTRIES_SHOWN = 10  # entries of a list that are shown


def info(model: Model, json: Json = False) -> None:
    """Show the class, parameters, columns and classes of MODEL.

    The checksum of the file is verified; the model is not built.

    Example: lookalike info model.lookalike
    """
    from lookalike.cli.output import print_json, print_table
    from lookalike.store.file import read_header
    from lookalike.studies.to_json import to_jsonable

    header = read_header(model)
    facts = {
        "file": str(model),
        **{name: header[name] for name in ("bytes", "format", "written_by", "class")},
        "steps": [_step(step) for step in _steps(header["parameters"])],
        "parameters": {name: _short(value) for name, value in header["parameters"].items()},
        "schema": to_jsonable(header["schema"]),
        "arrays": header["arrays"],
    }
    if json:
        print_json(facts)
        return
    lines = [(name, _brief(facts[name])) for name in ("bytes", "format", "written_by", "class")]
    if facts["steps"]:
        lines.append(("steps", ", then ".join(facts["steps"])))
    else:
        lines += [(f"parameter {name}", _brief(v)) for name, v in facts["parameters"].items()]
    lines += [(name, _brief(value)) for name, value in facts["schema"].items()]
    print_table(f"{model}: checksum verified", ("field", "value"), lines)


def _steps(parameters: dict[str, object]) -> list[object]:
    steps = parameters.get("steps")
    return steps if isinstance(steps, list) else []


def _step(step: object) -> str:
    """Return the class of a step of a pipeline."""
    parts = step["tuple"] if isinstance(step, dict) and "tuple" in step else [None, {}]
    return str(parts[1].get("object")) if isinstance(parts[1], dict) else str(parts[1])


def _short(value: object) -> object:
    """Return a parameter: of an object its class, of an array that it is one."""
    if not isinstance(value, dict):
        return value
    key = next(iter(value), "")
    return value[key] if key in ("object", "tuple", "float", "dtype") else f"({key})"


def _brief(value: object) -> str:
    if isinstance(value, list) and len(value) > ENTRIES_SHOWN:
        return f"{', '.join(map(str, value[:ENTRIES_SHOWN]))} … ({len(value)} in total)"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return f"{value:,}" if type(value) is int else str(value)
