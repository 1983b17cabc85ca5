"""A round of k-means, a round of EM, and a covariance on a GPU, compared with torch."""

from __future__ import annotations

import math

import numpy as np
import torch

from benchmarks.gpu_timing import heading, milliseconds, peer, tried
from lookalike.kernels.gpu.assign import GPUAssigner
from lookalike.kernels.gpu.mixture import expected_sums
from lookalike.kernels.gpu.scatter import scatter
from lookalike.kernels.mixture import Components
from lookalike.kernels.sums import sum_grid

CHECKED = 20_000  # rows whose labels are compared with a float64 search


def torch_lloyd(X, C, batch=2**18):
    """A round as torch users write it: products in float32, then index_add."""
    sums = torch.zeros((len(C), X.shape[1] + 1), device=X.device, dtype=X.dtype)
    height = (C * C).sum(1)
    labels = []
    for part in X.split(batch):
        label = (height - 2 * part @ C.T).argmin(1)
        sums[:, :-1].index_add_(0, label, part)
        sums[:, -1].index_add_(0, label, torch.ones(len(part), device=X.device, dtype=X.dtype))
        labels.append(label)
    return torch.cat(labels), sums


def wrong_labels(X, C, labels):
    """Return how many of the first rows have another center than in float64."""
    gap = torch.cdist(X[:CHECKED].double(), C.double(), compute_mode="donot_use_mm_for_euclid_dist")
    return int((gap.argmin(1) != labels[:CHECKED]).sum())


def lloyd(n=10 * 2**20, d=128, k=1024, dtype=torch.float32):
    """Print rounds of k-means: all rows summed, and one in which few rows move."""
    torch.manual_seed(0)
    X = torch.randn(n, d, device="cuda").to(dtype)
    C = X[:k].clone()
    size = np.full(d + 2, float(X.abs().max()))
    size[-2:] = 1.0, d * size[0] ** 2
    grid = np.vstack([np.zeros(d + 2), sum_grid(size, n)])
    rows, centers = GPUAssigner(X, 1.0), C.double().cpu().numpy()
    compared = rows.assign(centers, rows.no_labels())
    none = rows.no_labels()

    def round_of_all():
        labels = none.clone()
        rows.assign(centers, labels)
        return rows.sums(labels, k, None, grid)

    labels = none.clone()
    rows.assign(centers, labels)
    high, low = (part.cpu().numpy() for part in rows.sums(labels, k, None, grid))
    total = high + low
    moved = total[:, :d] / np.maximum(total[:, [d]], 1.0)
    later = labels.clone()
    rows.assign(moved, later)
    changed = int((labels != later).sum())
    sums = high, low

    def later_round():
        return rows.step(moved, labels.clone(), None, grid, sums)

    assigned = milliseconds(lambda: rows.assign(centers, none.clone()))
    full, second = milliseconds(round_of_all), milliseconds(later_round)
    theirs = milliseconds(lambda: torch_lloyd(X, C), 3)
    bad = wrong_labels(X, C, torch_lloyd(X, C)[0])
    line = f"Lloyd round {n:,} x {d}, k = {k:,}, {str(dtype)[6:]} | {full:.2f} "
    line += f"({wrong_labels(X, C, labels)} wrong; assign {assigned:.2f}, {compared:,} compared; "
    line += f"second round, {changed:,} rows move: {second:.2f}) | {theirs:.1f} ({bad} wrong)"
    flash = peer("flashlib")
    if flash is not None and dtype == torch.float32:
        for kind in (torch.float32, torch.bfloat16):
            x, c = X.to(kind)[None], C.to(kind)[None]
            time = [
                tried(
                    lambda x=x, c=c, m=m: flash.flash_kmeans(
                        x, k, max_iters=m, init_centroids=c, tol=-1.0
                    )
                )
                for m in (1, 6)
            ]
            each = "-" if "-" in time else f"{(float(time[1]) - float(time[0])) / 5:.2f}"
            line += f" | {each}"
    print(line, flush=True)


def torch_em(X, shift, mean, factor, constant):
    """The sums of EM as torch users write them: float64, component by component."""
    z = X.double() - shift
    log_joint = torch.stack(
        [
            a - 0.5 * ((z - m) @ W.T).square().sum(1)
            for m, W, a in zip(mean, factor, constant, strict=True)
        ],
        1,
    )
    peak = log_joint.logsumexp(1)
    share = (log_joint - peak[:, None]).exp()
    scatter_of = torch.stack([((z - m) * share[:, [k]]).T @ (z - m) for k, m in enumerate(mean)])
    return peak.sum(), share.sum(0), share.T @ z, scatter_of


def em(n=2**20, d=32, k=64):
    """Print one round of EM with full covariances."""
    torch.manual_seed(0)
    centers = 3 * torch.randn(k, d, device="cuda")
    X = centers[torch.randint(k, (n,), device="cuda")] + torch.randn(n, d, device="cuda")
    factor = torch.eye(d) + 0.1 * torch.randn(k, d, d).tril(-1)
    constant = torch.full((k,), -math.log(k) - d / 2 * math.log(2 * math.pi))
    parts = (torch.zeros(d), centers.cpu(), factor, constant)
    of = Components(*(part.double().numpy() for part in parts))
    on_gpu = [part.double().to(X.device) for part in parts]
    ours = milliseconds(lambda: expected_sums(X, None, of))
    theirs = milliseconds(lambda: torch_em(X, *on_gpu), 3)
    got, want = expected_sums(X, None, of), torch_em(X, *on_gpu)
    apart = abs(got[0] - float(want[0])) / abs(float(want[0]))
    apart_sums = float(
        np.abs(np.tril(got[1][:, :d, :d]) - want[3].cpu().numpy() * np.tri(d)).max()
        / want[3].abs().max()
    )
    print(
        f"EM round {n:,} x {d}, {k} full components | {ours:.2f} | {theirs:.1f} float64 "
        f"({theirs / ours:.1f}x; log-likelihood {apart:.0e} and scatter {apart_sums:.0e} apart)",
        flush=True,
    )


def torch_covariance(X):
    """Mean and covariance as torch users write them in float64."""
    wide = X.double()
    mean = wide.mean(0)
    wide -= mean
    return mean, wide.T @ wide / (len(X) - 1)


def covariance(n=2**20, d=784, offset=0.0):
    """Print the mean and covariance of float32 rows with float64 sums."""
    torch.manual_seed(0)
    X = torch.rand(n, d, device="cuda") + offset
    ours, theirs = milliseconds(lambda: scatter(X)), milliseconds(lambda: torch_covariance(X))
    apart = np.abs(scatter(X)[3] / (n - 1) - torch_covariance(X)[1].cpu().numpy()).max()
    print(
        f"mean and covariance {n:,} x {d}, offset {offset:g} | {ours:.2f} | {theirs:.1f} float64 "
        f"({theirs / ours:.2f}x; {apart:.0e} apart)",
        flush=True,
    )


def main():
    heading("Reductions on a GPU")
    print("work | ours ms | torch ms | flashlib float32, bfloat16 ms")
    for work in (
        lloyd,
        lambda: lloyd(n=2**22, dtype=torch.float64),
        em,
        covariance,
        lambda: covariance(offset=1e6),
    ):
        work()
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
