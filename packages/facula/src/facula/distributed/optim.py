"""An optimizer of several processes, each of which keeps a part of the state. Others of PyTorch are refused by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import InvalidTypeError, InvalidValueError, OperationError, UnsupportedError
from facula_errors.extend import boundary
from facula_tensor import Tensor, empty, enable_grad

from .._lookup.names import publish
from .._lookup.refusals import Kind, Refusals
from .._lookup.siblings import needs

with needs("facula.distributed.optim"):
    from facula_distributed import all_gather_object, gather_object
    from facula_distributed.extend import (
        Join,
        Joinable,
        JoinHook,
        Rows,
        ShardedGradient,
        Shards,
        break_capture,
        check_equal_models,
        default_group,
        divide,
        divide_gradients,
        group_of,
    )
    from facula_optim import LBFGS, Optimizer
    from facula_optim.extend import ELEMENTWISE, loaded_groups

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from . import ProcessGroup

__all__ = ["DistributedOptimizer", "PostLocalSGDOptimizer", "ZeroRedundancyOptimizer"]

_missing = Refusals("distributed.optim", "use the optimizer itself")
DistributedOptimizer: Kind = _missing.kind("DistributedOptimizer")
PostLocalSGDOptimizer: Kind = _missing.kind("PostLocalSGDOptimizer")

NAME = "ZeroRedundancyOptimizer"
_BUCKET_BYTES = 25 << 20  # of parameters that are collected at once


@boundary
class ZeroRedundancyOptimizer(Optimizer, Joinable):
    """An optimizer whose state is divided among the processes, which have the same parameters and gradients.

    Each process updates its part of the parameters, and receives the other parts. Parameters have the same bits as with
    the optimizer itself. They are divided by rows, among all processes evenly; optimizers that need whole matrices, and
    classes of the program, get whole parameters. The gradients are averaged before, as by `DistributedDataParallel`;
    with its `shard_gradients=True`, each process keeps only its part of these, too.

    Arguments:
        params: tensors, pairs (name, tensor), or dicts that define groups with their own options.
        optimizer_class: the class of the optimizer, such as `AdamW`, but not LBFGS, whose state is not that of single
            parameters.
        process_group: the process group; all processes if None.
        parameters_as_bucket_view: ignored: parameters keep their memory.
        overlap_with_ddp: must be False.
        defaults: the options of the optimizer.

    Raises:
        ValueError: there is no process group; or an error of the optimizer.
        TypeError: `optimizer_class` is no class of optimizers.
        RuntimeError: the processes have different parameters.
        NotImplementedError: `overlap_with_ddp`, or LBFGS.

    Rajbhandari et al. 2020, ZeRO: memory optimizations toward training trillion parameter models.

    >>> import facula
    >>> from facula.distributed import HashStore, destroy_process_group, init_process_group
    >>> init_process_group("gloo", store=HashStore(), rank=0, world_size=1)
    >>> x = facula.tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = ZeroRedundancyOptimizer([x], facula.optim.Adam, lr=0.5)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> x
    tensor([ 0.5000, -1.5000], requires_grad=True)
    >>> destroy_process_group()
    """

    def __init__(
        self,
        params: Any,
        optimizer_class: type[Optimizer],
        process_group: ProcessGroup | None = None,
        parameters_as_bucket_view: bool = False,
        overlap_with_ddp: bool = False,
        **defaults: Any,
    ) -> None:
        if not (isinstance(optimizer_class, type) and issubclass(optimizer_class, Optimizer)):
            raise InvalidTypeError(
                f"{NAME}: expected optimizer_class to be a class of optimizers; got {optimizer_class!r}"
            )
        if issubclass(optimizer_class, (LBFGS, ZeroRedundancyOptimizer)):
            raise UnsupportedError(
                f"{NAME}: {optimizer_class.__name__} has a state of all parameters together, which cannot be "
                f"divided; use {optimizer_class.__name__} itself, or another class"
            )
        if overlap_with_ddp:
            raise UnsupportedError(
                f"{NAME}: expected overlap_with_ddp=False, since True is not implemented; leave it out"
            )
        group = default_group() if process_group is None else group_of(NAME, process_group)
        if group is None:
            raise InvalidValueError(f"{NAME}: expected a process_group that this process is a member of; got another")
        Joinable.__init__(self)
        self.process_group = group
        self.parameters_as_bucket_view = parameters_as_bucket_view
        self._is_whole = optimizer_class not in ELEMENTWISE
        self._shards: list[Shards] = []
        self._consolidated: dict[str, Any] | None = None
        self._local: Optimizer | None = None
        Optimizer.__init__(self, params, {})
        self._check_equal([one for group in self.param_groups for one in group["params"]])
        self._local = optimizer_class([self._divided(group) for group in self.param_groups], **defaults)
        self.defaults = self._local.defaults
        _copy_options(self._local.param_groups, self.param_groups)

    @property
    def optim(self) -> Optimizer:
        """The optimizer of this process's parts of the parameters."""
        assert self._local is not None
        return self._local

    def _check_equal(self, parameters: Sequence[Tensor]) -> None:
        if any(hasattr(one, "to_local") for one in parameters):
            raise UnsupportedError(f"{NAME}: expected plain parameters; got DTensors; use the optimizer of the class")
        named = [(f"parameter {number}", one) for number, one in enumerate(parameters)]
        if self.process_group.size() > 1:
            check_equal_models(NAME, self.process_group, named)

    def _divided(self, group: dict[str, Any]) -> dict[str, Any]:
        """Divide the parameters of a group, and return the group of this process's parts."""
        parameters = list(group["params"])
        ready, rest = divide_gradients(self.process_group, parameters, self._is_whole)
        self._shards += [*ready, *divide(self.process_group, rest, _BUCKET_BYTES, self._is_whole)]
        return {**_options(group), "params": self._parts_of(parameters)}

    def _parts_of(self, parameters: Sequence[Tensor]) -> list[Tensor]:
        """Return this process's parts of parameters, in their order."""
        parts = {id(one.parameter): one.value for shards in self._shards for one in shards.own}
        return [parts[id(one)] for one in parameters if id(one) in parts]

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a group: a dict with "params" and options that differ from the defaults. All processes call this."""
        super().add_param_group(param_group)
        if self._local is not None:
            group = self.param_groups[-1]
            try:
                self._check_equal(group["params"])
                self._local.add_param_group(self._divided(group))
            except BaseException:
                self.param_groups.pop()
                raise
            _copy_options(self._local.param_groups[-1:], [group])

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Reset all gradients to None, or with `set_to_none=False` to zeros; those of `shard_gradients` to None."""
        for group in self.param_groups:
            for parameter in group["params"]:
                if isinstance(parameter.grad, ShardedGradient):
                    parameter.grad = None
        super().zero_grad(set_to_none)

    def step(self, closure: Callable[[], Any] | None = None, **kwargs: Any) -> Any:
        """Update the parameters, together with the other processes.

        Arguments:
            closure: a function that computes the gradients and returns the loss, which is called first.
            kwargs: other arguments of the optimizer's `step`.

        Returns:
            The result of `closure`.
        """
        break_capture(f"{NAME}.step")
        Join.notify_join_context(self)
        loss, local = None, self.optim
        if closure is not None:
            with enable_grad():
                loss = closure()
        self._consolidated = None
        _copy_options(self.param_groups, local.param_groups)
        for shards in self._shards:
            for one in shards.own:
                one.value.grad = shards.gradient(one)
        local.step(**kwargs)
        local.zero_grad()
        _copy_options(local.param_groups, self.param_groups)
        for shards in self._shards:
            shards.collect()
        return loss

    # ------------------------------------------------------------------------------------------------------- state
    def _own_states(self) -> dict[int, tuple[Any, dict[str, Any]]]:
        """Return the part and the state of each parameter of which this process has a state, by index."""
        numbers = {id(one): number for number, one in enumerate(self._parameters())}
        states = self.optim.state
        found = {numbers[id(one.parameter)]: (one.part, states[one.value])
                 for shards in self._shards for one in shards.own if states.get(one.value)}  # fmt: skip
        return dict(sorted(found.items()))

    def _parameters(self) -> list[Tensor]:
        return [one for group in self.param_groups for one in group["params"]]

    def _with_groups(self, state: dict[int, Any]) -> dict[str, Any]:
        groups, first = [], 0
        for group in self.param_groups:
            last = first + len(group["params"])
            named = {"param_names": group["param_names"]} if "param_names" in group else {}
            groups.append({**_options(group), **named, "params": list(range(first, last))})
            first = last
        return {"state": state, "param_groups": groups}

    def consolidate_state_dict(self, to: int = 0) -> None:
        """Collect the state of all processes on one of them, for `state_dict`. All processes call this.

        Arguments:
            to: the process, a rank of the group.
        """
        own, size = self.process_group.rank(), self.process_group.size()
        if isinstance(to, bool) or not isinstance(to, int) or not 0 <= to < size:
            raise InvalidValueError(f"consolidate_state_dict: expected to be a rank from 0 to {size - 1}; got {to!r}")
        found: list[Any] | None = [None] * size if own == to else None
        gather_object(self._own_states(), found, group=self.process_group, group_dst=to)
        self._consolidated = None
        if found is None:
            return
        parameters, state = self._parameters(), {}
        for number, parameter in enumerate(parameters):
            parts = [one[number] for one in found if number in one]
            if not parts:
                continue
            state[number] = {
                key: value if self._is_whole or not _has_rows(value) else _joined(parameter, key, parts)
                for key, value in parts[0][1].items()
            }
        self._consolidated = self._with_groups(state)

    def state_dict(self) -> dict[str, Any]:
        """Return the state that `consolidate_state_dict` collected, in the format of the optimizer itself.

        Raises:
            RuntimeError: it was not called with this process's rank since the last step. Tensors may be divided in
                `distributed.checkpoint` instead, which saves the object itself.
        """
        if self._consolidated is None and self.process_group.size() == 1:
            self.consolidate_state_dict()
        if self._consolidated is None:
            raise OperationError(
                f"{NAME}.state_dict: expected the state of all processes; call consolidate_state_dict(to="
                f"{self.process_group.rank()}) on all of them after the step, or pass the optimizer itself to "
                "distributed.checkpoint.save"
            )
        return self._consolidated

    def sharded_state_dict(self) -> dict[str, Any]:
        """Return the state in the format of `state_dict`, with this process's rows of tensors. All processes call this.

        `distributed.checkpoint` saves and loads it. On another number of processes, pass the optimizer itself to
        `load`.
        """
        states, own, parameters = self._own_states(), {}, self._parameters()
        for number, (part, entries) in states.items():
            own[number] = {
                key: Rows(value.shape if self._is_whole else parameters[number].shape, part.begin, value)
                if _has_rows(value)
                else value
                for key, value in entries.items()
            }
        forms: list[Any] = [None] * self.process_group.size()
        described = {
            number: {key: value.without_rows() if isinstance(value, Rows) else value for key, value in entries.items()}
            for number, entries in own.items()
        }
        all_gather_object(forms, described, self.process_group)
        whole: dict[int, Any] = {}
        for form in reversed(forms):
            whole.update(form)
        return self._with_groups({number: own.get(number, whole[number]) for number in sorted(whole)})

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load the options and this process's part of a state of `state_dict`, also of the optimizer itself.

        All processes load the same state. ValueError if groups or shapes do not match.
        """
        operation = f"{NAME}.load_state_dict"
        groups, matched = loaded_groups(operation, self.param_groups, state_dict)
        numbers = {id(p): number for number, p in enumerate(
            [p for group in self.optim.param_groups for p in group["params"]])}  # fmt: skip
        parts = {id(one.parameter): one for shards in self._shards for one in shards.own}
        state = {}
        for saved, entries in state_dict["state"].items():
            parameter = matched.get(saved)
            one = None if parameter is None else parts.get(id(parameter))
            if one is not None:
                state[numbers[id(one.value)]] = {
                    key: self._cut(f"{operation}: {key} of parameter {saved}", one, value)
                    for key, value in entries.items()
                }
        local = self.optim.state_dict()["param_groups"]
        self.optim.load_state_dict(
            {"state": state, "param_groups": [{**_options(group), "params": former["params"]}
                                              for group, former in zip(groups, local, strict=True)]}
        )  # fmt: skip
        self.param_groups, self._consolidated = groups, None

    def _cut(self, what: str, one: Any, value: Any) -> Any:
        """Return the entry of a state for a part of a parameter."""
        if isinstance(value, Rows):
            rows = (value.begin, value.begin + len(value.tensor))
            if not self._is_whole and rows != (one.part.begin, one.part.end):
                raise InvalidValueError(f"{what}: expected the rows of this process; got others; load a whole state")
            return value.tensor
        if not hasattr(value, "shape"):
            return value
        if not value.shape:
            return value[()]
        if self._is_whole:
            return value[:]
        if tuple(value.shape) != tuple(one.parameter.shape):
            raise InvalidValueError(
                f"{what}: expected the shape of the parameter, {tuple(one.parameter.shape)}; got {tuple(value.shape)}"
            )
        return value[one.part.begin : one.part.end]

    def __getstate__(self) -> dict[str, Any]:
        raise OperationError(f"{NAME}: an optimizer with a process group cannot be pickled; save its state_dict()")

    # -------------------------------------------------------------------------------------------------------- join
    def join_hook(self, **kwargs: Any) -> JoinHook:
        """Return the hook of a `Join` context, in which the model comes before the optimizer.

        A process without inputs continues to update its part, with the options of its last step: schedules of rates
        advance only in processes with inputs.
        """
        return _Shadow(self)

    @property
    def join_device(self) -> Any:
        """The device of the parameters."""
        return self.param_groups[0]["params"][0].device

    @property
    def join_process_group(self) -> Any:
        """The process group."""
        return self.process_group


class _Shadow(JoinHook):
    """The work of a process without inputs."""

    def __init__(self, optimizer: ZeroRedundancyOptimizer) -> None:
        self.optimizer = optimizer

    def main_hook(self) -> None:
        self.optimizer.step()


def _options(group: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in group.items() if key not in ("params", "param_names")}


def _copy_options(source: Sequence[dict[str, Any]], target: Sequence[dict[str, Any]]) -> None:
    for one, other in zip(source, target, strict=True):
        other.update(_options(one))


def _has_rows(value: Any) -> bool:
    return isinstance(value, Tensor) and value.ndim > 0


def _joined(parameter: Tensor, key: str, parts: Sequence[tuple[Any, dict[str, Any]]]) -> Tensor:
    """Return an entry of the state of a parameter, from those of its parts."""
    whole = empty(parameter.shape, dtype=parts[0][1][key].dtype)
    for part, entries in parts:
        part.of(whole).copy_(entries[key])
    return whole


publish(__name__)
