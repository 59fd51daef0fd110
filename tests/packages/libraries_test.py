# SPDX-License-Identifier: Apache-2.0
"""Goal: the group `libs` of config/packages.txt is what a machine needs that only runs programs.
Method: the linker tells which libraries each program loads by itself, and dpkg whose they are.

  libraries_test.py PACKAGES PROGRAM...   exit code 77 where there is no dpkg
"""

import pathlib
import re
import shutil
import subprocess
import sys

# Every Debian has these, since packages that cannot be removed depend on them.
ALWAYS_THERE = {"libc6", "libcrypt1", "libgcc-s1", "libtinfo6"}


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def needed(program):
    """The files of the libraries that the program itself names."""
    names = set(re.findall(r"NEEDED\s+(\S+)", output("objdump", "-p", program)))
    found = dict(re.findall(r"^\s*(\S+) => (\S+)", output("ldd", program), re.MULTILINE))
    return {found[name] for name in names if name in found}


def package_of(library):
    """The package whose file it is. A folder of /usr may be reached by another name."""
    real = pathlib.Path(library).resolve()
    for path in {library, str(real), str(real).removeprefix("/usr"), "/usr" + library}:
        told = subprocess.run(("dpkg", "-S", path), capture_output=True, text=True)
        if told.returncode == 0:
            return told.stdout.split(":")[0]
    return None


def main(packages, *programs):
    if not shutil.which("dpkg") or not shutil.which("objdump"):
        print("skipped: there is no dpkg or no objdump")
        return 77
    rows = [line.split() for line in pathlib.Path(packages).read_text().splitlines()]
    listed = {row[1] for row in rows if row[:1] == ["libs"]}
    libraries = set().union(*(needed(program) for program in programs))
    owners = {package_of(library) for library in libraries} - ALWAYS_THERE - {None}
    for name in sorted(owners - listed):
        print(f"{packages} has no line 'libs   {name}', which a program loads")
    for name in sorted(listed - owners):
        print(f"{packages} lists '{name}' among libs, and no program loads it")
    return int(owners != listed)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
