#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lint.py [--jobs N] format|tidy: clang-format, or clang-tidy on what changed since it last passed.

clang-tidy reads build/lint/compile_commands.json (preset `lint`).
"""

import argparse
import json
import os
import subprocess
import sys

import incremental
from tree import load

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
BUILD = os.path.join(ROOT, "build/lint")


def check_format():
    paths = [source.path for source in load(ROOT) if source.is_code]
    return subprocess.run(["clang-format", "--dry-run", "-Werror", *paths], cwd=ROOT,
                          check=False).returncode


def check_tidy(jobs):
    with open(os.path.join(BUILD, "compile_commands.json"), encoding="utf-8") as stream:
        entries = json.load(stream)
    ours = {os.path.relpath(entry["file"], ROOT) for entry in entries}
    paths = sorted(path for path in ours if path.endswith(".cpp") and not path.startswith("build"))
    # g++ tells what the file includes, so that a changed header has its users checked again.
    command = ("g++ -std=c++20 -MM -MF {depfile} -MT {stamp} -I. "
               f"-isystem {BUILD}/proto {{path}}"
               f" && clang-tidy-16 -p {BUILD} --quiet {{path}} 2>/dev/null")
    return incremental.run(os.path.join(BUILD, "clang-tidy"), command, paths, jobs, ROOT)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["format", "tidy"])
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    return check_format() if options.what == "format" else check_tidy(options.jobs)


if __name__ == "__main__":
    sys.exit(main())
