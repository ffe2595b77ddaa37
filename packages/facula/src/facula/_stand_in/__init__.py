"""A folder for `sys.path` in which `torch` is facula; see `facula.__main__`. Never imported by this name."""
