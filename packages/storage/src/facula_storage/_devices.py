"""Devices: identifiers of memory and of the backend that computes on it. Backends are found by name, never imported."""

from __future__ import annotations

import os
from threading import RLock
from typing import TYPE_CHECKING, Any

from facula_errors import FaculaError, InvalidTypeError, InvalidValueError, OperationError
from facula_errors.extend import Exit, pass_on, trim_traceback

from ._immutable import Immutable, write
from ._protocols import DeviceBackend, PendingLaunch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    F = TypeVar("F", bound=Callable[..., object])

# Types that occur in PyTorch's programs and checkpoints: they are valid without searching installed packages.
ACCELERATORS = frozenset("cuda hip hpu ipu mps mtia privateuseone rocm vulkan xla xpu".split())
KNOWN = ACCELERATORS | {"cpu", "meta"}
# How to install facula's own backends. (Names that others could register at a package index are not given.)
OWN_BACKENDS = {"cuda": "pip install ./packages/cuda './packages/facula[cuda]'"}

_devices: dict[tuple[str, int | None], Device] = {}
_factories: dict[str, Callable[[int | None], DeviceBackend]] = {}
# The context manager that a device enters: a function of `facula_tensor`, which stores the default device.
default_device_blocks: list[Callable[[Device], Any]] = []
# The class that describes a queued launch by its operator and the layouts of its operands, for errors that the device
# reports later: `facula_tensor` appends its own, which knows the call of the program.
pending_launches: list[Callable[[str, Sequence[Any]], PendingLaunch]] = []
# called with the function that returns the current index, and the type, before a device is resolved by it
index_listeners: list[Callable[[Callable[[], int], str], None]] = []
growth_listeners: list[Callable[[int], None]] = []  # called with the number of devices before a new one is created
# Note [Two locks]
# ~~~~~~~~~~~~~~~~
# `_making` guards the tables and is held briefly. `_connecting` is held while a factory runs, which may import modules.
# No code imports while holding `_making`, so a module that calls `register_backend` on import cannot wait for a thread
# that waits for that import. Entry points are loaded without holding either lock.
_making = RLock()
_connecting = RLock()
os.register_at_fork(after_in_child=_making._at_fork_reinit)  # type: ignore[attr-defined]
os.register_at_fork(after_in_child=_connecting._at_fork_reinit)  # type: ignore[attr-defined]


class Device(Immutable):
    """A place for tensors: a type and, if there are several devices of the type, an index.

    There is one object per device, so compare devices with `is`. Raises ValueError for a malformed name and
    RuntimeError for an unknown type. A known type without a backend raises an error on first use, which names the
    package to install.

    >>> Device("cpu"), Device("cpu") is Device("cpu")
    (device(type='cpu'), True)
    >>> Device("cuda:1").index
    1
    """

    __slots__ = ("_backend", "index", "slot", "type")

    type: str
    index: int | None
    slot: int
    _backend: DeviceBackend | None

    def __new__(cls, type: str | Device, index: int | None = None) -> Device:
        try:
            if isinstance(type, Device) and index is None:
                return type
            if not isinstance(type, str):
                raise InvalidTypeError(f"device: expected a name such as 'cpu' or 'cuda:0'; got {type!r}")
            if not (index is None or isinstance(index, int)):
                raise InvalidTypeError(f"device: expected an integer index; got {index!r}")
            name, colon, number = type.partition(":")
            if colon:
                if index is not None or not (number.isascii() and number.isdecimal()):
                    raise InvalidValueError(f"device: expected 'type' or 'type:index'; got {type!r} and index {index}")
                index = int(number)
            if not name.isidentifier() or (index is not None and index < 0):
                raise InvalidValueError(
                    f"device: expected a name such as 'cpu' or 'cuda:0'; got {type!r}, index {index}"
                )
            if name in ("cpu", "meta"):
                if index:
                    raise InvalidValueError(
                        f"device: there is one {name!r}; expected {name!r} or '{name}:0'; got index {index}"
                    )
                index = None
            found = _devices.get((name, index))
            if found is not None:
                return found
            if not _is_known(name):
                known = ", ".join(sorted({*KNOWN, *_factories}))
                raise OperationError(f"device {type!r}: {name!r} is not a known type of device; known are {known}")
            with _making:  # each device has a unique slot
                made, slot = object.__new__(cls), len(_devices)
                for attribute, value in {"type": name, "index": index, "slot": slot, "_backend": None}.items():
                    write(made, attribute, value)
                for grow in growth_listeners:
                    grow(slot + 1)
                return _devices.setdefault((name, index), made)
        except FaculaError as error:
            trim_traceback(error)
            raise

    @property
    def backend(self) -> DeviceBackend:
        """The backend that allocates and computes on this device, created on first use.

        For a device without an index, of a type that has several, it is the backend of the current index.

        Raises RuntimeError, with the available devices, if no package provides a backend for this type.
        """
        return self._backend or _connect(self)

    @property
    def resolved(self) -> Device:
        """This device with an index: the calling thread's current one where a type has several devices.

        `Device("cuda")` differs from `Device("cuda:0")`, but layouts and tensors have the resolved device only. The
        CPU, the meta device and the types whose backend has no `current_index` resolve to themselves.

        Raises RuntimeError, with the available devices, for a device without a backend.

        >>> cpu.resolved is cpu, Device("cuda:1").resolved
        (True, device(type='cuda', index=1))
        """
        if self.index is not None:
            return self
        current_index = getattr(self.backend, "current_index", None)
        if current_index is None:
            return self
        for listener in index_listeners:
            listener(current_index, self.type)
        return Device(self.type, current_index())

    def __enter__(self) -> Device:
        """Start a block in which creation functions use this device by default.

        Raises RuntimeError, with the available devices, for a device without a backend.
        """
        try:
            self.backend  # noqa: B018  RuntimeError where there is none
            block = self._block()
            pass_on(self, block)
            block.__enter__()
        except FaculaError as error:
            trim_traceback(error)
            raise
        return self

    def _leave(self, *exc: Any) -> None:
        self._block().__exit__(*exc)

    __exit__ = Exit(_leave)

    def __call__(self, function: F) -> F:
        """Decorate `function`: each call runs in a block of this device."""
        try:
            return self._block()(function)
        except FaculaError as error:
            trim_traceback(error)
            raise

    def _block(self) -> Any:
        if not default_device_blocks:
            raise OperationError(
                f"device {str(self)!r}: expected facula_tensor, which makes tensors, for a default device; import it"
            )
        return default_device_blocks[-1](self)

    def __repr__(self) -> str:
        index = "" if self.index is None else f", index={self.index}"
        return f"device(type={self.type!r}{index})"

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __reduce__(self) -> tuple[object, ...]:
        return (Device, (self.type, self.index))

    def __copy__(self) -> Device:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> Device:
        return self


