"""Formulas as MathML, which browsers draw themselves: the pages need neither network nor script."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert


def as_mathml(text: str, display: str) -> str:
    """Return a formula of TeX as MathML."""
    return convert(text.replace("\\tfrac", "\\frac").replace("\\!", ""), display=display)


def visit_math(translator: Any, node: nodes.math) -> None:
    """Write a formula in a line."""
    translator.body.append(as_mathml(node.astext(), "inline"))
    raise nodes.SkipNode


def visit_math_block(translator: Any, node: nodes.math_block) -> None:
    """Write a formula that stands by itself."""
    translator.body.append(f'<div class="math">{as_mathml(node.astext(), "block")}</div>')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Let HTML have formulas as MathML."""
    app.add_node(nodes.math, override=True, html=(visit_math, None))
    app.add_node(nodes.math_block, override=True, html=(visit_math_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
