"""`lookalike info`: what a model file says of itself, without building the model."""

from __future__ import annotations

from lookalike.cli.options import Json, Model


def info(model: Model, json: Json = False) -> None:
    """Tell what MODEL holds: its class, parameters, columns and classes.

    The checksum of the file is checked; nothing of the model is built.

    Example: lookalike info model.lookalike
    """
    from lookalike.cli.output import Sheet, show, show_json
    from lookalike.store.file import read_header
    from lookalike.studies.to_json import to_jsonable

    header = read_header(model)
    told = {
        "file": str(model),
        "bytes": header.size,
        "format": header.version,
        "written_by": header.written_by,
        "class": header.kind,
        "steps": [_step(step) for step in _steps(header.parameters)],
        "parameters": {name: _short(value) for name, value in header.parameters.items()},
        "schema": to_jsonable(header.schema),
        "arrays": header.arrays,
    }
    if json:
        show_json(told)
        return
    facts = [(name, _brief(told[name])) for name in ("bytes", "format", "written_by", "class")]
    if told["steps"]:
        facts.append(("steps", ", then ".join(told["steps"])))
    else:
        facts += [(f"parameter {name}", _brief(v)) for name, v in told["parameters"].items()]
    facts += [(name, _brief(value)) for name, value in told["schema"].items()]
    show([Sheet(f"{model}: checksum right", ("what", "value"), facts)])


def _steps(parameters: dict[str, object]) -> list[object]:
    steps = parameters.get("steps")
    return steps if isinstance(steps, list) else []


def _step(step: object) -> str:
    """Return the class of a step of a pipeline."""
    parts = step["tuple"] if isinstance(step, dict) and "tuple" in step else [None, {}]
    return str(parts[1].get("object")) if isinstance(parts[1], dict) else str(parts[1])


def _short(value: object) -> object:
    """Return a parameter; of an object its class, of an array that it is one."""
    if not isinstance(value, dict):
        return value
    key = next(iter(value), "")
    return value[key] if key in ("object", "tuple", "float", "dtype") else f"({key})"


def _brief(value: object) -> str:
    if isinstance(value, list) and len(value) > 10:
        return f"{', '.join(map(str, value[:10]))} … {len(value)} in all"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
