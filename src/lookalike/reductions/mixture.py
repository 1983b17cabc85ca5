"""One iteration of EM: the expected weight and moments of every mixture component."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np

from lookalike.data.chunk import Chunk
from lookalike.kernels.mixture import Components, expected_sums, sums_given
from lookalike.typing import Array, is_tensor

# Weight, log-likelihood, and sums about the last means: (k, d + 1, d + 1) or (k, 2, d + 1).
MixtureSums: TypeAlias = tuple[float, float, Array]


class ComponentMoments(NamedTuple):
    """Weight and moments of the rows of every component, by their responsibilities."""

    weight: float  # of all rows
    log_likelihood: float
    count: Array  # type: ignore[assignment]  # (k,), N_k
    shift: Array  # (k, d), from the mean of the last iteration to the mean of its rows
    scatter: Array  # (k, d, d), or (k, d) its diagonal: about the mean of its rows


class MixtureEStep:
    r"""The sums from which the next parameters of a mixture are estimated.

    .. math:: \gamma(z_{nk}) = \frac{\pi_k N(x_n | \mu_k, \Sigma_k)}
                                    {\sum_l \pi_l N(x_n | \mu_l, \Sigma_l)}, \qquad
              N_k = \sum_n \gamma(z_{nk})

    [UGR]: the E-step, and of the M-step all that needs the rows. Responsibilities are kept
    for a tile of rows only. Sums are formed about the means given, so that no offset does harm.

    Parameters
    ----------
    components : Components
        The mixture of the last iteration.
    nearest : bool
        Whether a row is wholly of the component most dense at it.
    shares : RandomShares, optional
        Responsibilities that are drawn instead.
    threads : int
        Of the kernel; 0 means the setting of :func:`lookalike.config`.
    """

    on_gpu = True

    def __init__(
        self,
        components: Components,
        *,
        nearest: bool = False,
        shares: RandomResponsibilities | None = None,
        threads: int = 0,
    ) -> None:
        self.components = components
        self.nearest = nearest
        self.shares = shares
        self.threads = threads

    def init(self, n_features: int) -> MixtureSums:
        """Return the sums over no rows."""
        height = 2 if self.components.diagonal else n_features + 1
        return 0.0, 0.0, np.zeros((len(self.components.mean), height, n_features + 1))

    def update(self, state: MixtureSums, chunk: Chunk) -> MixtureSums:
        """Add the rows of `chunk`."""
        X = chunk.X if is_tensor(chunk.X) else np.asarray(chunk.X)
        weight = float(len(X)) if chunk.weight is None else float(chunk.weight.sum())
        if self.shares is not None:
            share = self.shares(chunk.offset, len(X))
            sums = sums_given(X, chunk.weight, share, self.components, threads=self.threads)
            return self.merge(state, (weight, 0.0, sums))
        log_likelihood, sums = expected_sums(
            X, chunk.weight, self.components, nearest=self.nearest, threads=self.threads
        )
        return self.merge(state, (weight, log_likelihood, sums))

    def merge(self, left: MixtureSums, right: MixtureSums) -> MixtureSums:
        """Add two groups of rows."""
        return left[0] + right[0], left[1] + right[1], left[2] + right[2]

    def finalize(self, state: MixtureSums) -> ComponentMoments:
        """Return count, shift and scatter of every component; zeros where it has no rows."""
        weight, log_likelihood, sums = state
        first = sums[:, 0, :-1] if self.components.diagonal else sums[:, -1, :-1]
        count = sums[:, -1, -1] if not self.components.diagonal else sums[:, 0, -1]
        shift = first / np.where(count > 0, count, 1.0)[:, None]
        if self.components.diagonal:
            scatter = np.maximum(sums[:, 1, :-1] - first * shift, 0.0)
        else:
            lower = np.tril(sums[:, :-1, :-1] - first[:, :, None] * shift[:, None, :])
            scatter = lower + np.tril(lower, -1).transpose(0, 2, 1)
        return ComponentMoments(weight, log_likelihood, count, shift, scatter)


class RandomResponsibilities:
    """Responsibilities drawn at random, the same for a row in any chunk.

    Examples
    --------
    >>> shares = RandomResponsibilities(3, seed=0)
    >>> bool((shares(2, 4)[1] == shares(3, 1)[0]).all())
    True
    """

    def __init__(self, n_components: int, seed: int) -> None:
        self.n_components = n_components
        self.seed = seed

    def __call__(self, offset: int, n_rows: int) -> Array:
        """Return the responsibilities of rows `offset` and after, (n_rows, n_components)."""
        blocks = -(-self.n_components // 4)  # the generator gives four numbers a step
        bits = np.random.Philox(key=self.seed).advance(offset * blocks)
        drawn = np.random.Generator(bits).random((n_rows, 4 * blocks))[:, : self.n_components]
        return np.ascontiguousarray(drawn / drawn.sum(axis=1, keepdims=True))
