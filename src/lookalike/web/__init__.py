"""Models over HTTP: the service, its Python client, and the page on which a study is explored."""

from __future__ import annotations

from lookalike.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__, {"app": ["create_app"], "client": ["Client"], "options": ["ServeOptions"]}
)
