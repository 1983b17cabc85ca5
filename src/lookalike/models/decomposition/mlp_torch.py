"""The same networks, trained by PyTorch, on a GPU where there is one."""

from __future__ import annotations

import itertools
from typing import Any

from sklearn.neural_network import MLPRegressor

from lookalike.errors import ExtraMissingError
from lookalike.models.decomposition.mlp import Layers
from lookalike.typing import Array

USUAL_BATCH = 200


class TorchEpochs:
    r"""A network under training by Adam, in float64, one epoch at a time.

    The loss is that of scikit-learn's MLP: half the mean squared error, and the penalty
    :math:`\frac{\alpha}{2 n} \sum \|W\|^2` of each batch of n rows.
    """

    def __init__(self, X: Array, config: MLPRegressor) -> None:
        self._torch = torch = _torch()
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        self._X = torch.as_tensor(X, dtype=torch.float64, device=self.device)
        self._config = config
        self._generator = torch.Generator().manual_seed(config.random_state)
        sizes = (X.shape[1], *config.hidden_layer_sizes, X.shape[1])
        pairs = list(itertools.pairwise(sizes))
        self._weights = [self._uniform((a, b), a + b) for a, b in pairs]
        self._biases = [self._uniform((b,), a + b) for a, b in pairs]
        parameters = [*self._weights, *self._biases]
        self._adam = torch.optim.Adam(parameters, lr=config.learning_rate_init)

    def step(self) -> float:
        """Train for one epoch, and return the loss."""
        n_rows = len(self._X)
        batch_size = self._config.batch_size
        size = min(USUAL_BATCH if isinstance(batch_size, str) else batch_size, n_rows)
        order = self._torch.randperm(n_rows, generator=self._generator).to(self.device)
        total = 0.0
        for start in range(0, n_rows, size):
            batch = self._X[order[start : start + size]]
            self._adam.zero_grad()
            loss = self._loss(batch)
            loss.backward()
            self._adam.step()
            total += float(loss.detach()) * len(batch)
        return total / n_rows

    def layers(self) -> Layers:
        """Return the network as it is now."""
        weights, biases = (
            tuple(part.detach().cpu().numpy().copy() for part in parts)
            for parts in (self._weights, self._biases)
        )
        return weights, biases

    def _loss(self, batch: Any) -> Any:
        output, activate = batch, self._activation()
        for layer, (weight, bias) in enumerate(zip(self._weights, self._biases, strict=True)):
            output = output @ weight + bias
            if layer < len(self._weights) - 1:
                output = activate(output)
        penalty = sum((weight**2).sum() for weight in self._weights)
        return ((output - batch) ** 2).mean() / 2 + self._config.alpha / 2 / len(batch) * penalty

    def _uniform(self, shape: tuple[int, ...], fans: int) -> Any:
        """Return weights as [Glorot10] draws them, as scikit-learn does."""
        bound = ((2.0 if self._config.activation == "logistic" else 6.0) / fans) ** 0.5
        drawn = self._torch.rand(shape, dtype=self._torch.float64, generator=self._generator)
        return ((2 * drawn - 1) * bound).to(self.device).requires_grad_()

    def _activation(self) -> Any:
        name = self._config.activation
        if name == "identity":
            return lambda a: a
        return getattr(self._torch, "sigmoid" if name == "logistic" else name)


def _torch() -> Any:
    try:
        import torch
    except ImportError as missing:
        raise ExtraMissingError.of("torch, which backend='torch' requires,", "gpu") from missing
    return torch
