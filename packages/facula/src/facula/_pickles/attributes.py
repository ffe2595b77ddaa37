"""Classes besides modules and optimizers whose instances are written as PyTorch's: by attributes, or as tuples.

`is_plain` tells the classes that have the attributes of PyTorch's, but for those in two tables. `THEIRS` has functions
of an instance of ours that work out attributes which PyTorch's alone have, or have in another form. `OURS` has
functions of PyTorch's attributes for those of ours. The tables of some packages are in modules of their own. Instances
of all other classes of ours are refused when they are saved, as neither library could make them.
"""

from __future__ import annotations

from collections import OrderedDict
from functools import partial
from typing import TYPE_CHECKING, Any

from facula_checkpoint.extend import attributes, expect, refuse
from facula_errors import UnsupportedError
from facula_errors.extend import is_library_module

from .later import ABSENT, Later

if TYPE_CHECKING:
    from collections.abc import Callable

    State = dict[str, Any]
    Attributes = dict[str, Callable[[Any], Any]]

PLAIN = {
    "torch.utils.data.dataset": "TensorDataset Subset ConcatDataset ChainDataset StackDataset",
    "torch.utils.data.sampler": (
        "SequentialSampler BatchSampler RandomSampler SubsetRandomSampler WeightedRandomSampler"
    ),
    "torch.utils.data.distributed": "DistributedSampler",
    "torch.nn.utils.spectral_norm": "SpectralNorm",
    "torch.nn.utils.weight_norm": "WeightNorm",
}  # and all of `_PLAIN`
_PLAIN = ("torch.distributions.", "torch.nn.utils.prune ")


