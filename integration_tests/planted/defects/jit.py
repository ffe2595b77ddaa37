"""Defects of facula-jit: file, old text, new text, the test that must fail, the kind of defect."""

DEFECTS = [
    (
        "src/facula_jit/_recording/signature.py",
        "layout.dtype, layout.shape, layout.strides, wants",
        "layout.dtype, layout.shape, wants",
        "tests/test_capture.py::test_strides_and_dtypes_are_part_of_the_signature",
        "a capture guard that ignores strides",
    ),
    (
        "src/facula_jit/_recording/signature.py",
        "tuple(parts), mode.grad, mode.inference,",
        "tuple(parts), mode.inference,",
        "tests/test_noticed.py::test_modes_and_the_default_dtype",
        "a capture guard that ignores the gradient mode",
    ),
    (
        "src/facula_jit/_graph/definite_assignment.py",
        "if any([condition <= opposite for condition in known]):",
        "if known:",
        "tests/test_guards.py::test_accepted_graphs_read_only_written_memory",
        "a captured program that reads what nothing wrote",
    ),
]
