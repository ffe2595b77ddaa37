"""The C module of this package; everything else about the build is in pyproject.toml."""

from setuptools import Extension, setup

SOURCES = ("buffer", "checks", "dlpack", "launch", "module", "replay", "same", "sequence", "slots", "threads")

setup(
    ext_modules=[
        Extension(
            "facula_storage._bridge",
            [f"csrc/{name}.c" for name in SOURCES],
            depends=[f"csrc/{name}.h" for name in ("bridge", "checks", "launch", "sequence")],
            define_macros=[("Py_LIMITED_API", "0x030b0000")],
            extra_compile_args=[
                "-O2", "-std=c11", "-fvisibility=hidden", "-Wall", "-Wextra", "-Wno-missing-field-initializers",
            ],
            py_limited_api=True,
        )
    ]
)  # fmt: skip
