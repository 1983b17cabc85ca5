"""Functions beside the neighbor models: plans, searches of rows among themselves, files."""

from lookalike.explain.leave_one_out import leave_one_out
from lookalike.explain.self_search import self_search
from lookalike.models.neighbors.neighbor_file import save_neighbors
from lookalike.models.neighbors.search_plan import search_plan

__all__ = ["leave_one_out", "save_neighbors", "search_plan", "self_search"]
