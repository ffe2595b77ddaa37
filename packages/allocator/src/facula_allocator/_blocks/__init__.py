"""The slow path of `CachingAllocator`: requests that no idle block fits, and segments returned to the driver.

`slow_path.py` uses all other modules: `budget.py`, `expandable_segments.py`, `waiting_blocks.py` (freed blocks still in
use on other streams), `lending.py` (idle blocks of another stream), and `closing.py`.
"""