def register_backend(type: str, factory: Callable[[int | None], DeviceBackend]) -> None:
    """Register the backend factory of a device type.

    `factory(index)` creates the backend of one device on first use. A type with several devices has backends with
    the method `current_index`; there `factory(None)` returns the backend of the current index. An installed package
    can register a factory without being imported through the entry-point group ``facula.backends``: the entry's
    name is the device type, its object the factory. A device that is already in use gets its new backend on the
    next use; existing layouts keep their allocator.
    """
    with _making:
        _factories[type] = factory
        for device in list(_devices.values()):
            if device.type == type:
                write(device, "_backend", None)


def _connect(device: Device) -> DeviceBackend:
    factory = _factories.get(device.type) or _installed(device.type)
    if factory is None:
        if device.type in OWN_BACKENDS:
            remedy = (
                f"Install the backend from where facula came from, as from its source tree: {OWN_BACKENDS[device.type]}"
            )
        else:
            remedy = f"Use one of these: facula has published none for {device.type!r} yet."
        raise OperationError(
            f"device {str(device)!r}: no backend for {device.type!r} is installed; there are "
            f"{', '.join(sorted(_factories))}. {remedy}"
        )
    with _connecting:
        backend = device._backend
        if backend is None:
            backend = factory(device.index)
            if device.index is None and hasattr(backend, "current_index"):
                return backend  # of the current index, which may be another one at the next use
            with _making:
                if _factories[device.type] is factory:  # otherwise another thread registered a factory
                    write(device, "_backend", backend)
        return backend


def _is_known(type: str) -> bool:
    if type in KNOWN or type in _factories:
        return True
    from importlib.metadata import entry_points

    return bool(entry_points(group="facula.backends", name=type))


def is_connected(device: Device) -> bool:
    """Return whether this process has used `device`, without importing a backend."""
    return device._backend is not None


def connected() -> list[DeviceBackend]:
    """Return the backends in use."""
    return [device._backend for device in list(_devices.values()) if device._backend is not None]


def _installed(type: str) -> Callable[[int | None], DeviceBackend] | None:
    from importlib.metadata import entry_points  # slow import, required only for unknown devices

    for entry in entry_points(group="facula.backends", name=type):
        factory = entry.load()
        with _making:
            return _factories.setdefault(type, factory)
    return None


cpu: Device = Device("cpu")  # the processor and the memory of the host
meta: Device = Device("meta")  # a device without data: tensors have shapes and dtypes only
