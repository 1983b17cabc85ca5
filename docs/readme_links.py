"""Make the links of README absolute, as a package index needs them: `make figures`.

They lead into the repository that `project.urls` in pyproject.toml names as Source; without one
they stay relative, and a test says which of the two README has to be.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!\w+://|#)([^)\s]+)\)")


def source() -> str | None:
    """Return the address of the repository."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return project.get("urls", {}).get("Source")


def absolute(text: str, address: str) -> str:
    """Return a text whose links to files of the tree lead to `address`."""
    return LINK.sub(
        lambda m: f"{m[1]}[{m[2]}]({address}/{'raw' if m[1] else 'blob'}/main/{m[3]})", text
    )


def main() -> None:
    """Write README with absolute links where the repository has an address."""
    address = source()
    if address is not None:
        README.write_text(absolute(README.read_text("utf-8"), address), "utf-8")


if __name__ == "__main__":
    main()
