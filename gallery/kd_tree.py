"""The KD-tree of six points, its cells, and a neighbor missed by going down alone [LUMS]."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Circle
from record import Record, run_alone

from lookalike.index import KDTreeIndex
from lookalike.report.plots.kdtree import plot_kdtree

SOURCE = "[LUMS]"
SYSTEMS = ("N10",)
POINTS = np.array([[3, 1], [2, 6], [5, 4], [8, 7], [10, 2], [13, 3]], float)
WINDOW = ((0.0, 14.0), (0.0, 8.0))


class Cell(NamedTuple):
    """A node of the tree: its point, the column it splits, and the box it splits."""

    point: int
    column: int
    low: tuple[float, float]
    high: tuple[float, float]
    children: tuple  # of Cell or None, below and above


def tree(rows, low, high):
    """Return the tree of the source: split the column of larger variance at its middle value."""
    if not len(rows):
        return None
    column = int(POINTS[rows].var(axis=0).argmax())
    rows = rows[np.argsort(POINTS[rows, column], kind="stable")]
    middle = (len(rows) - 1) // 2
    split = POINTS[rows[middle], column]
    below, above = list(high), list(low)
    below[column], above[column] = split, split
    children = tree(rows[:middle], low, tuple(below)), tree(rows[middle + 1 :], tuple(above), high)
    return Cell(int(rows[middle]), column, low, high, children)


def walk(cell, query, *, back):
    """Return the nearest point and how many were looked at; without `back` go down only."""
    best, seen, stack = (np.inf, -1), 0, [(cell, 0.0)]
    while stack:
        cell, gap = stack.pop()
        if cell is None or gap > best[0]:
            continue
        point = POINTS[cell.point]
        seen += 1
        best = min(best, (float(np.linalg.norm(query - point)), cell.point))
        side = query[cell.column] - point[cell.column]
        near, far = cell.children if side < 0 else cell.children[::-1]
        if back:
            stack.append((far, abs(side)))
        stack.append((near, 0.0))
    return best[1], seen


def named(cell):
    """Return the point of a node as the source writes it."""
    x, y = POINTS[cell.point]
    return f"({x:g}, {y:g})"


def level(cells_of_level):
    """Return the points of one level, from left to right."""
    return tuple(named(cell) for cell in cells_of_level if cell is not None)


def figures(record: Record) -> None:
    root = tree(np.arange(6), *zip(*WINDOW, strict=True))
    record.printed("root, which splits x1", "(5, 4)", named(root))
    record.printed("its children, which split x2", ("(3, 1)", "(13, 3)"), level(root.children))
    leaves = [leaf for child in root.children for leaf in child.children]
    record.printed("their children", ("(2, 6)", "(10, 2)", "(8, 7)"), level(leaves))
    index = KDTreeIndex(POINTS, leaf_size=1)
    rng = np.random.default_rng(0)
    queries = np.column_stack([rng.uniform(*bounds, 2000) for bounds in WINDOW])
    truth = ((queries[:, None] - POINTS) ** 2).sum(axis=-1).argmin(axis=1)
    down = np.array([walk(root, q, back=False)[0] for q in queries])
    back, seen = np.array([walk(root, q, back=True) for q in queries]).T
    ours = index.query(queries, 1).row[:, 0]
    missed = (down != truth).mean()
    record.claim(
        "down to a leaf only: queries that miss their neighbor",
        "may miss neighbors",
        f"{missed:.1%}",
        missed > 0,
    )
    for name, rows in (("going back up", back), ("KDTreeIndex", ours)):
        lost = int((rows != truth).sum())
        record.claim(
            f"{name}: neighbors missed, of 2,000", "a trick to handle this", lost, not lost
        )
    record.measured("points looked at by a query, of 6", f"{seen.mean():.1f}")
    record.equation("KDTreeIndex: depth of 6 points", "⌈log2 n⌉", 3, index.depth)
    wrong = np.flatnonzero(down != truth)
    gain = [
        np.linalg.norm(queries[i] - POINTS[down[i]]) - np.linalg.norm(queries[i] - POINTS[truth[i]])
        for i in wrong
    ]
    query = queries[wrong[int(np.argmax(gain))]]
    record.picture(picture(root, query), "kd_tree.png", "Cells, the tree, and a missed neighbor")
    many = KDTreeIndex(rng.random((200, 2)), leaf_size=8)
    ax = plot_kdtree(many, [0.62, 0.36])
    record.picture(ax, "kd_tree_cells.png", "KDTreeIndex: the cells of 200 rows, and a query")


def picture(root, query):
    """Draw the cells, and the tree with the way of a query."""
    figure = Figure(figsize=(12, 4.8), layout="constrained")
    plane, graph = figure.subplots(1, 2)
    cells(plane, root)
    lost, _ = walk(root, query, back=False)
    right, _ = walk(root, query, back=True)
    radius = np.linalg.norm(query - POINTS[lost])
    plane.add_patch(Circle(query, radius, fill=False, color="tab:red", ls="--"))
    plane.plot(*POINTS.T, "o", color="black")
    for x, y in POINTS:
        plane.annotate(f"({x:g}, {y:g})", (x, y), xytext=(5, 5), textcoords="offset points")
    plane.plot(*query, "*", color="tab:red", ms=14, label="query")
    plane.plot(*POINTS[lost], "o", ms=14, mfc="none", color="tab:orange", label="found going down")
    plane.plot(*POINTS[right], "o", ms=14, mfc="none", color="tab:green", label="nearest")
    plane.set(xlim=WINDOW[0], ylim=WINDOW[1], aspect="equal", xlabel="x1", ylabel="x2")
    plane.set_title("Cells; the circle crosses a boundary: go back")
    figure.legend(*plane.get_legend_handles_labels(), loc="outside lower left", ncols=3)
    graph.set_axis_off()
    graph.set(xlim=(-0.05, 1.05), ylim=(-2.4, 0.4), title="The tree")
    branches(graph, root, 0.0, 1.0, 0)
    return plane


def cells(ax, cell):
    """Draw where each node splits its box."""
    if cell is None or cell.children == (None, None):
        return
    x, y = POINTS[cell.point]
    if cell.column == 0:
        ax.plot([x, x], [cell.low[1], cell.high[1]], color="tab:blue", lw=1.2)
    else:
        ax.plot([cell.low[0], cell.high[0]], [y, y], color="tab:purple", lw=1.2)
    for child in cell.children:
        cells(ax, child)


def branches(ax, cell, left, right, depth):
    """Draw a node above its children."""
    middle = (left + right) / 2
    x, y = POINTS[cell.point]
    color = "tab:blue" if cell.column == 0 else "tab:purple"
    for child, (a, b) in zip(cell.children, ((left, middle), (middle, right)), strict=True):
        if child is not None:
            ax.plot([middle, (a + b) / 2], [-depth, -depth - 1], color="0.6", zorder=0)
            branches(ax, child, a, b, depth + 1)
    split = any(child is not None for child in cell.children)
    text = f"({x:g}, {y:g})" + (f"\nsplits x{cell.column + 1}" if split else "")
    box = {"boxstyle": "round", "facecolor": "white", "edgecolor": color if split else "0.6"}
    ax.text(middle, -depth, text, ha="center", va="center", bbox=box)


if __name__ == "__main__":
    run_alone(figures, SOURCE)
