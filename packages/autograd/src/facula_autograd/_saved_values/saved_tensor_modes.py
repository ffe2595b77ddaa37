"""Modes for saved values: keep them on the host, copy them so that they may be changed, or forbid hooks."""

from __future__ import annotations

from weakref import ref

from facula_errors import FaculaError, InvalidTypeError, OperationError
from facula_errors.extend import trim_traceback

from .._adapters import adapter_of
from .._errors import MutationError
from .._graph.node import LEAF
from .._modes.context_managers import checked_bool, replace_mode
from .._modes.grad_mode import saved_tensors_hooks
from .._modes.mode_state import active_modes, current_mode, passive_modes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable
    from typing import Self

    from .._types import AnyAdapter, Leaf


class Unmoved:
    """A saved value that was not moved: a leaf, or one that is not worth moving."""

    __slots__ = ("mode", "value", "version")

    def __init__(self, value: Leaf, mode: str) -> None:
        self.value, self.version, self.mode = value, adapter_of(value).version(value), mode

    def get(self) -> Leaf:
        """Return the value if it is unchanged; otherwise raise MutationError."""
        adapter, value = adapter_of(self.value), self.value
        if adapter.version(value) != self.version:
            mutation = adapter.describe_mutation(value)
            raise MutationError(
                f"{self.mode}: expected the saved value ({adapter.describe(value)}) to stay unchanged; it was changed "
                f"in place{f', last by {mutation}' if mutation else ''}. Change a clone() instead",
                operator=self.mode, forward="an unknown line", saved="a value", mutation=mutation,
            )  # fmt: skip
        return value


class OnHost:
    """The host's copy of a value from another device."""

    __slots__ = ("adapter", "copy", "metadata")

    def __init__(self, value: object, copy: object, adapter: AnyAdapter) -> None:
        self.adapter, self.copy = adapter, copy
        self.metadata: Hashable = adapter.metadata(value)

    def get(self) -> object:
        """Return the value on its device."""
        return self.adapter.from_host(self.copy, self.metadata)


class Copied:
    """The copy of a saved value, None once it is dropped."""

    __slots__ = ("__weakref__", "value")

    def __init__(self, value: object) -> None:
        self.value: object = value

    def get(self) -> object:
        """Return the copy."""
        if self.value is None:
            raise OperationError(
                "allow_mutation_on_saved_tensors: expected the copies of saved values; clear() has dropped them. Call "
                "it after the backward pass"
            )
        return self.value


def unpack_saved(packed: Unmoved | OnHost | Copied) -> object:
    """Unpack values in the modes of this file."""
    return packed.get()


class save_on_cpu(saved_tensors_hooks):
    """Context manager and decorator: keep values that operators save on the host until the backward pass.

    Values already on the host are not copied. Leaves are not moved, because the program keeps them on their device
    anyway.

    Arguments:
        pin_memory: copy to page-locked memory, from which devices copy faster.
        device_type: the type of device that values come from; values of all types are moved.

    >>> from facula_autograd import Variable
    >>> x = Variable(3.0, requires_grad=True)
    >>> with save_on_cpu():
    ...     y = x * x
    >>> y.backward()
    >>> x.grad
    Variable(6.0)
    """

    __slots__ = ()

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        try:
            pinned = checked_bool("save_on_cpu: pin_memory", pin_memory)
            if not isinstance(device_type, str):
                raise InvalidTypeError(f"save_on_cpu: expected device_type to be a string; got {device_type!r}")

            def pack(value: Leaf) -> Unmoved | OnHost:
                adapter = adapter_of(value)
                copy = value if value.node is LEAF else adapter.to_host(value, pinned)
                return Unmoved(value, "save_on_cpu") if copy is value else OnHost(value, copy, adapter)

            super().__init__(pack, unpack_saved)
        except FaculaError as error:
            trim_traceback(error)
            raise


class allow_mutation_on_saved_tensors(saved_tensors_hooks):
    """Context manager and decorator: values that operators save may be changed in place before the backward pass.

    Every saved value is copied, so memory grows by the size of all saved values. PyTorch copies when a change is made.

    >>> import numpy as np
    >>> from facula_autograd import Variable
    >>> x = Variable(np.ones(2), requires_grad=True)
    >>> factor = np.array([2.0, 3.0])
    >>> with allow_mutation_on_saved_tensors():
    ...     y = (x * factor).sum()
    >>> factor[:] = 0.0
    >>> y.backward()
    >>> x.grad.value
    array([2., 3.])
    """

    __slots__ = ("_copies",)

    def __init__(self) -> None:
        self._copies: dict[ref[Copied], None] = {}
        copies = self._copies

        def pack(value: Leaf) -> Copied:
            copy = Copied(adapter_of(value).clone(value))
            copies[ref(copy, copies.pop)] = None
            return copy

        super().__init__(pack, unpack_saved)

    def clear(self) -> None:
        """Drop all copies held by present graphs: their backward passes then raise an error."""
        for link in list(self._copies):
            copy = link()
            if copy is not None:
                copy.value = None


class disable_saved_tensors_hooks(replace_mode):
    """Context manager and decorator: entering `saved_tensors_hooks`, or a mode derived from it, is an error inside.

    Arguments:
        error_message: the message of the RuntimeError.

    >>> from facula_autograd.graph import saved_tensors_hooks
    >>> with disable_saved_tensors_hooks("not in here"), saved_tensors_hooks(id, id):
    ...     pass
    Traceback (most recent call last):
    facula_errors...OperationError: not in here
    """

    __slots__ = ()

    def __init__(self, error_message: str) -> None:
        try:
            if not isinstance(error_message, str):
                raise InvalidTypeError(f"disable_saved_tensors_hooks: expected a message; got {error_message!r}")
            super().__init__(hooks_refused=error_message)
        except FaculaError as error:
            trim_traceback(error)
            raise

    def __enter__(self) -> Self:
        if (active_modes or passive_modes) and current_mode().saved_hooks is not None:
            raise OperationError(str(self._changes["hooks_refused"]))
        return super().__enter__()
