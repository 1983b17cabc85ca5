"""Labels under review: decisions are in one log, which every process replays."""

from __future__ import annotations

import io
import threading
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from lookalike.data.write.append_log import AppendLog
from lookalike.data.write.atomic_write import replace_file
from lookalike.data.write.corrections import CORRECTION_HEADINGS, Correction, require_corrections
from lookalike.data.write.csv import write_csv
from lookalike.errors import LookalikeError, ParameterError, SourceError, WriteError
from lookalike.explain.leave_one_out import targets_of
from lookalike.printable import count
from lookalike.validation import shown
from lookalike.web.explorer.relabel_effect import relabel_effect
from lookalike.web.explorer.review_queue import review_error, review_queue

if TYPE_CHECKING:
    from lookalike.web.explorer.exploration_state import ExplorationState

REVIEW_SCHEMA = "lookalike.review/1"
REVIEW_ACTIONS = ("relabel", "accept", "ignore")
MAX_ROWS_TOGETHER = 1000  # each is a line of the log, which is on the disk before the next


class TestRowError(LookalikeError, PermissionError):
    """A label of a test row was about to be changed without a confirmation."""

    __test__ = False  # no test of pytest's


class Review:
    """The review of an exploration: its state after all decisions of the log.

    Another process may add to the log: its decisions are replayed before the next is made, and
    whenever the review is looked at.

    Parameters
    ----------
    state : ExplorationState
        The rows with the labels of the data.
    path : Path, optional
        The csv file of corrections, whose log is beside it; without it labels stay as they are.
    """

    def __init__(self, state: ExplorationState, path: Path | None) -> None:
        self.path = path
        self._state = state
        self._n_replayed = 0  # entries of the log that led to the state
        self._lock = threading.RLock()
        self._sent: tuple[int, ...] = ()  # rows that were put into the queue by hand
        self._log: AppendLog | None = None
        if path is not None and state.neighbors.predicts:
            require_corrections(path)
            header = {"schema": REVIEW_SCHEMA, "rows": state.rows.key, "target": state.rows.target}
            self._log = AppendLog(Path(f"{path}.log"), header)
            self._replay(self._log)
            self._mend_csv(self._log)

    @property
    def editable(self) -> bool:
        """Whether there is a file for corrections."""
        return self._log is not None

    @property
    def snapshot(self) -> ExplorationState:
        """The state after the decisions that are known here; it never changes."""
        return self._state

    def follow(self, state: ExplorationState) -> None:
        """Take another state of the same decisions, for example that of another edition."""
        with self._lock:
            self._state = state

    def refresh(self) -> ExplorationState:
        """Return the state after all decisions of the log, those of other processes included."""
        if self._log is None:
            return self._state
        with self._lock:
            self._log.read_new()
            self._replay(self._log)
            return self._state

    def state(self) -> dict[str, object]:
        """Return the queue of suspects, the worst first, and the leave-one-out error."""
        return self._describe(self.refresh())

    def queue(self) -> list[dict[str, object]]:
        """Return the rows whose label the audit flags and nobody decided on, by their harm."""
        return review_queue(self.refresh(), self._sent)

    def send(self, rows: Sequence[int]) -> dict[str, object]:
        """Put rows before all others of the queue until they are decided on."""
        state = self.refresh()
        _require_target(state)
        new = [state.check_row(row) for row in rows]
        _require_few(new)
        with self._lock:
            self._sent = tuple(dict.fromkeys((*new, *self._sent)))
        return self._describe(state)

    def effect(self, row: int, label: object) -> dict[str, object]:
        """Return what another label of a row would change, exactly; nothing is changed."""
        state = self.refresh()
        _require_target(state)
        return relabel_effect(state, state.check_row(row), label)

    def decide(
        self, row: int, action: str, label: object = None, *, confirm_test_row: bool = False
    ) -> dict[str, object]:
        """Keep a decision: it is in the log, on the disk, before anything else changes."""
        log = self._require_log()
        _require_target(self._state)
        self._state.neighbors.leave_one_out()  # raises where that is not ready
        with self._lock, log.writing() as append:
            state = self.refresh()
            state.check_row(row)
            if action not in REVIEW_ACTIONS:
                raise ParameterError(f"action={action!r}. Give one of {', '.join(REVIEW_ACTIONS)}.")
            new = _stored_label(state, label) if action == "relabel" else None
            if action == "relabel" and state.rows.is_test[row] and not confirm_test_row:
                raise TestRowError(
                    f"Row {row} is a test row: with another label the held-out error is another "
                    "one, and no longer that of the study. Confirm to change it all the same."
                )
            number, before = int(state.rows.dataset.row[row]), state.rows.label(row)
            entry = {"row": number, "action": action, "label": new, "before": before}
            append({"time": _now(), **entry})
            return self._accept()

    def relabel(
        self, rows: Sequence[int], label: object, *, confirm_test_rows: bool = False
    ) -> dict[str, object]:
        """Give rows one label, a decision on each; where one cannot be made none is."""
        log = self._require_log()
        _require_target(self._state)
        self._state.neighbors.leave_one_out()
        with self._lock, log.writing() as append:
            state = self.refresh()
            new = _stored_label(state, label)
            changed = [row for row in rows if state.rows.label(state.check_row(row)) != new]
            _require_few(changed)
            n_test = int(state.rows.is_test[changed].sum())
            if n_test and not confirm_test_rows:
                raise TestRowError(
                    f"{count(n_test, 'row')} of {len(changed):,} are test rows: with other labels "
                    "the held-out error is another one, and no longer that of the study. Confirm "
                    "to change them all the same."
                )
            for row in changed:
                number, before = int(state.rows.dataset.row[row]), state.rows.label(row)
                entry = {"row": number, "action": "relabel", "label": new, "before": before}
                append({"time": _now(), **entry})
            return self._accept() | {"n_changed": len(changed)}

    def undo(self, n_decisions: int = 1) -> dict[str, object]:
        """Take the last decisions back; the log keeps them and that they were taken back."""
        log = self._require_log()
        with self._lock, log.writing() as append:
            for _ in range(n_decisions):
                state = self.refresh()
                if not state.decisions:
                    raise ParameterError("There is no decision to undo.")
                number = int(state.rows.dataset.row[state.decisions[-1][0].row])
                append({"time": _now(), "row": number, "action": "undo"})
            return self._accept()

    def corrections(self) -> list[Correction]:
        """Return the corrections in force, as `lookalike audit --apply` takes them, by row."""
        return _corrections(self.refresh())

    def corrections_csv(self) -> bytes:
        """Return the corrections as csv."""
        return _csv(self.refresh())

    def log(self) -> list[dict[str, object]]:
        """Return every decision and undo that was kept, in their order."""
        self.refresh()
        return [] if self._log is None else list(self._log.entries)

    def _accept(self) -> dict[str, object]:
        """Return the state after the decision in the log, and say where the csv is behind it."""
        state = self.refresh()
        notice = self._write_csv()
        return self._describe(state) | ({} if notice is None else {"notice": notice})

    def _describe(self, state: ExplorationState) -> dict[str, object]:
        return {
            "queue": review_queue(state, self._sent),
            "decided": len(state.decisions),
            "decisions": [_describe_decision(state, *pair) for pair in state.decisions],
            "audited": state.rows.audit is not None,
            "editable": self.editable,
            "log_path": None if self._log is None else str(self._log.path),
            "corrections_path": None if self.path is None else str(self.path),
            "error": review_error(state),
        }

    def _replay(self, log: AppendLog) -> None:
        """Take over new decisions of the log: all of them or, where one is wrong, none."""
        state, n_entries = self._state, len(log.entries)
        for entry in log.entries[self._n_replayed : n_entries]:
            state = self._apply(state, entry)
        self._state, self._n_replayed = state, n_entries

    def _apply(self, state: ExplorationState, entry: Mapping[str, object]) -> ExplorationState:
        action, row, label = (entry.get(name) for name in ("action", "row", "label"))
        if action == "undo":
            if not state.decisions:
                self._refuse(entry, "takes a decision back where none is left")
            return state.without_last_decision()
        if action not in REVIEW_ACTIONS:
            self._refuse(
                entry, f"has the action {shown(action)}, not {', '.join(REVIEW_ACTIONS)} or undo"
            )
        if not isinstance(row, int) or isinstance(row, bool) or abs(row) >= 2**63:
            self._refuse(entry, f"has the row {shown(row)}, which is not a row number")
        position = int(state.rows.positions(np.array([row]))[0])
        if position < 0:
            self._refuse(entry, f"is about row {row}, and there is no such row in the data")
        if action == "relabel":
            try:
                label = _stored_label(state, label)
            except (LookalikeError, ValueError, TypeError):
                self._refuse(entry, f"has the label {shown(label)}, which no row can have")
        return state.with_decision(Correction(position, str(action), label))

    def _refuse(self, entry: Mapping[str, object], why: str) -> NoReturn:
        assert self._log is not None
        number = next(i for i, one in enumerate(self._log.entries, 2) if one is entry)
        raise SourceError(
            f"{self._log.path}, line {number} {why}. Correct the line, or move the log and "
            "start again."
        )

    def _mend_csv(self, log: AppendLog) -> None:
        """Write the csv where it is not that of the log, as a process that was killed leaves it."""
        assert self.path is not None
        if log.entries and not _holds(self.path, _csv(self._state)):
            with log.writing():
                self.refresh()
                if (notice := self._write_csv()) is not None:
                    raise WriteError(notice)

    def _write_csv(self) -> str | None:
        """Write the corrections of the log; return the sentence that says why that failed."""
        assert self._log is not None
        assert self.path is not None
        content = _csv(self._state)
        try:
            if not _holds(self.path, content):
                replace_file(self.path, lambda file: file.write(content))
        except OSError as error:
            reason = (error.strerror or str(error)).removesuffix(".")
            return (
                f"The decisions are kept in {self._log.path}, and {self.path} is behind: {reason}. "
                "It is written again with the next decision, and when the study is served again."
            )
        return None

    def _require_log(self) -> AppendLog:
        if self._log is None:
            _require_target(self._state)
            raise ParameterError(
                "Labels cannot be changed here: no file for corrections was given. Start "
                "lookalike serve with --corrections FILE."
            )
        return self._log


