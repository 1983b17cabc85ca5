"""Write the page of the gallery, docs/gallery_page/: every example, pictures of the quick ones.

`make docs` calls it. Examples that need data files, or take longer, are listed with their
sources; `make gallery` runs all of them.
"""

from __future__ import annotations

import importlib
import sys
import tempfile
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).parents[1]
GALLERY = ROOT / "gallery"
FOLDER = Path(__file__).parent / "gallery_page"
WIDTH = 320  # pixels of a thumbnail
HEAD = """# Gallery

Every example of the sources, computed again. Each is a program of `gallery/`; `make gallery` runs
all of them, compares every figure with its source, and draws the pictures in full. What was
measured is in [sources](../sources.md).
"""


def main() -> None:
    """Draw thumbnails and write the page."""
    sys.path.insert(0, str(GALLERY))
    import run

    FOLDER.mkdir(exist_ok=True)
    parts = [HEAD]
    with tempfile.TemporaryDirectory() as scratch:
        for name in run.examples():
            pictures = drawn(run, name, Path(scratch))
            parts.append(section(name, pictures))
    (FOLDER / "index.md").write_text("\n".join(parts), "utf-8")
    sys.path.remove(str(GALLERY))


def drawn(run: object, name: str, scratch: Path) -> list[tuple[str, str]]:
    """Return the thumbnails of an example with their captions; none where it is not quick."""
    if name not in run.QUICK:
        return []
    result = run.run(name, scratch)
    assert not result.failed, result.failed
    for file, _ in result.pictures:
        thumbnail(scratch / file, FOLDER / f"{Path(file).stem}.png")
    return [(f"{Path(file).stem}.png", caption) for file, caption in result.pictures]


def thumbnail(source: Path, target: Path) -> None:
    """Write a small picture: the first image of a film."""
    with Image.open(source) as picture:
        small = picture.convert("RGB")
        small.thumbnail((WIDTH, WIDTH))
        small.save(target, optimize=True)


def section(name: str, pictures: list[tuple[str, str]]) -> str:
    """Return what the page says of an example."""
    module = importlib.import_module(name)
    text = (module.__doc__ or name).split("\n\n")[0].replace("\n", " ").strip()
    lines = [f"## {name}", "", f"{text} {module.SOURCE}", ""]
    lines += [f"```{{image}} {file}\n:alt: {caption}\n```\n" for file, caption in pictures[:3]]
    needed = getattr(module, "DATA", ())
    needs = f" (needs {', '.join(needed)})" if needed else ""
    lines.append(f"`python gallery/{name}.py`{needs}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
