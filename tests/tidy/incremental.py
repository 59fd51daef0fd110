# SPDX-License-Identifier: Apache-2.0
"""Runs one command for each file, again only if the file or what it includes has changed."""

import os
import shlex
import subprocess


def run(folder, command, paths, jobs, root, flags_of=lambda path: ""):
    """Runs `command` in `root` for every path, `jobs` at a time, and goes on after a failure.

    The command names the path as {path} and writes the files that it read to {depfile}, in make's
    form with the target {stamp}; {flags} in it are those of the path. Returns ninja's exit code.
    `folder` keeps what was found out.
    """
    os.makedirs(folder, exist_ok=True)
    rules = ["ninja_required_version = 1.5", f"builddir = {folder}", "rule check",
             f"  command = cd {shlex.quote(root)} && $check && touch $out",
             "  depfile = $out.d", "  deps = gcc", "  description = $path"]
    for path in paths:
        stamp = os.path.join(folder, path + ".ok")
        check = command.format(path=path, stamp=stamp, depfile=stamp + ".d",
                               flags=flags_of(path))
        rules += [f"build {stamp}: check {os.path.join(root, path)}",
                  f"  check = {check}", f"  path = {path}"]
    build_file = os.path.join(folder, "build.ninja")
    with open(build_file, "w", encoding="utf-8") as stream:
        stream.write("\n".join(rules) + "\n")
    return subprocess.run(["ninja", "-f", build_file, "-j", str(jobs), "-k", "0", "--quiet"],
                          check=False).returncode
