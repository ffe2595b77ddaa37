"""Defects of facula-distributions: file, old text, new text, the test that must fail, the kind of defect."""

DEFECTS = [
    (
        "src/facula_distributions/_continuous/normal.py",
        "square.expm1() * (2",
        "(square.exp() - 1) * (2",
        "tests/test_numbers.py::test_moments_in_single_precision",
        "an unstable formula: a difference of nearly equal numbers",
    ),
    (
        "src/facula_distributions/_discrete/categorical.py",
        "return -where(self.probs == 0, 0.0, terms).sum(-1)",
        "return -terms.sum(-1)",
        "tests/test_numbers.py::test_categories",
        "NaN where a probability is zero",
    ),
]
