"""Defects of facula-optim: file, old text, new text, the test that must fail, the kind of defect."""

DEFECTS = [
    (
        "src/facula_optim/lr_scheduler/_curves.py",
        "cos(pi * epoch / self.T_max)",
        "cos(pi * (epoch + 1) / self.T_max)",
        "tests/test_schedules.py::test_curves",
        "a schedule's formula that is one epoch ahead",
    ),
    (
        "src/facula_optim/lr_scheduler/_plateau.py",
        "rates.append(reduced if rate - reduced > self.eps else rate)",
        "rates.append(reduced)",
        "tests/test_schedules.py::test_plateau_skips_changes_below_eps",
        "an option of a schedule that is ignored",
    ),
    (
        "src/facula_optim/_state.py",
        "own = [by_name[key] for key in theirs]",
        "own = list(by_name.values())",
        "tests/test_state_dicts.py::test_loading_matches_names",
        "optimizer state that is loaded by place instead of by name",
    ),
]