def _holds(path: Path, content: bytes) -> bool:
    return path.is_file() and path.read_bytes() == content


def _corrections(state: ExplorationState) -> list[Correction]:
    rows = state.rows
    first: dict[int, object] = {}
    for decision, before in state.decisions:
        if decision.action == "relabel":
            first.setdefault(decision.row, before)
    return [
        Correction(int(rows.dataset.row[row]), "relabel", rows.label(row))
        for row, before in sorted(first.items())
        if rows.label(row) != before
    ]


def _csv(state: ExplorationState) -> bytes:
    file = io.BytesIO()
    write_csv(file, CORRECTION_HEADINGS, _corrections(state))
    return file.getvalue()


def _stored_label(state: ExplorationState, label: object) -> str | float:
    """Return a label as it is kept: the text of a class, or a number."""
    code = targets_of(state.neighbors.model).coded([label])[0]
    return str(state.rows.classes[code]) if state.rows.code is not None else float(code)


def _describe_decision(
    state: ExplorationState, decision: Correction, before: object
) -> dict[str, object]:
    number = int(state.rows.dataset.row[decision.row])
    return {**decision._asdict(), "before": before, "number": number}


def _require_few(rows: Sequence[int]) -> None:
    if len(rows) > MAX_ROWS_TOGETHER:
        raise ParameterError(
            f"{len(rows):,} rows are selected, and at most {MAX_ROWS_TOGETHER:,} are reviewed or "
            "relabeled together. Select fewer."
        )


def _require_target(state: ExplorationState) -> None:
    if not state.neighbors.predicts:
        raise ParameterError("There is no target, so no label can be changed.")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
