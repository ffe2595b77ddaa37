"""Defects of facula-cuda: file, old text, new text, the test that must fail, the kind of defect."""

DEFECTS = [
    (
        "src/facula_cuda/_port/driver.py",
        "        lib.facula_cuda_close(lib.DRIVER_FORKED)\n",
        "",
        "tests/test_driver.py::test_a_child_of_a_process_that_used_cuda_is_refused",
        "calls of a forked child that reach the driver",
    ),
]
