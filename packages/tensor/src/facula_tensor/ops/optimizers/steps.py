"""Optimizer steps: operators that update any number of parameters in place, in one launch.

They are not recorded and ignore modes, because a step is not part of a differentiated function. Scalars such as the
learning rate are launch arguments, so that schedules do not create plans.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from facula_errors import ArgumentError, DTypeError, MissingKeyError
from facula_storage import Layout, float32, float64
from facula_storage.extend.plans import PlanTable
from facula_storage.extend.recording import Place, collecting, current_recorder

from ..._core.call_sites import user_site
from ..._core.memory import check_overlap, check_writable
from ..._core.tensor import layout_of_tensor
from ..._dispatch.namespaces import no_record_ops
from ..._dispatch.slow_path.launching import MISSED, launch_places, mutated
from ..._dispatch.slow_path.snapshots import snapshots_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from facula_storage import DType, Plan

    from ..._core.tensor import Tensor

    Row = tuple[Tensor, ...]
    Numbers = tuple[float, ...]  # a class of `numbers.py`
    Step = Callable[[Sequence[Tensor], int, Numbers], None]

DTYPES = (float32, float64)


def _step(
    name: str,
    doc: str,
    operands: tuple[str, ...],
    kept: int,
    shapes: Mapping[str, Callable[[tuple[int, ...]], tuple[int, ...]]] = MappingProxyType({}),
) -> Step:
    """Return the function `(tensors, width, numbers)` of an optimizer's step.

    `tensors` contains rows of `width` tensors: a parameter, its gradient and its state. They are one flat list, because
    a tuple for each parameter would trigger garbage collections in every step of a large model. `operands` names the
    columns. The last `kept` columns are single float32 numbers, and the column before those is optional. The other
    operands have the parameter's shape, or a shape that `shapes` computes from it.
    """
    table = PlanTable(name)
    plans = table.by_key

    def step(tensors: Sequence[Tensor], width: int, numbers: Numbers) -> None:
        launched = fast_call(tensors, width, numbers)
        if not launched and not collecting and prepare(tensors, width):
            launched = fast_call(tensors, width, numbers)
        if not launched:
            slow_call(tensors, width, numbers)

    def fast_call(tensors: Sequence[Tensor], width: int, numbers: Numbers) -> bool:
        """Launch the known plan of these layouts; return False if there is none, or the operands need checks."""
        try:
            storages: list[Any] = [t._storage for t in tensors]
            if collecting:
                raise MissingKeyError  # caught below
            plan = plans[width, tuple([t._layout for t in tensors])]
            changed = list(storages)
            del changed[1::width]
            for storage in changed:
                storage.version + 1  # read-only memory has version None: a TypeError
            addresses = [storage.ptr + t._offset for storage, t in zip(storages, tensors)]
            plan.launch(len(tensors) // width, *numbers, *addresses)
        except MISSED as error:  # as in Note [Fast path]
            if hasattr(error, "launched"):
                raise
            return False
        site = (name, *user_site())
        for storage in changed:
            storage.version += 1
            storage.mutator = site
        return True

    def prepare(tensors: Sequence[Tensor], width: int) -> bool:
        """Add the plan of contiguous tensors of one dtype on one device; return False for all others.

        Most parameters of a large model share their layout with others: each distinct row of layouts is checked once.
        """
        layouts = tuple([t._layout for t in tensors])
        first = layouts[0]
        for row in {layouts[at : at + width] for at in range(0, len(layouts), width)}:
            if any(type(layout) is not Layout or not layout.is_contiguous for layout in row):
                return False
            if row[0].dtype is not first.dtype or row[0].device is not first.device or mismatch(row):
                return False
        table.add((width, layouts), first.device.backend.plan(name, layouts, (), (width,)))
        return True

    def slow_call(tensors: Sequence[Tensor], width: int, numbers: Numbers) -> None:
        """Check all rows, then launch once for each dtype on each device; accepts any strides."""
        numbers = tuple(map(float, numbers))
        rows = [tuple(tensors[at : at + width]) for at in range(0, len(tensors), width)]
        recorder = current_recorder()
        if recorder is not None:
            if not recorder.stepped(rows, numbers):
                return
            for row in rows:
                recorder.operands(row)
        rows = [snapshots_of(row, False) for row in rows]
        distinct: set[Layout] = set()
        for number, row in enumerate(rows):
            check(number, row, distinct)
        batches: dict[tuple[object, ...], list[Row]] = {}
        strided: list[tuple[Tensor, Tensor]] = []
        for row in rows:
            ready = tuple([plain(t) for t in row])
            strided += [(t, copy) for t, copy in zip(row, ready) if copy._storage is not t._storage and t is not row[1]]
            batches.setdefault((row[0].dtype, row[0].device, len(row)), []).append(ready)
        found = [(plan_for(batch), batch) for batch in batches.values()]
        for plan, batch in found:
            places = [
                Place(t._storage, t._offset, t._layout, place != 1) for row in batch for place, t in enumerate(row)
            ]
            if recorder is not None:
                recorder.numbered()
            launch_places(plan, len(batch), [*numbers, *places])
        for t, copy in strided:
            no_record_ops.copy_into(t, copy)
        mutator = (name, *user_site())
        for row in rows:
            for t in (row[0], *row[2:]):
                mutated(t, name, mutator)

    def check(number: int, row: Row, distinct: set[Layout]) -> None:
        """Check a row; `distinct` collects layouts whose elements do not overlap."""
        layouts = tuple([layout_of_tensor(t) for t in row])
        parameter = layouts[0]
        if parameter.dtype not in DTYPES:
            raise DTypeError(
                f"{name}: expected float32 or float64; parameter {number} is {parameter.dtype.name}; "
                "keep parameters in float32, and convert where the model computes"
            )
        if (wrong := mismatch(layouts)) is not None:
            place, shape, dtype = wrong
            layout = layouts[place]
            raise ArgumentError(
                f"{name}: expected {names_of(row)[place]} of parameter {number} to be {dtype.name} {shape} on "
                f"'{parameter.device}'; got {layout.dtype.name} {layout.shape} on '{layout.device}'"
            )
        for place, (t, layout) in enumerate(zip(row, layouts)):
            if place != 1:  # gradients are only read
                check_writable(name, t)
                if layout not in distinct:
                    check_overlap(name, t, ())
                    distinct.add(layout)

    def names_of(row: Sequence[object]) -> tuple[str, ...]:
        """Return the names of the columns of a row."""
        return (*operands[: len(row) - kept], *operands[len(operands) - kept :])

    def mismatch(row: Sequence[Layout]) -> tuple[int, tuple[int, ...], DType] | None:
        """Return the first column that does not match the parameter, its expected shape and dtype; None if all do."""
        parameter = row[0]
        if parameter.dtype not in DTYPES:
            return 0, parameter.shape, float32
        for place, (called, layout) in enumerate(zip(names_of(row), row)):
            single = place >= len(row) - kept
            shape, dtype = ((), float32) if single else (parameter.shape, parameter.dtype)
            if called in shapes:
                shape = shapes[called](shape)
            if layout.shape != shape or layout.dtype is not dtype or layout.device is not parameter.device:
                return place, shape, dtype
        return None

    def plan_for(batch: list[Row]) -> Plan:
        layouts = tuple([t._layout for row in batch for t in row])
        width = len(batch[0])
        plan = plans.get((width, layouts))
        if plan is None:
            plan = table.add((width, layouts), layouts[0].device.backend.plan(name, layouts, (), (width,)))
        return plan

    step.__name__ = step.__qualname__ = name
    step.__doc__ = doc
    step.table = table  # type: ignore[attr-defined]
    return step


def plain(a: Tensor) -> Tensor:
    """Return a snapshot, or a contiguous copy of a strided one."""
    return no_record_ops.contiguous(a)


sgd_step: Step = _step(
    "sgd_step",
    """A step of gradient descent, with momentum where rows have a third tensor.

    Rows: (parameter, gradient[, momentum_buffer]). Numbers: (rate, decay, sign, keep, take, ahead), floats.
    d = sign * gradient + decay * parameter; momentum_buffer = keep * momentum_buffer + take * d; the parameter loses
    rate times d (without a buffer), the buffer, or where `ahead` is not 0 d + ahead * momentum_buffer.
    """,
    ("parameter", "gradient", "momentum_buffer"),
    0,
)

adam_step: Step = _step(
    "adam_step",
    """A step of Adam, AMSGrad where rows have six tensors.

    Rows: (parameter, gradient, exp_avg, exp_avg_sq[, max_exp_avg_sq], step), step a float32 number that is counted up.
    Numbers: (rate, beta1, beta2, eps, decay, shrink, sign), floats; d = sign * gradient + decay * parameter is what
    moments are taken of, `shrink` multiplies the parameter (AdamW's decay). Kingma and Ba 2015, algorithm 1.
    """,
    ("parameter", "gradient", "exp_avg", "exp_avg_sq", "max_exp_avg_sq", "step"),
    1,
)

rmsprop_step: Step = _step(
    "rmsprop_step",
    """A step of RMSprop, with momentum where rows have five tensors.

    Rows: (parameter, gradient, square_avg[, momentum_buffer], step). Numbers: (rate, alpha, eps, decay, sign,
    momentum).
    """,
    ("parameter", "gradient", "square_avg", "momentum_buffer", "step"),
    1,
)

rmsprop_centered_step: Step = _step(
    "rmsprop_centered_step",
    """A step of RMSprop by the variance of gradients; rows have their mean after the mean of squares.

    Rows: (parameter, gradient, square_avg, grad_avg[, momentum_buffer], step). Numbers: as `rmsprop_step`.
    """,
    ("parameter", "gradient", "square_avg", "grad_avg", "momentum_buffer", "step"),
    1,
)

adadelta_step: Step = _step(
    "adadelta_step",
    """A step of Adadelta. Zeiler 2012.

    Rows: (parameter, gradient, square_avg, acc_delta, step). Numbers: (rate, rho, eps, decay, sign).
    """,
    ("parameter", "gradient", "square_avg", "acc_delta", "step"),
    1,
)

adagrad_step: Step = _step(
    "adagrad_step",
    """A step of Adagrad. Duchi et al. 2011.

    Rows: (parameter, gradient, sum, step). Numbers: (rate, lr_decay, eps, decay, sign).
    """,
    ("parameter", "gradient", "sum", "step"),
    1,
)

adamax_step: Step = _step(
    "adamax_step",
    """A step of Adamax. Kingma and Ba 2015, algorithm 2.

    Rows: (parameter, gradient, exp_avg, exp_inf, step). Numbers: (rate, beta1, beta2, eps, decay, sign).
    """,
    ("parameter", "gradient", "exp_avg", "exp_inf", "step"),
    1,
)

nadam_step: Step = _step(
    "nadam_step",
    """A step of NAdam. Dozat 2016.

    Rows: (parameter, gradient, exp_avg, exp_avg_sq, mu_product, step), the last two float32 numbers. Numbers: (rate,
    beta1, beta2, eps, decay, shrink, sign, momentum_decay).
    """,
    ("parameter", "gradient", "exp_avg", "exp_avg_sq", "mu_product", "step"),
    2,
)

radam_step: Step = _step(
    "radam_step",
    """A step of RAdam. Liu et al. 2020, algorithm 2.

    Rows: (parameter, gradient, exp_avg, exp_avg_sq, step). Numbers: as `adam_step`.
    """,
    ("parameter", "gradient", "exp_avg", "exp_avg_sq", "step"),
    1,
)

asgd_step: Step = _step(
    "asgd_step",
    """A step of averaged gradient descent. Polyak and Juditsky 1992.

    Rows: (parameter, gradient, ax, eta, mu, step), the last three float32 numbers. Numbers: (rate, lambd, alpha, t0,
    decay, sign).
    """,
    ("parameter", "gradient", "ax", "eta", "mu", "step"),
    3,
)

rprop_step: Step = _step(
    "rprop_step",
    """A step of Rprop. Riedmiller and Braun 1993.

    Rows: (parameter, gradient, prev, step_size, step). Numbers: (eta minus, eta plus, least and greatest step, sign).
    """,
    ("parameter", "gradient", "prev", "step_size", "step"),
    1,
)

adafactor_step: Step = _step(
    "adafactor_step",
    """A step of Adafactor, of matrices. Shazeer and Stern 2018.

    Rows: (parameter, gradient, row_var, col_var, step): parameters (..., rows, columns), row_var (..., rows, 1) and
    col_var (..., 1, columns). Numbers: (rate, beta2_decay, eps, least size, d, shrink, sign); an eps below 0 stands for
    the rounding of the dtype.
    """,
    ("parameter", "gradient", "row_var", "col_var", "step"),
    1,
    {"row_var": lambda shape: (*shape[:-1], 1), "col_var": lambda shape: (*shape[:-2], 1, *shape[-1:])},
)

adafactor_vector_step: Step = _step(
    "adafactor_vector_step",
    """A step of Adafactor, of what has no rows and columns.

    Rows: (parameter, gradient, variance, step). Numbers: as `adafactor_step`.
    """,
    ("parameter", "gradient", "variance", "step"),
    1,
)
