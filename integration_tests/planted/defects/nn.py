"""Defects of facula-nn: file, old text, new text, the test that must fail, the kind of defect."""

DEFECTS = [
    (
        "src/facula_nn/_modules/state.py",
        "is_lazy(value) else value.detach()\n",
        "is_lazy(value) else value.detach().clone()\n",
        "tests/test_state.py::test_contents_of_a_state_dict",
        "a state dict that copies instead of sharing memory",
    ),
    (
        "src/facula_nn/_modules/state.py",
        "for module, _ in reversed(self.visited):",
        "for module, _ in self.visited:",
        "tests/test_state.py::test_load_post_hooks_run_for_children_first",
        "hooks that run before the children are complete",
    ),
]
