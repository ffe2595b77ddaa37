"""State dicts: `Module.state_dict` and `Module.load_state_dict`, which loads all entries or none."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from contextlib import suppress
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

from facula_errors import FaculaError, InvalidTypeError, OperationError
from facula_errors.extend import boundary, warn
from facula_tensor import Parameter, Tensor, from_dlpack, no_grad

from .hooks import run_hooks
from .members import BUFFER, PARAMETER, UNSAVED, members
from .tree import M, Tree
from .uninitialized import UninitializedBuffer, UninitializedParameter, is_lazy

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    from .._types import StateDict

    Owner: TypeAlias = "Stateful[Any]"
else:
    Tree = {M: Tree}  # see `Generic` there


EXTRA = "_extra_state"  # the last part of the keys for what `get_extra_state` returns


class _Keys(NamedTuple):
    missing_keys: list[str]
    unexpected_keys: list[str]


class IncompatibleKeys(_Keys):
    """The result of `load_state_dict`: keys found only in the module, and keys found only in the dict."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"_{super().__repr__()}" if any(self) else "<All keys matched successfully>"


class StateDictError(FaculaError, RuntimeError):
    """A state dict does not match a module, which is unchanged. The error's lists contain all mismatches."""

    missing_keys: list[str]
    unexpected_keys: list[str]
    misfits: list[str]  # entries that cannot be assigned, with the reasons

    @classmethod
    def of(cls, message: str, loading: Loading) -> StateDictError:
        error = cls(message)
        error.missing_keys, error.unexpected_keys, error.misfits = loading.missing, loading.unexpected, loading.misfits
        return error


def own_state(module: Owner) -> Iterator[tuple[str, Tensor]]:
    """Yield the parameters and persistent buffers of the module itself, without its children's."""
    for kind in (PARAMETER, BUFFER):
        for name, value in members(module, kind):
            if value is not None and not module._kinds[name] & UNSAVED:
                yield name, value


def has_extra_state(module: Owner) -> bool:
    return type(module).get_extra_state is not Stateful.get_extra_state


def gather(module: Owner, destination: StateDict, prefix: str, keep_vars: bool) -> StateDict:
    """Store the state of `module` and its children in `destination`; return it, or its replacement by a hook.

    Arguments:
        module: the module whose state is stored.
        destination: the dict that receives the state.
        prefix: the prefix of all names.
        keep_vars: store the parameters themselves instead of detached tensors.
    """
    run_hooks(module, "state_pre", module, prefix, keep_vars)
    module._save_to_state_dict(destination, prefix, keep_vars)
    for name, child in module._modules.items():
        if child is not None:
            child.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
    for hook in list((module._hooks or {}).get("state_post", {}).values()):
        new = hook(module, destination, prefix, {})
        destination = destination if new is None else new
    return destination


def gather_own(module: Owner, destination: StateDict, prefix: str, keep_vars: bool) -> None:
    """Implement `Module._save_to_state_dict`.

    Arguments:
        module: the module whose state is stored.
        destination: the dict that receives the state.
        prefix: the prefix of all names.
        keep_vars: store the parameters themselves instead of detached tensors.
    """
    for name, value in own_state(module):
        destination[prefix + name] = value if keep_vars or is_lazy(value) else value.detach()
    if has_extra_state(module):
        destination[prefix + EXTRA] = module.get_extra_state()


