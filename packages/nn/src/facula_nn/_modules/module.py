"""`Module`: parameters, buffers and submodules under names, and a forward that uses them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import FaculaError, InvalidTypeError, InvalidValueError, UnsupportedError
from facula_errors.extend import boundary, trim_traceback, warn
from facula_tensor import Tensor, bfloat16, empty_like, float16, float32, float64, no_grad
from facula_tensor import device as Device
from facula_tensor import dtype as DType
from facula_tensor.extend.arguments import dtype_of_type
from facula_tensor.extend.recording import collecting, current_recorder
from facula_tensor.extend.tensors import zero_grad_

from .hooks import HookTable, WithoutModule, add_hook, call_hooked, call_recorded, copied
from .html import html_of
from .members import BUFFER, MODULE, PARAMETER, members
from .places import locate
from .state import Stateful

if TYPE_CHECKING:
    import builtins
    from collections.abc import Callable
    from typing import ParamSpec, Protocol, Self, TypeVar

    from facula_tensor.extend.arguments import DeviceLike, DTypeLike, MemoryFormat
    from facula_tensor.extend.modules import Handle

    from .._types import Hook, StateDict

    P = ParamSpec("P")
    Output = TypeVar("Output", covariant=True)

    class Forward(Protocol[P, Output]):
        """An object with a `forward`, whose arguments and result its calls share."""

        def forward(self, *args: P.args, **kwargs: P.kwargs) -> Output: ...

else:
    Stateful = {"Module": Stateful}  # see `Generic` in `_modules/tree.py`

_noticed: list[None] = []  # non-empty once `compile` has warned
compilers: list[Callable[..., None]] = []  # implementations of `compile`, registered by the face


@boundary
class Module(Stateful["Module"]):
    """Base class of all layers and networks.

    A subclass calls ``super().__init__()``, assigns parameters and other modules to attributes, and defines `forward`.
    Calling the module calls `forward`. See Note [Where members are] for the storage of attributes.

    >>> from facula_tensor import Parameter, ones
    >>> class Scale(Module):
    ...     def __init__(self, width):
    ...         super().__init__()
    ...         self.weight = Parameter(ones(width))
    ...     def forward(self, input):
    ...         return input * self.weight
    >>> scale = Scale(2)
    >>> scale(ones(2)).requires_grad, list(scale.state_dict())
    (True, ['weight'])
    """

    training: bool = True

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the result. Subclasses must define this method."""
        raise UnsupportedError(
            f"{type(self).__name__}: expected the class to define forward(self, ...); check its name and indentation"
        )

    if TYPE_CHECKING:

        def __call__(self: Forward[P, Output], *args: P.args, **kwargs: P.kwargs) -> Output:
            """Run `forward` and the hooks around it."""
            raise UnsupportedError

    else:

        def __call__(self, *args: Any, **kwargs: Any) -> Any:
            """Run `forward` and the hooks around it. An exception gets a note with the path of the failing module."""
            try:
                if collecting:
                    return call_recorded(self, args, kwargs)
                if self._hooks is None:
                    return self.forward(*args, **kwargs)
                return call_hooked(self, args, kwargs)
            except Exception as error:
                locate(error, self)
                if isinstance(error, (FaculaError, TypeError)):
                    trim_traceback(error)
                raise

    _call_impl = _wrapped_call_impl = __call__  # PyTorch's names, which programs call or look up

    # ----------------------------------------------------------------------------------------- the whole tree
    def apply(self, fn: Callable[[Module], None]) -> Self:
        """Call `fn` on each descendant, children first, then on this module."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def train(self, mode: bool = True) -> Self:
        """Set this module and its descendants to training mode, in which dropout and batch statistics are active."""
        if not isinstance(mode, bool):
            raise InvalidValueError(f"train: expected a bool; got {mode!r}")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Self:
        """Set this module and its descendants to evaluation mode."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Enable or disable gradients for all parameters."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Reset the gradients of all parameters to None, or with `set_to_none=False` to zeros, in place."""
        for parameter in self.parameters():
            if not set_to_none:
                zero_grad_(parameter)
            elif parameter.grad is not None:
                parameter.grad = None

    def share_memory(self) -> Self:
        """Move all parameters, their gradients and the buffers to shared memory, which other processes can open."""
        return self._apply(lambda tensor: tensor.share_memory_())

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        """Replace each parameter and buffer by `fn` of it. Parameters keep their identity, for optimizers."""
        if recurse:
            for module in self.children():
                module._apply(fn)
        with no_grad():
            for _, parameter in members(self, PARAMETER):
                if parameter is None:
                    continue
                grad = parameter.grad
                new = fn(parameter)
                if new is not parameter:
                    parameter.data = new
                if grad is not None:
                    parameter.grad = fn(grad)
            for name, buffer in members(self, BUFFER):
                if buffer is not None:
                    self.__dict__[name] = fn(buffer)
        return self

    def to(
        self,
        *args: Tensor | Device | DType | str | bool | None,
        device: DeviceLike | None = None,
        dtype: DType | None = None,
        non_blocking: bool = False,
        memory_format: MemoryFormat | None = None,
    ) -> Self:
        """Move parameters and buffers to a device, or cast the floating ones. Modifies and returns the module.

        Accepts `to("cpu")`, `to(facula.float64)` and `to(other_tensor)`. Raises TypeError if the dtype is neither
        floating nor complex.

        Arguments:
            *args: a device, a dtype, or a tensor that provides both, in any order.
            device: the target device.
            dtype: the target dtype, floating or complex.
            non_blocking: whether to continue before copies from pinned memory are done.
            memory_format: the memory format of tensors with four dimensions.

        Returns:
            The module.

        >>> from facula_nn import Linear
        >>> from facula_tensor import float64
        >>> Linear(2, 1).to(float64).weight.dtype
        facula.float64
        """
        for arg in args:
            if isinstance(arg, Tensor):
                device, dtype = arg.device, arg.dtype
            elif isinstance(arg, DType):
                dtype = arg
            elif isinstance(arg, (Device, str)):
                device = arg
            elif isinstance(arg, bool):
                non_blocking = arg
            elif arg is not None:
                raise InvalidTypeError(f"to: expected a device, a dtype or a tensor; got {type(arg).__name__}")
        if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
            raise InvalidTypeError(f"to: expected a floating dtype, since parameters have gradients; got {dtype.name}")

        def convert(tensor: Tensor) -> Tensor:
            wanted = dtype if tensor.is_floating_point() or tensor.is_complex() else None
            order = memory_format if tensor.ndim == 4 else None
            return tensor.to(device=device, dtype=wanted, non_blocking=non_blocking, memory_format=order)

        return self._apply(convert)

    def to_empty(self, *, device: DeviceLike, recurse: bool = True) -> Self:
        """Move to a device without copying elements, for example from `meta`; the new elements are uninitialized."""
        return self._apply(lambda tensor: empty_like(tensor, device=device), recurse)

    def cpu(self) -> Self:
        """Move to the host's memory."""
        return self.to(device="cpu")

    def cuda(self, device: DeviceLike | int | None = None) -> Self:
        """Move to a CUDA device. Without one, RuntimeError with instructions for installing it."""
        return self._apply(lambda tensor: tensor.cuda(device))

    def type(self, dst_type: DTypeLike | builtins.type[Tensor]) -> Self:
        """Cast floating parameters and buffers to a dtype, also given as a type name such as `FloatTensor`."""
        return self.to(dtype=dtype_of_type(dst_type, "type"))

    def float(self) -> Self:
        """Cast floating parameters and buffers to float32."""
        return self.to(dtype=float32)

    def double(self) -> Self:
        """Cast floating parameters and buffers to float64."""
        return self.to(dtype=float64)

    def half(self) -> Self:
        """Cast floating parameters and buffers to float16."""
        return self.to(dtype=float16)

    def bfloat16(self) -> Self:
        """Cast floating parameters and buffers to bfloat16."""
        return self.to(dtype=bfloat16)

    def compile(self, *args: object, **kwargs: object) -> None:
        """Capture future calls, as `facula.compile(module)` does; the arguments are the same.

        If the package that captures is not installed, the module is unchanged, and the first call of this method warns.
        """
        if compilers:
            compilers[-1](self, *args, **kwargs)
        elif not _noticed:
            _noticed.append(None)
            warn("Module.compile: facula-jit, which captures, is not installed; the module runs uncompiled")

    # --------------------------------------------------------------------------------------------------- hooks
    def register_forward_pre_hook(self, hook: Hook, *, prepend: bool = False, with_kwargs: bool = False) -> Handle:
        """Call ``hook(module, args)`` before forward, or ``hook(module, args, kwargs)``; it may return new arguments.

        Arguments:
            hook: the function.
            prepend: call it before all other forward pre-hooks.
            with_kwargs: also pass the keyword arguments.

        Returns:
            A handle whose `remove()` removes the hook.
        """
        return add_hook(self, "register_forward_pre_hook", "forward_pre", hook, prepend, ("with_kwargs",) * with_kwargs)

    def register_forward_hook(
        self,
        hook: Hook,
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
        always_call: bool = False,
    ) -> Handle:
        """Call ``hook(module, args, output)`` after forward, or ``hook(module, args, kwargs, output)``.

        The hook may return a new output. With `always_call` it also runs if forward raised; its output is then None.

        Arguments:
            hook: the function.
            prepend: call it before all other forward hooks.
            with_kwargs: also pass the keyword arguments.
            always_call: also call it if forward raised.

        Returns:
            A handle whose `remove()` removes the hook.
        """
        flags = ("with_kwargs",) * with_kwargs + ("always_called",) * always_call
        return add_hook(self, "register_forward_hook", "forward", hook, prepend, flags)

    def register_full_backward_pre_hook(self, hook: Hook, prepend: bool = False) -> Handle:
        """Call ``hook(module, grad_output)`` when the gradients of the outputs are available; it may replace them."""
        return add_hook(self, "register_full_backward_pre_hook", "backward_pre", hook, prepend)

    def register_full_backward_hook(self, hook: Hook, prepend: bool = False) -> Handle:
        """Call ``hook(module, grad_input, grad_output)`` when both are available; it may return a new grad_input.

        Both are tuples, with None for values that require no gradient; `grad_input` covers the positional arguments.
        The tensors that enter and leave a module with such a hook cannot be modified in place.
        """
        return add_hook(self, "register_full_backward_hook", "backward", hook, prepend)

    def register_state_dict_pre_hook(self, hook: Hook) -> Handle:
        """Call ``hook(module, prefix, keep_vars)`` before `state_dict` reads the module."""
        return add_hook(self, "register_state_dict_pre_hook", "state_pre", hook)

    def register_state_dict_post_hook(self, hook: Hook) -> Handle:
        """Call ``hook(module, state_dict, prefix, {})`` after `state_dict` has stored the module's tensors."""
        return add_hook(self, "register_state_dict_post_hook", "state_post", hook)

    def register_load_state_dict_pre_hook(self, hook: Hook) -> Handle:
        """Call ``hook(module, state_dict, prefix, {}, strict, missing, unexpected, misfits)`` before loading.

        The hook may modify the dict, which is a copy, and the three lists.
        """
        return add_hook(self, "register_load_state_dict_pre_hook", "load_pre", hook)

    def register_load_state_dict_post_hook(self, hook: Hook) -> Handle:
        """Call ``hook(module, keys)`` after loading; `keys` contains the missing and the unexpected keys."""
        return add_hook(self, "register_load_state_dict_post_hook", "load_post", hook)

    def _register_state_dict_hook(self, hook: Hook) -> Handle:
        # Like the public post-hook, but `state_dict` returns the hook's result unless it is None.
        return add_hook(self, "_register_state_dict_hook", "state_post", hook)

    def _register_load_state_dict_pre_hook(self, hook: Hook, with_module: bool = False) -> Handle:
        # Like the public method, but the hook does not receive the module unless `with_module`.
        whole = hook if with_module or not callable(hook) else WithoutModule(hook)
        return add_hook(self, "_register_load_state_dict_pre_hook", "load_pre", whole)

    _forward_hooks = HookTable("forward")
    _forward_hooks_with_kwargs = HookTable("forward", "with_kwargs")
    _forward_hooks_always_called = HookTable("forward", "always_called")
    _forward_pre_hooks = HookTable("forward_pre")
    _forward_pre_hooks_with_kwargs = HookTable("forward_pre", "with_kwargs")
    _backward_hooks = HookTable("backward")
    _backward_pre_hooks = HookTable("backward_pre")
    _state_dict_hooks = HookTable("state_post")
    _state_dict_pre_hooks = HookTable("state_pre")
    _load_state_dict_pre_hooks = HookTable("load_pre")
    _load_state_dict_post_hooks = HookTable("load_post")

    # -------------------------------------------------------------------------------------------- as an object
    def __setstate__(self, state: StateDict) -> None:
        self.__dict__.update(state)
        # A shallow copy has its own registered names and hooks, as it has its own attributes.
        self.__dict__["_kinds"] = dict(self._kinds)
        if self._hooks is not None:
            self.__dict__["_hooks"] = {name: copied(name, hooks) for name, hooks in self._hooks.items()}

    def _repr_html_(self) -> str:
        return html_of(self)

    def __repr__(self) -> str:
        recorder = current_recorder() if collecting else None
        if recorder is not None:
            recorder.reads_whole(self)
        lines = self.extra_repr().splitlines()
        children = [f"({name}): {module!r}" for name, module in members(self, MODULE)]
        return nested(self._get_name(), lines, children)


def nested(name: str, lines: list[str], children: list[str]) -> str:
    """Format a repr that contains other reprs, one per line, or on a single line if there are no children.

    Arguments:
        name: the text before the parentheses.
        lines: the lines that describe the module itself.
        children: the reprs of its children.
    """
    if not children and len(lines) < 2:
        return f"{name}({''.join(lines)})"
    return "\n".join([f"{name}(", *["  " + line.replace("\n", "\n  ") for line in (*lines, *children)], ")"])
