"""Complete training programs, captured and eager: every number is equal after every step."""

import pytest

pytest.importorskip("sklearn", reason="programs of examples/ read scikit-learn's digits")


import example_programs
import network_programs
import usual_programs
from training_programs import captured_functions

import facula

WRAPS = {
    "passes": facula.capture,
    "no passes": facula.capture(passes=()),
    "compile": facula.compile,
}
PROGRAMS = {
    one.__name__: one for module in (example_programs, network_programs, usual_programs) for one in module.PROGRAMS
}
STEPS, ALL_STEPS = 10, 100
SHORT = {"actor_critic": 3}  # an episode is a hundred calls
UNCAPTURED = {"frozen", "rebuilt", "actor_critic"}  # changed in every step, or called from only one place


@pytest.mark.parametrize(
    ("wrap", "dtype", "steps"),
    [
        ("passes", facula.float32, STEPS),
        ("compile", facula.float64, STEPS),
        *[
            pytest.param(wrap, dtype, ALL_STEPS, marks=pytest.mark.thorough)
            for wrap in WRAPS
            for dtype in (facula.float32, facula.float64)
        ],
    ],
)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_captured_is_the_program(name, wrap, dtype, steps):
    steps = SHORT.get(name, steps) if steps == STEPS else steps
    captured = captured_functions(PROGRAMS[name], WRAPS[wrap], dtype, steps)
    reports = [one.report() for one in captured]
    assert all("replayed" in one and "eagerly" not in one for one in reports) or name in UNCAPTURED, reports


def test_the_examples_captured_by_one_line():
    """Check that the complete loop is cut where it reads losses, and that the pieces are captured."""
    for name in ("lstm", "gcn"):
        program = example_programs.example(name)
        options = program.arguments().parse_args(["--steps", "12", "--size", "8"])
        assert facula.compile(program.train)(options) == program.train(options)
