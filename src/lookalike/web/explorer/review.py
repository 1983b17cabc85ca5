"""Labels under review: suspects by the harm they do, effects before a change, decisions kept."""

from __future__ import annotations

import io
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.data.append_log import AppendLog
from lookalike.data.atomic_write import replace_file
from lookalike.data.corrections import HEADINGS, Correction
from lookalike.data.csv_writer import write_csv
from lookalike.errors import LookalikeError, ParameterError
from lookalike.explain.leave_one_out import k_ranges, targets_of
from lookalike.typing import AnyArray, Rows
from lookalike.web.explorer.pending import NotReadyError
from lookalike.web.explorer.relabel_effect import relabel_effect

if TYPE_CHECKING:
    from lookalike.web.explorer.exploration import Exploration

SCHEMA = "lookalike.review/1"
ACTIONS = ("relabel", "accept", "ignore")


class TestRowError(LookalikeError, PermissionError):
    """A label of a test row was about to be changed without a confirmation."""

    __test__ = False  # no test of pytest's


class Review:
    """The review of an exploration; decisions are in a log and replayed when it is opened."""

    def __init__(
        self, exploration: Exploration, place: Path | None, header: dict[str, Any]
    ) -> None:
        self._exploration, self.place = exploration, place
        self._lock = threading.RLock()
        self._decisions: list[tuple[Correction, object]] = []  # by position, and the label before
        self._log: AppendLog | None = None
        self._closed = False
        if place is not None and exploration.neighbors.predicts:
            log = Path(f"{place}.log")
            self._log = AppendLog(log, {"schema": SCHEMA, **header})
            for entry in self._log.entries:
                self._replay(entry)

    @property
    def editable(self) -> bool:
        """Whether there is a file for corrections."""
        return self._log is not None

    def state(self) -> dict[str, object]:
        """Return the queue of suspects, the worst first, and the leave-one-out error."""
        with self._lock:
            neighbors = self._exploration.neighbors
            found: dict[str, object] = {
                "queue": self.queue(),
                "decided": len(self._decisions),
                "decisions": [self._shown(*one) for one in self._decisions],
                "audited": self._exploration.rows.audit is not None,
                "editable": self.editable,
                "log_path": None if self._log is None else str(self._log.path),
                "corrections_path": None if self.place is None else str(self.place),
                "error": None,
            }
            if neighbors.predicts:
                each = neighbors.leave_one_out()
                found["error"] = {
                    "value": each.error_at(each.selected),
                    "n": each.n_rows,
                    "k": each.selected,
                    "held_out": self._held_out_error(),
                }
            return found

    def queue(self) -> list[dict[str, object]]:
        """Return the rows whose label the audit flags and nobody decided on, by their harm.

        The harm of a row is the number of leave-one-out errors of other rows that would go away
        if it had the suggested label, less those that would come.
        """
        rows, audit = self._exploration.rows, self._exploration.rows.audit
        if audit is None or not self._exploration.neighbors.predicts:
            return []
        decided = {one.row for one, _ in self._decisions}
        suspects = [
            row
            for row, kinds in enumerate(audit.flags)
            if "mislabel" in kinds.split() and row not in decided
        ]
        suggested = self._suggested(suspects)
        kept = [place for place, label in enumerate(suggested) if label is not None]
        suspects, suggested = [suspects[one] for one in kept], [suggested[one] for one in kept]
        harm = self._harm(np.array(suspects, np.int64), suggested)
        score = audit.scores.get("mislabel_probability", audit.scores.get("deviation"))
        items = []
        for place, row in enumerate(suspects):
            items.append(
                {
                    "row": row,
                    "number": int(rows.dataset.row[row]),
                    "label": rows.label(row),
                    "suggested": suggested[place],
                    "score": None if score is None else float(score[row]),
                    "harm": float(harm[place]),
                    "split": "test" if rows.is_test[row] else "train",
                    **self._stability(row),
                }
            )
        return sorted(items, key=lambda one: (-one["harm"], -(one["score"] or 0.0), one["row"]))

    def effect(self, row: int, label: object) -> dict[str, object]:
        """Return what another label of a row would change, exactly; nothing is changed."""
        with self._lock:
            self._require_target()
            return relabel_effect(self._exploration, self._exploration.check_row(row), label)

    def decide(
        self, row: int, action: str, label: object = None, *, confirm_test_row: bool = False
    ) -> dict[str, object]:
        """Keep a decision: it is in the log, on the disk, before anything else changes."""
        with self._lock:
            self._require_open()
            row = self._exploration.check_row(row)
            if self._log is None:
                raise ParameterError(
                    "Labels cannot be changed here: no file for corrections was given. Start "
                    "lookalike serve with --corrections FILE."
                )
            if action not in ACTIONS:
                raise ParameterError(f"action={action!r}. Give one of {', '.join(ACTIONS)}.")
            self._require_target()
            self._exploration.neighbors.leave_one_out()  # raises where that is not ready
            new = self._named(label) if action == "relabel" else None
            if action == "relabel" and self._exploration.rows.is_test[row] and not confirm_test_row:
                raise TestRowError(
                    f"Row {row} is a test row: with another label the held-out error is another "
                    "one, and no longer that of the study. Confirm to change it all the same."
                )
            number = int(self._exploration.rows.dataset.row[row])
            before = self._exploration.rows.label(row)
            entry = {"row": number, "action": action, "label": new, "before": before}
            self._log.append({"time": _now(), **entry})
            self._apply(Correction(row, action, new), before)
            self._write()
            return self.state()

    def undo(self) -> dict[str, object]:
        """Take the last decision back; the log keeps both."""
        with self._lock:
            self._require_open()
            if self._log is None or not self._decisions:
                raise ParameterError("There is no decision to undo.")
            last, _ = self._decisions[-1]
            number = int(self._exploration.rows.dataset.row[last.row])
            self._log.append({"time": _now(), "row": number, "action": "undo"})
            self._undo()
            self._write()
            return self.state()

    def corrections(self) -> list[Correction]:
        """Return the corrections in force, as `lookalike audit --apply` takes them, by row."""
        rows = self._exploration.rows
        first: dict[int, object] = {}
        for one, before in self._decisions:
            if one.action == "relabel":
                first.setdefault(one.row, before)
        return [
            Correction(int(rows.dataset.row[row]), "relabel", rows.label(row))
            for row, before in sorted(first.items())
            if rows.label(row) != before
        ]

    def corrections_csv(self) -> bytes:
        """Return the corrections as csv."""
        file = io.BytesIO()
        write_csv(file, HEADINGS, self.corrections())
        return file.getvalue()

    def log(self) -> list[dict[str, object]]:
        """Return every decision and undo that was kept, in their order."""
        return [] if self._log is None else list(self._log.entries)

    def close(self) -> None:
        """Close the log: decisions wait from now on."""
        with self._lock:
            self._closed = True
            if self._log is not None:
                self._log.close()

    def reopen(self) -> None:
        """Take decisions again; the log is opened with the next one."""
        with self._lock:
            self._closed = False

    def _require_open(self) -> None:
        if self._closed:
            raise NotReadyError("The log of decisions is being opened again. Try in a moment.")

    def _replay(self, entry: dict[str, Any]) -> None:
        if entry["action"] == "undo":
            self._undo()
            return
        row = int(self._exploration.rows.positions(np.array([entry["row"]]))[0])
        if row < 0:
            raise ParameterError(f"The log corrects row {entry['row']}, which is not in the data.")
        self._apply(Correction(row, entry["action"], entry["label"]), entry["before"])

    def _apply(self, decision: Correction, before: object) -> None:
        self._decisions.append((decision, before))
        if decision.action == "relabel":
            self._set(decision.row, decision.label)

    def _undo(self) -> None:
        last, before = self._decisions.pop()
        if last.action == "relabel":
            self._set(last.row, before)

    def _set(self, row: int, label: Any) -> None:
        rows, neighbors = self._exploration.rows, self._exploration.neighbors
        place = int(neighbors.place[row])
        if place >= 0:
            neighbors.relabel(place, label)
        if rows.code is not None:
            rows.code = rows.code.copy()
            rows.code[row] = self._coded(label)
        elif rows.number is not None:
            rows.number = rows.number.copy()
            rows.number[row] = float(label)

    def _write(self) -> None:
        if self.place is not None:
            content = self.corrections_csv()
            replace_file(self.place, lambda file: file.write(content))

    def _coded(self, label: object) -> Any:
        return targets_of(self._exploration.neighbors.model).coded([label])[0]

    def _named(self, label: object) -> str | float:
        """Return a label as it is kept: the text of a class, or a number."""
        rows, code = self._exploration.rows, self._coded(label)
        return str(rows.classes[code]) if rows.code is not None else float(code)

    def _held_out_error(self) -> float | None:
        neighbors = self._exploration.neighbors
        rest, others = neighbors.others()
        if others is None:
            return None
        truth = self._exploration.rows.truth[rest]
        return neighbors.leave_one_out().targets.error(others.at(neighbors.k), truth)

    def _suggested(self, suspects: list[int]) -> list[object]:
        """Return the label that the audit suggests for rows; None where it is the one they have."""
        rows, audit = self._exploration.rows, self._exploration.rows.audit
        assert audit is not None
        if rows.code is None:
            number = self._exploration.neighbors.predicted(self._exploration.neighbors.k)
            return [float(number[row]) for row in suspects]
        suggested, known = audit.scores.get("suggested_label"), set(rows.class_names)
        if suggested is None:
            return [None] * len(suspects)
        return [
            suggested[row]
            if suggested[row] in known and suggested[row] != rows.label(row)
            else None
            for row in suspects
        ]

    def _harm(self, suspects: Rows, suggested: list[object]) -> AnyArray:
        """Return the harm of rows; a row that is no neighbor of any does none."""
        neighbors = self._exploration.neighbors
        harm = np.zeros(len(suspects))
        place = neighbors.place[suspects]
        inside = np.flatnonzero(place >= 0)
        if len(inside):
            labels = np.array([suggested[one] for one in inside], object)
            harm[inside] = neighbors.leave_one_out().harm(place[inside], labels, neighbors.k)
        return harm

    def _stability(self, row: int) -> dict[str, Any]:
        """Return the range of K around the model's that predicts the same, and what that says."""
        rows, neighbors = self._exploration.rows, self._exploration.neighbors
        if rows.code is None:
            return {"stable_k": None, "reason": "Its number is far from those of its neighbors."}
        ranges = self._ranges(row)
        first, last, predicted = next(one for one in ranges if one[0] <= neighbors.k <= one[1])
        right = [one for one in ranges if str(one[2]) == rows.label(row)]
        stable = {"from": first, "to": last, "predicted": str(predicted)}
        if not right:
            reason = f"No K up to {neighbors.k_max} predicts its label: probably a wrong label."
        elif len(right) == len(ranges):
            reason = "Every K predicts its label; other models do not."
        else:
            first, last, _ = right[0]
            span = f"{first}" if first == last else f"{first} to {last}"
            reason = f"K = {span} predicts its label, others do not: a hard row, or a wrong label."
        return {"stable_k": stable, "reason": reason}

    def _ranges(self, row: int) -> list[tuple[int, int, object]]:
        neighbors = self._exploration.neighbors
        each, (rest, others) = neighbors.leave_one_out(), neighbors.others()
        place = int(neighbors.place[row])
        if place >= 0:
            return each.ranges(place)
        assert others is not None
        values = others.value[np.searchsorted(rest, row)]
        return k_ranges(each.targets.named(values), each.k)

    def _shown(self, decision: Correction, before: object) -> dict[str, object]:
        number = int(self._exploration.rows.dataset.row[decision.row])
        return {**decision._asdict(), "before": before, "number": number}

    def _require_target(self) -> None:
        if not self._exploration.neighbors.predicts:
            raise ParameterError("There is no target, so no label can be changed.")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
