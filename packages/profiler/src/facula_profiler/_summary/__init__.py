"""Figures of a trace: totals by operator, module and line, the bottleneck with its evidence, and comparisons.

In order of use: `columns` (derived figures of each event), `intervals`, `tables`, `peaks` (the machine's roofline),
`shares` (where the time goes), `advice`, `summary` and `comparison`.
"""
