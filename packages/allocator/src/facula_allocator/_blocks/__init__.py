"""The slow path of `CachingAllocator`: blocks when no idle one fits, and segments that go back to the driver.

`slow_path.py` uses all others: `budget.py`, `expandable_segments.py`, `waiting_blocks.py` (freed, but in use on other
streams), `lending.py` (idle blocks of another stream), and `closing.py`.
"""
