"""The second floor: new tensors, of one value, of data, of ranges, of random numbers.

What it is: `filled` and `filling` (one value), `from_data` (sequences, arrays, memory that is there), `ranges`,
`strided`, `bits` (the same bits in another dtype); `generator`, and what it draws: `random`, `random_fill`,
`random_laws`.
May import: `_core` and `_dispatch`. Operators above are called through the namespaces of `_dispatch.namespaces`.
"""
