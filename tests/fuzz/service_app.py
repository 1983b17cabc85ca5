"""A running service that is asked anything, for the targets of bodies and routes."""

from __future__ import annotations

import logging
from contextlib import contextmanager

import pytest

pytest.importorskip("fastapi", reason="fastapi is not installed")

from service import example_models, running


class Answers:
    """A service with models; `require_answer` fails where a response is not one of ours."""

    def __init__(self, service, errors):
        self.service, self._errors = service, errors

    def require_answer(self, method, path, body=None, **headers):
        """Send a request; its status is below 500, or 503, and a refusal is a problem."""
        reply = self.service.call(method, path, body, **headers)
        assert not self._errors.records, self._errors.records
        assert reply.status < 500 or reply.status == 503, reply.body
        if reply.status >= 400 and method != "HEAD" and not path.startswith("/framed/"):
            problem = reply.json()
            assert problem["status"] == reply.status
            assert problem["detail"]
        return reply


@contextmanager
def answering(exploration=None, **limits):
    """Serve the models of the tests, and keep what is logged as an error."""
    errors = _Errors()
    log = logging.getLogger("lookalike.web")
    log.addHandler(errors)
    try:
        with running(example_models(), exploration=exploration, limits=limits) as service:
            yield Answers(service, errors)
    finally:
        log.removeHandler(errors)


class _Errors(logging.Handler):
    def __init__(self):
        super().__init__(logging.ERROR)
        self.records = []

    def emit(self, record):
        self.records.append(self.format(record))
