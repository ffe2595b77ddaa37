"""Defects of facula-storage: file, old text, new text, the test that must fail, the kind of defect."""

DEFECTS = [
    (
        "src/facula_storage/_storages.py",
        'for link in getattr(storage, "aliases", ()):',
        "for link in ():",
        "tests/test_replacing.py::test_aliases_follow",
        "an alias that keeps the address of a freed buffer",
    ),
    (
        "csrc/replay.c",
        "return first && start < spans->all[first - 1].end;",
        "return first && start + 1 < spans->all[first - 1].end;",
        "tests/test_sequences.py::test_random_spans_are_searched",
        "off by one: an overlap of one byte is missed",
    ),
    (
        "csrc/launch.c",
        "    Py_DECREF(launch->owner);\n",
        "",
        "tests/test_launch.py::test_the_owner_lives_as_long_as_the_launch",
        "a reference count that is not given back",
    ),
    (
        "csrc/dlpack.c",
        "        m->flags = readonly ? 1 : 0;\n",
        "",
        "tests/test_dlpack.py::test_read_only_needs_a_consumer_that_understands",
        "a guard: read-only memory that is exported as writable",
    ),
    (
        "setup.py",
        '"-O2", "-std=c11", ',
        '"-O2", "-march=native", "-std=c11", ',
        "integration_tests/together/test_compiled_files.py::test_code_for_all_processors_is_for_all_processors",
        "a wheel for the processor that built it",
    ),
]
