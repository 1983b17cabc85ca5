"""The models of a service by name: loaded in the background, and again when a file is replaced."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lookalike.printable import printable
from lookalike.store.file import load, load_companion
from lookalike.validation import few, shown
from lookalike.web.metrics import Metrics
from lookalike.web.options import ServeOptions
from lookalike.web.problems import ProblemError
from lookalike.web.served_model import ServedModel, StudyModel

if TYPE_CHECKING:
    from logging import Logger


MODEL_SUFFIX = ".lookalike"
log: Logger = logging.getLogger("lookalike.web")


class ModelFile:
    """What is known of one name: its file, the model that serves, and the last failure."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.served: ServedModel | None = None
        self.seen: tuple[int, ...] | None = None  # state of the file when it was last read
        self.failure: str | None = None
        self.loaded_at: float | None = None

    @property
    def is_waiting(self) -> bool:
        """Whether nothing is known of the model yet: neither that it answers nor a failure."""
        return self.served is None and self.failure is None

    def changed(self) -> tuple[int, ...] | None:
        """Return the state of the file where it is new, None where it is as it was or absent."""
        if self.path is None:
            return None
        try:
            status = os.stat(self.path)
        except OSError:
            return None
        state = (status.st_ino, status.st_size, status.st_mtime_ns)
        return None if state == self.seen else state

    def absence(self) -> str | None:
        """Return why there is no file, where none was ever loaded; None where there is one."""
        if self.path is None or not self.is_waiting or self.path.exists():
            return None
        if not self.path.is_symlink():
            return f"The file {self.path.name} does not exist."
        return f"{self.path.name} is a symbolic link whose target does not exist."


