#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Goal: one argosyd serves 50 clusters with 50,000 nodes and a queue of two million jobs on two
processors and 24 GiB, and keeps what it promises while clusters come and go and it is killed.

Method: one simulated cluster lives in argosyd and each other one in an agent of its own. The jobs
are submitted to cordoned queues, so that memory and speed are those of the queue alone. Then the
queues open, and jobs are added as others end. Meanwhile agents are told to leave, killed and
stopped, for less and for more than their lease, and argosyd is killed with SIGKILL in the middle of
a submission. Once a million jobs have succeeded all others are cancelled. Each accepted job must
then have ended once, as counters, a search and the witness of tests/faults say, which reads the
log; and nothing may be left on any node.

    tests/scale/scale.py BIN_DIR WITNESS_CHECK [--part 0.01] [--run-seconds 2] [--keep FOLDER]

--part takes such a part of nodes and jobs, and its root of clusters. Prints a line for each figure.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True

from site_under_test import LIVE, Site, Size, total  # noqa: E402 (no bytecode, as just said)
from weather import Weather  # noqa: E402

WORK_MAX = 3000


def quantile(samples, name, part):
    """The bound of the bucket in which this part of a histogram ends."""
    buckets = {}
    for key, value in samples.items():
        if key.startswith(name + "_bucket{"):
            bound = float(re.search(r'le="([^"]+)"', key).group(1))
            buckets[bound] = buckets.get(bound, 0) + value
    most = max(buckets.values(), default=0)
    if most == 0:
        return float("nan")
    return min(bound for bound, count in buckets.items() if count >= most * part)


def print_rounds(samples, when):
    name = "argosy_round_duration_seconds"
    count, seconds = total(samples, name + "_count"), total(samples, name + "_sum")
    p50, p99, longest = (quantile(samples, name, part) * 1000 for part in (0.5, 0.99, 1.0))
    print(f"rounds {when}: {count:.0f}, mean {seconds / max(count, 1) * 1000:.0f} ms, p50 up to "
          f"{p50:.0f} ms, p99 up to {p99:.0f} ms, longest up to {longest:.0f} ms", flush=True)


def gather(site):
    """All clusters join. What a node takes is told."""
    size = site.size
    before = site.server.rss_anon_kib()
    begun = time.monotonic()
    for _ in range(size.clusters - 1):
        site.join()
    site.wait_until(site.connected, "all clusters have joined")
    took = time.monotonic() - begun
    nodes = (size.clusters - 1) * size.nodes
    grown = site.server.rss_anon_kib() - before
    print(f"nodes: {size.clusters} clusters, {size.clusters * size.nodes} nodes joined in "
          f"{took:.1f} s; {grown / nodes:.1f} KiB each", flush=True)


def fill(site):
    """Submits what is to wait to queues that are closed. What a queued job takes is told."""
    size = site.size
    for number, queue in enumerate(site.accepted):
        site.server.ctl("queue", "create", queue, "--priority-factor", str(1 + number % 4),
                        "--cordon")
    before = site.server.rss_anon_kib()
    took, left = 0.0, size.queued
    while left > 0:
        count = min(size.batch, left)
        took += site.submit(count)
        left -= count
    site.wait_until(lambda: site.jobs("queued") == size.queued, "all jobs are queued")
    grown = site.server.rss_anon_kib() - before
    print(f"queue: {size.queued} jobs accepted in {took:.1f} s, {size.queued / took:.0f} a second; "
          f"{grown / size.queued:.2f} KiB each", flush=True)


def tell(site, seconds):
    states = ", ".join(f"{site.jobs(state):.0f} {state}" for state in LIVE)
    print(f"  {seconds:.0f} s: {states}, {site.succeeded():.0f} succeeded, {site.placed():.0f} "
          f"placed, argosyd {site.server.rss_anon_kib() / 1024:.0f} MiB", flush=True)


def work(site, weather):
    """Lets jobs run and end while others come, and kills argosyd when half of them have ended."""
    size = site.size
    for queue in site.accepted:
        site.server.ctl("queue", "update", queue, "--uncordon")
    begun = told = time.monotonic()
    held_up, most, added, adding = 0.0, 0, 0, 0.0
    site.look()
    while site.succeeded() < size.ended:
        weather.tick()
        if site.jobs("queued") < size.queued:
            adding += site.submit(size.batch)
            added += size.batch
        if held_up == 0.0 and site.succeeded() >= size.ended / 2:
            print_rounds(site.samples, "before the kill")
            held_up = kill_in_submission(site)
        time.sleep(0.5)
        site.look()
        most = max(most, site.server.rss_anon_kib())
        if time.monotonic() - told > 15:
            told = time.monotonic()
            tell(site, told - begun)
        if time.monotonic() - begun > WORK_MAX:
            sys.exit(f"the jobs did not end in {WORK_MAX} s")
    took = time.monotonic() - begun - held_up
    print_rounds(site.samples, "after the kill")
    print(f"work: {site.placed():.0f} jobs placed, {site.succeeded():.0f} ended in {took:.0f} s, "
          f"{site.placed() / took:.0f} placed a second; {added} more accepted, "
          f"{added / max(adding, 0.001):.0f} a second; {weather.count} disturbances of clusters")
    print(f"memory: at most {most / 1024:.0f} MiB of argosyd, {site.agents_mib():.0f} MiB of its "
          "agents", flush=True)


