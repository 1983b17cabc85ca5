"""What many write to serve a model: a FastAPI endpoint around scikit-learn's brute-force K-NN."""

from __future__ import annotations

import sys

import numpy as np
import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel
from sklearn.neighbors import KNeighborsClassifier

from lookalike.data.batches import gather
from lookalike.data.samples import sample


class Rows(BaseModel):
    rows: list[list[float]]


def main() -> None:
    port, n_rows = map(int, sys.argv[1:])
    train = gather(sample("mnist", "train"))
    X, y = train.X[:n_rows].astype(np.float32), train.y[:n_rows]
    model = KNeighborsClassifier(3, algorithm="brute").fit(X, y)
    app = FastAPI()

    @app.post("/v1/predict")
    def predict(body: Rows) -> dict[str, list[int]]:
        return {"predictions": model.predict(np.array(body.rows, np.float32)).tolist()}

    @app.get("/readyz")
    def ready() -> dict[str, str]:
        return {"status": "ready"}

    uvicorn.run(app, port=port, log_level="error", access_log=False)


if __name__ == "__main__":
    main()
