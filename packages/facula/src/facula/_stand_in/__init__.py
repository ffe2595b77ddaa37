"""A folder for `sys.path` in which `torch` is facula; see `facula.__main__`. It is never imported by this name."""
