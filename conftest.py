"""What is not collected where an optional library is missing."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("torch") else ["src/lookalike/kernels/gpu/*"]
