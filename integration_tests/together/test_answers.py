"""facula's answers equal PyTorch's, stored as JSON: dtypes, overlapping operands, modules, optimizers, training."""

import json
import sys
from types import SimpleNamespace

import pytest

facula = pytest.importorskip("facula", reason="packages/facula is not begun", exc_type=ModuleNotFoundError)


def ask(root, name, library=facula):
    """Load questions, and PyTorch's answers from the same folder."""
    folder = root / "integration_tests" / "reference"
    sys.path.insert(0, str(folder))
    try:
        questions = __import__(name)
    finally:
        sys.path.remove(str(folder))
    return questions.answers(library), json.loads((folder / f"{name}.json").read_text())["answers"]


def differences(ours, theirs):
    """Return the questions that facula and PyTorch answer differently, with both answers."""
    assert ours.keys() == theirs.keys()
    pairs = {question: (ours[question], theirs[question]) for question in ours}
    return {question: pair for question, pair in pairs.items() if pair[0] != pair[1]}


@pytest.mark.parametrize("questions", ["promotion", "storage_dtypes"])
def test_dtypes_are_pytorchs(root, questions):
    different = differences(*ask(root, questions))
    assert not different, f"{len(different)} differ (facula, PyTorch): {list(different.items())[:40]}"


def test_overlap_is_refused_where_pytorch_refuses_it(root):
    """Check that operands that share no element, or all elements in order, give PyTorch's numbers.

    Partially overlapping operands are refused wherever PyTorch refuses them. PyTorch checks only cheap cases, and
    otherwise returns a result that depends on the order of the loop; there facula may refuse.
    """
    different = differences(*ask(root, "overlap"))
    wrong = {question: pair for question, pair in different.items() if pair != ("refused", "overlapping")}
    assert not wrong, f"{len(wrong)} differ (facula, PyTorch): {list(wrong.items())[:20]}"


def far(ours, theirs):
    """Return the paths at which two nested answers differ by more than rounding."""
    if isinstance(theirs, dict):
        if list(ours) != list(theirs):
            return [f": {list(ours)} instead of {list(theirs)}"]
        return [f"/{key}{path}" for key in theirs for path in far(ours[key], theirs[key])]
    if isinstance(theirs, list) and theirs and isinstance(theirs[0], float):
        same = ours == pytest.approx(theirs, rel=1e-6, abs=1e-8)
    else:
        same = ours == theirs
    return [] if same else [f": {ours} instead of {theirs}"]


def test_modules_are_pytorchs(root):
    """Compare reprs, the keys of state dicts, results, gradients and buffers, for the same numbers."""
    import facula_nn

    library = SimpleNamespace(**{**vars(facula), "nn": facula_nn})
    ours, theirs = ask(root, "modules", library)
    assert len(theirs) > 70
    different = far(ours, theirs)
    assert not different, different[:10]


def test_attention_by_functions_of_positions_is_pytorchs(root):
    """Compare results, logarithms of sums, masks and their blocks."""
    different = far(*ask(root, "flex_attention"))
    assert not different, different[:10]


@pytest.mark.parametrize(("dtype", "tolerance"), [("float32", 1e-4), ("float64", 1e-9)])
@pytest.mark.parametrize("program", ["digits", "network"], ids=["perceptron", "convolutions"])
def test_networks_train_alike(root, program, dtype, tolerance):
    """Check that the same initial weights and batches give PyTorch's loss at each of 100 steps."""
    ours, theirs = ask(root, program)
    assert len(theirs[dtype]) == 100
    assert theirs[dtype][-1] < 0.5 * theirs[dtype][0]
    assert ours[dtype] == pytest.approx(theirs[dtype], rel=tolerance)


def test_optimizers_and_schedules_lead_where_pytorchs_do(root):
    """Compare parameters after steps with all options, and the rates and momentum that schedules set."""
    import facula_optim

    ours, theirs = ask(root, "optimizers", SimpleNamespace(**{**vars(facula), "optim": facula_optim}))
    assert ours.keys() == theirs.keys() and len(theirs) > 40
    for question, expected in theirs.items():
        tolerance = 2e-5 if question.endswith("float32") else 1e-9
        for number, (mine, other) in enumerate(zip(ours[question], expected, strict=True)):
            assert mine == pytest.approx(other, rel=tolerance, abs=tolerance / 100), f"{question}, answer {number}"
