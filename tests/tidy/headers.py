#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""headers.py ROOT BUILD [strict]: every header compiles alone, as the first include of a file.

A header whose own source includes it first is proved by the build. The others are compiled here:
those of the product behind the precompiled header that their folder's sources have, or with
`strict` those of the tests too, and behind nothing. Headers that include each other share a
compilation, innermost first.
BUILD is the build folder, which holds the generated protobuf headers and, in tidy/, what was
compiled before: only headers that changed, or that include one that did, are compiled again.
"""

import os
import re
import subprocess
import sys

import incremental
from chains import chains
from tree import load

# What the headers need of their libraries' flags beside the default include path.
PACKAGES = ("spdlog", "fmt", "protobuf")


def library_flags():
    answer = subprocess.run(["pkg-config", "--cflags", *PACKAGES], check=True,
                            capture_output=True, text=True)
    return answer.stdout.strip()


def proved_by_build(root, header):
    """Whether the source beside the header begins with it."""
    source = os.path.join(root, header[:-len(".hpp")] + ".cpp")
    if not os.path.exists(source):
        return False
    with open(source, encoding="utf-8") as lines:
        first = next((line for line in lines if line.startswith("#include")), "")
    return first.split() == ["#include", f'"{header}"']


def compiler_of(build):
    """The compiler that the build folder was configured with."""
    with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as lines:
        return next(line.split("=", 1)[1].strip() for line in lines
                    if line.startswith("CMAKE_CXX_COMPILER:"))


def precompiled_of(root, path):
    """The name of the precompiled header that the CMakeLists.txt of the header's folder chooses."""
    while path:
        path = os.path.dirname(path)
        cmake = os.path.join(root, path, "CMakeLists.txt")
        if os.path.exists(cmake):
            with open(cmake, encoding="utf-8") as text:
                chosen = re.search(r"\bPCH (\w+)", text.read())
            return chosen[1] if chosen else "base"
    return "base"


def main(root, build, *how):
    root, build = os.path.abspath(root), os.path.abspath(build)
    strict = how == ("strict",)
    sources = [source for source in load(root) if source.suffix == ".hpp"]
    includes = {source.path: [header for _, header in source.includes] for source in sources}
    headers = [header for header in includes if not proved_by_build(root, header)]
    if not strict:
        headers = [header for header in headers if not header.startswith("tests/")]
    compiler = compiler_of(build)
    command = (f"{compiler} -std=c++20 -fsyntax-only -w {library_flags()} "
               f"-I. -isystem {build}/proto "
               # Any text will do for the folders that test programs are given.
               "-DARGOSY_SOURCE_DIR=__FILE__ -DARGOSY_BIN_DIR=__FILE__ "
               "{flags} -MD -MF {depfile} -MT {stamp} -x c++ -include {path} /dev/null")

    # Only headers that are compiled behind the same precompiled one can share a compilation.
    groups = {}
    for header in headers:
        groups.setdefault("" if strict else precompiled_of(root, header), []).append(header)
    inner = {chain[-1]: (name, chain[:-1])
             for name, group in groups.items() for chain in chains(group, includes)}

    def flags(path):
        name, before = inner[path]
        return " ".join([precompiled(name), *(f"-include {header}" for header in before)])

    def precompiled(name):
        if strict:
            return ""
        # A precompiled header is taken only with the options that it was made with.
        header = f"{build}/CMakeFiles/argosy_pch_{name}.dir/cmake_pch.hxx"
        taken = f"-include-pch {header}.gch" if "clang" in compiler else f"-include {header}"
        return f"-O2 -fPIE -ffp-contract=off {taken}"

    folder = os.path.join(build, "tidy-strict" if strict else "tidy")
    return incremental.run(folder, command, sorted(inner),
                           os.environ.get("ARGOSY_JOBS", os.cpu_count()), root, flags)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
