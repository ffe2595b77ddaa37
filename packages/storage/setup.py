"""The one C file of this package; everything else about the build is in pyproject.toml."""

from setuptools import Extension, setup

setup(
    ext_modules=[
        Extension(
            "facula_storage._bridge",
            ["src/facula_storage/_bridge.c"],
            define_macros=[("Py_LIMITED_API", "0x030b0000")],
            extra_compile_args=["-O2", "-std=c11", "-Wall", "-Wextra", "-Wno-missing-field-initializers"],
            py_limited_api=True,
        )
    ]
)
