# SPDX-License-Identifier: Apache-2.0
"""Runs one file of tests with the wheel as it is installed, against an argosyd of its own.

run.py --programs DIR FILE

The exit code is 77, which ctest shows as skipped, where this Python lacks what the wheel needs."""

import argparse
import importlib.util
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
NEEDED = ("grpc", "google.protobuf", "cloudpickle", "yaml")
SKIPPED = 77


def missing():
    out = []
    for name in NEEDED:
        try:
            found = importlib.util.find_spec(name)
        except ModuleNotFoundError:
            found = None
        if found is None:
            out.append(name)
    return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", required=True)
    parser.add_argument("file")
    chosen = parser.parse_args()
    if lacks := missing():
        print("skipped: this Python has no " + ", ".join(lacks))
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="argosy-python-") as folder:
        made = subprocess.run([sys.executable, "-B", HERE.parents[1] / "bins/python/make_wheel.py",
                               folder], check=True, text=True, stdout=subprocess.PIPE)
        site = os.path.join(folder, "site")
        zipfile.ZipFile(made.stdout.strip()).extractall(site)
        env = dict(os.environ, PYTHONPATH=site, PYTHONDONTWRITEBYTECODE="1",
                   ARGOSY_PROGRAMS=chosen.programs)
        return subprocess.run([sys.executable, "-W", "error::ResourceWarning", "-m", "unittest",
                               "-v", chosen.file], cwd=HERE, env=env).returncode


if __name__ == "__main__":
    sys.exit(main())
