"""Objects compiled for a vector level define nothing that code of another level could be linked to.

An inline function compiled with AVX-512 is a weak symbol: the linker keeps one copy of it, and if
it is this one, callers of the generic level crash on a processor without AVX-512.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
WEAK = re.compile(r"^[0-9a-fA-F]+ ([WVu]) (.+)$", re.MULTILINE)
HARMLESS = ("DW.ref.",)  # a pointer to the exception handler, the same at every level


def weak_definitions(listing):
    """Return the weak symbols that an output of `nm -C` says are defined."""
    names = [name for _, name in WEAK.findall(listing)]
    return sorted(name for name in names if not name.startswith(HARMLESS))


def vector_objects():
    """Return the objects of the vector levels, of the builds that hold the Python module."""
    builds = {module.parent for module in (ROOT / "build").glob("*/_core*")}
    folders = [build / "CMakeFiles" / "lookalike_core.dir" / "simd" for build in builds]
    return sorted(
        path
        for folder in folders
        for level in ("avx2", "avx512", "neon", "dotprod")
        for path in folder.glob(f"*_{level}.cpp.o")
    )


def test_no_object_of_a_vector_level_defines_a_weak_symbol():
    nm = shutil.which("nm")
    if nm is None:
        pytest.skip("nm is not installed")
    objects = vector_objects()
    if not objects:
        pytest.skip("no build with objects of a vector level lies in build/")
    shared = {}
    for path in objects:
        listing = subprocess.run([nm, "-C", path], check=True, capture_output=True, text=True)
        if names := weak_definitions(listing.stdout):
            shared[str(path.relative_to(ROOT / "build"))] = names
    assert not shared, "give these functions internal linkage, or do not call them in csrc/simd"


def test_weak_definitions_are_told_from_other_symbols():
    listing = """
0000000000000000 W double std::max<double>(double const&, double const&)
0000000000000000 V lookalike::table
0000000000000010 T lookalike::simd::avx2::moment_kernels
0000000000000020 t lookalike::simd::avx2::(anonymous namespace)::add(double)
0000000000000000 V DW.ref.__gxx_personality_v0
                 w __gmon_start__
                 U fma
"""
    assert weak_definitions(listing) == [
        "double std::max<double>(double const&, double const&)",
        "lookalike::table",
    ]
