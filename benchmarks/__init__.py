"""benchmarks: facula against PyTorch, row by row, in one run.

What it is: `python -m benchmarks` prints the table, writes JSON and a chart, and says which rows miss their target.
May import: facula's public names and PyTorch. `where_time_goes` alone also uses `extend` modules.
Where next: README.md for the method, `measure.py` for how a row is timed, `operators/hot_path.py` for examples of rows.
"""
