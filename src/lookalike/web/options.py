"""Options of the service: where it listens, who may call it, and its limits."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from pathlib import Path

from lookalike.errors import ParameterError
from lookalike.settings import SERVICE_PORT
from lookalike.web.limits import Limits

SHORTEST_TOKEN = 16  # characters
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")


def is_loopback(host: str) -> bool:
    """Return whether only programs on this machine reach the address.

    >>> [is_loopback(one) for one in ("127.0.0.1", "localhost", "::1", "0.0.0.0", "example.org")]
    [True, True, True, False, False]
    """
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


@dataclass(frozen=True)
class ServeOptions:
    """Where the service listens, who may call it, and its limits.

    Attributes
    ----------
    host, port
        The address; port 0 takes any free port. Any address but loopback requires a token.
    token
        The bearer token that every request for data has to carry; None: no token is needed.
    allowed_hosts
        Names in the Host header besides those of loopback and `host`: a page of another name
        cannot reach the service through DNS rebinding.
    limits
        What one request may cost: bytes, rows, cells, nesting, headers.
    timeout
        Seconds for a request, from its first byte to its response.
    max_requests, max_requests_per_client
        Requests that may be in progress at once: in all (more get 503), and of one address
        (more get 429).
    max_connections
        Open connections, idle ones included (more get 503).
    header_timeout
        Seconds for the headers of a request to arrive.
    latency_bound
        Seconds that one call of a model should take at most: single queries that arrive together
        are stacked into one call up to this bound.
    request_log
        The file that predictions, their requests and later labels are appended to.
    reload_interval
        Seconds between two looks at the model files.
    """

    host: str = "127.0.0.1"
    port: int = SERVICE_PORT
    token: str | None = field(default=None, repr=False)
    allowed_hosts: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)
    timeout: float = 30.0
    max_requests: int = 256
    max_requests_per_client: int = 128
    max_connections: int = 1024
    header_timeout: float = 10.0
    latency_bound: float = 0.05
    request_log: Path | None = None
    reload_interval: float = 1.0

    def __post_init__(self) -> None:
        if not is_loopback(self.host) and not self.token:
            raise ParameterError(
                f"host={self.host!r} can be reached from other machines, and there is no token. "
                "Give a token, or host='127.0.0.1'."
            )
        if self.token is not None and len(self.token) < SHORTEST_TOKEN:
            raise ParameterError(
                f"The token has {len(self.token)} characters, which can be guessed. Give one of at "
                f"least {SHORTEST_TOKEN}, or none and the service makes one."
            )

    @property
    def host_names(self) -> frozenset[str]:
        """The names, without port, that a Host header may hold."""
        own_name = f"[{self.host}]" if ":" in self.host else self.host
        names = (*LOOPBACK_NAMES, own_name, *self.allowed_hosts)
        return frozenset(name.lower() for name in names if name not in ("0.0.0.0", "[::]"))
