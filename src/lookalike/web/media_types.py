"""Media types of bodies that the service reads and writes."""

from __future__ import annotations

JSON = "application/json"
ARROW = "application/vnd.apache.arrow.stream"
