"""State dicts: what `Module.state_dict` gives and `Module.load_state_dict` takes, all of it or nothing."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from contextlib import suppress
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


EXTRA = "_extra_state"


class _Keys(NamedTuple):
    missing_keys: list[str]
    unexpected_keys: list[str]


class IncompatibleKeys(_Keys):
    """The result of `load_state_dict`: keys only in the module, and keys only in the dict."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"_{super().__repr__()}" if any(self) else "<All keys matched successfully>"


class StateDictError(FaculaError, RuntimeError):
    """A state dict does not fit a module, which is unchanged. Its lists name everything that is wrong at once."""

    missing_keys: list[str]
    unexpected_keys: list[str]
    misfits: list[str]  # what of the dict cannot go where it belongs, and why

    @classmethod
    def of(cls, message: str, loading: Loading) -> StateDictError:
        error = cls(message)
        error.missing_keys, error.unexpected_keys, error.misfits = loading.missing, loading.unexpected, loading.misfits
        return error


def own_state(module: Owner) -> Iterator[tuple[str, Tensor]]:
    """The parameters and saved buffers that are the module's own."""
    for kind in (PARAMETER, BUFFER):
        for name, value in members(module, kind):
            if value is not None and not module._kinds[name] & UNSAVED:
                yield name, value


def has_extra_state(module: Owner) -> bool:
    return type(module).get_extra_state is not Stateful.get_extra_state


def gather(module: Owner, destination: StateDict, prefix: str, keep_vars: bool) -> StateDict:
    """Put the state of `module` and its children into `destination`; return that, or what a hook has in its place.

    Arguments:
        module: whose state it is.
        destination: what it is put into.
        prefix: what names begin with.
        keep_vars: give the parameters themselves, not detached.
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
    """`Module._save_to_state_dict`.

    Arguments:
        module: whose state it is.
        destination: what it is put into.
        prefix: what names begin with.
        keep_vars: give the parameters themselves, not detached.
    """
    for name, value in own_state(module):
        destination[prefix + name] = value if keep_vars or is_lazy(value) else value.detach()
    if has_extra_state(module):
        destination[prefix + EXTRA] = module.get_extra_state()


class Loading(dict[str, Any]):
    """A copy of the loaded dict, with the plan of its assignments, made before anything is changed.

    Arguments:
        state: the dict.
        strict: refuse missing and unexpected keys.
        assign: put the dict's tensors in place of the module's.
    """

    def __init__(self, state: Mapping[str, object], strict: bool, assign: bool) -> None:
        super().__init__(state)
        self.strict, self.assign = strict, assign
        self.missing: list[str] = []
        self.unexpected: list[str] = []
        self.misfits: list[str] = []
        self.lost: list[str] = []  # would be copied to where there is no memory
        self.tensors: list[tuple[Owner, str, Tensor, Tensor]] = []  # owner, name, what is there, what comes
        self.extras: list[tuple[Owner, Any]] = []
        self.visited: list[tuple[Owner, str]] = []
        self.planned: list[tuple[Owner, str]] = []  # those of `visited` that did not load all by themselves

    def plan(self, module: Owner, prefix: str) -> None:
        """Find what of the dict goes into `module` and its children."""
        self.visited.append((module, prefix))
        lists = self.missing, self.unexpected, self.misfits
        run_hooks(module, "load_pre", module, self, prefix, {}, self.strict, *lists)
        module._load_from_state_dict(self, prefix, {}, self.strict, *lists)
        for name, child in module._modules.items():
            if child is not None:
                self.plan(child, f"{prefix}{name}.")

    def plan_own(self, module: Owner, prefix: str) -> None:
        """Find what of the dict goes into `module` itself."""
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
        """Keys of the dict that nothing asked for."""
        expected = set(self.missing)
        for module, prefix in self.planned:
            expected.update(prefix + name for name, _ in own_state(module))
            if has_extra_state(module):
                expected.add(prefix + EXTRA)
        planned = {prefix for _, prefix in self.planned}
        for module, prefix in self.visited:
            if prefix not in planned:  # it alone knows which keys are its own
                mine = [key for key in self if key.startswith(prefix)]
                expected.update(key for key in mine if key[len(prefix) :].partition(".")[0] not in module._modules)
        self.unexpected += [key for key in self if key not in expected]

    def check(self, module: Owner) -> None:
        """Raise one error with all mismatches."""
        wrong = {"values that do not fit": self.misfits}
        if self.strict:
            wrong = {
                "missing keys (the module has them, the dict has not)": self.missing,
                "unexpected keys (the dict has them, the module has not)": self.unexpected,
                **wrong,
            }
        found = {title: keys for title, keys in wrong.items() if keys}
        if not found:
            return
        text = "".join(f"\n  {title}:" + "".join(f"\n    {key}" for key in keys) for title, keys in found.items())
        remedy = "" if self.misfits else "\n  strict=False leaves such keys alone"
        message = f"load_state_dict: the dict does not fit {type(module).__name__}; nothing was changed{text}{remedy}"
        raise StateDictError.of(message, self)  # made there: here it would be in its own traceback's frame

    def warn(self) -> None:
        """Warn of tensors that would be copied to the meta device."""
        lost = self.lost
        if lost:
            names = ", ".join([*lost[:3], "…"] if len(lost) > 3 else lost)
            warn(
                f"load_state_dict: {len(lost)} of the module's tensors ({names}) "
                "are on device 'meta', which has no elements, so that copying to them changes nothing; "
                "assign=True puts the dict's tensors in their places"
            )

    def carry_out(self) -> IncompatibleKeys:
        """Copy or assign; then the hooks that look at the result."""
        with no_grad():
            for module, name, target, source in self.tensors:
                if is_lazy(source):
                    continue  # both have no shape yet
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
    """Another library's tensor as one of ours over the same memory, where DLPack can say so; all else as it is."""
    if not isinstance(value, Tensor) and hasattr(type(value), "__dlpack__"):
        with suppress(BufferError, TypeError, ValueError, RuntimeError):  # what it is will be named
            return from_dlpack(value)
    return value


