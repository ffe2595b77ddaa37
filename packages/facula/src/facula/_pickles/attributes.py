"""Classes other than modules and optimizers whose instances are written like PyTorch's: as attributes or as tuples.

`is_plain` names the classes whose attributes equal PyTorch's, except for those in two tables. `THEIRS` has functions of
an instance of ours that compute attributes which only PyTorch has, or has in another form. `OURS` has functions of
PyTorch's attributes that compute ours. Some packages keep their tables in modules of their own. Saving refuses
instances of all other classes of ours, as neither library could rebuild them.
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
    """Return the padding of both ends of each dimension, last dimension first, as PyTorch's convolutions store it."""
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
    """A method that only PyTorch has, and that instances of its class store as an attribute: `getattr(owner, name)`."""

    __slots__ = ("name", "owner")

    def __init__(self, owner: type, name: str) -> None:
        self.owner, self.name = owner, name

    def __call__(self, *arguments: object) -> None:
        """Refuse the call: the class computes the same in another way."""
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


# PyTorch's attributes by our class: computed when an instance is saved, skipped when it is loaded.
THEIRS: dict[str, Attributes] = {
    "Convolution": {"transposed": lambda module: False, "_reversed_padding_repeated_twice": _twice},
    "Transposed": {"transposed": lambda module: True, "_reversed_padding_repeated_twice": _twice},
    "RNNBase": {
        "_flat_weights_names": _flat_names,
        "_flat_weights": lambda module: [getattr(module, name, None) for name in _flat_names(module)],
    },
    "Upsample": {"name": lambda module: type(module).__name__},
    **{f"ZeroPad{dims}d": {"value": lambda module: 0.0} for dims in (1, 2, 3)},
    "TransformerEncoder": {"use_nested_tensor": lambda module: False},
    "TransformerEncoderLayer": {"activation_relu_or_gelu": _activation},
    "LRScheduler": {"_get_lr_called_within_step": lambda scheduler: False},
    **{
        name: {"_get_lr_called_within_step": lambda scheduler: ABSENT}
        for name in ("ReduceLROnPlateau", "SequentialLR", "ChainedScheduler")
    },
    "CyclicLR": {"_scale_fn_ref": _scale},
    "SWALR": {"anneal_func": _anneal},
}
OURS: dict[str, Attributes] = {}  # our attributes that are skipped when an instance is saved


def is_plain(name: str) -> bool:
    """Return whether PyTorch's name is that of a class whose instances consist of their attributes."""
    module, _, last = name.partition(" ")
    return name.startswith(_PLAIN) or last in PLAIN.get(module, "").split()


def _tables(package: str) -> tuple[dict[str, Attributes], dict[str, Attributes]]:
    """Return `THEIRS` and `OURS` for the classes of a package."""
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
    """Return the rows of `THEIRS` and `OURS` for a class and our classes among its bases."""
    found: tuple[Attributes, Attributes] = {}, {}
    for ancestor in reversed(kind.__mro__):
        if is_library_module(ancestor.__module__):
            for rows, table in zip(found, _tables(ancestor.__module__.partition(".")[0]), strict=True):
                rows.update(table.get(ancestor.__name__, {}))
    return found


def _evaluated(rows: Attributes, value: Any) -> State:
    worked = {name: work(value) for name, work in rows.items()}
    return {name: value for name, value in worked.items() if value is not ABSENT}


def written(instance: Any, state: State) -> State:
    """Return an instance's attributes in PyTorch's form."""
    theirs, ours = tables_for(type(instance))
    return {name: value for name, value in state.items() if name not in ours} | _evaluated(theirs, instance)


def settable_of(kind: type) -> type:
    """Return the class whose methods a file's attributes may not hide. The program's own classes are not protected."""
    return kind if is_library_module(kind.__module__) else object


def known_attributes(kind: type, state: Any) -> State:
    """Convert a file's attributes to ours; PickleError for those that files may not set."""
    theirs, ours = tables_for(kind)
    given = expect(state, (dict, OrderedDict), f"the attributes of a {kind.__name__}")
    own = {name: value for name, value in given.items() if name not in theirs and name not in ours}
    return attributes(settable_of(kind), own) | _evaluated(ours, given)


def fill_plain(instance: Any, state: Any, later: list[Callable[[], None]] | None = None) -> None:
    """Set a file's attributes on a new instance; PickleError for those that files may not set.

    `later` collects work that needs tensor elements, before they are read; None if they have been read.
    """
    made = known_attributes(type(instance), state)
    for name, other in (("probs", "logits"), ("logits", "probs")):  # of a distribution, which computes the other one
        if name in made and other in made and state.get("_param") is made[name]:
            del made[other]
    vars(instance).update(made)
    for name, value in made.items():
        if isinstance(value, Later):
            work = partial(value.set, instance, name)
            work() if later is None else later.append(work)


def tuple_of(kind: Any, fields: tuple[Any, ...]) -> Any:
    """Return a named tuple; PickleError for a wrong number of fields."""
    names = getattr(kind, "_fields", None) or kind.fields
    if len(fields) != len(names):
        refuse(f"its pickle has a {kind.__name__} of {len(fields)} fields")
    return tuple.__new__(kind, fields)
