"""The connection to a Ray cluster."""

from __future__ import annotations

import os
import socket
from typing import Any

from facula_errors import MissingPackageError

from ._errors import DistNetworkError

_CONNECTION_SECONDS = 5.0


def connected_ray(operation: str) -> tuple[Any, bool]:
    """Return the module ray, connected to a cluster, and whether this function has connected it.

    Raises:
        MissingPackageError: Ray is not installed.
        DistNetworkError: there is no Ray cluster.
    """
    try:
        import ray
        import ray.util.scheduling_strategies
    except ModuleNotFoundError:
        raise MissingPackageError(f"{operation}: the package ray is missing; install it: pip install ray") from None
    if ray.is_initialized():
        return ray, False
    try:
        _check_address(os.environ.get("RAY_ADDRESS", ""))
        ray.init(address="auto", logging_level="ERROR", log_to_driver=False)
    except (OSError, ValueError, ray.exceptions.RayError) as error:
        raise DistNetworkError(
            f"{operation}: expected a Ray cluster; got: {first_line(error)}; start one with `ray start --head`, or set "
            "RAY_ADDRESS"
        ) from None
    return ray, True


def _check_address(address: str) -> None:
    """Raise OSError if there is no process at HOST:PORT; Ray would try for minutes."""
    host, _, port = address.rpartition(":")
    if host and port.isdecimal() and "/" not in host:
        socket.create_connection((host, int(port)), _CONNECTION_SECONDS).close()


def first_line(error: BaseException) -> str:
    """Return the first line of an error of Ray, which has many."""
    return str(error).strip().partition("\n")[0].rstrip(".:")
