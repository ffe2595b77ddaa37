"""The two C modules; everything else about the build is in pyproject.toml. CFLAGS from the environment are honoured."""

from setuptools import Extension, setup

core = Extension(
    "facula_allocator._core",
    [
        f"csrc/{name}.c"
        for name in (
            "blocktype", "core", "coresegments", "coretype", "expandable", "functions", "module", "segments", "stacks",
            "taker", "tree", "views",
        )
    ],
    include_dirs=["src/facula_allocator/include"],
    depends=["csrc/books.h", "csrc/core.h", "csrc/types.h", "src/facula_allocator/include/facula_allocator.h"],
    define_macros=[("Py_LIMITED_API", "0x030b0000")],
    extra_compile_args=[
        "-O2", "-std=c11", "-fvisibility=hidden", "-Wall", "-Wextra",
        "-Wno-missing-field-initializers", "-Wno-cast-function-type",
    ],
    py_limited_api=True,
)  # fmt: skip

setup(ext_modules=[core], cffi_modules=["build_host.py:ffi"])