def _misfit(target: Tensor, source: object, assign: bool) -> str | None:
    """Why `source` cannot take the place of `target`, or be copied there; None where it can.

    Arguments:
        target: what the module has.
        source: what the dict has.
        assign: put the dict's tensors in place of the module's.
    """
    if is_lazy(target):
        return None  # it takes the shape that comes
    if is_lazy(source):
        return "it has no shape yet: the lazy module that it is of was never called"
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
    """`Module.load_state_dict`.

    Arguments:
        module: what is changed.
        state_dict: values by dotted name.
        strict: refuse missing and unexpected keys.
        assign: put the dict's tensors in place of the module's.
    """
    if not isinstance(state_dict, Mapping):
        raise InvalidTypeError(
            f"load_state_dict: expected a mapping from names to tensors; got {type(state_dict).__name__}"
        )
    loading = Loading(state_dict, strict, assign)
    loading.plan(module, "")
    loading.find_unexpected()
    loading.check(module)
    loading.warn()
    return loading.carry_out()


@boundary
class Stateful(Tree[M]):
    """The part of `Module` that gives and takes state dicts."""

    def state_dict(
        self, *, destination: StateDict | None = None, prefix: str = "", keep_vars: bool = False
    ) -> StateDict:
        """All parameters and saved buffers by dotted name: detached, over the same memory, unless `keep_vars`.

        Arguments:
            destination: a dict to put them into; a new one if None.
            prefix: what names begin with.
            keep_vars: give the parameters themselves, not detached.

        >>> from facula_nn import Linear
        >>> list(Linear(2, 1).state_dict())
        ['weight', 'bias']
        """
        gathered = OrderedDict() if destination is None else destination
        return gather(self, gathered, prefix, keep_vars)

    def load_state_dict(
        self, state_dict: Mapping[str, object], strict: bool = True, assign: bool = False
    ) -> IncompatibleKeys:
        """Copy values into parameters and buffers; with `assign`, put the dict's tensors in their places.

        Tensors of other libraries that export DLPack will do. A UserWarning where the module is on `meta`, and nothing
        can be copied there.
        Returns the names of missing and unexpected keys. RuntimeError that lists all missing and unexpected keys
        (where `strict`) and all values that do not fit; then nothing was changed.

        Arguments:
            state_dict: values by dotted name.
            strict: refuse missing and unexpected keys.
            assign: put the dict's tensors in place of the module's.

        >>> from facula_nn import Linear
        >>> Linear(2, 1).load_state_dict(Linear(2, 1).state_dict())
        <All keys matched successfully>
        """
        return load(self, state_dict, strict, assign)

    def _save_to_state_dict(self, destination: StateDict, prefix: str, keep_vars: bool) -> None:
        """Put the module's own state, without its children's, into `destination`; for subclasses to override.

        Arguments:
            destination: the dict that is changed.
            prefix: what names begin with.
            keep_vars: give the parameters themselves, not detached.
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
        """Take the module's own state, without its children's, from `state_dict`; for subclasses to override.

        This one notes what is to be copied, which is done when all modules have found what they need; what an
        override does by itself is done at once. `state_dict` is a copy, which may be changed; TypeError for another.
        """
        if not isinstance(state_dict, Loading):
            raise InvalidTypeError(
                "_load_from_state_dict: expected the state_dict that load_state_dict gave to the override; got "
                f"{type(state_dict).__name__}; change that dict instead, it is a copy"
            )
        state_dict.plan_own(self, prefix)

    def get_extra_state(self) -> Any:
        """State beside tensors for `state_dict`, in subclasses that define this."""
        raise OperationError(f"get_extra_state: {type(self).__name__} does not define it")

    def set_extra_state(self, state: Any) -> None:
        """Take back what `get_extra_state` gave."""
        raise OperationError(f"set_extra_state: {type(self).__name__} defines get_extra_state but not this")
