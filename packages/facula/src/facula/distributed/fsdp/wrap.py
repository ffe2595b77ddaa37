"""Policies that choose the modules to divide, for `FullyShardedDataParallel`."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from facula_errors import InvalidTypeError
from facula_errors.extend import boundary

from ..._lookup.names import publish
from ..._lookup.siblings import needs

with needs("facula.distributed.fsdp"):
    from facula_nn import Module, ModuleDict, ModuleList, MultiheadAttention

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    Policy = Callable[..., Any]

__all__ = [
    "CustomPolicy", "ModuleWrapPolicy", "always_wrap_policy", "enable_wrap", "lambda_auto_wrap_policy",
    "size_based_auto_wrap_policy", "transformer_auto_wrap_policy", "wrap",
]  # fmt: skip

_wrappers: list[tuple[Any, dict[str, Any]]] = []  # of the blocks of `enable_wrap`


@boundary
class ModuleWrapPolicy:
    """Divide modules of some classes.

    Arguments:
        module_classes: the classes.

    >>> from facula import nn
    >>> ModuleWrapPolicy({nn.Linear})(nn.Linear(2, 1), recurse=False)
    True
    """

    def __init__(self, module_classes: Collection[type]) -> None:
        self._classes = tuple(module_classes)
        for kind in self._classes:
            if not isinstance(kind, type):
                raise InvalidTypeError(
                    f"ModuleWrapPolicy: expected module_classes to be classes of modules; got {kind!r}"
                )

    def __call__(self, module: Module, recurse: bool, *args: object, **kwargs: object) -> bool:
        return recurse or isinstance(module, self._classes)

    def __repr__(self) -> str:
        return f"ModuleWrapPolicy({set(self._classes)})"


@boundary
class CustomPolicy:
    """Divide the modules that a function chooses.

    Arguments:
        lambda_fn: returns whether to divide a module, or a dict of arguments of `FullyShardedDataParallel` for it.
    """

    def __init__(self, lambda_fn: Callable[[Module], bool | dict[str, Any]]) -> None:
        self._function = lambda_fn

    def __call__(self, module: Module, recurse: bool, *args: object, **kwargs: object) -> bool | dict[str, Any]:
        return recurse or self._function(module)


@boundary
def always_wrap_policy(*args: object, **kwargs: object) -> bool:
    """Divide each module."""
    return True


@boundary
def lambda_auto_wrap_policy(
    module: Module, recurse: bool, nonwrapped_numel: int, lambda_fn: Callable[[Module], bool]
) -> bool:
    """Divide the modules for which a function returns True; for functools.partial.

    Arguments:
        module: the module.
        recurse: whether the question is about its children.
        nonwrapped_numel: ignored.
        lambda_fn: the function.
    """
    return recurse or lambda_fn(module)


@boundary
def transformer_auto_wrap_policy(
    module: Module, recurse: bool, nonwrapped_numel: int, transformer_layer_cls: set[type]
) -> bool:
    """Divide modules of some classes; for functools.partial.

    Arguments:
        module: the module.
        recurse: whether the question is about its children.
        nonwrapped_numel: ignored.
        transformer_layer_cls: the classes.
    """
    return recurse or isinstance(module, tuple(transformer_layer_cls))


@boundary
def size_based_auto_wrap_policy(
    module: Module,
    recurse: bool,
    nonwrapped_numel: int,
    min_num_params: int = 100_000_000,
    force_leaf_modules: set[type] | None = None,
    exclude_wrap_modules: set[type] | None = None,
) -> bool:
    """Divide modules that have at least so many elements in parameters, without those of divided descendants.

    Arguments:
        module: the module.
        recurse: whether the question is about its children.
        nonwrapped_numel: the number of elements that do not belong to divided descendants.
        min_num_params: the number.
        force_leaf_modules: classes whose children are not divided; {MultiheadAttention} if None.
        exclude_wrap_modules: classes that are not divided; {ModuleList, ModuleDict} if None.
    """
    leaves = tuple({MultiheadAttention} if force_leaf_modules is None else force_leaf_modules)
    excluded = tuple({ModuleList, ModuleDict} if exclude_wrap_modules is None else exclude_wrap_modules)
    if recurse:
        return nonwrapped_numel >= min_num_params and not isinstance(module, leaves)
    return nonwrapped_numel >= min_num_params and not isinstance(module, excluded)


@contextmanager
def enable_wrap(*, wrapper_cls: Any, **wrapper_kwargs: Any) -> Iterator[None]:
    """Let `wrap` wrap modules in a block.

    Arguments:
        wrapper_cls: `FullyShardedDataParallel`.
        wrapper_kwargs: its arguments.
    """
    _wrappers.append((wrapper_cls, wrapper_kwargs))
    try:
        yield
    finally:
        _wrappers.pop()


@boundary
def wrap(module: Module, **wrap_overrides: Any) -> Module:
    """Wrap a module in a block of `enable_wrap`; elsewhere return it as it is.

    Arguments:
        module: the module.
        wrap_overrides: arguments that replace those of the block.
    """
    if not _wrappers:
        return module
    wrapper, options = _wrappers[-1]
    return wrapper(module, **{**options, **wrap_overrides})  # type: ignore[no-any-return]


publish(__name__)
