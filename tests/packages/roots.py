# SPDX-License-Identifier: Apache-2.0
"""Debian systems in folders: made once by debootstrap, copied for each case, and run in containers
that see nothing of this machine but the folder."""

import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

SKIPPED = 77
# What the first call of debootstrap adds to the smallest system.
SUITES = {"bookworm": "systemd,systemd-sysv,dbus,iproute2", "bullseye": ""}
QUIET = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root",
         "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}


def skip(why):
    print("skipped:", why)
    sys.exit(SKIPPED)


def container(root, *options):
    return ("systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--directory", str(root),
            *options)


def base(folder, suite):
    """The system as Debian gives it; it stays for the next call."""
    made = folder / suite
    if made.exists():
        return made
    draft = folder / f"{suite}.draft"
    shutil.rmtree(draft, ignore_errors=True)
    # Where this machine's apt gets its packages from.
    mirrors = subprocess.run(("apt-get", "indextargets", "--format", "$(REPO_URI)",
                              "Label: Debian"), capture_output=True, text=True).stdout.split()
    command = ["debootstrap", "--variant=minbase", suite, str(draft), *mirrors[:1]]
    if SUITES[suite]:
        command.insert(2, f"--include={SUITES[suite]}")
    folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        skip(f"debootstrap cannot make {suite}: {done.stdout[-300:]}")
    draft.rename(made)
    return made


class Root:
    """A copy of a system. Commands run as its root, in a container of their own each, or all in one
    that systemd has started."""

    def __init__(self, folder):
        self.folder = folder
        self.leader = None

    def path(self, inside):
        return self.folder / inside.lstrip("/")

    def start(self, command, network=False, environment=None, **more):
        settings = {**QUIET, **(environment or {})}
        words = [f"{key}={value}" for key, value in settings.items()]
        if self.leader:
            front = ("nsenter", "-t", str(self.leader), "-m", "-u", "-i", "-n", "-p", "-r", "-w")
        else:
            front = container(self.folder, "--as-pid2", "--pipe",
                              *(() if network else ("--private-network",)))
        # What nspawn has to say of itself goes to the console.
        with open(f"{self.folder}.console", "a") as console:
            return subprocess.Popen((*front, "/usr/bin/env", "-i", *words, "sh", "-c",
                                     "exec 2>&1; " + command), stdin=subprocess.DEVNULL,
                                    stdout=subprocess.PIPE, stderr=console, text=True, **more)

    def try_run(self, command, timeout=240, **more):
        """(exit code, output)"""
        started = self.start(command, **more)
        try:
            text = started.communicate(timeout=timeout)[0]
        except subprocess.TimeoutExpired:
            # nspawn ends what runs in it; what nsenter started ends with the container.
            started.terminate()
            try:
                text = started.communicate(timeout=20)[0]
            except subprocess.TimeoutExpired as why:
                text = (why.stdout or b"").decode()
            text += f"\nended after {timeout} s"
        return started.returncode, text

    def run(self, command, **more):
        code, text = self.try_run(command, **more)
        if code != 0:
            raise AssertionError(f"'{command}' ended with {code}:\n{text}")
        return text

    def until(self, command, seconds=30):
        end = time.monotonic() + seconds
        while True:
            code, text = self.try_run(command)
            if code == 0:
                return text
            if time.monotonic() > end:
                raise AssertionError(f"'{command}' failed for {seconds} s:\n{text}")
            time.sleep(0.2)

    @contextlib.contextmanager
    def booted(self):
        """Within this, systemd runs, and there is no network but lo."""
        log = open(f"{self.folder}.console", "a")
        outer = subprocess.Popen(container(self.folder, "--private-network", "--boot"),
                                 stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            self.leader = first_child(outer.pid)
            self.until("systemctl is-system-running | grep -E 'running|degraded'", 60)
            yield
        finally:
            if self.leader:
                # Its systemd takes this for "halt".
                os.kill(self.leader, signal.SIGRTMIN + 3)
            self.leader = None
            try:
                outer.wait(timeout=30)
            except subprocess.TimeoutExpired:
                outer.kill()
                outer.wait()
            log.close()


def first_child(pid):
    end = time.monotonic() + 20
    while time.monotonic() < end:
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        if children and pathlib.Path(f"/proc/{children[0]}/comm").read_text() == "systemd\n":
            return int(children[0])
        time.sleep(0.1)
    return skip("systemd does not start in a container here")


@contextlib.contextmanager
def copy_of(folder, suite, name):
    copy = folder / name
    remove(copy)
    pathlib.Path(f"{copy}.console").unlink(missing_ok=True)
    subprocess.run(("cp", "-a", "--reflink=auto", base(folder, suite), copy), check=True)
    shutil.copy(pathlib.Path("/etc/resolv.conf").resolve(), copy / "etc/resolv.conf")
    try:
        yield Root(copy)
    finally:
        remove(copy)


def remove(folder):
    shutil.rmtree(folder, ignore_errors=True)
