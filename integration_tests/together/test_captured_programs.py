"""Complete training programs, captured and eager: every number is equal after every step."""

import pytest

pytest.importorskip("sklearn", reason="programs of examples/ read scikit-learn's digits")


import example_programs
import network_programs
import usual_programs

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


def bits(value):
    """Convert a value to a comparable one with all bits of its tensors."""
    if isinstance(value, facula.Tensor):
        flat = value.detach().contiguous().reshape(-1)
        return str(value.dtype), tuple(value.shape), value.requires_grad, flat.view(facula.uint8).numpy().tobytes()
    if isinstance(value, dict):
        return {bits(name): bits(one) for name, one in value.items()}
    return list(map(bits, value)) if isinstance(value, (list, tuple)) else repr(value)


def everything(program, result):
    """Return a program's state: parameters, buffers, gradients, state dicts, generators, and a step's results."""
    found = {"result": bits(result), "generator": bits(facula.get_rng_state()), "more": bits(program.more())}
    for place, one in enumerate(program.parts):
        found[f"state of {place}"] = bits(one.state_dict())
        if isinstance(one, facula.nn.Module):
            found[f"gradients of {place}"] = {name: bits(p.grad) for name, p in one.named_parameters()}
    return found


def compare(name, wrap, dtype, steps):
    """Run a program twice, compare, and return the captured functions."""
    captured, programs, results = [], [], [None, None]

    def wrapping(function):
        captured.append(WRAPS[wrap](function))
        return captured[-1]

    facula.set_default_dtype(dtype)
    try:
        for one in (lambda function: function, wrapping):
            facula.manual_seed(0)
            programs.append(PROGRAMS[name](one))
        for number in range(steps):
            found = []
            for place, program in enumerate(programs):
                facula.manual_seed(1000 + number)
                results[place] = program.step(number, results[place])
                program.between(number)
                found.append(everything(program, results[place]))
            for part in found[0]:
                assert found[0][part] == found[1][part], (number, part)
    finally:
        facula.set_default_dtype(facula.float32)
    return captured


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
    captured = compare(name, wrap, dtype, SHORT.get(name, steps) if steps == STEPS else steps)
    reports = [one.report() for one in captured]
    assert all("replayed" in one and "eagerly" not in one for one in reports) or name in UNCAPTURED, reports


def test_the_examples_captured_by_one_line():
    """Check that the complete loop is cut where it reads losses, and that the pieces are captured."""
    for name in ("lstm", "gcn"):
        program = example_programs.example(name)
        options = program.arguments().parse_args(["--steps", "12", "--size", "8"])
        assert facula.compile(program.train)(options) == program.train(options)
