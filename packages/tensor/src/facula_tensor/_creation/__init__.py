"""Creation of tensors: from one value, data, ranges or random numbers. Contents: `filled` and `filling` (one
value), `from_data` (sequences, arrays, existing memory), `ranges`, `strided`, `bits` (the same bits in another
dtype); `generator`, and random numbers: `random`, `random_fill`, `random_laws`.
May import: `_core` and `_dispatch`. Operators above are called through the namespaces of `_dispatch.namespaces`.
"""
