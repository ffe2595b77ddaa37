"""The slow path: everything that the fast path leaves out. `slow_call.py` starts a call, `inplace.py` a change.

What it is: `operands` and `snapshots` coerce and promote, `planning` finds or makes the plan, `launching` and
`writing` run it, `nodes` and `view_changes` record. `modes` says where operators go while a mode is on; `alpha` is for
`add` and `sub` with a factor.
May import: `rules`, `expressions`, and the modules of `_dispatch` but for `declaration` and those that need it.
"""
