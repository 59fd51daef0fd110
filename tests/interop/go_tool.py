# SPDX-License-Identifier: Apache-2.0
"""Builds grpcurl with Go, once for all tests of a build."""

import fcntl
import os
import shutil
import subprocess
import tempfile

from environment import expect_answer

MODULE = "github.com/fullstorydev/grpcurl"
VERSION = "v1.9.1"


class NoGo(Exception):
    """There is no Go, or no module proxy that answers."""


def _check_proxy(go):
    told = subprocess.run([go, "env", "GOPROXY"], capture_output=True, text=True)
    proxy = told.stdout.strip().replace("|", ",").split(",")[0]
    if not proxy.startswith(("http://", "https://")):
        raise NoGo(f"no proxy of Go modules is set: GOPROXY is '{proxy}'")
    url = f"{proxy.rstrip('/')}/{MODULE}/@v/{VERSION}.info"
    expect_answer(url, "the proxy of Go modules", NoGo)


def make_grpcurl(folder):
    """Builds grpcurl into `folder`, unless it is there, and returns the path of the program.

    Raises NoGo where it cannot be built, and RuntimeError if the build fails.
    """
    folder = os.path.abspath(folder)  # Go takes no other one.
    go = shutil.which("go") or shutil.which("go", path="/usr/local/go/bin")
    os.makedirs(folder, exist_ok=True)
    program = os.path.join(folder, "grpcurl-" + VERSION)
    with open(os.path.join(folder, "lock-go"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if os.path.exists(program):
            return program
        if go is None:
            raise NoGo("there is no Go to build grpcurl with")
        _check_proxy(go)
        with tempfile.TemporaryDirectory(dir=folder) as built:
            done = subprocess.run([go, "install", f"{MODULE}/cmd/grpcurl@{VERSION}"],
                                  env=dict(os.environ, GOBIN=built), capture_output=True, text=True)
            if done.returncode != 0:
                raise RuntimeError("go install failed:\n" + done.stdout + done.stderr)
            os.replace(os.path.join(built, "grpcurl"), program)
    return program
