#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""headers.py ROOT BUILD: every header compiles alone, as the first include of a file.

A header whose own source includes it first is proved by the build. The others are compiled here,
without any precompiled header. Headers that include each other share a compilation, innermost
first.
BUILD is the build folder, which holds the generated protobuf headers and, in tidy-strict/, what was
compiled before: only headers that changed, or that include one that did, are compiled again.
"""

import os
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


def main(root, build):
    root, build = os.path.abspath(root), os.path.abspath(build)
    sources = [source for source in load(root) if source.suffix == ".hpp"]
    includes = {source.path: [header for _, header in source.includes] for source in sources}
    headers = [header for header in includes if not proved_by_build(root, header)]
    command = (f"{compiler_of(build)} -std=c++20 -fsyntax-only -w {library_flags()} "
               f"-I. -isystem {build}/proto "
               # Any text will do for the folders that test programs are given.
               "-DARGOSY_SOURCE_DIR=__FILE__ -DARGOSY_BIN_DIR=__FILE__ "
               # The package of httplib sets it for whoever links it.
               "-DCPPHTTPLIB_OPENSSL_SUPPORT "
               "{flags} -MD -MF {depfile} -MT {stamp} -x c++ -include {path} /dev/null")
    inner = {chain[-1]: chain[:-1] for chain in chains(headers, includes)}

    def flags(path):
        return " ".join(f"-include {header}" for header in inner[path])

    return incremental.run(os.path.join(build, "tidy-strict"), command, sorted(inner),
                           os.environ.get("ARGOSY_JOBS", os.cpu_count()), root, flags)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
