"""The tensors of a loaded graph by name: its parameters, its buffers, and its state dict."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import TYPE_CHECKING

from facula_autograd.extend.nodes import LEAF
from facula_errors import InvalidTypeError, InvalidValueError, MissingKeyError
from facula_errors.extend import boundary
from facula_tensor import Tensor, no_grad

if TYPE_CHECKING:
    from collections.abc import Iterator

STATE_KINDS = ("parameter", "buffer", "state", "tensor")  # kinds in a state dict


@boundary
class LoadedTensors:
    """The part of a loaded graph that names its tensors, like a module."""

    _named: dict[str, Tensor]
    _kinds: dict[str, str]  # name -> "parameter", "buffer", "state", "tensor", "constant" or "grad"

    def named_parameters(self) -> Iterator[tuple[str, Tensor]]:
        """Return the names and tensors of all parameters that require a gradient."""
        return iter([(name, tensor) for name, tensor in self._named.items() if tensor.node is LEAF])

    def parameters(self) -> Iterator[Tensor]:
        """Return the tensors that require a gradient."""
        return iter([parameter for _, parameter in self.named_parameters()])

    def named_buffers(self) -> Iterator[tuple[str, Tensor]]:
        """Return the names and tensors of the modules' buffers."""
        return iter([(name, tensor) for name, tensor in self._named.items() if self._kinds[name] == "buffer"])

    def buffers(self) -> Iterator[Tensor]:
        """Return the modules' buffers."""
        return iter([buffer for _, buffer in self.named_buffers()])

    def state_dict(self) -> dict[str, Tensor]:
        """Return all tensors by name except gradients: parameters, buffers, the state of optimizers. They share
        memory.
        """
        return OrderedDict(
            [(name, tensor.detach()) for name, tensor in self._named.items() if self._kinds[name] in STATE_KINDS]
        )

    def load_state_dict(self, state_dict: Mapping[str, Tensor], strict: bool = True) -> None:
        """Copy tensors to those of the same names.

        Arguments:
            state_dict: tensors by name.
            strict: require exactly the names of the graph.

        Raises:
            KeyError: names are missing or unknown.
            TypeError, ValueError: a value is not a tensor, or has another shape.
        """
        if not isinstance(state_dict, Mapping):
            found = f"{type(state_dict).__name__} {state_dict!r:.60}"
            raise InvalidTypeError(f"load_state_dict: expected a dict of tensors by name; got {found}")
        own = self.state_dict()
        missing, unknown = (
            [name for name in own if name not in state_dict],
            [name for name in state_dict if name not in own],
        )
        if strict and (missing or unknown):
            raise MissingKeyError(
                f"load_state_dict: missing are {', '.join(missing[:5]) or 'none'}; unknown are "
                f"{', '.join(map(str, unknown[:5])) or 'none'}; strict=False leaves them out"
            )
        for name, tensor in state_dict.items():
            if name in own:
                if not isinstance(tensor, Tensor):
                    raise InvalidTypeError(f"load_state_dict: {name} is {type(tensor).__name__}; expected a tensor")
                if tensor.shape != own[name].shape:
                    raise InvalidValueError(
                        f"load_state_dict: expected {name} of shape {tuple(own[name].shape)}; got {tuple(tensor.shape)}"
                    )
        with no_grad():
            for name, tensor in state_dict.items():
                if name in own:
                    own[name].copy_(tensor)
