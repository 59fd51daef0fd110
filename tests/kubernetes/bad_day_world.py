# SPDX-License-Identifier: Apache-2.0
"""What the cases of bad_day.py share: the waits, the day of one case, and the row it prints."""

import os
import subprocess
import time

from fleet import Fleet

WAIT = os.environ.get("ARGOSY_TEST_WAIT", "5m")
WAIT_S = int(WAIT[:-1]) * (60 if WAIT[-1] == "m" else 1)
WAITS = {} if WAIT == "5m" else {name: WAIT for name in (
    "nodeWait", "kubeletWait", "imageWait", "initWait")}
LONG = {"lab/forever": "true"}
CASES = {}


def case(function):
    CASES[function.__name__.replace("_", "-")] = function
    return function


class Skipped(Exception):
    pass


class Day:
    """One case: its clusters, its fleet, and the row that it prints."""

    def __init__(self, name, bin_dir, clusters):
        self.name, self.clusters = name, clusters
        self.begin = time.monotonic()
        self.wrong = []
        for each in clusters:
            each.make_account()
            each.make_space("bad-day")
        self.fleet = Fleet(bin_dir, clusters)

    @property
    def one(self):
        return self.clusters[0]

    def join(self, cluster=None, spaces=("bad-day",), **more):
        return self.fleet.join(cluster or self.one, list(spaces), **{**WAITS, **more})

    def expect(self, holds, what):
        if not holds:
            self.wrong.append(what)

    def expect_success(self, told, runs=1):
        states = sorted({state for state, *_ in told})
        self.expect(states == ["SUCCEEDED"], f"states are {states}")
        most = max(count for _, count, *_ in told)
        self.expect(most <= runs, f"a job had {most} runs")

    def row(self, done, told):
        counts = {}
        for state, *_ in told:
            counts[state.lower()] = counts.get(state.lower(), 0) + 1
        runs = sum(count for _, count, *_ in told)
        words = ", ".join(f"{count} {state}" for state, count in sorted(counts.items()))
        reasons = {reason for state, _, reason, _ in told if reason and state == "FAILED"}
        verdict = "ok" if not self.wrong else "WRONG: " + "; ".join(self.wrong)
        print(f"{self.name} | {done} | {words}, {runs} runs | "
              f"{time.monotonic() - self.begin:.0f} s | {verdict}", flush=True)
        for reason in sorted(reasons)[:3]:
            print(f"    {reason}", flush=True)


def control(words):
    command = os.environ.get("ARGOSY_TEST_CONTROL")
    if not command:
        raise Skipped("ARGOSY_TEST_CONTROL is not set")
    subprocess.run(command.replace("{}", words) if "{}" in command else f"{command} {words}",
                   shell=True, check=True, capture_output=True, timeout=120)


def second(day):
    if len(day.clusters) < 2:
        raise Skipped("KUBECONFIG names one cluster")
    return day.clusters[1]
