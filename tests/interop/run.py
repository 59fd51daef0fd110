# SPDX-License-Identifier: Apache-2.0
"""Runs one file of tests against an argosyd of its own, in the environment with the clients.

run.py --programs DIR --environment DIR [--requirements NAME] FILE

The exit code is 77 where no package index can be reached, or for the tests of grpcurl no Go or no
proxy of its modules, which ctest shows as skipped.
"""

import argparse
import os
import sys

import environment
import go_tool

SKIPPED = 77


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", required=True)
    parser.add_argument("--environment", required=True)
    parser.add_argument("--requirements", default="requirements.txt")
    parser.add_argument("file")
    chosen = parser.parse_args()
    try:
        python = environment.make(chosen.environment, chosen.requirements)
        if chosen.file.startswith("grpcurl"):
            os.environ["ARGOSY_GRPCURL"] = go_tool.make_grpcurl(chosen.environment)
    except (environment.NoIndex, go_tool.NoGo) as why:
        print(f"skipped: {why}")
        return SKIPPED
    here = os.path.dirname(os.path.abspath(__file__))
    os.environ["ARGOSY_PROGRAMS"] = chosen.programs
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    os.chdir(here)
    os.execv(python, [python, "-m", "unittest", "-v", chosen.file])


if __name__ == "__main__":
    sys.exit(main())
