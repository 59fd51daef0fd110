#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""headers.py ROOT BUILD: every header compiles alone, as the first include of a file.

A header whose own source includes it first is proved by the build. The others are compiled here.
BUILD is the build folder, which holds the generated protobuf headers and, in tidy/, what was
compiled before: only headers that changed, or that include one that did, are compiled again.
"""

import os
import subprocess
import sys

import incremental
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


def main(root, build):
    root, build = os.path.abspath(root), os.path.abspath(build)
    headers = [source.path for source in load(root) if source.suffix == ".hpp"]
    headers = [header for header in headers if not proved_by_build(root, header)]
    command = (f"g++ -std=c++20 -fsyntax-only -w {library_flags()} -I. -isystem {build}/proto "
               # Any text will do for the folders that test programs are given.
               "-DARGOSY_SOURCE_DIR=__FILE__ -DARGOSY_BIN_DIR=__FILE__ "
               "-MD -MF {depfile} -MT {stamp} -x c++ -include {path} /dev/null")
    return incremental.run(os.path.join(build, "tidy"), command, headers,
                           os.environ.get("ARGOSY_JOBS", os.cpu_count()), root)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
