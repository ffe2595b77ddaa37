"""The sources of element functions are shipped, and all of them compile as C++."""

import shutil
import subprocess

import pytest

from facula_cpu.extend import element_sources

REALS = {"float32": "float", "float64": "double"}
INTEGERS = {"uint8": "uint8_t", "int8": "int8_t", "int16": "int16_t", "int32": "int32_t", "int64": "int64_t"}
INCLUDED = {"bessel": ["bessel"], "exponents": ["exponents"], "gamma": ["gamma", "zeta"], "optimizers": [],
            "special": ["erfc", "error_inverse", "turns"], "trigonometric": ["hyperbolic", "inverse"]}  # fmt: skip
DEFINITIONS = """
#define NAME(x) PASTE(x, SUFFIX)
#define FUNCTION_OF(name, type, operands, value) static inline type NAME(name##_of) operands { return (value); }
#define UNARY(name, cost, value) FUNCTION_OF(name, T, (T x), value)
#define TEST(name, cost, value) FUNCTION_OF(name, uint8_t, (T x), value)
#define PART(name, cost, value) FUNCTION_OF(name, REAL, (T x), value)
#define BINARY(name, cost, value) FUNCTION_OF(name, T, (T x, T y), value)
#define COMPARE(name, cost, value) FUNCTION_OF(name, uint8_t, (T x, T y), value)
#define TERNARY(name, cost, value) FUNCTION_OF(name, T, (T x, T y, T z), value)
#define QUATERNARY(name, cost, value) FUNCTION_OF(name, T, (T x, T y, T z, T w), value)
#define FUNCTION UNARY
#define FUNCTION_2 BINARY
#define FUNCTION_3 TERNARY
#define DENSE(name, value) UNARY(name, 0, value)
#define DENSE_2(name, value) BINARY(name, 0, value)
#define GUARDED(name, cost, inside, value, otherwise) UNARY(name, cost, (inside) ? (value) : (otherwise))
#define GUARDED_2(name, cost, inside, value, otherwise) BINARY(name, cost, (inside) ? (value) : (otherwise))
"""


def template(name, suffix, **macros):
    """Return the lines that include a template for one type."""
    macros = {"SUFFIX": suffix, **macros}
    defined = "".join([f"#define {macro} {text}\n" for macro, text in macros.items()])
    undefined = "".join([f"#undef {macro.partition('(')[0]}\n" for macro in macros])
    return f'{defined}#include "elements/{name}.inc"\n{undefined}'


def inclusions(name):
    """Return the lines that include a template for all of its types."""
    if name == "bool":
        return template(name, "bool", T="uint8_t")
    if name == "integer":
        return "".join(
            [template(name, suffix, T=type_, W=f"uint{max(32, int(suffix.strip('uint')))}_t")
             for suffix, type_ in INTEGERS.items()]
        )  # fmt: skip
    if name == "complex":
        floats = {"T": "__complex__ float", "REAL": "float", "F(name)": "__builtin_##name##f"}
        doubles = {"T": "__complex__ double", "REAL": "double", "F(name)": "__builtin_##name"}
        make = {"MAKE(a, b)": "({ T z; __real__ z = a; __imag__ z = b; z; })"}
        return template(name, "complex64", **floats, **make) + template(name, "complex128", **doubles, **make)
    headers = [f'#include "elements/math/{header}.h"\n' for header in INCLUDED.get(name, [])]
    headers += ['#include "elements/math/functions.h"\n', '#include "elements/optimizer_numbers.h"\n']
    return "".join([*headers, *[template(name, suffix, T=type_) for suffix, type_ in REALS.items()]])


def compiles(text, folder):
    """Compile a text as C++, without code."""
    source = folder / "elements.cpp"
    source.write_text(text)
    command = ["g++", "-std=c++17", "-fsyntax-only", "-Wall", "-Wno-unused-function", "-I", str(element_sources())]
    return subprocess.run([*command, str(source)], capture_output=True, text=True, timeout=120)


@pytest.mark.skipif(not shutil.which("g++"), reason="needs g++, which compiles the sources as C++")
def test_the_sources_compile_as_cpp(tmp_path):
    """Compile the headers, then the templates."""
    root = element_sources()
    paths = [*(root / "elements").iterdir(), *(root / "elements/math").iterdir()]
    headers = sorted(path.relative_to(root).as_posix() for path in paths if path.suffix == ".h")
    templates = sorted(path.stem for path in paths if path.suffix == ".inc")
    assert len(headers) > 20
    assert {"floating", "integer", "bool", "complex", "optimizers"} <= set(templates)
    done = compiles("".join([f'#include "{header}"\n' for header in headers]), tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    text = '#include <stdint.h>\n#include "elements/dtypes.h"\n' + DEFINITIONS
    done = compiles(text + "".join([inclusions(name) for name in templates]), tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not shutil.which("g++"), reason="needs g++, which compiles the sources as C++")
def test_products_without_128_bits(tmp_path):
    """Compare the upper halves of products with Python's, for compilers that have no integers of 128 bits."""
    factors = [0, 1, 3, 2**32 - 1, 2**32, 2**63 + 12345678901, 0xDEADBEEF12345678, 2**64 - 1]
    calls = "".join([f"{x}ull, {y}ull, " for x in factors for y in factors])
    source = tmp_path / "products.cpp"
    source.write_text(
        '#include <cstdio>\n#undef __SIZEOF_INT128__\n#include "elements/draws.h"\n'
        f"static const uint64_t factors[] = {{{calls}}};\n"
        "int main()\n{\n    for (int i = 0; i < (int)(sizeof factors / 8); i += 2)\n"
        '        printf("%llu\\n", (unsigned long long)high_product(factors[i], factors[i + 1]));\n}\n'
    )
    program = str(tmp_path / "products")
    subprocess.run(["g++", "-I", str(element_sources()), str(source), "-o", program], check=True, timeout=120)
    found = subprocess.run([program], capture_output=True, text=True, check=True, timeout=60).stdout.split()
    assert [int(number) for number in found] == [x * y >> 64 for x in factors for y in factors]
