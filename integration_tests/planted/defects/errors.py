"""Defects of facula-errors: file, old text, new text, the test that must fail, the kind of defect."""

DEFECTS = [
    (
        "src/facula_errors/_classes.py",
        "super().__init__(operation, path, place, problem, remedy)\n",
        'super().__init__(f"{operation}: {problem}")\n',
        "tests/test_classes.py::test_pickles_whole",
        "an error that loses its fields when it is pickled",
    ),
    (
        "src/facula_errors/_trimming.py",
        "    if flags & (_COROUTINE | _ASYNC_GENERATOR):\n        return function\n",
        "",
        "tests/test_trimming.py::test_coroutines_are_unchanged",
        "coroutine functions wrapped as plain functions",
    ),
    (
        "src/facula_errors/__init__.py",
        '"RangeError",',
        "",
        "integration_tests/together/test_policy.py::test_changed_names_are_in_the_news",
        "a public name that is removed without news",
    ),
]
