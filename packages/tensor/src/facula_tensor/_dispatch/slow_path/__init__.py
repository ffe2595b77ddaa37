"""The slow path: all cases that the fast path does not handle. `slow_call.py` starts a call, `inplace.py` an
in-place change. Contents: `operands` and `snapshots` coerce and promote, `planning` finds or makes the plan,
`launching` and `writing` run it, `nodes` and `view_changes` record. `modes` dispatches operators while a mode
is active; `alpha` implements `add` and `sub` with a factor.
May import: `rules`, `expressions`, and the modules of `_dispatch` except `declaration` and its dependents.
"""
