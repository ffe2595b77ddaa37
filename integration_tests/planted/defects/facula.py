"""Defects of facula: file, old text, new text, the test that must fail, the kind of defect."""

DEFECTS = [
    (
        "src/facula/amp/grad_scaler.py",
        "self._growth_tracker.copy_(where(infinite | grows, 0, count))",
        "self._growth_tracker.copy_(where(grows, 0, count))",
        "tests/test_grad_scaler.py::test_the_scale_shrinks_after_non_finite_gradients_and_grows_otherwise",
        "a count that is not reset after an infinite gradient",
    ),
    (
        "src/facula/_pickles/saving.py",
        "        lazy=bool(mmap),\n",
        "        lazy=False,\n",
        "tests/test_saving.py::test_mapped_tensors_are_read_from_the_file",
        "a slow path: an option that maps files is ignored",
    ),
]
