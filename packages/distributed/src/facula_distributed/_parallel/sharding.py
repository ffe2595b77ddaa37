"""Averages of gradients of which each rank keeps a shard.

Note [Sharded gradients]
~~~~~~~~~~~~~~~~~~~~~~~~
During a pass, complete gradients are moved to the buffer of their bucket, in which the shards of all ranks follow each
other (Note [Shards] in shards.py). The buffer is reduced to the own shard of each rank and released, so that after the
pass, a rank has the gradients of its own part of the parameters only. `.grad` is then a ShardedGradient, a mark that
has the shape of the gradient on the device "meta", and raises an error when it is used. It shows whether there is a
gradient: if the program has removed it before the next pass, as `zero_grad` does, the next average replaces the shard;
otherwise it is added. Optimizers choose the layout, so they are created before the first pass.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakSet, ref

from facula_errors import InvalidValueError, OperationError
from facula_tensor import Tensor, empty, float64, linalg, no_grad, tensor, zeros

from .._collectives.exchanges import all_gather_into_tensor
from .._collectives.transfers import memory_of, parts_of, prepare
from .._groups.work import RedOpType
from .reducer import NAME, Reducer
from .shards import Layout, Own, Part, Shards

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._groups.groups import ProcessGroup

_reducers: WeakSet[ShardingReducer] = WeakSet()


class ShardedGradient(Tensor):
    """The `.grad` of a parameter whose gradient is divided among the ranks. Operations on it raise RuntimeError."""

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Return an attribute such as the shape, or None for a copy; raise RuntimeError for others."""
        name = getattr(func, "__name__", str(func))
        if name == "__get__":
            found = super().__torch_function__(func, types, args, kwargs or {})  # type: ignore[misc]
            if not isinstance(found, Tensor):
                return found
        if name == Tensor.__deepcopy__.__name__:  # of a model, which is not divided
            return None
        raise OperationError(
            f"{name}: this gradient is divided among the processes, because of shard_gradients; update the parameters "
            "by ZeroRedundancyOptimizer, clip by clip_grad_norm_ of the DistributedDataParallel, and reset it to None"
        )

    def __repr__(self, *, tensor_contents: object = None) -> str:
        return f"<gradient of shape {tuple(self.shape)} that is divided among the processes>"


class _Bucket:
    """The gradients that one collective reduces.

    Attributes:
        layout: the parts of the parameters.
        buffer: during a pass, the gradients of all shards.
        shard: the average of the own shard.
    """

    def __init__(self, places: Sequence[int], parameters: Sequence[Tensor], size: int) -> None:
        self.places, self.layout = set(places), Layout(size)
        self.dtype = parameters[places[0]].dtype
        self.buffer: Tensor | None = None
        self.shard: Tensor | None = None
        self.where: dict[int, list[tuple[int, Part]]] = {}  # each parameter's parts, with the ranks

    def add(self, parameters: Sequence[tuple[int, Tensor]], is_whole: bool, loads: list[int]) -> Layout:
        """Divide parameters; return their layout."""
        self.layout.add(parameters, is_whole, loads)
        added, chosen = Layout(len(self.layout.sizes)), {place for place, _ in parameters}
        added.sizes = self.layout.sizes  # those of the whole bucket
        for rank, parts in enumerate(self.layout.parts):
            added.parts[rank] = [part for part in parts if part.place in chosen]
            for part in added.parts[rank]:
                self.where.setdefault(part.place, []).append((rank, part))
        return added

    def rows(self, place: int, parameter: Tensor) -> list[tuple[Part, Tensor]]:
        """Return the parts of a parameter, with their memory in the buffer."""
        stride = self.stride
        if self.buffer is None:
            self.buffer = empty(stride * len(self.layout.sizes), dtype=self.dtype)
        return [(part, part.within(self.buffer, parameter, rank * stride)) for rank, part in self.where[place]]

    @property
    def stride(self) -> int:
        """The elements of a shard in the buffer, the same for all ranks, as the engines' reductions require."""
        return max(self.layout.sizes)


