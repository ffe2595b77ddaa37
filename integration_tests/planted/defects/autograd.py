"""Defects of facula-autograd: file, old text, new text, the test that must fail, the kind of defect."""

DEFECTS = [
    (
        "src/facula_autograd/_engine/engine.py",
        "            node.s1 = node.rest = None",
        "            pass",
        "tests/test_graph_memory.py::test_saved_values_are_freed_during_the_pass",
        "saved values that stay in memory after their node has run",
    ),
    (
        "src/facula_autograd/_graph/hooks.py",
        "g = _checked_gradient(new, g)",
        "g = new",
        "tests/test_hooks.py::test_invalid_replacements_are_refused",
        "a hook may return a gradient of another shape",
    ),
    (
        "src/facula_autograd/_graph/hooks.py",
        "wrap_rule(node).retain = ref(value)",
        "wrap_rule(node).retain = lambda: value",
        "tests/test_hooks.py::test_hooks_make_no_cycle",
        "a reference cycle through a retained gradient",
    ),
    (
        "src/facula_autograd/_graph/hooks.py",
        "for hook in tuple(extra.before.values()):",
        "for hook in extra.before.values():",
        "tests/test_hooks.py::test_hooks_that_change_hooks_while_running",
        "a dict of hooks that changes size while it is iterated",
    ),
]
