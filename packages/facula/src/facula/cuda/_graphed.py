"""Functions and modules whose forward and backward passes are CUDA graphs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from typing import Any

from facula_errors import InvalidTypeError, InvalidValueError, OperationError
from facula_errors.extend import boundary
from facula_tensor import Tensor

from .._lookup.absent_device import CudaDevice
from .._lookup.siblings import needs

with needs("facula.cuda"):
    from facula_nn import Module

_absent = CudaDevice()


@boundary
def make_graphed_callables(
    callables: Any,
    sample_args: Any,
    num_warmup_iters: int = 3,
    allow_unused_input: bool = False,
    pool: tuple[int, int] | None = None,
) -> Any:
    """Return functions or modules whose forward and backward passes replay CUDA graphs.

    A graphed callable takes tensors only, with the shapes and dtypes of its sample arguments and the same need for
    gradients. Its results are overwritten by its next call. A module is graphed in its present mode, training or
    evaluation; in the other mode it runs as before. Its parameters must stay where they are.

    Arguments:
        callables: a function or module, or a tuple of these in the order of the program's calls, which share memory.
        sample_args: a tuple of tensors, or one such tuple for each callable. Their memory is part of the graphs.
        num_warmup_iters: calls before the captures.
        allow_unused_input: whether arguments and parameters may have no gradient.
        pool: the memory pool of other graphs, from `graph_pool_handle`; a new one by default.

    Raises:
        RuntimeError: there is no CUDA device, a module has hooks, or a pass waits for the device.
    """
    backend = _absent.needed("make_graphed_callables")
    if not isinstance(callables, tuple):
        return make_graphed_callables((callables,), (sample_args,), num_warmup_iters, allow_unused_input, pool)[0]
    if not isinstance(sample_args, tuple) or len(sample_args) != len(callables):
        raise InvalidValueError(
            f"make_graphed_callables: expected a tuple of arguments for each of {len(callables)} callables; got "
            f"{sample_args!r:.60}"
        )
    made = [_Graphed(one, arguments) for one, arguments in zip(callables, sample_args, strict=True)]
    side = backend.Stream()
    side.wait_stream(backend.current_stream())
    with backend.stream(side):
        for graphed in made:
            for _ in range(num_warmup_iters):
                graphed.warm_up(allow_unused_input)
    backend.current_stream().wait_stream(side)
    handle = backend.graph_pool_handle() if pool is None else pool
    for graphed in made:
        graphed.capture_forward(backend, handle)
    for graphed in reversed(made):
        graphed.capture_backward(backend, handle, allow_unused_input)
    return tuple([graphed.replacement() for graphed in made])


def _flatten(value: Any) -> tuple[list[Any], Callable[[Iterator[Any]], Any]]:
    """Return the leaves of nested tuples, lists and dicts, and a function that arranges other leaves like them."""
    if isinstance(value, dict):
        parts, kind, keys = list(map(_flatten, value.values())), type(value), list(value)
        make: Callable[[list[Any]], Any] = lambda values: kind(zip(keys, values, strict=True))
    elif isinstance(value, (tuple, list)):
        parts, make = list(map(_flatten, value)), getattr(type(value), "_make", type(value))
    else:
        return [value], next
    return [leaf for found, _ in parts for leaf in found], lambda leaves: make(
        [arrange(leaves) for _, arrange in parts]
    )


class _Graphed:
    """One callable, with the tensors that its graphs read and write.

    Arguments:
        function: a function or a module.
        arguments: its sample arguments.
    """

    def __init__(self, function: Any, arguments: Any):
        self.function, self.arguments = function, arguments
        self.given = _flatten(arguments)[0]
        if not self.given or not all([isinstance(one, Tensor) for one in self.given]):
            raise InvalidTypeError(
                f"make_graphed_callables: expected sample_args to contain tensors alone; got {arguments!r:.60}"
            )
        parameters: Sequence[Tensor] = []
        if isinstance(function, Module):
            hooks = "_forward_hooks", "_forward_pre_hooks", "_backward_hooks"
            if any([getattr(function, name, None) for name in hooks]):
                raise OperationError(
                    "make_graphed_callables: expected a module without hooks; got one with hooks, which a graph would "
                    "not call. Register them afterwards"
                )
            parameters = tuple(function.parameters())
        self.inputs = [*self.given, *parameters]  # of the graphs
        self.forward = function.forward if isinstance(function, Module) else function

    def _run(self) -> tuple[list[Any], Any]:
        """Return the tensors among the results, and how they are arranged."""
        return _flatten(self.function(*self.arguments))

    def _gradients(self, outputs: list[Any], grads: Sequence[Tensor | None], allow_unused: bool) -> list[Tensor | None]:
        """Return the gradient of each input, None for those that need none."""
        from ..autograd import grad

        wanted = [one for one in self.inputs if one.requires_grad]
        roots = [(one, grad) for one, grad in zip(outputs, grads, strict=True) if grad is not None]
        if not wanted or not roots:
            return [None] * len(self.inputs)
        found = iter(grad([one for one, _ in roots], wanted, [grad for _, grad in roots], allow_unused=allow_unused))
        return [next(found) if one.requires_grad else None for one in self.inputs]

    def warm_up(self, allow_unused: bool) -> None:
        """Run both passes once, so that kernels and memory are there."""
        from .. import ones_like

        outputs, _ = self._run()
        self._gradients(outputs, [ones_like(one) if one.requires_grad else None for one in outputs], allow_unused)

    def capture_forward(self, backend: Any, pool: tuple[int, int]) -> None:
        """Capture the forward pass."""
        self.forward_graph = backend.CUDAGraph()
        with backend.graph(self.forward_graph, pool=pool):
            self.outputs, self.tree = self._run()

    def capture_backward(self, backend: Any, pool: tuple[int, int], allow_unused: bool) -> None:
        """Capture the backward pass, which ends the graph of operators of the forward pass."""
        from .. import zeros_like

        self.output_grads = [zeros_like(one) if one.requires_grad else None for one in self.outputs]
        self.backward_graph = backend.CUDAGraph()
        with backend.graph(self.backward_graph, pool=pool):
            self.grads = self._gradients(self.outputs, self.output_grads, allow_unused)
        self.outputs = [one.detach() for one in self.outputs]

    def replacement(self) -> Any:
        """Return the function that replays, or the module with this forward pass."""
        from ..autograd import Function
        from ..autograd.function import once_differentiable

        def fill(targets: Sequence[Tensor | None], sources: Sequence[Any]) -> None:
            for target, source in zip(targets, sources, strict=False):
                if target is not None and source is not None and target.data_ptr() != source.data_ptr():
                    target.detach().copy_(source)

        class Graphed(Function):
            @staticmethod
            def forward(ctx: Any, *inputs: Tensor) -> tuple[Tensor, ...]:
                fill(self.given, inputs)
                self.forward_graph.replay()
                return tuple([one.detach() for one in self.outputs])

            @staticmethod
            @once_differentiable
            def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
                fill(self.output_grads, grads)
                self.backward_graph.replay()
                return tuple([None if one is None else one.detach() for one in self.grads])

        parameters = self.inputs[len(self.given) :]

        @wraps(self.forward)
        def replay(*arguments: Any) -> Any:
            return self.tree(iter(Graphed.apply(*_flatten(arguments)[0], *parameters)))

        if not isinstance(self.function, Module):
            return replay
        module, mode, eager = self.function, self.function.training, self.forward

        @wraps(eager)
        def forward(*arguments: Any, **options: Any) -> Any:
            same: Callable[..., Any] = replay if module.training == mode else eager
            return same(*arguments, **options)

        vars(module)["forward"] = forward
        return module
