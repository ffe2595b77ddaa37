"""Names of communication backends."""

from __future__ import annotations

from typing import ClassVar

from facula_errors import InvalidValueError, OperationError, UnsupportedError


class Backend(str):
    """The name of a communication backend, in lower case: `Backend("GLOO") == "gloo"`."""

    UNDEFINED = "undefined"
    GLOO = "gloo"
    NCCL = "nccl"
    XCCL = "xccl"
    UCC = "ucc"
    MPI = "mpi"
    SHM = "shm"
    backend_list: ClassVar = [UNDEFINED, GLOO, NCCL, XCCL, UCC, MPI, SHM]
    default_device_backend_map: ClassVar = {"cpu": GLOO, "cuda": NCCL}  # by type of device; libraries read it
    _AVAILABLE: ClassVar = (UNDEFINED, GLOO, SHM, MPI)

    __slots__ = ()

    def __new__(cls, name: str) -> Backend:
        if not isinstance(name, str):
            raise InvalidValueError(f"Backend: expected the name as a str; got {name!r}")
        return super().__new__(cls, name.lower())


def checked_backend(operation: str, backend: str | None, options: object) -> Backend:
    """Return the backend of an argument, and check that it is available and that there are no options of it."""
    kind = Backend(Backend.UNDEFINED if backend is None else backend)
    for entry in kind.split(","):  # "cpu:gloo,cuda:nccl"
        name = entry.rpartition(":")[2]
        if name not in Backend.backend_list:
            raise InvalidValueError(f"{operation}: expected backend to be None or 'gloo'; got {backend!r}")
        if name not in Backend._AVAILABLE:
            raise OperationError(
                f"{operation}: expected an available backend; got {backend!r}, facula has no {name}; use 'gloo', "
                "or ask is_backend_available(name) first"
            )
    if options is not None:
        raise UnsupportedError(
            f"{operation}: expected pg_options=None, as backends have no options yet; got {options!r}"
        )
    return kind


def is_mpi(kind: Backend) -> bool:
    """Return whether a backend is MPI for tensors of the CPU."""
    return kind in (Backend.MPI, f"cpu:{Backend.MPI}")
