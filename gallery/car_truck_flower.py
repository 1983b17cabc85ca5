"""LSA merges the dimensions of terms that mean the same: {(car), (truck), (flower)} [UCSD]."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from printed import compare

from lookalike import LSA
from lookalike.report.plots.lsa import plot_documents_and_terms

PRINTED = (1.3452, 0.2828)  # 1.3452 * car + 0.2828 * truck

# The source prints weights and no documents. These eight give weights in its proportion: three
# use both words, two say car alone, three are about flowers.
CAR, TRUCK, FLOWER = np.array(
    [[5, 4, 2, 2, 2, 0, 0, 0], [1, 1, 1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 3, 2, 2]]
)


def main(out: Path) -> None:
    documents = [
        " ".join(["car"] * car + ["truck"] * truck + ["flower"] * flower)
        for car, truck, flower in zip(CAR, TRUCK, FLOWER, strict=True)
    ]
    lsa = LSA(2, weighting="raw").fit(documents)
    of = {term: lsa.components_[:, j] for j, term in enumerate(lsa.terms_)}
    scale = np.hypot(*PRINTED)  # the printed weights are not of length 1
    rows, scores = lsa.search("truck", k=5)
    compare(
        "{(car), (truck), (flower)} -> {(1.3452 * car + 0.2828 * truck), (flower)}",
        [
            ("weight of car", PRINTED[0], f"{of['car'][0] * scale:.4f}"),
            ("weight of truck", PRINTED[1], f"{of['truck'][0] * scale:.4f}"),
            ("weight of flower in the merged dimension", 0, f"{abs(of['flower'][0]):.4f}"),
            ("weight of flower in its own", 1, f"{of['flower'][1]:.4f}"),
            (
                "documents retrieved by 'truck', which two do not contain",
                "-",
                sorted(rows.tolist()),
            ),
            ("least of their cosines", "-", f"{scores.min():.4f}"),
        ],
    )
    out.mkdir(parents=True, exist_ok=True)
    ax = plot_documents_and_terms(lsa)
    ax.figure.savefig(out / "car_truck_flower.png", dpi=120)


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--out", type=Path, default=Path("build/gallery"))
    main(options.parse_args().out)
