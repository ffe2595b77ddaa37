"""Buckets: gradients of several parameters in one array of shared memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import ArgumentError, InvalidTypeError
from facula_errors.extend import boundary
from facula_tensor import Tensor, zeros

if TYPE_CHECKING:
    from collections.abc import Sequence

_LINE = 64  # bytes: the alignment of each gradient


@boundary
class GradBucket:
    """Gradients that one collective operation reduces, as a hook of `register_comm_hook` receives them.

    Arguments:
        index: the bucket's number, in the order of the reductions.
        is_last: whether it is the last one.
        parameters: the parameters, of one dtype.
    """

    def __init__(self, index: int, is_last: bool, parameters: Sequence[Tensor]) -> None:
        self._index, self._is_last, self._parameters = index, is_last, list(parameters)
        step = max(1, _LINE // parameters[0].element_size())
        starts, end = [], 0
        for parameter in parameters:
            starts.append(end)
            end += -(-parameter.numel() // step) * step
        self._buffer = zeros(max(end, step), dtype=parameters[0].dtype).share_memory_()
        self._gradients = [
            self._buffer[start : start + parameter.numel()].view(parameter.shape)
            for start, parameter in zip(starts, parameters, strict=True)
        ]

    def index(self) -> int:
        """Return the bucket's number."""
        return self._index

    def is_last(self) -> bool:
        """Return whether this is the last bucket of a backward pass."""
        return self._is_last

    def buffer(self) -> Tensor:
        """Return all gradients as one vector, with zeros between some of them."""
        return self._buffer

    def gradients(self) -> list[Tensor]:
        """Return the gradient of each parameter: views of the buffer."""
        return list(self._gradients)

    def parameters(self) -> list[Tensor]:
        """Return the parameters."""
        return list(self._parameters)

    def set_buffer(self, buffer: Tensor) -> None:
        """Replace the gradients. `buffer` has the shape of `buffer()`, and is copied."""
        if not isinstance(buffer, Tensor):
            raise InvalidTypeError(
                f"GradBucket.set_buffer: expected a Tensor, as the result of a communication hook's future; got "
                f"{type(buffer).__name__}; return the future of a tensor from the hook"
            )
        if tuple(buffer.shape) != tuple(self._buffer.shape):
            raise ArgumentError(
                f"GradBucket.set_buffer: expected the shape {tuple(self._buffer.shape)}; got {tuple(buffer.shape)}"
            )
        if buffer is not self._buffer:
            self._buffer.copy_(buffer)


def assign(parameters: Sequence[Tensor], limit: float) -> list[list[int]]:
    """Divide parameters into buckets, in the expected order of their gradients: the reverse order.

    Arguments:
        parameters: the parameters.
        limit: a bucket is complete when it has so many bytes.

    Returns:
        The places of each bucket's parameters, which have one dtype.
    """
    done: list[list[int]] = []
    filling: dict[object, tuple[list[int], int]] = {}
    for place in reversed(range(len(parameters))):
        parameter = parameters[place]
        places, size = filling.pop(parameter.dtype, ([], 0))
        places.append(place)
        size += parameter.nbytes
        if size >= limit:
            done.append(places)
        else:
            filling[parameter.dtype] = places, size
    done += [places for places, _ in filling.values()]
    return sorted(done, key=lambda places: -places[-1])


def tensor_of(future: Any) -> Tensor:
    """Return the buffer that a communication hook returned: a future of a tensor, or of a list of one."""
    found = future.wait() if hasattr(future, "wait") else future
    return found[0] if isinstance(found, (list, tuple)) else found
