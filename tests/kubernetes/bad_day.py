#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plays what goes wrong around jobs on Kubernetes: a link that is cut, a cluster that refuses, jobs
that ask for what is not there, disks that are lost, nodes that are drained. Each case prints a row:
what was done, what became of the jobs, and in how many seconds.

Usage: bad_day.py BIN_DIR CASE...        (all: every case; --list names them)

KUBECONFIG names a cluster, or two with a colon between them, by users who may do everything there.
The first one has nodes of KWOK (label type=kwok); cases that need a kubelet take nodes with the
label lab/real=true. ARGOSY_TEST_CONTROL is a command that takes kill, start, pause or resume and
then a part of the first cluster (api, sched); "{}" stands for both words. The waits are those that
an agent has by default; ARGOSY_TEST_WAIT (a duration) shortens them all.
"""
import os
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

import bad_day_access_cases  # noqa: E402, F401 (its folder has just been added; its cases are kept)
import bad_day_crash_cases  # noqa: E402, F401
import bad_day_output_cases  # noqa: E402, F401
import bad_day_volume_cases  # noqa: E402, F401
from bad_day_cases import CASES  # noqa: E402
from bad_day_world import Day, Skipped  # noqa: E402
from fleet import Cluster, until  # noqa: E402

SKIPPED = 77


def main():
    words = sys.argv[1:]
    if "--list" in words or len(words) < 2:
        print(__doc__)
        for name, function in CASES.items():
            print(f"  {name:28} {function.__doc__}")
        sys.exit(0 if "--list" in words else 2)
    bin_dir, names = words[0], words[1:]
    if names == ["all"]:
        names = list(CASES)
    unknown = [name for name in names if name not in CASES]
    if unknown:
        sys.exit(f"there is no case {unknown[0]}; --list names them")
    files = [each for each in os.environ.get("KUBECONFIG", "").split(":") if each]
    if not files:
        print("skipped: KUBECONFIG names no cluster")
        sys.exit(SKIPPED)
    failed, skipped = 0, 0
    for name in names:
        clusters = [Cluster(file, f"kube{i}") for i, file in enumerate(files)]
        day = Day(name, bin_dir, clusters)
        try:
            with day.fleet:
                CASES[name](day)
        except Skipped as why:
            skipped += 1
            print(f"{name} | skipped: {why}", flush=True)
        except SystemExit as why:
            day.wrong.append(str(why))
            print(f"{name} | WRONG: {why}", flush=True)
        finally:
            for each in clusters:
                each.link.mend()
                each.remove_spaces()
            for each in clusters:
                until(lambda: all(each.api.ask("GET", f"/api/v1/namespaces/{space}",
                                               may_fail=True)["kind"] == "Status"
                                  for space in each.spaces), "the namespaces are gone", 300)
        failed += bool(day.wrong)
    sys.exit(1 if failed else SKIPPED if skipped == len(names) else 0)


if __name__ == "__main__":
    main()
