"""Defects of facula-cpu: file, old text, new text, the test that must fail, the kind of defect."""

DEFECTS = [
    (
        "csrc/indexing/index.inc",
        "if (value < plan->lowest || value >= plan->size) {",
        "if (value < plan->lowest || value > plan->size) {",
        "tests/test_index.py::test_indices_out_of_range",
        "off by one: an index beyond the end is read",
    ),
    (
        "csrc/indexing/runs.inc",
        "#define GREATER(x, y) (__builtin_expect((y) != (y), 0) ? (y) : ((y) > (x) ? (y) : (x)))",
        "#define GREATER(x, y) ((y) > (x) ? (y) : (x))",
        "tests/test_gather.py::test_scatter",
        "NaN that a maximum loses",
    ),
    (
        "csrc/losses/cross_entropy.c",
        "if (target < 0 || target >= classes) {",
        "if (target < 0 || target > classes) {",
        "tests/test_cross_entropy.py::test_a_class_out_of_range_writes_nothing",
        "off by one: a class beyond the last is read",
    ),
    (
        "csrc/indexing/index.inc",
        ".wrap = plan->lowest < 0 ? plan->size : 0,",
        ".wrap = plan->lowest < 0 ? plan->size - 1 : 0,",
        "tests/test_index.py::test_put",
        "off by one: negative positions",
    ),
]
