"""`DTensor`: a tensor of which each process of a mesh has a part.

Note [The local tensor]
~~~~~~~~~~~~~~~~~~~~~~~
A DTensor is its local tensor: it has the local memory, and the history of the operators on local tensors. Its layout
(`_spec`) says what the processes' parts are together. While overrides are enabled, its shape is the whole one, and
operators go through `__torch_function__` to the rules. While they are disabled, as in optimizer steps, in backward
passes and inside the rules, it is a plain tensor: properties and operators see the local part alone.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from facula_errors import InvalidTypeError, InvalidValueError, OperationError, UnsupportedError
from facula_errors.extend import boundary
from facula_tensor import Parameter, Size, Tensor, no_grad
from facula_tensor.extend.overriding import disable_overrides, overridden

from .._collectives.exchanges import broadcast
from .calls import call_function
from .layout import Layout, Placements, checked_mesh, checked_placements, contiguous_stride, gradient_placements
from .norms import reduced_parts
from .placements import Partial, Placement, Replicate, Shard
from .redistribute import redistributed, with_gradient

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .mesh import DeviceMesh


_GRAD: Any = Tensor.grad


class DTensor(Tensor):
    """A tensor of which each process of a mesh has a part.

    Made by `distribute_tensor`, `DTensor.from_local` and functions such as `facula.distributed.tensor.zeros`. Operators
    compute with the local parts, and redistribute them where that is necessary.

    >>> from facula_distributed import HashStore, destroy_process_group, init_process_group
    >>> from facula_distributed.device_mesh import init_device_mesh
    >>> from facula_tensor import ones
    >>> init_process_group("gloo", store=HashStore(), rank=0, world_size=1)
    >>> mesh = init_device_mesh("cpu", (1,))
    >>> x = DTensor.from_local(ones(2, 3), mesh, [Shard(0)])
    >>> x.sum()  # doctest: +ELLIPSIS
    DTensor(local_tensor=..., placements=(Partial(reduce_op='sum'),))
    >>> x.sum().full_tensor()
    tensor(6.)
    >>> destroy_process_group()
    """

    __slots__ = ("_given_grad", "_is_copy", "_spec")
    _spec: Layout
    _given_grad: tuple[Tensor, DTensor]  # a local gradient and the DTensor of it
    _is_copy: bool  # whether this would be a view of another tensor, whose parts had to be moved; not set means no

    def __new__(cls, *args: object, **kwargs: object) -> DTensor:
        raise InvalidTypeError(
            f"{cls.__name__}: expected another way to make a DTensor; got a call of its class; use distribute_tensor "
            "or DTensor.from_local"
        )

    @classmethod
    def _of(cls, local: Tensor, layout: Layout) -> DTensor:
        """Return the DTensor of a local tensor: the same memory and history."""
        made = local.as_subclass(DTensor)
        made._spec = layout
        return made

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Call an operator of DTensors by its rule. NotImplementedError for one without a rule."""
        return call_function(DTensor, func, args, kwargs or {})

    # ------------------------------------------------------------------------------------ conversion
    @staticmethod
    @boundary
    def from_local(
        local_tensor: Tensor,
        device_mesh: DeviceMesh | None = None,
        placements: Sequence[Placement] | None = None,
        *,
        run_check: bool = False,
        shape: Sequence[int] | None = None,
        stride: Sequence[int] | None = None,
    ) -> DTensor:
        """Return the DTensor of local tensors, which share their memory with it. Differentiable.

        Arguments:
            local_tensor: this process's part.
            device_mesh: the mesh.
            placements: one for each dimension of the mesh; all `Replicate()` if None.
            run_check: copy replicated parts from the first process of each dimension of the mesh.
            shape: the whole shape, which uneven parts need; by default, all parts are as long as this one.
            stride: the whole strides; those of a contiguous tensor if None.

        Raises:
            ValueError: placements or a local shape that do not fit.
            RuntimeError: this process is not in the mesh.
        """
        operation = "DTensor.from_local"
        if not isinstance(local_tensor, Tensor) or isinstance(local_tensor, DTensor):
            raise InvalidTypeError(
                f"{operation}: expected local_tensor to be a plain Tensor; got {type(local_tensor).__name__}"
            )
        mesh = checked_mesh(operation, device_mesh)
        found = checked_placements(operation, placements, mesh, local_tensor.ndim)
        local_shape = tuple(local_tensor.shape)
        if shape is None:
            whole = list(local_shape)
            for size, one in zip(mesh.shape, found, strict=True):
                if isinstance(one, Shard):
                    whole[one.dim] *= size
            shape = whole
        layout = Layout(mesh, found, tuple(shape), tuple(stride or contiguous_stride(shape)))
        if len(layout.shape) != len(local_shape) or layout.local_shape() != local_shape:
            raise InvalidValueError(
                f"{operation}: expected a local_tensor of the shape {layout.local_shape()}, this process's part of "
                f"{layout.shape} with {list(found)}; got {local_shape}"
            )
        if run_check:
            with no_grad():
                for dim, one in enumerate(found):
                    if isinstance(one, Replicate):
                        broadcast(local_tensor, group=mesh._groups[dim], group_src=0)
        return DTensor._of(local_tensor.view_as(local_tensor), layout)

    def _plain(self) -> Tensor:
        """Return the local tensor with the history of this one."""
        with disable_overrides():
            return self.view_as(self)

    @boundary
    def to_local(self, *, grad_placements: Sequence[Placement] | None = None) -> Tensor:
        """Return this process's part, which shares its memory with this tensor. Differentiable.

        Arguments:
            grad_placements: those of the gradient of the result; the same as of this tensor if None, and Replicate()
                instead of Partial().
        """
        if grad_placements is None:
            return self._plain()
        layout = self._spec
        found = checked_placements("to_local", grad_placements, layout.mesh, len(layout.shape))
        with disable_overrides():
            return with_gradient(self, layout, found)

    @boundary
    def full_tensor(self, *, grad_placements: Sequence[Placement] | None = None) -> Tensor:
        """Return the whole tensor; all processes of the mesh call this. Differentiable.

        Arguments:
            grad_placements: those of the gradient of the result; all Replicate() if None.
        """
        whole = self.redistribute(placements=[Replicate()] * self._spec.mesh.ndim)
        return whole.to_local(grad_placements=grad_placements)

    @boundary
    def redistribute(
        self,
        device_mesh: DeviceMesh | None = None,
        placements: Sequence[Placement] | None = None,
        *,
        async_op: bool = False,
        forward_dtype: object = None,
        backward_dtype: object = None,
    ) -> DTensor:
        """Return this tensor with other placements; all processes of the mesh call this. Differentiable.

        Arguments:
            device_mesh: the same mesh, or None.
            placements: the new placements, one for each dimension of the mesh.
            async_op: ignored: the result is complete.
            forward_dtype, backward_dtype: None.

        Raises:
            ValueError: placements that do not fit.
            NotImplementedError: another mesh.
        """
        layout = self._spec
        if device_mesh is not None and device_mesh != layout.mesh:
            raise UnsupportedError(
                "redistribute: expected the mesh of the tensor; got another one; use distribute_tensor with "
                "full_tensor()"
            )
        if forward_dtype is not None or backward_dtype is not None:
            raise UnsupportedError("redistribute: expected no dtypes, as they are not supported; convert by to()")
        if placements is None:
            raise InvalidValueError(
                "redistribute: expected placements; got None; pass one for each dimension of the mesh"
            )
        found = checked_placements("redistribute", placements, layout.mesh, len(layout.shape))
        if found == layout.placements:
            return self
        with disable_overrides():
            local = redistributed(self, layout, found)
        return DTensor._of(local, layout.with_placements(found))

    @property
    def device_mesh(self) -> DeviceMesh:
        """The mesh of the processes that have parts."""
        return self._spec.mesh

    @property
    def placements(self) -> Placements:
        """What each process has, along each dimension of the mesh."""
        return self._spec.placements

    @property
    def _local_tensor(self) -> Tensor:
        """This process's part, which shares its memory with this tensor, without a history."""
        with disable_overrides():
            return self.detach()

    # ---------------------------------------------------------------------------------- gradients
    @property
    def grad(self) -> Any:
        """The accumulated gradient: a DTensor with the same placements (replicated instead of terms), or None."""
        local = _GRAD.__get__(self)
        if local is None or not overridden((self,)):
            return local
        known = getattr(self, "_given_grad", None)
        if known is None or known[0] is not local:
            layout = self._spec
            grad = DTensor._of(local, layout.with_placements(gradient_placements(layout.placements)))
            known = self._given_grad = (local, grad)
        return known[1]

    @grad.setter
    def grad(self, grad: Any) -> None:
        if isinstance(grad, DTensor) and overridden((self,)):
            wanted = gradient_placements(self._spec.placements)
            if grad._spec.placements != wanted or grad._spec.mesh != self._spec.mesh:
                raise InvalidValueError(
                    f"grad: expected a DTensor with the mesh of the tensor and the placements {list(wanted)}; got "
                    f"{list(grad._spec.placements)}; redistribute it"
                )
            local = grad._local_tensor
            _GRAD.__set__(self, local)
            self._given_grad = (local, grad)
            return
        if grad is not None and overridden((self,)):
            raise InvalidTypeError(f"grad: expected a DTensor or None; got {type(grad).__name__}")
        _GRAD.__set__(self, grad)

    @grad.deleter
    def grad(self) -> None:
        _GRAD.__delete__(self)

    def register_hook(self, hook: Callable[[Any], Any]) -> Any:
        """Call `hook(gradient)` with the gradient as a DTensor; its result, unless None, replaces the gradient."""
        layout = self._spec.with_placements(gradient_placements(self._spec.placements))

        def call(grad: Tensor) -> Tensor | None:
            result = hook(DTensor._of(grad, layout))
            return result.to_local() if isinstance(result, DTensor) else result

        return Tensor.register_hook(self, call)

    @boundary
    def backward(
        self,
        gradient: Any = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        inputs: Any = None,
    ) -> None:
        """Add the gradients of this tensor to the `.grad` of the leaves; all processes of the mesh call this.

        Arguments:
            gradient: the gradient, a DTensor; None means 1, only for a single number.
            retain_graph, create_graph, inputs: as for a plain tensor.
        """
        start = self
        if not all(isinstance(one, Replicate) or one == Partial() for one in self._spec.placements):
            start = self if gradient is not None else self.redistribute(placements=[Replicate()] * self._spec.mesh.ndim)
        if gradient is not None:
            if not isinstance(gradient, DTensor):
                raise InvalidTypeError(f"backward: expected gradient to be a DTensor; got {type(gradient).__name__}")
            gradient = gradient.redistribute(placements=gradient_placements(self._spec.placements)).to_local()
        Tensor.backward(start._plain(), gradient, retain_graph, create_graph, inputs)

    def __copy__(self) -> DTensor:
        with disable_overrides():
            made: Any = Tensor.__copy__(self)
        made._spec = self._spec
        return made  # type: ignore[no-any-return]

    def __deepcopy__(self, memo: dict[int, Any]) -> DTensor:
        with disable_overrides():
            copied = Tensor.__deepcopy__(self, memo)
        made = copied if type(copied) is type(self) else copied.as_subclass(type(self))
        made._spec = self._spec
        memo[id(self)] = made
        return made  # type: ignore[no-any-return]

    def __reduce_ex__(self, protocol: object) -> Any:
        raise OperationError(
            "DTensor: expected a tensor of one process, to pickle; save to_local() or full_tensor(), or use "
            "facula.distributed.checkpoint"
        )

    def __repr__(self) -> str:
        layout = self._spec
        return f"DTensor(local_tensor={self._local_tensor}, device_mesh={layout.mesh}, placements={layout.placements})"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return format(self.item(), spec) if spec and not self._spec.shape else repr(self)

    def __hash__(self) -> int:
        return id(self)

    def _like_part(self, part: Tensor) -> DTensor:
        """Return the DTensor of a local tensor, with the layout of this one."""
        return DTensor._of(part, self._spec)

    def _like_whole(self, whole: Tensor) -> DTensor:
        """Return a whole tensor of this shape, which all processes have, or a DTensor, with the layout of this one."""
        layout = self._spec
        if isinstance(whole, DTensor):
            return whole.redistribute(placements=layout.placements)
        replicated = layout.with_placements((Replicate(),) * layout.mesh.ndim)
        return DTensor._of(redistributed(whole, replicated, layout.placements), layout)

    _reduced = staticmethod(reduced_parts)

    def _replicated(self, value: Tensor) -> DTensor:
        """Return a tensor that is equal on all processes as a DTensor."""
        mesh, shape = self._spec.mesh, tuple(value.shape)
        return DTensor._of(value, Layout(mesh, (Replicate(),) * mesh.ndim, shape, contiguous_stride(shape)))

    def _as_parameter(self, requires_grad: bool) -> DTensor:
        """Return a parameter that shares the memory of this tensor."""
        with disable_overrides():
            made = self.detach().as_subclass(DTensorParameter)
        made._spec = self._spec
        with disable_overrides():
            made.requires_grad_(requires_grad)
        return made


