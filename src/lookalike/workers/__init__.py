"""Work in processes of its own, which are ended from outside at a limit of time or memory."""

from lookalike.workers.pool import WorkerPool, worker_pool
from lookalike.workers.same_process import SameProcess
from lookalike.workers.shared import SharedArray
from lookalike.workers.work import Failure, Outcome, Work

__all__ = [
    "Failure",
    "Outcome",
    "SameProcess",
    "SharedArray",
    "Work",
    "WorkerPool",
    "worker_pool",
]
