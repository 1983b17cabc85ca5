"""Media types of bodies that the service reads and writes."""

from __future__ import annotations

JSON_TYPE = "application/json"
ARROW_TYPE = "application/vnd.apache.arrow.stream"