class DTensorParameter(DTensor, Parameter):
    """A DTensor that a module trains; `Parameter(x)` of a DTensor `x`."""

    __slots__ = ()


def _whole(name: str, compute: Callable[[Layout], Any]) -> None:
    """Give DTensor a property or a method that describes the whole tensor while overrides are enabled."""
    member = getattr(Tensor, name)
    if isinstance(member, property):

        def get(self: DTensor) -> Any:
            return compute(self._spec) if overridden((self,)) else member.__get__(self)

        setattr(DTensor, name, property(get, doc=member.__doc__))
        return

    def method(self: DTensor, *args: Any) -> Any:
        if not overridden((self,)):
            return member(self, *args)
        value = compute(self._spec)
        return value[args[0]] if args and args[0] is not None else value

    method.__name__, method.__qualname__, method.__doc__ = name, f"DTensor.{name}", member.__doc__
    setattr(DTensor, name, method)


def _shape_of(layout: Layout) -> Size:
    return tuple.__new__(Size, layout.shape)


_whole("shape", _shape_of)
_whole("size", _shape_of)
_whole("stride", lambda layout: layout.stride)
for _name in ("dim", "ndim", "ndimension"):
    _whole(_name, lambda layout: len(layout.shape))
for _name in ("numel", "nelement"):
    _whole(_name, lambda layout: prod(layout.shape))
_whole("__len__", lambda layout: layout.shape[0])

# The local tensor has these of the whole one, so they are not dispatched.
for _name in (
    "dtype device layout requires_grad requires_grad_ is_leaf grad_fn retain_grad retains_grad itemsize element_size "
    "is_floating_point is_complex is_cuda is_meta _version is_contiguous register_post_accumulate_grad_hook"
).split():
    for _kind in (DTensor, DTensorParameter):
        setattr(_kind, _name, getattr(Tensor, _name))
