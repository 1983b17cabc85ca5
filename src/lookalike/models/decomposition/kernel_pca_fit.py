"""The fit of kernel PCA: from all pairs of rows, or through landmarks (Nyström)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp
from scipy.spatial.distance import pdist

from lookalike.data.checks import require_finite
from lookalike.data.chunk import Chunk, Matrix
from lookalike.data.source import Source
from lookalike.decisions import Decisions
from lookalike.engines import Engine
from lookalike.errors import (
    MagnitudeError,
    ParameterError,
    ParameterTypeError,
    ShapeError,
)
from lookalike.interrupt import interruptible
from lookalike.kernels.gram import GRAM_KERNELS, Kernel
from lookalike.kernels.native_arrays import as_dense
from lookalike.models.decomposition.gram_spectrum import (
    GRAM_SOLVERS,
    center,
    clip,
    leading_spectrum,
)
from lookalike.models.decomposition.nystroem import LandmarkFeatures
from lookalike.models.decomposition.preimage import PREIMAGE_METHODS
from lookalike.models.inputs import as_floats
from lookalike.models.linalg.eigenvectors import fix_signs
from lookalike.models.linalg.magnitude import require_shared_magnitude, too_large
from lookalike.reductions.covariance import Covariance
from lookalike.reductions.sample import RandomSample
from lookalike.reductions.wrappers import Checked, Mapped
from lookalike.settings import require_memory
from lookalike.typing import AnyArray, Array
from lookalike.validation import check_choice, check_float, check_int, is_function

if TYPE_CHECKING:
    from lookalike.models.decomposition.kernel_pca import KernelPCA

MEDIAN_ROWS = 1000  # of which all distances are taken for gamma="median"


def fit_exactly(
    model: KernelPCA,
    source: Source,
    kernel: Kernel,
    seed: np.random.RandomState,
    decisions: Decisions,
    *,
    kept: AnyArray | None,
) -> Array:
    """Set the directions from the Gram matrix of all rows; return the scores of the rows.

    `kept` are rows that need no copy.
    """
    if source.n_rows is not None:
        _require_budget(model, source.n_rows)
    rows = _gather(source) if kept is None else kept
    _require_budget(model, rows.shape[0])
    if kept is not None:
        require_finite(rows, 0, source.columns)
    kernel = _settle(model, kernel, rows, seed, decisions)
    if kernel.name == "precomputed" and rows.shape[0] != rows.shape[1]:
        raise ShapeError(
            f"X is {rows.shape[0]} x {rows.shape[1]}, and a precomputed kernel is square. "
            "Give the kernel of every row with every row."
        )
    K = kernel(rows)
    try:
        require_kernel_in_range(K)
    except MagnitudeError:
        raise too_large(source, "the kernel of the rows overflows float64") from None
    if kernel.name != "precomputed":
        largest = float(np.sqrt(np.abs(K.diagonal()).max()))
        require_shared_magnitude(source, largest, "the components of the other rows")
    floor = len(K) * np.finfo(float).eps * float(np.abs(K.diagonal()).max())
    columns, _ = center(K)
    if kernel.name == "precomputed" or callable(kernel.name):
        K = _symmetric(K, decisions)
    wanted = _n_kept(model.n_components, len(K), "rows", decisions)
    value, vector = leading_spectrum(
        K,
        wanted,
        model.eigen_solver,
        decisions,
        tol=model.tol,
        max_iter=model.max_iter,
        iterated_power=model.iterated_power,
        seed=seed,
    )
    del K
    value = clip(value, floor, decisions)
    if model.remove_zero_eig or model.n_components is None:
        value, vector = value[value > 0], vector[:, value > 0]
    inverse = np.divide(1.0, np.sqrt(value), out=np.zeros_like(value), where=value > 0)
    sign = _signs(kernel, rows, vector)
    vector = vector * sign
    axes = vector * inverse
    axes -= axes.mean(axis=0)  # the directions are orthogonal to the constant, but for rounding
    origin = np.full(len(vector), 1 / len(vector))
    scores = vector * np.sqrt(value)
    model._set_axes(kernel, rows, value, axes, columns=columns, origin=origin)
    model.eigenvectors_, model.landmark_error_ = vector, 0.0
    return scores


@np.errstate(over="ignore", invalid="ignore")
def require_kernel_in_range(K: Array) -> None:
    """Raise where a kernel of very large rows left the range of numbers."""
    if not np.isfinite(K.sum()) and not np.isfinite(K).all():
        raise MagnitudeError(
            "The kernel of these rows overflows float64. Rescale the rows, for example "
            "with StandardScaler."
        )


def fit_on_landmarks(
    model: KernelPCA,
    source: Source,
    kernel: Kernel,
    seed: np.random.RandomState,
    decisions: Decisions,
    *,
    engine: Engine,
) -> Array:
    """Set the directions within the span of some rows, from the moments of all in that span.

    Return the scores of these rows.
    """
    _require_budget(model, int(model.landmarks or 0))
    sample = RandomSample(int(model.landmarks or 0), seed=int(seed.randint(2**31)))
    drawn = engine.reduce(Checked(sample, source.columns), source)
    landmarks = as_floats(drawn.X)  # type: ignore[arg-type]  # there is a row at least
    kernel = _settle(model, kernel, landmarks, seed, decisions)
    features = LandmarkFeatures(kernel, landmarks, decisions)
    gather = Mapped(Covariance(ddof=0), features)
    count, mean, covariance = engine.reduce(gather, source)
    inside, outside = covariance[:-1, :-1], float(mean[-1])
    wanted = _n_kept(model.n_components, len(inside), "directions of the landmarks", decisions)
    floor = len(inside) * np.finfo(float).eps * float(kernel.diagonal(landmarks).max())
    total = float(np.trace(inside)) + outside
    value, vector = interruptible(np.linalg.eigh, inside)
    value, vector = value[::-1][:wanted], vector[:, ::-1][:, :wanted]
    value = clip(value, floor, decisions)
    if model.remove_zero_eig or model.n_components is None:
        value, vector = value[value > 0], vector[:, value > 0]
    vector = vector * (value > 0)  # no score along a direction without variance
    columns = features.back @ mean[:-1]
    scores = (kernel(landmarks) - columns) @ (features.root @ vector)
    sign = _signs(kernel, landmarks, scores, features.root @ vector)
    error = outside / total if total > 0 else 0.0
    decisions.add(
        "landmarks",
        f"{len(drawn.row)} of {count:g} rows span the space",
        f"{error:.3%} of the variance lies outside, measured on all rows",
    )
    axes = features.root @ vector * sign
    origin = features.root @ mean[:-1]
    model._set_axes(kernel, landmarks, value * count, axes, columns=columns, origin=origin)
    model.landmark_error_ = error
    return np.asarray(scores * sign)


def check_kernel_pca(model: KernelPCA) -> None:
    """Raise where a parameter cannot be honored."""
    if not is_function(model.kernel):
        check_choice("kernel", model.kernel, GRAM_KERNELS)
    elif not (model.kernel_params is None or hasattr(model.kernel_params, "keys")):
        raise ParameterTypeError(f"kernel_params={model.kernel_params!r} is not a dict. Give one.")
    if model.kernel_params and not is_function(model.kernel):
        raise ParameterError("kernel_params are for a callable kernel. Give gamma, degree, coef0.")
    check_choice("eigen_solver", model.eigen_solver, GRAM_SOLVERS)
    check_choice("preimage", model.preimage, PREIMAGE_METHODS)
    for name in ("n_components", "max_iter", "landmarks"):
        if getattr(model, name) is not None:
            check_int(name, getattr(model, name), least=1)
    if model.iterated_power != "auto":
        check_int("iterated_power", model.iterated_power, least=0)
    infinite = model.kernel == "rbf"
    if model.gamma not in (None, "median"):
        check_float("gamma", model.gamma, least=0.0, infinite=infinite)
    for name, least in (("degree", 0.0), ("coef0", -1e300), ("alpha", 0.0), ("tol", 0.0)):
        check_float(name, getattr(model, name), least=least)
    _check_together(model)


def _check_together(model: KernelPCA) -> None:
    precomputed = model.kernel == "precomputed"
    if model.fit_inverse_transform and precomputed:
        raise ParameterError(
            "Cannot fit_inverse_transform with a precomputed kernel: the rows are not known. "
            "Give the rows and the name of the kernel."
        )
    if model.landmarks is not None and precomputed:
        raise ParameterError(
            "landmarks= avoids the Gram matrix, and kernel='precomputed' gives it."
        )
    if model.landmarks is not None and model.eigen_solver != "auto":
        raise ParameterError(
            f"eigen_solver={model.eigen_solver!r} solves the n x n problem, which landmarks= "
            "spare. Leave one of them out."
        )
    needed = {"fixed-point": "rbf", "exact": "linear"}.get(model.preimage, model.kernel)
    if model.kernel != needed:
        raise ParameterError(
            f"preimage={model.preimage!r} is for kernel={needed!r}, and kernel={model.kernel!r}. "
            "Give preimage='ridge'."
        )


def _settle(
    model: KernelPCA,
    kernel: Kernel,
    rows: Matrix,
    seed: np.random.RandomState,
    decisions: Decisions,
) -> Kernel:
    """Return the kernel with its gamma, and the shift that spares dense rows their offset."""
    if model.fit_inverse_transform and sp.issparse(rows):
        raise ParameterTypeError("Pre-images of sparse rows would be dense. Give X.toarray().")
    gamma = 1.0 / rows.shape[1] if model.gamma is None else model.gamma
    if gamma == "median":
        gamma = _median_gamma(rows, seed)
        decisions.add("gamma", f"{gamma:.6g}", "1 / (2 m²) with the median distance m of the rows")
    movable = kernel.name in ("linear", "rbf") and not sp.issparse(rows)
    shift = rows.mean(axis=0, dtype=np.float64) if movable else None
    return replace(kernel, gamma=float(gamma), shift=shift)


def _median_gamma(rows: Matrix, seed: np.random.RandomState) -> float:
    if rows.shape[0] > MEDIAN_ROWS:
        rows = rows[np.sort(seed.permutation(rows.shape[0])[:MEDIAN_ROWS])]
    square = pdist(as_dense(rows).astype(np.float64, copy=False), "sqeuclidean")
    middle = np.median(square) if len(square) else 0.0
    if middle == 0.0 and square.any():  # most rows are equal: the others settle it
        middle = np.median(square[square > 0])
    return float(1 / (2 * middle)) if middle > 0 else 1.0


def _gather(source: Source) -> AnyArray:
    parts = []
    for chunk in map(Chunk.in_memory, source.chunks()):
        require_finite(chunk.X, chunk.offset, source.columns)
        parts.append(chunk.X)
    rows = sp.vstack(parts, format="csr") if sp.issparse(parts[0]) else np.concatenate(parts)
    return as_floats(rows)


def _symmetric(K: Array, decisions: Decisions) -> Array:
    """Return a Gram matrix whose halves agree."""
    difference = float(np.abs(K - K.T).max())
    if difference <= 1e-10 * float(np.abs(K).max()):
        return K
    decisions.add(
        "kernel", "(K + K') / 2", f"K is not symmetric: entries differ by {difference:.3g}"
    )
    return (K + K.T) / 2


def _n_kept(n_components: int | None, most: int, what: str, decisions: Decisions) -> int:
    if n_components is None or n_components <= most:
        return most if n_components is None else int(n_components)
    decisions.add("n_components", most, f"there are {most} {what} and n_components={n_components}")
    return most


def _signs(kernel: Kernel, rows: Matrix, vector: Array, axes: Array | None = None) -> Array:
    """Return 1 or -1 for each direction, by the one rule for signs."""
    if kernel.name == "linear" and not sp.issparse(rows):
        directions = (vector if axes is None else axes).T @ kernel._ready(rows)
    else:
        directions = vector.T
    if not directions.size:
        return np.ones(len(directions))
    turned = np.einsum("ij,ij->i", fix_signs(directions), directions) < 0
    return np.where(turned, -1.0, 1.0)


def _require_budget(model: KernelPCA, n_rows: int) -> None:
    """Raise unless the Gram matrix and the solver's room fit the memory budget."""
    full = model.n_components is None or model.n_components > n_rows // 4
    full = model.landmarks is not None or (full and model.eigen_solver in ("auto", "dense"))
    needed = 8 * n_rows**2 * (3 if full else 1)
    require_memory(
        needed,
        f"The {n_rows} x {n_rows} Gram matrix of KernelPCA and its eigenvectors take",
        "Give landmarks=1000 (their error is measured), fewer rows, a small n_components, or "
        f"lookalike.config(memory='{np.ceil(needed / 1e9):.0f}GB').",
    )
