"""Defects of facula-profiler: file, old text, new text, the test that must fail, the kind of defect."""

DEFECTS = [
    (
        "csrc/launch.c",
        "return result; /* a refused launch is repeated by the caller, or raised */",
        "result = result;",
        "tests/test_recording.py::test_errors_of_launches_pass_through_unrecorded",
        "launches that failed are recorded",
    ),
    (
        "src/facula_profiler/_trace/trace.py",
        "lengths[inner], len(events)",
        "lengths[inner] * 0, len(events)",
        "tests/test_traces.py::test_self_times_exclude_enclosed_events",
        "self times that include the enclosed events",
    ),
]