def kill_in_submission(site):
    """Kills argosyd while a client submits. Returns for how long that held everything up."""
    begun = time.monotonic()
    end_submission = site.begin_submission(site.size.batch)
    time.sleep(0.2)
    ready, answered = site.kill_and_start()
    end_submission()
    site.look()
    print(f"start: after kill -9 with {site.jobs('queued'):.0f} queued and "
          f"{site.jobs(*LIVE[1:]):.0f} leased jobs, {ready:.1f} s to ready, {answered:.1f} s to "
          "the first answer", flush=True)
    return time.monotonic() - begun


def finish(site, weather):
    """Mends what is broken and cancels what has not ended."""
    weather.clear_up()
    live = site.jobs(*LIVE)
    begun = time.monotonic()
    for queue in site.accepted:
        site.server.ctl("queue", "update", queue, "--cordon")
    for queue in site.accepted:
        site.server.ctl("cancel", "-q", queue, "--yes")
    asked = time.monotonic() - begun
    site.wait_until(lambda: site.jobs("queued") == 0, "no job is queued")
    queued = time.monotonic() - begun
    site.wait_until(lambda: site.jobs(*LIVE) == 0, "all jobs have ended")
    ended = time.monotonic() - begun
    print(f"cancel: {live:.0f} live jobs, {asked:.1f} s to ask for all, {queued:.1f} s until none "
          f"was queued, {ended:.1f} s until all had ended", flush=True)
    site.wait_until(lambda: site.connected() and not total(site.samples, "argosy_allocated"),
                    "all clusters are there and empty", 120 + 3 * site.size.lease)


def check_counts(site):
    """What a queue counted and what a search finds has to be what was accepted, all of it ended."""
    wrong = []
    for name, accepted in site.accepted.items():
        queue = json.loads(site.server.ctl("get", "queues", name, "-o", "json"))
        counted = {state: int(queue[state.lower()]) for state in
                   ("SUCCEEDED", "CANCELLED", "FAILED", "PREEMPTED") if queue[state.lower()] != "0"}
        # One queue at a time, since a search of all has no time to look at millions of jobs.
        found = json.loads(site.server.ctl("get", "jobs", "-q", name, "--group-by", "queue", "-o",
                                           "json", "--timeout", "2m"))["items"]
        searched = {state: int(count) for each in found
                    for state, count in each["jobsByState"].items()}
        if sum(counted.values()) != accepted or set(counted) - {"SUCCEEDED", "CANCELLED"}:
            wrong.append(f"{name}: {accepted} accepted, {counted} counted")
        if searched != counted:
            wrong.append(f"{name}: {searched} found, {counted} counted")
    if wrong:
        sys.exit("the counts are wrong:\n" + "\n".join(wrong))
    print(f"counts: {sum(site.accepted.values())} accepted, as many ended", flush=True)


def check_promises(site, witness):
    """The witness reads the log beside what clients were told."""
    site.told.close()
    traces = site.root / "traces"  # Simulated jobs leave none.
    traces.mkdir()
    credentials = Path(site.server.folder.name) / "data/nats/argosyd.credentials"
    begun = time.monotonic()
    done = subprocess.run([witness, site.server.env["ARGOSY_SERVER"], credentials, traces,
                           site.root / "acknowledged"], text=True, stdout=subprocess.PIPE)
    print(done.stdout + f"witness: {time.monotonic() - begun:.0f} s", flush=True)
    if done.returncode != 0:
        sys.exit("a promise was broken")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin_dir", type=Path)
    parser.add_argument("witness", type=Path)
    parser.add_argument("--part", type=float, default=1.0)
    parser.add_argument("--run-seconds", type=float)
    parser.add_argument("--keep", type=Path)
    args = parser.parse_args()
    size = Size(args.part, args.run_seconds)
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="argosy-scale-") as name:
        site = Site(args.bin_dir, size, Path(name))
        try:
            gather(site)
            fill(site)
            weather = Weather(site, seed=1)
            work(site, weather)
            finish(site, weather)
            check_counts(site)
            check_promises(site, args.witness)
        finally:
            if args.keep:
                args.keep.mkdir(parents=True, exist_ok=True)
                for log in (Path(site.server.folder.name) / "log", site.root / "agents.log"):
                    shutil.copy(log, args.keep / log.name)
            site.close()
    print(f"whole: {time.monotonic() - begun:.0f} s, load {os.getloadavg()[1]:.0f}")


if __name__ == "__main__":
    main()
