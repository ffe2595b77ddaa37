"""Options of the optimizers in a loaded graph, which can be set if the dependent numbers are known."""

from __future__ import annotations

from collections.abc import MutableMapping
from math import isfinite
from typing import TYPE_CHECKING, Any

from facula_errors import InvalidValueError, MissingKeyError, OperationError
from facula_errors.extend import boundary

from .._replay.scalar_formulas import values_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from weakref import WeakMethod


@boundary
class Options(MutableMapping[str, Any]):
    """The options of one group of an optimizer, like an entry of `param_groups`: `options["lr"] = 1e-3`.

    Numbers and pairs of numbers can be set, except those in `fixed`: these affect more than the scalars of the step, or
    affect them by a formula that files cannot represent.

    Arguments:
        optimizer: the name of the optimizer's class.
        options: its options.
        fixed: the options that cannot be set.
        changed: called after a change while its object is alive.
    """

    def __init__(
        self, optimizer: str, options: dict[str, Any], fixed: frozenset[str], changed: WeakMethod[Callable[[], None]]
    ):
        self.optimizer, self.fixed = optimizer, fixed
        self._options, self._changed = dict(options), changed

    def __getitem__(self, name: str) -> Any:
        return self._options[name]

    def __setitem__(self, name: str, value: Any) -> None:
        if name not in self._options:
            raise MissingKeyError(f"options: {self.optimizer} has no option {name!r}; known are {', '.join(self)}")
        before = self._options[name]
        own = values_of({name: before})
        if not own or any([option in self.fixed for option in own]):
            raise OperationError(
                f"options: {name} of {self.optimizer} cannot be changed in a loaded graph: it affects more than "
                "the numbers of the step; set it before capturing the graph, and save that"
            )
        several = value if isinstance(before, tuple) else (value,)
        if not isinstance(several, (tuple, list)) or len(several) != len(own):
            raise InvalidValueError(f"options: expected {name} to be {len(own)} numbers; got {value!r:.60}")
        numbers = []
        for option in several:
            if isinstance(option, bool) or not isinstance(option, (int, float)) or not isfinite(option):
                raise InvalidValueError(f"options: expected {name} to be a finite number; got {value!r:.60}")
            numbers.append(float(option))
        self._options[name] = tuple(numbers) if isinstance(before, tuple) else numbers[0]
        renew = self._changed()
        if renew is not None:
            renew()

    def __delitem__(self, name: str) -> None:
        raise OperationError(f"options: {name} of {self.optimizer} cannot be deleted")

    def __iter__(self) -> Iterator[str]:
        return iter(self._options)

    def __len__(self) -> int:
        return len(self._options)

    def __repr__(self) -> str:
        return f"{self.optimizer}({', '.join([f'{name}={value!r}' for name, value in self.items()])})"
