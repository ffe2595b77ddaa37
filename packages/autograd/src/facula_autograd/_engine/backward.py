"""Entry points of the backward pass: `backward`, `grad`, and the checks of their arguments."""

from __future__ import annotations

from functools import partial
from sys import _getframe

from facula_errors import FaculaError, InvalidTypeError, InvalidValueError
from facula_errors.extend import trim_traceback, warn

from .._adapters import adapter_of, adapters
from .._errors import GradientError
from .._graph.gradient_edge import GradientEdge, resolve_edges
from .._graph.node import LEAF, Node, freed_rule, next_seq
from .._modes.grad_mode import enable_grad
from .._modes.mode_state import active_modes, current_mode, note_ends, passive_modes
from .anomaly import AnomalyWatch
from .endings import end_backward, endings, pass_code
from .engine import run
from .multi_grad_hooks import begin_pass, end_pass, multi_hooks
from .observer import current_observer
from .selected_inputs import select_inputs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import CodeType
    from typing import Any, Literal, TypeAlias, TypeVar, overload

    from .._types import Differentiable, Leaf
    from .engine import Watch

    V = TypeVar("V", bound=Differentiable)
    Values: TypeAlias = Differentiable | Sequence[Differentiable] | Iterator[Differentiable]

_warned_of_cycle = False
# Nodes between two calls of `Adapter.release_idle_memory`. Sequence numbers serve as the clock, so that the check costs
# one number per pass. Several threads may cross the threshold together: an additional call does no harm.
NODES_PER_RELEASE = 1000
_release_idle_at = [NODES_PER_RELEASE]


