"""One service for all tests of the folder."""

from __future__ import annotations

import pytest

pytest.importorskip("fastapi", reason="fastapi is not installed")

from service import Service, running  # noqa: F401


@pytest.fixture(scope="session")
def models():
    from service import example_models

    return example_models()


@pytest.fixture(scope="session")
def service(models):

    with running(models) as service:
        yield service
