"""The fast path of gradient operators: any number of tensors and Python numbers, one result or several, no node.

See Note [Fast path] in unary.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import FaculaError, NoMemoryError
from facula_errors.extend import trim_traceback
from facula_storage import Storage
from facula_storage.extend import collecting, new_instance

from ..._core.tensor import Tensor
from ..launching import MISSED
from ..planning import plan_of_other_shape
from ..slow_path import slow_call

if TYPE_CHECKING:
    from ..._core.types import Function
    from ..operator import Operator


def make_elementwise(op: Operator) -> Function:
    """The function of an elementwise operator that records nothing."""
    plans = op.table.by_key

    def call(*operands):  # type: ignore[no-untyped-def]
        while True:
            try:
                layouts: Any = []
                places: Any = []
                scalars: Any = []
                for a in operands:
                    kind = type(a)
                    if kind is float or kind is int:
                        layouts.append(kind)
                        scalars.append(a)
                    else:
                        layout = a._layout
                        storage = a._storage
                        offset = a._offset
                        layouts.append(layout)
                        places.append((storage, offset))
                layouts = tuple(layouts)
                plan = plans[(layouts, ())]
                results = []
                addresses = []
                for lo in plan.outputs:
                    s = Storage()
                    if collecting:
                        raise NoMemoryError("no block during a collection")  # caught below: the slow path takes others
                    try:
                        s.ptr, s.__del__ = lo.take_block()
                    except IndexError:
                        s.ptr, s.__del__ = lo.refill()
                    s.version = 0
                    t = new_instance(Tensor)
                    t._layout = lo
                    t._storage = s
                    t._offset = 0
                    t.node = None
                    results.append(t)
                    addresses.append(s.ptr)
                plan.launch(lo.numel, *[storage.ptr + offset for storage, offset in places], *addresses, *scalars)
            except MISSED as error:
                if hasattr(error, "launched"):
                    raise
                if type(error) is KeyError and plan_of_other_shape(op, op.table, (layouts, ()), layouts):
                    continue
            else:
                return t if len(results) == 1 else tuple(results)
            break
        try:
            return slow_call(op, operands, (), record=False)
        except FaculaError as error:
            trim_traceback(error)
            raise

    return call
