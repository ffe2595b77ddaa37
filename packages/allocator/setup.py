"""The C module; everything else about the build is in pyproject.toml. CFLAGS from the environment are honoured."""

from setuptools import setup

setup(cffi_modules=["build_host.py:ffi"])