class Loading(dict[str, Any]):
    """A copy of the loaded dict, with a plan of the assignments. The plan is complete before anything is modified.

    Arguments:
        state: the dict.
        strict: reject missing and unexpected keys.
        assign: replace the module's tensors by the dict's instead of copying.
    """

    def __init__(self, state: Mapping[str, object], strict: bool, assign: bool) -> None:
        super().__init__(state)
        self.strict, self.assign = strict, assign
        self.missing: list[str] = []
        self.unexpected: list[str] = []
        self.misfits: list[str] = []
        self.lost: list[str] = []  # copies to targets without memory
        self.tensors: list[tuple[Owner, str, Tensor, Tensor]] = []  # owner, name, target, source
        self.extras: list[tuple[Owner, Any]] = []
        self.visited: list[tuple[Owner, str]] = []
        self.planned: list[tuple[Owner, str]] = []  # the modules of `visited` that do not override their loading

    def plan(self, module: Owner, prefix: str) -> None:
        """Plan the entries for `module` and its children."""
        self.visited.append((module, prefix))
        lists = self.missing, self.unexpected, self.misfits
        run_hooks(module, "load_pre", module, self, prefix, {}, self.strict, *lists)
        module._load_from_state_dict(self, prefix, {}, self.strict, *lists)
        for name, child in module._modules.items():
            if child is not None:
                self.plan(child, f"{prefix}{name}.")

    def plan_own(self, module: Owner, prefix: str) -> None:
        """Plan the entries for `module` itself."""
        self.planned.append((module, prefix))
        for name, target in own_state(module):
            if prefix + name not in self:
                self.missing.append(prefix + name)
                continue
            source = _as_tensor(self[prefix + name])
            reason = _misfit(target, source, self.assign)
            if reason:
                self.misfits.append(f"{prefix + name!r}: {reason}")
            else:
                self.tensors.append((module, name, target, source))
                if not self.assign and target.device.type == "meta" != source.device.type:
                    self.lost.append(prefix + name)
        if has_extra_state(module):
            if prefix + EXTRA in self:
                self.extras.append((module, self[prefix + EXTRA]))
            else:
                self.missing.append(prefix + EXTRA)

    def find_unexpected(self) -> None:
        """Collect the keys of the dict that no module used."""
        expected = set(self.missing)
        for module, prefix in self.planned:
            expected.update(prefix + name for name, _ in own_state(module))
            if has_extra_state(module):
                expected.add(prefix + EXTRA)
        planned = {prefix for _, prefix in self.planned}
        for module, prefix in self.visited:
            if prefix not in planned:  # only an overriding module knows its keys
                mine = [key for key in self if key.startswith(prefix)]
                expected.update(key for key in mine if key[len(prefix) :].partition(".")[0] not in module._modules)
        self.unexpected += [key for key in self if key not in expected]

    def check(self, module: Owner) -> None:
        """Raise one error that lists all mismatches."""
        wrong = {"values that do not fit": self.misfits}
        if self.strict:
            wrong = {
                "missing keys (in the module, but not in the dict)": self.missing,
                "unexpected keys (in the dict, but not in the module)": self.unexpected,
                **wrong,
            }
        found = {title: keys for title, keys in wrong.items() if keys}
        if not found:
            return
        text = "".join(f"\n  {title}:" + "".join(f"\n    {key}" for key in keys) for title, keys in found.items())
        remedy = "" if self.misfits else "\n  strict=False leaves such keys alone"
        message = f"load_state_dict: the dict does not fit {type(module).__name__}; nothing was changed{text}{remedy}"
        raise StateDictError.of(message, self)  # in a class method, to keep `self` out of the traceback's frames

    def warn(self) -> None:
        """Warn about tensors that would be copied to the meta device."""
        lost = self.lost
        if lost:
            names = ", ".join([*lost[:3], "…"] if len(lost) > 3 else lost)
            warn(
                f"load_state_dict: {len(lost)} of the module's tensors ({names}) "
                "are on device 'meta', which has no elements, so that copying to them changes nothing; "
                "assign=True replaces them by the dict's tensors"
            )

    def carry_out(self) -> IncompatibleKeys:
        """Copy or assign the tensors, then run the post-hooks."""
        with no_grad():
            for module, name, target, source in self.tensors:
                if is_lazy(source):
                    continue  # neither has a shape yet
                if isinstance(target, UninitializedParameter | UninitializedBuffer) and not self.assign:
                    target.materialize(source.shape)
                if not self.assign:
                    target.copy_(source)
                elif isinstance(target, Parameter):
                    module.__dict__[name] = _as_parameter(source, target.requires_grad)
                else:
                    module.__dict__[name] = source
        for module, extra in self.extras:
            module.set_extra_state(extra)
        keys = IncompatibleKeys(self.missing, self.unexpected)
        for module, _ in reversed(self.visited):
            run_hooks(module, "load_post", module, keys)
        return keys


def _as_tensor(value: Any) -> Any:
    """Convert another library's tensor without a copy if it supports DLPack; return any other value unchanged."""
    if not isinstance(value, Tensor) and hasattr(type(value), "__dlpack__"):
        with suppress(BufferError, TypeError, ValueError, RuntimeError):  # the caller names the type in its error
            return from_dlpack(value)
    return value


def _misfit(target: Tensor, source: object, assign: bool) -> str | None:
    """Return the reason why `source` cannot be assigned or copied to `target`; None if it can.

    Arguments:
        target: the module's tensor.
        source: the dict's value.
        assign: replace the module's tensors by the dict's instead of copying.
    """
    if is_lazy(target):
        return None  # the target adopts the shape of the source
    if is_lazy(source):
        return "it has no shape yet: its lazy module was never called"
    if not isinstance(source, Tensor):
        cls = type(source)
        called = cls.__qualname__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__qualname__}"
        return f"expected a Tensor; got {called}"
    if source.shape != target.shape:
        return f"expected shape {tuple(target.shape)}; got {tuple(source.shape)}"
    if assign:
        return None
    if source.is_complex() and not target.is_complex():
        return f"expected {target.dtype.name}; got {source.dtype.name}, whose imaginary parts would be lost"
    if source.device.type == "meta" != target.device.type:
        return "it is on device 'meta', and has no elements to copy"
    if target._version is None:
        return "its memory in the module is read-only"
    return None