def backward(
    tensors: Values,
    grad_tensors: Differentiable | Sequence[Differentiable | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Values | Mapping[str, Differentiable] | None = None,
) -> None:
    """Add the gradients of `tensors` to the `.grad` of the leaves that they were computed from.

    After an error during the pass, such as in a hook, gradients already accumulated stay. The part of the graph that
    has run is released, unless the graph is retained.

    Arguments:
        tensors: one value or a sequence; gradient edges (`graph.GradientEdge`) are accepted, too.
        grad_tensors: the gradient of each, with its shape, converted to its dtype. None means 1, only for single real
            numbers.
        retain_graph: keep the saved values for another pass; `create_graph` by default.
        create_graph: record the gradients, so that they can be differentiated.
        inputs: accumulate `.grad` only of these values, one, a sequence or a dict of them; by default of all leaves.

    Raises:
        GradientError: a value does not require grad, or a gradient does not fit.
        MutationError: a saved value was changed in place.
        FreedGraphError: an earlier pass has released the graph.

    >>> from facula_autograd import Variable
    >>> x = Variable(3.0, requires_grad=True)
    >>> backward(x * x)
    >>> x.grad
    Variable(6.0)
    """
    try:
        frame = _getframe(1)
        roots = resolve_edges(sequence(tensors))
        run_backward(
            roots, _gradients(grad_tensors, roots), retain_graph, create_graph,
            None if inputs is None else resolve_edges(chosen_inputs(inputs)), (frame.f_code, frame.f_lasti),
        )  # fmt: skip
    except FaculaError as error:
        trim_traceback(error)
        raise


if TYPE_CHECKING:

    @overload
    def grad(
        outputs: Values,
        inputs: V | Sequence[V] | Iterator[V],
        grad_outputs: Differentiable | Sequence[Differentiable | None] | None = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        only_inputs: bool = True,
        allow_unused: Literal[False] | None = None,
        is_grads_batched: bool = False,
        materialize_grads: bool = False,
    ) -> tuple[V, ...]: ...
    @overload
    def grad(
        outputs: Values,
        inputs: V | Sequence[V] | Iterator[V],
        grad_outputs: Differentiable | Sequence[Differentiable | None] | None = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        only_inputs: bool = True,
        *,
        allow_unused: bool | None,
        is_grads_batched: bool = False,
        materialize_grads: bool = False,
    ) -> tuple[V | None, ...]: ...


def grad(
    outputs: object,
    inputs: object,
    grad_outputs: object = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[object, ...]:
    """Return the gradients of `outputs` with respect to `inputs`, as a tuple, without changing any `.grad`.

    Arguments:
        outputs: one value or a sequence; gradient edges (`graph.GradientEdge`) are accepted, too.
        inputs: the values, or gradient edges, to differentiate with respect to.
        grad_outputs: same as `grad_tensors` of `backward`.
        retain_graph, create_graph: as in `backward`.
        only_inputs: must be True.
        allow_unused: return None for an input that the outputs do not depend on; `materialize_grads` by default.
        is_grads_batched: `grad_outputs` have an additional first dimension. There is one pass for each index of it, and
            the gradients have such a dimension, too.
        materialize_grads: return zeros for an input that the outputs do not depend on.

    Returns:
        One gradient for each of `inputs`.

    Raises:
        GradientError: as for `backward`, and for an input that the outputs do not depend on. Other errors as for
            `backward`.

    >>> from facula_autograd import Variable
    >>> x = Variable(3.0, requires_grad=True)
    >>> (first,) = grad(x * x * x, x, create_graph=True)
    >>> grad(first, x)
    (Variable(18.0),)
    """
    try:
        if not only_inputs:
            raise InvalidValueError("grad: expected only_inputs=True; use backward() to accumulate into all leaves")
        if allow_unused is None:
            allow_unused = materialize_grads
        elif materialize_grads and not allow_unused:
            raise InvalidValueError(
                "grad: expected allow_unused=True (or unset) with materialize_grads=True; got False"
            )
        inputs = resolve_edges(sequence(inputs))
        if not inputs:
            raise GradientError("grad: expected at least one input; got none")
        frame = _getframe(1)
        site = (frame.f_code, frame.f_lasti)
        roots = resolve_edges(sequence(outputs))
        given = _gradients(grad_outputs, roots)
        if is_grads_batched:
            found = _batched(roots, given, retain_graph, create_graph, inputs, site)
        else:
            found = gradients_at(roots, given, inputs, retain_graph, create_graph, site)
        results = []
        for k, (value, g) in enumerate(zip(inputs, found, strict=True)):
            if g is None and materialize_grads:
                g = adapter_of(value).zeros_like(value)
                if is_grads_batched:
                    g = adapter_of(value).stack([g] * adapter_of(given[0]).row_count(given[0]))
            elif g is None and not allow_unused:
                raise GradientError(
                    f"grad: expected outputs that depend on every input; input {k} "
                    f"({adapter_of(value).describe(value)}) "
                    "was not used to compute them. Pass allow_unused=True to get None for it, or "
                    "materialize_grads=True "
                    "to get zeros"
                )
            results.append(g)
        return tuple(results)
    except FaculaError as error:
        trim_traceback(error)
        raise


def _batched(
    roots: Sequence[object], gradients: Sequence[object], retain_graph: bool | None, create_graph: bool,
    inputs: Sequence[object], site: tuple[CodeType, int],
) -> Sequence[object]:  # fmt: skip
    """Return stacked gradients of `inputs`: one pass for each index of the first dimension of `gradients`."""
    if not gradients or any(g is None for g in gradients):
        raise GradientError(
            "grad: expected grad_outputs, with a dimension more, for every output (is_grads_batched=True); got none"
        )
    adapter = adapter_of(gradients[0])
    counts = [adapter_of(g).row_count(g) for g in gradients]
    if len(set(counts)) > 1 or not counts[0]:
        raise GradientError(
            "grad: expected grad_outputs of one length along the first dimension, at least 1 (is_grads_batched=True); "
            f"got {counts}"
        )

    def backward_row(row: Sequence[object], keep: bool | None) -> list[object]:
        return gradients_at(roots, row, inputs, keep, create_graph, site)

    return adapter.map_rows(backward_row, gradients, retain_graph)


def gradients_at(
    roots: Sequence[object], gradients: Sequence[object], inputs: Sequence[object], retain_graph: bool | None,
    create_graph: bool, site: tuple[CodeType, int] | None,
) -> list[Any]:  # fmt: skip
    """Return the gradients of `inputs`; None for inputs that the roots do not depend on.

    Arguments: those of `run_backward`.
    """
    found: dict[int, object] = {}
    run_backward(
        roots, gradients, retain_graph, create_graph, inputs, site, lambda value, g: found.__setitem__(id(value), g),
        "grad",
    )  # fmt: skip
    return [found.get(id(value)) for value in inputs]


def run_backward(
    roots: Sequence[object],
    gradients: Sequence[object],
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Sequence[object] | None = None,
    site: tuple[CodeType, int] | None = None,
    collect: Callable[[Leaf, object], None] | None = None,
    name: str = "backward",
) -> None:
    """Run `backward` for other packages, with the caller's call site.

    Arguments:
        roots, gradients: the values to start from, and the gradient of each, or None for 1.
        retain_graph, create_graph, inputs: as in `backward`.
        site: the call site, for errors.
        collect: receives the gradients of `inputs` instead of their `.grad`: `collect(input, gradient)`.
        name: the prefix of error messages.
    """
    pairs, own = _starts(roots, gradients, name)
    if not pairs:
        return
    if retain_graph is None:
        retain_graph = create_graph
    freed = None if retain_graph else freed_rule(site)
    adapter = adapters[type(pairs[0][1])]
    mode = current_mode() if active_modes or passive_modes else None
    if create_graph:
        own = False
        if collect is None:
            _warn_of_cycle()
    watch: Watch | None = None
    if mode is not None and mode.anomaly is not None:
        watch = AnomalyWatch(mode.anomaly)
    route = None
    if inputs is not None:
        if active_modes:
            note_ends(inputs)
        pairs, watch, route = select_inputs(pairs, inputs, collect, freed, create_graph, name, watch)
    F = adapter.recorded_ops if create_graph else adapter.no_record_ops
    token = begin_pass([e for e, _ in pairs], route) if multi_hooks else None
    observer = current_observer[0]
    run_pass = run if observer is None else partial(observer.run_pass, run)
    try:
        if create_graph and mode is not None and not mode.grad:
            with enable_grad():
                run_pass(pairs, own, F, freed, True, watch)
        else:
            run_pass(pairs, own, F, freed, create_graph, watch)
    except BaseException as error:
        if endings:
            end_backward(_getframe(), error)
        raise
    finally:
        if token is not None:
            end_pass(token)
    if endings:
        end_backward(_getframe(), None)
    now = next_seq()
    if now > _release_idle_at[0]:
        _release_idle_at[0] = now + NODES_PER_RELEASE
        adapter.release_idle_memory()


pass_code.append(run_backward.__code__)


def sequence(values: object) -> Sequence[object]:
    if isinstance(values, (tuple, list)) and type(values) is not GradientEdge:
        return values
    return tuple(values) if hasattr(values, "__next__") else (values,)  # type: ignore[arg-type]  # an iterator


def chosen_inputs(inputs: object) -> Sequence[object]:
    """Return the values in the `inputs` of a backward pass, including those of a dict of parameters."""
    return tuple(inputs.values()) if isinstance(inputs, dict) else sequence(inputs)


def _gradients(gradients: object, roots: Sequence[object]) -> Sequence[object]:
    if gradients is None:
        return (None,) * len(roots)
    return sequence(gradients)


def _starts(
    roots: Sequence[object], gradients: Sequence[object], name: str
) -> tuple[list[tuple[Node | Leaf, object]], bool]:
    """Return the edges and gradients to start from, and whether the engine owns these gradients."""
    if len(roots) != len(gradients):
        raise GradientError(
            f"{name}: expected one gradient for each output; got {len(roots)} outputs and {len(gradients)} gradients"
        )
    pairs: list[tuple[Node | Leaf, object]] = []
    own, many = True, len(roots) > 1
    for k, (root, g) in enumerate(zip(roots, gradients, strict=True)):
        adapter = adapters[type(root)]
        which = f"output {k}" if many else "the output"
        try:
            node = root.node  # type: ignore[attr-defined]
        except AttributeError:
            kind = type(root).__name__
            raise InvalidTypeError(f"{name}: expected differentiable values; {which} is of type {kind}") from None
        if node is None:
            raise GradientError(
                f"{name}: expected a value that requires grad; {which} ({adapter.describe(root)}) does not: nothing it "
                "was computed from does, or it was computed under no_grad or detached"
            )
        if g is None:
            if not adapter.is_scalar(root):
                raise GradientError(
                    f"{name}: expected a real scalar, or a gradient for it; {which} is {adapter.describe(root)}. Pass "
                    "one, or reduce the value first, with sum() or mean() (of its abs(), if it is complex)"
                )
            g = adapter.ones_like(root)
        else:
            own = False
            if type(root) is GradientEdge:  # an edge may not know the metadata of its gradient
                adapter, wanted = root.kind or (adapter_of(g), adapter_of(g).metadata(g))
            else:
                wanted = adapter.metadata(root)
            if adapters[type(g)] is not adapter:
                raise InvalidTypeError(
                    f"{name}: expected a gradient of the output's type; {which} is "
                    f"{adapter_of(root).describe(root)}, its "
                    f"gradient of type {type(g).__name__}"
                )
            if adapter.metadata(g) != wanted:
                try:
                    g = adapter.fit_gradient(wanted, g)
                except ValueError as error:
                    raise GradientError(
                        f"{name}: expected a gradient that fits its output; {which} is "
                        f"{adapter_of(root).describe(root)}, its "
                        f"gradient {adapter.describe(g)}: {error}"
                    ) from None
        start: Node | Leaf = root if node is LEAF else node  # type: ignore[assignment]
        pairs.append((start, g))
    return pairs, own


def _warn_of_cycle() -> None:
    global _warned_of_cycle
    if _warned_of_cycle:
        return
    _warned_of_cycle = True
    warn(
        "backward(create_graph=True) makes reference cycles between leaves and their .grad, so memory is freed late. "
        "Use grad(), or reset .grad to None after use"
    )
