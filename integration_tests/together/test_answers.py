"""facula's answers are PyTorch's, which are checked in as JSON: dtypes, overlapping operands, training."""

import json
import sys

import pytest

facula = pytest.importorskip("facula", reason="packages/facula is not begun", exc_type=ModuleNotFoundError)


@pytest.fixture(scope="module", params=["promotion", "overlap"])
def answered(request, root):
    """One module of questions: (facula's answers, PyTorch's)."""
    return ask(root, request.param)


def ask(root, name):
    """Questions are beside PyTorch's answers to them."""
    folder = root / "integration_tests" / "reference"
    sys.path.insert(0, str(folder))
    try:
        questions = __import__(name)
    finally:
        sys.path.remove(str(folder))
    return questions.answers(facula), json.loads((folder / f"{name}.json").read_text())["answers"]


def test_answers_are_pytorchs(answered):
    ours, theirs = answered
    assert ours.keys() == theirs.keys()
    theirs = {question: answer for question, answer in theirs.items() if answer != "complex32"}  # which facula has not
    different = {
        question: (ours[question], theirs[question]) for question in theirs if ours[question] != theirs[question]
    }
    assert not different, (
        f"{len(different)} of {len(ours)} differ (facula, PyTorch): {dict(list(different.items())[:40])}"
    )


@pytest.mark.parametrize(("dtype", "tolerance"), [("float32", 1e-4), ("float64", 1e-9)])
def test_the_digits_perceptron_trains_alike(root, dtype, tolerance):
    """The same initial weights and batches give PyTorch's loss at each of 100 steps."""
    ours, theirs = ask(root, "digits")
    assert len(theirs[dtype]) == 100
    assert theirs[dtype][-1] < 0.5 * theirs[dtype][0]
    assert ours[dtype] == pytest.approx(theirs[dtype], rel=tolerance)