class ShardingReducer(Reducer):
    """A reducer after whose passes each rank has the average of its own shard only. Arguments: those of `Reducer`."""

    _divides = True

    def _create_buckets(self) -> list[Any]:
        self._buckets = [_Bucket(places, self._parameters, self._group.size()) for places in self._places]
        self._loads = [0] * self._group.size()
        self._index_of = {id(parameter): place for place, parameter in enumerate(self._parameters)}
        self._marks = [
            empty(one.shape, dtype=one.dtype, device="meta").as_subclass(ShardedGradient) for one in self._parameters
        ]
        self._added: set[int] = set()  # parameters whose shard a pass adds to
        own = ref(self)
        for place, parameter in enumerate(self._parameters):
            parameter.register_hook(_Before(own, place))
        _reducers.add(self)
        return [None] * len(self._parameters)

    def divide(self, parameters: Sequence[Tensor], is_whole: bool) -> list[Shards]:
        """Divide parameters among the ranks, for an optimizer.

        Arguments:
            parameters: parameters of this reducer.
            is_whole: do not cut parameters.
        """
        places = {self._index_of[id(parameter)] for parameter in parameters}
        found: list[Shards] = []
        for bucket in self._buckets:
            chosen = sorted(places & bucket.places)
            for place in chosen:
                if place in bucket.where:
                    raise InvalidValueError(
                        f"ZeroRedundancyOptimizer: expected each parameter of a {NAME} with shard_gradients in one "
                        f"optimizer; {self._names[place]} is in another one"
                    )
            if chosen:
                layout = bucket.add([(place, self._parameters[place]) for place in chosen], is_whole, self._loads)
                found.append(_Shards(self._group, self._parameters, layout, self, bucket))
        return found

    def owns(self, parameter: Tensor) -> bool:
        """Return whether this reducer divides the gradient of a parameter."""
        return id(parameter) in self._index_of

    def before(self, place: int) -> None:
        """Prepare a parameter for a gradient: of a former average, only the own shard is kept."""
        parameter = self._parameters[place]
        if parameter._grad is not self._marks[place]:
            return
        if not self._averages and not self._is_reached:
            raise OperationError(
                f"{NAME}: expected no average of {self._names[place]} in a pass without averages, because of "
                "shard_gradients; call zero_grad() before it"
            )
        parameter._grad = None
        self._added.add(place)

    def _forget_pass(self) -> None:
        super()._forget_pass()
        self._added.clear()
        for bucket in self._buckets:
            bucket.buffer = None

    def _store(self, place: int, parameter: Tensor) -> None:
        grad = parameter._grad
        if grad is not None and grad.node is not None:
            raise OperationError(f"{NAME}: expected create_graph=False, because of shard_gradients; got True")
        self._fill_rows(place, grad, adds=self._arrived[place] > 0)
        parameter._grad = None

    def _fill_rows(self, place: int, grad: Tensor | None, adds: bool = False) -> None:
        bucket = self._buckets[self._bucket_of[place]]
        if place not in bucket.where:
            raise OperationError(
                f"{NAME}: expected a ZeroRedundancyOptimizer with {self._names[place]}, because of shard_gradients; "
                "create it before the first backward pass"
            )
        with no_grad():
            for part, rows in bucket.rows(place, self._parameters[place]):
                if grad is None:
                    rows.zero_()
                elif adds:
                    rows.add_(part.of(grad))
                else:
                    rows.copy_(part.of(grad))

    def _start(self, is_async: bool) -> None:
        index = self._next
        bucket = self._buckets[index]
        self._next += 1
        divisor, buffer, stride = self.divisor, bucket.buffer, bucket.stride
        assert buffer is not None
        bucket.buffer = None
        average = empty(stride, dtype=bucket.dtype)
        prepared = prepare(
            self._group, NAME, like=buffer, send=parts_of(NAME, buffer, [stride] * self._group.size()),
            receive=[memory_of(NAME, average, is_written=True)], async_op=is_async,
            reduction=RedOpType.AVG if divisor is None else RedOpType.SUM, detail=self._number << 32 | index + 1,
        )  # fmt: skip
        self._submit(prepared, is_async)
        self._waits.append(lambda: self._keep(bucket, average if divisor is None else average.div_(divisor)))

    def _keep(self, bucket: _Bucket, average: Tensor) -> None:
        """Replace the shard of a bucket, or add to it."""
        former, bucket.shard = bucket.shard, average
        with no_grad():
            for part in bucket.layout.parts[self._group.rank()] if former is not None and self._added else ():
                if part.place in self._added:
                    parameter = self._parameters[part.place]
                    part.within(average, parameter).add_(part.within(former, parameter))  # type: ignore[arg-type]

    def _fill(self, missing: Sequence[int]) -> dict[int, Tensor | None]:
        for place in missing:
            grad = self._parameters[place]._grad
            if grad is self._marks[place]:
                self._added.add(place)
                grad = None
            self._fill_rows(place, grad)
        return {}

    def _set_gradients(self, kept: dict[int, Tensor | None], used: Tensor | None) -> None:
        flags = None if used is None else used.tolist()
        for place, parameter in enumerate(self._parameters):
            if flags is None or flags[place]:
                parameter._grad = self._marks[place]

    def _zero(self) -> None:
        for place in range(len(self._parameters)):
            self._fill_rows(place, None)

    def clip(self, parameters: Sequence[Tensor], max_norm: float, norm_type: float, error_if_nonfinite: bool) -> Tensor:
        """Scale gradients by one factor, so that their norm is at most `max_norm`; return the norm.

        Arguments:
            parameters: parameters of this reducer.
            max_norm: the maximum norm.
            norm_type: the order, above 0, or infinite.
            error_if_nonfinite: raise an error if the norm is not finite.
        """
        order = float(norm_type)
        if not order > 0:
            raise InvalidValueError(
                f"clip_grad_norm_: expected norm_type above 0, because of shard_gradients; got {order}"
            )
        if not max_norm >= 0:
            raise InvalidValueError(f"clip_grad_norm_: expected max_norm of at least 0; got {max_norm}")
        with no_grad():
            own = [rows for place in sorted(self._index_of[id(one)] for one in parameters) for rows in self._own(place)]
            norms = [linalg.vector_norm(rows, order, dtype=float64) for rows in own]
            sent = linalg.vector_norm(tensor([float(one) for one in norms] or [0.0], dtype=float64), order).view(1)
            found = zeros(self._group.size(), dtype=float64)
            all_gather_into_tensor(found, sent, self._group)
            norm = linalg.vector_norm(found, order)
            if error_if_nonfinite and not bool(norm.isfinite()):
                raise OperationError(f"clip_grad_norm_: the norm of order {order} is {float(norm)}; nothing was scaled")
            factor = (max_norm / (norm + 1e-6)).clamp(max=1)
            for rows in own:
                rows.mul_(factor.to(rows.dtype))
            return norm.to(self._parameters[0].dtype)

    def _own(self, place: int) -> list[Tensor]:
        """Return this rank's rows of a gradient; none if there is no gradient, or no row."""
        bucket, parameter = self._buckets[self._bucket_of[place]], self._parameters[place]
        if parameter._grad is not self._marks[place] or bucket.shard is None:
            return []
        own, shard = self._group.rank(), bucket.shard
        return [part.within(shard, parameter) for rank, part in bucket.where[place] if rank == own]


