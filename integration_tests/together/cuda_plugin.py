"""A pytest plugin: simulated CUDA devices, on which operators without a kernel run on the CPU without a warning.

CUDA_SOURCES names a file of kernels' sources. If it does not exist, all operators run on the CPU, and the sources of
the kernels that they have are stored there. Otherwise these are compiled together, which takes a small part of the time
of compiling them one by one, and operators use them. CUDA_FALLBACKS names a file for the names of those that have none.
"""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from facula_cuda import fallbacks
from facula_cuda.testing import simulate

os.environ.setdefault("FACULA_CUDA_FALLBACK", "quiet")
os.environ.pop("CUDA_VISIBLE_DEVICES", None)
simulate()

STORE = os.environ.get("CUDA_SOURCES")
TOGETHER = 120  # sources of one library
sources: dict[str, None] = {}
alone: list[tuple] = []


def collect_only():
    """Let planners decline after they have made their kernels, whose sources are collected."""
    from facula_cuda._backend import backend
    from facula_cuda._planners import elementwise, launches

    def functions(source, names, device_index, headers):
        sources[source] = None
        return (1,) * len(names)

    def declining(planner):
        def plan(*arguments):
            planner(*arguments)

        return plan

    elementwise.functions = launches.functions = functions
    backend.planners = {name: declining(planner) for name, planner in backend.planners.items()}
    backend.general_planners = [declining(planner) for planner in backend.general_planners]


def prebuild(found):
    """Compile sources together, those with the same headers in one library."""
    from facula_cuda._planners.launches import headers
    from facula_cuda.testing import build

    found = sorted(found)
    groups = [found[start : start + TOGETHER] for start in range(0, len(found), TOGETHER)]
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        list(threads.map(lambda group: build.prebuild(group, headers(), TOGETHER), groups))


def count_libraries():
    """Count the libraries that are compiled from now on, each for one source: their sources were not collected."""
    from facula_cuda.testing import build

    compiled = build._compiled

    def counted(*arguments):
        alone.append(arguments)
        return compiled(*arguments)

    build._compiled = counted


if STORE and Path(STORE).exists():
    prebuild(json.loads(Path(STORE).read_text()))
    count_libraries()
elif STORE:
    collect_only()


def pytest_terminal_summary(terminalreporter):
    terminalreporter.write_line(f"{len(alone)} sources compiled alone")


def pytest_sessionfinish(session):
    if sources:
        Path(STORE).write_text(json.dumps(list(sources)))
    elif "CUDA_FALLBACKS" in os.environ:
        Path(os.environ["CUDA_FALLBACKS"]).write_text(json.dumps(sorted(fallbacks())))
