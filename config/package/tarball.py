# SPDX-License-Identifier: Apache-2.0
"""The programs with all that they load, for Linux distributions that are not Debian 12."""

import pathlib
import re
import shutil
import subprocess
import sys

import files

HERE = pathlib.Path(__file__).resolve().parent
NATS_SERVER = pathlib.Path("/usr/sbin/nats-server")
CERTIFICATES = pathlib.Path("/etc/ssl/certs/ca-certificates.crt")
# What dynamically linked programs name themselves by: the loader.
LOADER = re.compile(r"ld-.*\.so")


def libraries(program):
    """The files that the loader maps for the program, and the loader itself. What the kernel brings
    has no file."""
    told = subprocess.run(("ldd", program), capture_output=True, text=True)
    if told.returncode != 0:  # A static program.
        return set()
    missing = re.findall(r"(\S+) => not found", told.stdout)
    if missing:
        sys.exit(f"build: {program} needs {', '.join(missing)}; config/install-packages libs "
                 "installs it")
    return {pathlib.Path(path) for path in re.findall(r"(/\S+) \(0x", told.stdout)}


def package_of(path):
    """Whose file it is. A folder of /usr may be reached by another name."""
    real = path.resolve()
    for name in (path, real, str(real).removeprefix("/usr"), f"/usr{path}"):
        told = subprocess.run(("dpkg", "-S", str(name)), capture_output=True, text=True)
        if told.returncode == 0:
            return told.stdout.split(":")[0]
    return sys.exit(f"build: no package has {path}, so that its licence is unknown")


def make(staged, name, scratch, target):
    """Packs the tree, and returns where it lies."""
    tree = scratch / name
    inside = tree / "libexec"
    shutil.copytree(staged / "bin", inside)
    shutil.copy2(NATS_SERVER, inside)
    (tree / "bin").mkdir()
    shutil.copy(HERE / "wrapper", tree / "bin" / "wrapper")
    for program in ("argosyd", "argosyctl", "argosy-agent", "nats-server"):
        (tree / "bin" / program).symlink_to("wrapper")
    (tree / "lib").mkdir()
    needed = set().union(*(libraries(program) for program in inside.iterdir()))
    for library in sorted(needed):
        shutil.copy(library, tree / "lib" / library.name)
    share = tree / "share"
    shutil.copytree(staged / "man", share / "man")
    shutil.copytree(staged / "completions", share / "completions")
    shutil.copytree(staged / "examples", share / "examples")
    licences = share / "licences"
    licences.mkdir()
    shutil.copy(HERE.parent.parent / "LICENSE", licences / "argosy")
    for package in sorted({package_of(path) for path in needed | {NATS_SERVER}}):
        shutil.copy(f"/usr/share/doc/{package}/copyright", licences / package)
    files.pack(tree, target / f"{name}-linux-amd64.tar.gz", name)
    return tree


def loader_of(tree):
    return next(path for path in (tree / "lib").iterdir() if LOADER.match(path.name))