class _Shards(Shards):
    """Shards whose gradients are those of a reducer."""

    def __init__(
        self,
        group: ProcessGroup,
        parameters: Sequence[Tensor],
        layout: Layout,
        reducer: ShardingReducer,
        bucket: _Bucket,
    ) -> None:
        super().__init__(group, parameters, layout)
        self._reducer, self._bucket = reducer, bucket

    def gradient(self, one: Own) -> Tensor | None:
        if not isinstance(one.parameter._grad, ShardedGradient):
            return super().gradient(one)
        assert self._bucket.shard is not None
        return one.part.within(self._bucket.shard, one.parameter)


class _Before:
    """The hook of a parameter before a gradient is added. It does not keep the reducer."""

    __slots__ = ("place", "reducer")

    def __init__(self, reducer: ref[ShardingReducer], place: int) -> None:
        self.place, self.reducer = place, reducer

    def __call__(self, grad: Tensor) -> None:
        found = self.reducer()
        if found is not None:
            found.before(self.place)


def divide_gradients(
    group: ProcessGroup, parameters: Sequence[Tensor], is_whole: bool
) -> tuple[list[Shards], list[Tensor]]:
    """Divide the parameters whose gradients are sharded among the ranks, for an optimizer.

    Arguments:
        group: the group of the optimizer.
        parameters: its parameters.
        is_whole: do not cut parameters.

    Returns:
        The shards, and the parameters with whole gradients.

    Raises:
        ValueError: the gradients are sharded in another group, or for another optimizer.
    """
    found: list[Shards] = []
    rest = list(parameters)
    for reducer in sorted(_reducers, key=lambda one: -one._number):  # a model that was wrapped again: the last one
        chosen = [one for one in rest if reducer.owns(one)]
        if not chosen:
            continue
        if reducer._group is not group:
            raise InvalidValueError(
                f"ZeroRedundancyOptimizer: expected the process group of the {NAME} with shard_gradients; got another"
            )
        found += reducer.divide(chosen, is_whole)
        rest = [one for one in rest if not reducer.owns(one)]
    return found, rest
