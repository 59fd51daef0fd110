# SPDX-License-Identifier: Apache-2.0
"""Makes the virtual environment with other people's clients, once for all tests of a build."""

import fcntl
import hashlib
import os
import subprocess
import sys
import urllib.error
import urllib.request
import venv

HERE = os.path.dirname(os.path.abspath(__file__))


class NoIndex(Exception):
    """No package index can be reached."""


def _run(*command):
    return subprocess.run(command, capture_output=True, text=True)


def _index(python):
    """The URL of the package index that pip is told to use."""
    if os.environ.get("PIP_INDEX_URL"):
        return os.environ["PIP_INDEX_URL"]
    told = _run(python, "-m", "pip", "config", "get", "global.index-url")
    if told.stdout.strip():
        return told.stdout.strip()
    default = "from pip._internal.models.index import PyPI; print(PyPI.simple_url)"
    return _run(python, "-c", default).stdout.strip()


def expect_answer(url, what, missing):
    """Raises `missing` unless a server answers at the URL, whatever it says of it."""
    try:
        urllib.request.urlopen(url, timeout=20).close()
    except urllib.error.HTTPError:
        pass  # It answered; what pip or Go makes of it is their own error.
    except OSError as why:
        raise missing(f"{what} {url} does not answer: {why}") from why


def _check_index(python):
    """Raises NoIndex if the package index does not answer."""
    expect_answer(_index(python).rstrip("/") + "/armada-client/", "the package index", NoIndex)


def make(folder, requirements="requirements.txt"):
    """Makes the environment in `folder`, unless it is there, and returns its Python.

    `requirements` is the name of a file of this folder. Raises NoIndex where nothing can be
    installed, and RuntimeError if the installation fails.
    """
    requirements = os.path.join(HERE, requirements)
    with open(requirements, "rb") as file:
        wanted = hashlib.sha256(file.read() + sys.version.encode()).hexdigest()
    os.makedirs(folder, exist_ok=True)
    python = os.path.join(folder, "bin", "python")
    mark = os.path.join(folder, "made-of")
    # Tests run at the same time; the first one installs for all.
    with open(os.path.join(folder, "lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if os.path.exists(mark) and open(mark).read() == wanted:
            return python
        venv.create(folder, clear=False, with_pip=True)
        _check_index(python)
        done = _run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                    "-r", requirements)
        if done.returncode != 0:
            raise RuntimeError("pip failed:\n" + done.stdout + done.stderr)
        with open(mark, "w") as file:
            file.write(wanted)
    return python