class ModelRegistry:
    """Models by name: those of a mapping, and the files of a folder as they come.

    A file that is replaced is loaded beside the model that serves; when the new one has answered a
    probe it takes over, and requests that the old one accepted are finished by it. A file that
    cannot be loaded leaves the old model in place, and the failure is shown in /v1/models. A new
    name is added to a copy of the files, as other threads go through them meanwhile. Names of files
    may be any bytes; those of models are texts that can be shown.
    """

    options: ServeOptions
    metrics: Metrics
    folder: Path | None

    def __init__(
        self,
        models: Mapping[str, Any],
        options: ServeOptions,
        metrics: Metrics,
        folder: Path | None = None,
    ) -> None:
        self.options, self.metrics, self.folder = options, metrics, folder
        self.files: dict[str, ModelFile] = {}
        named = {printable(name): model for name, model in models.items()}
        self._given = {n: m for n, m in named.items() if not isinstance(m, (str, os.PathLike))}
        for name, model in named.items():
            self.files[name] = ModelFile(None if name in self._given else Path(model))
        self._watch: asyncio.Task[None] | None = None
        self._replacing = threading.Lock()  # held while a model is probed: never by the loop
        self._naming = threading.Lock()

    @property
    def ready(self) -> bool:
        """Whether there is a model, and every one without a failure has answered its probe."""
        served = [file for file in self.files.values() if file.served is not None]
        return bool(served) and not any(file.is_waiting for file in self.files.values())

    @property
    def serving(self) -> dict[str, ServedModel]:
        """The models that serve now, by name."""
        served = {name: file.served for name, file in sorted(self.files.items())}
        return {name: one for name, one in served.items() if one is not None}

    @property
    def failures(self) -> dict[str, str]:
        """Why models are not served, by name."""
        return {
            name: str(file.failure)
            for name, file in sorted(self.files.items())
            if file.served is None and file.failure is not None
        }

    def get(self, name: str | None) -> ServedModel:
        """Return the model of a name, or the only one; raise a problem where there is none."""
        files = self.files
        if name is None:
            if len(files) != 1:
                listed = few(sorted(files), text=str)
                raise ProblemError(422, f"There are several models. Add ?model=, one of {listed}.")
            (name,) = files
        file = files.get(name)
        if file is None:
            raise ProblemError(404, f"There is no model {shown(name)}. See /v1/models.")
        if file.served is None:
            detail = file.failure or "It is being loaded."
            raise ProblemError(
                503, f"{shown(name)} is not ready. {detail}", headers={"retry-after": "1"}
            )
        return file.served

    def describe(self) -> list[dict[str, object]]:
        """Return all models as plain data."""
        described = []
        for name, file in sorted(self.files.items()):
            known: dict[str, object] = (
                {"name": name} if file.served is None else file.served.describe()
            )
            known["ready"] = file.served is not None
            known["loaded_at"] = file.loaded_at
            known["failure"] = file.failure
            described.append(known)
        return described

    def start(self) -> None:
        """Load all models in a thread, then look for files that were replaced."""
        self._watch = asyncio.get_running_loop().create_task(self._watch_files())

    def load_all(self) -> None:
        """Load every model now, before anything is served."""
        self._list_folder()
        for name, file in self.files.items():
            if name in self._given:
                self._replace(name, file, self._given[name])
            elif state := file.changed():
                file.seen = state
                self._load(name, file)
            elif reason := file.absence():
                self._note_failure(name, file, reason)

    def offer(self, models: Mapping[str, object]) -> None:
        """Let fitted models take the place of those of the same names, once each has answered."""
        for name, model in models.items():
            with self._replacing:
                self._given = {**self._given, name: model}
                self._replace(name, self._add(name, None), model)

    async def stop(self) -> None:
        """Stop looking; calls that were accepted are finished."""
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.gather(self._watch, return_exceptions=True)
        for file in self.files.values():
            if file.served is not None:
                file.served.close()
                await file.served.queue.drain()

    async def _watch_files(self) -> None:
        for name in self._given:
            await asyncio.to_thread(self._serve_given, name)
        while True:
            self._list_folder()
            for name, file in self.files.items():
                if state := file.changed():
                    file.seen = state
                    await asyncio.to_thread(self._load, name, file)  # which raises nothing
                elif reason := file.absence():
                    self._note_failure(name, file, reason)
            await asyncio.sleep(self.options.reload_interval)

    def _serve_given(self, name: str) -> None:
        """Let the fitted model of a name serve, unless another was offered before."""
        with self._replacing:
            if self.files[name].is_waiting:
                self._replace(name, self.files[name], self._given[name])

    def _add(self, name: str, path: Path | None) -> ModelFile:
        """Return the file of a name, a new one where the name is new."""
        with self._naming:
            if name not in self.files:
                self.files = {**self.files, name: ModelFile(path)}
            return self.files[name]

    def _list_folder(self) -> None:
        """Add the model files that are new in the folder."""
        if self.folder is None:
            return
        try:
            names = os.listdir(self.folder)
        except OSError:
            return
        for name in sorted(names):
            if name.endswith(MODEL_SUFFIX) and not name.startswith("."):
                self._add(printable(name.removesuffix(MODEL_SUFFIX)), self.folder / name)

    def _load(self, name: str, file: ModelFile) -> None:
        assert file.path is not None
        try:
            model = load(file.path)
        except Exception as error:  # whatever the file holds, the others are still looked at
            self._note_failure(name, file, _reason(error, file.path))
            return
        try:
            companion = load_companion(file.path)
        except Exception as error:  # the model answers without it
            companion = None
            log.warning("%s: the companion is not used: %s", printable(name), printable(str(error)))
        with self._replacing:
            self._replace(name, file, StudyModel(model, companion))

    def _replace(self, name: str, file: ModelFile, given: object) -> None:
        """Let a model serve under a name once it has answered a probe."""
        model, companion = given if isinstance(given, StudyModel) else (given, None)
        version = 1 if file.served is None else file.served.version + 1
        observe = self.metrics.observer(name)
        try:
            served = ServedModel(
                name, model, self.options, version=version, observe=observe, companion=companion
            )
        except Exception as error:  # a model of a stranger may lack anything
            self._note_failure(name, file, _reason(error, file.path))
            return
        try:
            served.probe()
        except Exception as error:
            served.close()
            self._note_failure(name, file, _reason(error, file.path))
            return
        for operation, reason in served.refused.items():
            log.info("%s: no %s: %s", printable(name), operation, printable(reason))
        before, file.served = file.served, served
        file.failure, file.loaded_at = None, time.time()
        self.metrics.loaded(name, version)
        if before is not None:
            before.close()

    def _note_failure(self, name: str, file: ModelFile, reason: str) -> None:
        kept = "" if file.served is None else f" Version {file.served.version} still serves."
        file.failure = printable(f"{reason}{kept}")
        self.metrics.failed(name)
        log.warning("%s: %s", printable(name), file.failure)


def _reason(error: BaseException, path: Path | None) -> str:
    """Return why a model could not be loaded: with the name of its file, not where it lies."""
    text = " ".join(str(error).split()) or type(error).__name__
    if path is not None:
        text = text.replace(str(path), path.name)
    return f"The {'model' if path is None else 'file'} could not be loaded: {text}"
