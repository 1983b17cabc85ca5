"""A model card: what a model file and its study say of a model, in Markdown and in true sentences.

What a study measured is quoted with interval and method; what nobody measured or stated is said
to be so, and nothing is inferred.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from lookalike.data.write.atomic_write import Place, replace_file
from lookalike.errors import ModelFileError
from lookalike.printable import count, percent, printable, shortened
from lookalike.store.file import load, read_header
from lookalike.store.row_entries import RowEntries, row_entries
from lookalike.store.study_files import MODEL_FILE, STUDY_FILE, is_study_folder, model_path
from lookalike.studies.format import interval, score
from lookalike.studies.task import TASKS_BY_NAME
from lookalike.studies.written_files import read_study

MAX_NAMES_ON_CARD = 30
MAX_CELL_CHARACTERS = 1000
MARKDOWN_SIGNS = r"\`*_[]<>|#"
Lines = Iterable[str]


def model_card(model: Path | str, *, intended_use: str = "") -> str:
    """Return the model card of a model file, or of the folder of a study, as Markdown.

    Parameters
    ----------
    model : path
        A model file or the folder of a study. In that folder the study is read as well: its rows,
        scores and findings are in the card.
    intended_use : str, default=""
        What the model is for, in the words of whoever is responsible for it. Nothing else says
        so: without it, the card states that nobody did.

    Examples
    --------
    >>> import tempfile
    >>> from lookalike import KNeighborsClassifier, save
    >>> from lookalike.report import model_card
    >>> model = KNeighborsClassifier(n_neighbors=1).fit([[0.0], [1.0]], ["a", "b"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, f"{folder}/model.lookalike")
    ...     print(model_card(f"{folder}/model.lookalike").splitlines()[0])
    # Model card: model.lookalike
    """
    path = model_path(model)
    study = _read_study_of(path)
    fitted, header = load(path), read_header(path)
    title = path.name if study is None else study["title"]
    sections = {
        "Model": _model(path, fitted, header, study),
        "Intended use": _use(intended_use, study),
        "Data": _data(study, fitted),
        "Scores": _scores(study),
        "Findings of the study": _findings(study),
        "Limits": _limits(study, fitted),
    }
    lines = [f"# Model card: {_plain(title)}"]
    for name, section in sections.items():
        inside = list(section)
        lines += ["", f"## {name}", "", *inside] if inside else []
    return printable("\n".join(lines) + "\n")


def write_model_card(model: Path | str, path: Place, *, intended_use: str = "") -> None:
    """Write the model card of a model to one file, whole or not at all."""
    text = model_card(model, intended_use=intended_use).encode()
    replace_file(path, lambda file: file.write(text))


def _read_study_of(path: Path) -> dict[str, Any] | None:
    """Return what the study says that wrote a model file; None where no study did."""
    if path.name != MODEL_FILE or not is_study_folder(path.parent):
        return None
    study = read_study(path.parent / STUDY_FILE)
    if study["winner"] is None:
        raise ModelFileError(
            f"{path.parent} is a study without a model, and {path.name} is of another one. Move it."
        )
    return study


def _model(path: Path, fitted: object, header: dict[str, Any], study: Any) -> Lines:
    steps = [type(step).__name__ for _, step in getattr(fitted, "steps", ())]
    yield f"- {', then '.join(steps) if steps else header['class']}."
    if study is not None:
        selected = _selected(study)
        chosen = ", ".join(
            f"{name} = {value}" for name, value in selected["hyperparameters"].items()
        )
        yield f"- {_plain(selected['title'])}{f' ({_plain(chosen)})' if chosen else ''}."
        yield f"- {_plain(selected['description'])}"
    schema = header["schema"]
    if schema.get("features") is not None:
        yield f"- Reads {_named(schema['features'], MAX_NAMES_ON_CARD, 'column')}."
    elif schema.get("n_features") is not None:
        yield f"- Reads {count(schema['n_features'], 'column')} without names."
    if schema.get("classes") is not None:
        yield f"- Predicts one of {_named(schema['classes'], MAX_NAMES_ON_CARD, 'class')}."
    yield (
        f"- File: {_plain(path.name)}, {header['bytes']:,} bytes, checksum verified, format "
        f"{header['format']}, written by {_plain(header['written_by'])}; loading it runs no code."
    )
    if study is not None:
        versions = ", ".join(f"{name} {number}" for name, number in study["versions"].items())
        yield f"- Fitted with {versions}; random seed {study['seed']}."


def _use(intended_use: str, study: Any) -> Lines:
    if intended_use:
        yield _plain(intended_use)
    else:
        yield "Nobody has stated a use (`lookalike card --use` states one)."
    if study is not None:
        target = study["target"]["name"] if study["target"] else "target"
        yield ""
        yield (
            f"The model predicts {_plain(target)!r} ({study['task']}). Its scores below are those "
            "for rows drawn as the rows of the study were."
        )


def _data(study: Any, fitted: object) -> Lines:
    if study is not None:
        shape = study["shape"]
        yield (
            f"- {_plain(study['source'])}: {count(shape['n_rows'], 'row')}, "
            f"{count(shape['n_columns'], 'column')} ({study['data_kind']})."
        )
        yield f"- Held out: {_plain(shape['split'])}."
        yield from _target(study["target"])
        yield from _columns(study["columns"])
    yield ""
    yield from _rows_in_file(row_entries(fitted))


def _rows_in_file(entries: Sequence[RowEntries]) -> Lines:
    if not entries:
        yield (
            "No array of the model file has an entry for each training row. Single ones can be in "
            "it: as centers, prototypes, extremes or categories."
        )
        return
    n_rows = max(one.shape[0] for one in entries)
    names = [f"{one.name} ({' × '.join(f'{n:,}' for n in one.shape)})" for one in entries]
    yield (
        f"The model file holds {count(n_rows, 'training row')}, or what was computed for each: "
        f"{_named(names, MAX_NAMES_ON_CARD, 'array')}. Whoever has the file has these."
    )


def _target(target: Any) -> Lines:
    if target is None or not target["classes"]:
        return
    n_rows = sum(target["counts"])
    counted = [
        f"{_plain(label)} {count(number)} ({percent(number / n_rows)})"
        for label, number in zip(target["classes"], target["counts"], strict=True)
    ]
    shown = counted[:MAX_NAMES_ON_CARD]
    more = len(counted) - len(shown)
    yield f"- Classes: {', '.join(shown)}{f' and {more} more' if more else ''}."


def _columns(columns: Sequence[Any]) -> Lines:
    used = [column for column in columns if column["role"] in ("feature", "text")]
    if not used:
        return
    yield ""
    yield from _table(
        ("column", "holds", "missing", "distinct"),
        [
            (column["name"], column["kind"], count(column["missing"]), count(column["distinct"]))
            for column in used[:MAX_NAMES_ON_CARD]
        ],
    )
    if len(used) > MAX_NAMES_ON_CARD:
        yield ""
        yield f"{count(len(used) - MAX_NAMES_ON_CARD, 'more column')} in study.json."


def _scores(study: Any) -> Lines:
    if study is None:
        yield "No study lies beside the file, and the file holds no measurement of its error."
        return
    scores, task = study["held_out"], TASKS_BY_NAME[study["task"]]
    if scores is None:
        yield "The study measured no error."
        return
    metric = scores["metric"]
    yield (
        f"On {count(scores['n_rows'], 'held-out row')} ({_plain(study['shape']['split'])}), each "
        "by a model that was neither fitted nor selected on it. Interval of the "
        f"{task.metric_title}: {_plain(scores['interval_method'] or 'Wilson')}."
    )
    main = {"name": metric, "title": task.metric_title, "value": scores["error"]}
    main |= {"interval": scores["interval"], "baseline": scores["baseline"]}
    yield ""
    yield from _table(
        ("score", "value", "95% CI", f"baseline ({task.baseline_title})"),
        [
            (
                one["title"],
                score(one["name"], one["value"]),
                interval(one["name"], tuple(one["interval"])),
                "–" if one["baseline"] is None else score(one["name"], one["baseline"]),
            )
            for one in scores["scores"] or (main,)
        ],
    )
    yield from _other_rows(study, metric, task.metric_title)
    yield from _classes(scores["classes"])


def _other_rows(study: Any, metric: str, title: str) -> Lines:
    """List the errors of other splits, and of parts of the rows with a higher one."""
    lines = [
        (one["description"], one["error"], one["interval"], one["n_rows"])
        for one in study["held_out"]["other_splits"]
    ]
    lines += [
        (f"part: {one['rule']}", one["error"], one["interval"], one["n_rows"])
        for one in study["slices"]
    ]
    if lines:
        yield ""
        yield from _table(
            ("rows", title, "95% CI", "number"),
            [(what, score(metric, error), interval(metric, tuple(ends)), count(n_rows))
             for what, error, ends, n_rows in lines],
        )  # fmt: skip


def _classes(classes: Sequence[Any]) -> Lines:
    if not classes:
        return

    def shares(one: Any) -> Sequence[float | None]:
        return one["precision"], one["recall"]

    yield ""
    yield from _table(
        ("class", "rows", "precision", "recall", "95% CI of the recall (Wilson)"),
        [
            (
                one["label"],
                count(one["support"]),
                *(
                    "–" if one[name] is None else percent(one[name])
                    for name in ("precision", "recall")
                ),
                "–"
                if one["recall_interval"] is None
                else interval("error", tuple(one["recall_interval"])),
            )
            for one in classes[:MAX_NAMES_ON_CARD]
        ],
    )
    if len(classes) > MAX_NAMES_ON_CARD:
        yield ""
        yield f"{len(classes) - MAX_NAMES_ON_CARD} more classes in study.json."


def _findings(study: Any) -> Lines:
    for claim in () if study is None else study["summary"]:
        method = (
            f" ({_plain(claim['scope'])}; {_plain(claim['method'])})" if claim["method"] else ""
        )
        yield f"- {_plain(claim['text'])}{method}"


def _limits(study: Any, fitted: object) -> Lines:
    if study is not None:
        yield from _unmeasured(study)
        if not study["slices"]:
            yield (
                "- The study lists no part of the rows with a significantly higher error; that "
                "does not show that there is none."
            )
        left_out = [one["title"] for one in study["candidates"] if one["skipped"] or one["stopped"]]
        if left_out:
            yield f"- Not compared: {_named(left_out, MAX_NAMES_ON_CARD, 'model')}."
    yield "- Fairness towards people and the consequences of wrong predictions were not measured."
    if hasattr(fitted, "predict"):
        yield "- Rows unlike all training rows are predicted as well."


def _unmeasured(study: Any) -> Lines:
    """Say which rows the errors are not of, where the held-out rows were drawn at random."""
    if "random seed" not in study["shape"]["split"]:
        return
    kinds = {one["kind"] for one in (study["held_out"] or {}).get("other_splits", ())}
    if "time" not in kinds:
        yield "- Held-out rows were drawn at random: the error on later rows was not measured."
    grouped = any(decision["about"] == "groups" for decision in study["decisions"])
    if not grouped and "groups" not in kinds:
        yield (
            "- The error on new groups of rows (people, sites, devices) was not measured, if rows "
            "come in groups."
        )


def _selected(study: Any) -> Any:
    return next(one for one in study["candidates"] if one["name"] == study["winner"])


def _named(values: Any, most: int, one: str) -> str:
    """Return how many there are, and the first of them by name."""
    values = list(values)
    shown = ", ".join(_plain(value) for value in values[:most])
    more = len(values) - most
    plural = "classes" if one == "class" else None
    return f"{count(len(values), one, plural)}: {shown}{f' and {more} more' if more > 0 else ''}"


def _table(head: Sequence[str], lines: Sequence[Sequence[object]]) -> Lines:
    yield f"| {' | '.join(map(_plain, head))} |"
    yield f"|{'---|' * len(head)}"
    for line in lines:
        yield f"| {' | '.join(map(_plain, line))} |"


def _plain(value: object) -> str:
    """Return text in one line that Markdown shows as it is, whatever signs it has."""
    text = shortened(" ".join(str(value).split()), MAX_CELL_CHARACTERS)
    return "".join(f"\\{sign}" if sign in MARKDOWN_SIGNS else sign for sign in text)
