"""A step that compares libraries with our kernels and with the CPU."""

from __future__ import annotations

import facula_storage
from facula_storage import Device

from .._backend.backend import create_backend
from .._libraries import Request, adapters
from .._libraries.adapters import compare
from .._libraries.library import libraries as states_of
from ._report import Report, step


@step(60)
def libraries(report: Report) -> None:
    """Installed libraries compute a sample of each operator and dtype as the reference does."""
    states = states_of()
    report.figure("states", {name: state._asdict() for name, state in states.items()})
    backend, late = create_backend(Device("cuda:0").index), []
    for operator, asked in adapters.items():
        for adapter in [one for one in asked if states[one.library.name].used]:
            for dtype in adapter.dtypes(operator):
                name = f"{adapter.library.name} {operator} of {dtype}"
                if report.is_late():
                    late.append(name)
                    continue
                reason = compare(adapter, Request(backend, operator, (), (), ()), getattr(facula_storage, dtype))
                report.check(f"{name} agrees with the reference", not reason, reason)
    report.figure("left_out_for_time", late)
