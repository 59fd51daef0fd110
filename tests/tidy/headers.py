#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""headers.py ROOT BUILD: every header compiles alone, as the first include of a file.

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


def main(root, build):
    root, build = os.path.abspath(root), os.path.abspath(build)
    headers = [source.path for source in load(root) if source.suffix == ".hpp"]
    command = (f"g++ -std=c++20 -fsyntax-only -w {library_flags()} -I. -isystem {build}/proto "
               "-MD -MF {depfile} -MT {stamp} -x c++ -include {path} /dev/null")
    return incremental.run(os.path.join(build, "tidy"), command, headers,
                           os.environ.get("ARGOSY_JOBS", os.cpu_count()), root)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