def _twice(module: Any) -> tuple[int, ...] | list[int]:
    """The padding of both ends of each dimension, last dimension first, as PyTorch's convolutions keep it."""
    if module.padding == "valid":
        return [0] * (2 * len(module.kernel_size))
    if module.padding == "same":
        totals = [d * (k - 1) for d, k in zip(module.dilation, module.kernel_size, strict=True)]
        return [half for total in reversed(totals) for half in (total // 2, total - total // 2)]
    return tuple([size for size in reversed(module.padding) for _ in range(2)])


def _activation(module: Any) -> int:
    from facula_nn import functional as F

    return {F.relu: 1, F.gelu: 2}.get(module.activation, 0)


def _flat_names(module: Any) -> list[str]:
    return [name for layer in module._all_weights for name in layer]


class Method:
    """A method that only PyTorch has, and that instances of its class keep as an attribute: `getattr(owner, name)`."""

    __slots__ = ("name", "owner")

    def __init__(self, owner: type, name: str) -> None:
        self.owner, self.name = owner, name

    def __call__(self, *arguments: object) -> None:
        """Refuse: the class computes the same in another way."""
        raise UnsupportedError(f"{self.owner.__name__}.{self.name}: only PyTorch has it; use get_lr()")


METHODS = {
    "CyclicLR": ("_triangular_scale_fn", "_triangular2_scale_fn", "_exp_range_scale_fn"),
    "SWALR": ("_cosine_anneal", "_linear_anneal"),
}


def _scale(schedule: Any) -> Any:
    if schedule._scale_fn_custom is not None:
        return ABSENT
    method = Method(type(schedule), f"_{schedule.mode}_scale_fn")
    return partial(method, schedule.gamma) if schedule.mode == "exp_range" else method


def _anneal(schedule: Any) -> Method:
    return Method(type(schedule), {"cos": "_cosine_anneal"}.get(schedule._anneal_strategy, "_linear_anneal"))


# Attributes of PyTorch's by our class: worked out when an instance is saved, left out when it is loaded.
THEIRS: dict[str, Attributes] = {
    "Convolution": {"transposed": lambda one: False, "_reversed_padding_repeated_twice": _twice},
    "Transposed": {"transposed": lambda one: True, "_reversed_padding_repeated_twice": _twice},
    "RNNBase": {
        "_flat_weights_names": _flat_names,
        "_flat_weights": lambda one: [getattr(one, name, None) for name in _flat_names(one)],
    },
    "Upsample": {"name": lambda one: type(one).__name__},
    **{f"ZeroPad{dims}d": {"value": lambda one: 0.0} for dims in (1, 2, 3)},
    "TransformerEncoder": {"use_nested_tensor": lambda one: False},
    "TransformerEncoderLayer": {"activation_relu_or_gelu": _activation},
    "LRScheduler": {"_get_lr_called_within_step": lambda one: False},
    **{
        name: {"_get_lr_called_within_step": lambda one: ABSENT}
        for name in ("ReduceLROnPlateau", "SequentialLR", "ChainedScheduler")
    },
    "CyclicLR": {"_scale_fn_ref": _scale},
    "SWALR": {"anneal_func": _anneal},
}
OURS: dict[str, Attributes] = {}  # attributes of ours: left out when an instance is saved


def is_plain(name: str) -> bool:
    """Whether PyTorch's name is that of a class whose instances are their attributes."""
    module, _, last = name.partition(" ")
    return name.startswith(_PLAIN) or last in PLAIN.get(module, "").split()


def _tables(package: str) -> tuple[dict[str, Attributes], dict[str, Attributes]]:
    """`THEIRS` and `OURS` for the classes of a package."""
    if package == "facula_distributions":
        from .distributions import OURS as ours
        from .distributions import THEIRS as theirs
    elif package == "facula_data":
        from .samplers import OURS as ours
        from .samplers import THEIRS as theirs
    else:
        return THEIRS, OURS
    return theirs, ours


def tables_for(kind: type) -> tuple[Attributes, Attributes]:
    """The rows of `THEIRS` and `OURS` for a class and those of ours that it inherits from."""
    found: tuple[Attributes, Attributes] = {}, {}
    for ancestor in reversed(kind.__mro__):
        if is_library_module(ancestor.__module__):
            for rows, table in zip(found, _tables(ancestor.__module__.partition(".")[0]), strict=True):
                rows.update(table.get(ancestor.__name__, {}))
    return found


def _worked_out(rows: Attributes, value: Any) -> State:
    worked = {name: work(value) for name, work in rows.items()}
    return {name: value for name, value in worked.items() if value is not ABSENT}


def written(instance: Any, state: State) -> State:
    """The attributes of an instance as PyTorch's have them."""
    theirs, ours = tables_for(type(instance))
    return {name: value for name, value in state.items() if name not in ours} | _worked_out(theirs, instance)


def settable_of(kind: type) -> type:
    """The class whose methods no attribute of a file may hide: a class of the program's is its own matter."""
    return kind if is_library_module(kind.__module__) else object


def known_attributes(kind: type, state: Any) -> State:
    """The attributes of a file as ours have them; PickleError for those that files may not set."""
    theirs, ours = tables_for(kind)
    given = expect(state, (dict, OrderedDict), f"the attributes of a {kind.__name__}")
    own = {name: value for name, value in given.items() if name not in theirs and name not in ours}
    return attributes(settable_of(kind), own) | _worked_out(ours, given)


def fill_plain(instance: Any, state: Any, later: list[Callable[[], None]] | None = None) -> None:
    """Give a new instance the attributes of a file; PickleError for those that files may not set.

    `later` gets what is to be done when the elements of tensors have been read; None where they have been.
    """
    made = known_attributes(type(instance), state)
    for name, other in (("probs", "logits"), ("logits", "probs")):  # of a distribution, which works out the other one
        if name in made and other in made and state.get("_param") is made[name]:
            del made[other]
    vars(instance).update(made)
    for name, value in made.items():
        if isinstance(value, Later):
            work = partial(value.set, instance, name)
            work() if later is None else later.append(work)


def tuple_of(kind: Any, fields: tuple[Any, ...]) -> Any:
    """A tuple whose fields have names; PickleError for a number of fields that it has not."""
    names = getattr(kind, "_fields", None) or kind.fields
    if len(fields) != len(names):
        refuse(f"its pickle has a {kind.__name__} of {len(fields)} fields")
    return tuple.__new__(kind, fields)