def _as_parameter(source: Tensor, requires_grad: bool) -> Parameter:
    if isinstance(source, Parameter):
        return source.requires_grad_(requires_grad)  # type: ignore[return-value]
    return Parameter(source, requires_grad)


def load(module: Owner, state_dict: Mapping[str, object], strict: bool, assign: bool) -> IncompatibleKeys:
    """Implement `Module.load_state_dict`.

    Arguments:
        module: the module to modify.
        state_dict: values by dotted name.
        strict: reject missing and unexpected keys.
        assign: replace the module's tensors by the dict's instead of copying.
    """
    if not isinstance(state_dict, Mapping):
        remedy = "; read the file first, with load(path)" if isinstance(state_dict, (str, PathLike)) else ""
        raise InvalidTypeError(
            f"load_state_dict: expected a mapping from names to tensors; got {type(state_dict).__name__}{remedy}"
        )
    loading = Loading(state_dict, strict, assign)
    loading.plan(module, "")
    loading.find_unexpected()
    loading.check(module)
    loading.warn()
    return loading.carry_out()


@boundary
class Stateful(Tree[M]):
    """The part of `Module` that saves and loads state dicts."""

    def state_dict(
        self, *, destination: StateDict | None = None, prefix: str = "", keep_vars: bool = False
    ) -> StateDict:
        """Return all parameters and persistent buffers by dotted name: detached, sharing memory, unless `keep_vars`.

        Arguments:
            destination: the dict to fill; a new one if None.
            prefix: the prefix of all names.
            keep_vars: return the parameters themselves instead of detached tensors.

        >>> from facula_nn import Linear
        >>> list(Linear(2, 1).state_dict())
        ['weight', 'bias']
        """
        gathered = OrderedDict() if destination is None else destination
        return gather(self, gathered, prefix, keep_vars)

    def load_state_dict(
        self, state_dict: Mapping[str, object], strict: bool = True, assign: bool = False
    ) -> IncompatibleKeys:
        """Copy values into parameters and buffers; with `assign`, replace these by the dict's tensors.

        Accepts tensors of other libraries that export DLPack. UserWarning if the module is on `meta`, to which nothing
        can be copied.
        Returns the names of missing and unexpected keys. RuntimeError that lists all missing and unexpected keys (if
        `strict`) and all values that do not match; the module is then unchanged.

        Arguments:
            state_dict: values by dotted name.
            strict: reject missing and unexpected keys.
            assign: replace the module's tensors by the dict's instead of copying.

        >>> from facula_nn import Linear
        >>> Linear(2, 1).load_state_dict(Linear(2, 1).state_dict())
        <All keys matched successfully>
        """
        return load(self, state_dict, strict, assign)

    def _save_to_state_dict(self, destination: StateDict, prefix: str, keep_vars: bool) -> None:
        """Store the module's own state, without its children's, in `destination`. Subclasses may override this method.

        Arguments:
            destination: the dict to modify.
            prefix: the prefix of all names.
            keep_vars: store the parameters themselves instead of detached tensors.
        """
        gather_own(self, destination, prefix, keep_vars)

    def _load_from_state_dict(
        self,
        state_dict: StateDict,
        prefix: str,
        local_metadata: StateDict,
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """Load the module's own state, without its children's, from `state_dict`. Subclasses may override this method.

        This implementation records the copies, which are made when all modules have found their entries. An override
        acts immediately. `state_dict` is a copy, which may be modified; TypeError for any other dict.
        """
        if not isinstance(state_dict, Loading):
            raise InvalidTypeError(
                "_load_from_state_dict: expected the state_dict that load_state_dict passed to the override; got "
                f"{type(state_dict).__name__}; change that dict instead, it is a copy"
            )
        state_dict.plan_own(self, prefix)

    def get_extra_state(self) -> Any:
        """Return additional state for `state_dict`. Subclasses define this method."""
        raise OperationError(f"get_extra_state: {type(self).__name__} does not define it")

    def set_extra_state(self, state: Any) -> None:
        """Restore the state that `get_extra_state` returned."""
        raise OperationError(f"set_extra_state: {type(self).__name__} defines get_extra_state but not this")
