#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Goal: of three machines as `argosyd init --machines` makes them any one may break, in any way,
and no accepted job is lost, none runs twice, and nobody has to help.

Method: each machine is a network namespace with a nats-server, an argosyd and an ext4 disk of its
own. Users submit jobs all the time, under names of their own, an agent runs them, and one watches.
Faults follow each other, and each is undone and waited for until all three machines follow again.
During each another user submits a job, whose answer and start are waited for. In the end each name
has one job, which has succeeded and whose end was watched, and the jobs' own traces show no two
runs at a time.

    three_namespaces.py --bin DIR [--nats-server FILE] [--faults N | --minutes N] [--seed S]
                        [--only KIND] [--folder DIR]

It needs root, loop devices, iptables and a nats-server of 2.10.23 or newer. A folder that is named
is kept, and a temporary one if something failed. The exit code is 0 if all held.
"""
import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True

from namespaces_faults import KINDS  # noqa: E402 (no bytecode, as just said)
from namespaces_users import Probe, Submitter, Watcher, judge, make_jobs, outage  # noqa: E402
from namespaces_world import World, enter  # noqa: E402

USERS = ("ann", "bob", "eve", "probe")
SKIPPED = 77
HANGS_AFTER_S = 20
WHOLE_WITHIN_S = 120
START_WITHIN_S = 60
# Seconds until another argosyd led, if one did; until a submission that began with the fault was
# answered, and its job started; the longest time without any answer, the longest time of one
# submission; once the fault was undone, the time until all three machines followed again, and until
# a job had started that was submitted then.
MEASURED = ("lead", "submit", "lease", "outage", "slowest", "whole", "after")


class Failures:
    def __init__(self):
        self.count = 0

    def add(self, text):
        self.count += 1
        print("FAILED: " + text, flush=True)


def is_new_enough(nats_server):
    told = subprocess.run([nats_server, "--version"], capture_output=True, text=True)
    version = told.stdout.strip().rpartition("v")[2].split(".")
    return tuple(int(part) for part in version if part.isdigit()) >= (2, 10, 23)


def wait_until(condition, within_s):
    """Seconds until the condition holds, or None."""
    began = time.monotonic()
    while not condition():
        if time.monotonic() - began > within_s:
            return None
        time.sleep(0.2)
    return time.monotonic() - began


def wait_until_whole(world, failures, what):
    """Seconds until any one machine may be lost."""
    took = wait_until(lambda: not world.lacks("probe"), WHOLE_WITHIN_S)
    if took is None:
        failures.add(f"{what}: three machines are not whole within {WHOLE_WITHIN_S} s: "
                     f"{world.lacks('probe')}; log led by {world.jetstream_leaders()}")
    return took


def seconds(value):
    return "-" if value is None else f"{value:.2f}"


def own_ends(world, since):
    """What ended by itself since then."""
    return [f"{program} of {machine.name} ended by itself with {code} after {at - since:.2f}"
            for machine in world.machines for at, program, code in machine.exits if at > since]


def play(kind, number, world, submitters, chance, failures):
    """One fault, from its beginning until all three follow again."""
    leader = world.leader()
    log, meta, _ = world.jetstream_leaders()
    fault = KINDS[kind](world, chance)
    roles = [role for role, machine in (("leader", leader), ("log", world.machine_at(log)),
                                        ("meta", world.machine_at(meta)))
             if machine is fault.machine]
    what = f"{number} {kind} of {fault.machine.name} ({', '.join(roles) or 'none'})"
    clock = time.strftime("%H:%M:%S")
    fault.begin()
    began, wall = time.monotonic(), time.time()
    probe = Probe(world, "probe", number)
    probe.wait(began + max(fault.lasts_s, START_WITHIN_S))
    time.sleep(max(0.0, began + fault.lasts_s - time.monotonic()))
    fault.end()
    undone = time.monotonic()
    after = Probe(world, "probe", f"{number}-after")
    whole = wait_until_whole(world, failures, what)
    after.wait(undone + START_WITHIN_S)
    ended = time.monotonic()
    slowest = max(one.slowest(began, ended) for one in submitters)
    away = outage(submitters, began, ended)
    if away > HANGS_AFTER_S:
        failures.add(f"{what}: nobody got an answer for {away:.1f} s")
    led = sorted((at - wall, machine.name) for machine in world.machines
                 for at in machine.led_at if at > wall)
    told = [f"{name} leads after {at:.2f}" for at, name in led] + own_ends(world, began)
    out = {"kind": kind, "lead": led[0][0] if led else None,
           "submit": probe.answered and probe.answered - began,
           "lease": probe.started and probe.started - began,
           "outage": away, "slowest": slowest, "whole": whole,
           "after": after.started and after.started - undone}
    print(f"{clock} {what}, {fault.lasts_s} s: " +
          ", ".join(f"{name} {seconds(out[name])}" for name in MEASURED) +
          "".join("; " + one for one in told + fault.notes), flush=True)
    return out


def quantile(values, part):
    values = sorted(values)
    return values[min(len(values) - 1, int(part * len(values)))] if values else None


def print_table(played, found):
    titles = [f"{name + ' p50':>12}{'p99':>7}{'max':>7}" for name in MEASURED]
    print(f"{'fault':22}{'count':>6}" + "".join(titles))
    groups = [(kind, [one for one in played if one["kind"] == kind]) for kind in KINDS]
    for kind, ones in [*groups, ("all", played)]:
        if not ones:
            continue
        line = f"{kind:22}{len(ones):>6}"
        for name in MEASURED:
            values = [one[name] for one in ones if one[name] is not None]
            line += f"{seconds(quantile(values, 0.5)):>12}{seconds(quantile(values, 0.99)):>7}"
            line += f"{seconds(max(values, default=None)):>7}"
        print(line)
    print(", ".join(f"{name}: {count}" for name, count in found.items()), flush=True)


def kinds_to_play(chosen, chance):
    """Each kind once, in an order of the seed, and again; without an end."""
    while True:
        names = [chosen.only] if chosen.only else list(KINDS)
        chance.shuffle(names)
        yield from names


def attend(chosen, world, failures):
    """Plays the faults, and returns what was measured and found."""
    world.start()
    took = wait_until_whole(world, failures, "the start")
    print(f"three machines are whole after {seconds(took)} s", flush=True)
    code, _, err = world.told("ann", "queue", "create", "q")
    if code != 0:
        raise RuntimeError("no queue: " + err)
    make_jobs(world)
    world.start_agent()
    watcher = Watcher(world, "ann")
    submitters = [Submitter(world, user, chosen.seed) for user in USERS if user != "probe"]
    for one in [watcher, *submitters]:
        one.start()
    chance = random.Random(chosen.seed)
    played = []
    until = time.monotonic() + 60 * chosen.minutes
    time.sleep(3)
    for number, kind in enumerate(kinds_to_play(chosen, chance), 1):
        if number > chosen.faults or time.monotonic() > until:
            break
        played.append(play(kind, number, world, submitters, chance, failures))
        time.sleep(chance.uniform(1, 4))
    for one in submitters:
        one.stop()
        if one.errors:
            failures.add(f"{one.user} had to ask again: {len(one.errors)} times")
    found = judge(world, [*submitters, *Probe.all], watcher, failures)
    return played, found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--nats-server", default=shutil.which("nats-server"))
    parser.add_argument("--faults", type=int, default=1_000)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=KINDS)
    parser.add_argument("--folder", type=Path)
    chosen = parser.parse_args()
    server = chosen.nats_server and shutil.which(chosen.nats_server)
    if os.geteuid() != 0 or not server or not is_new_enough(server):
        print("skipped: it needs root, and a nats-server of 2.10.23 or newer (--nats-server)")
        return SKIPPED
    enter(sys.argv)
    folder = chosen.folder or Path(tempfile.mkdtemp(prefix="argosy-namespaces-"))
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o755)
    print(f"seed {chosen.seed}, in {folder}", flush=True)
    failures = Failures()
    world = World(folder, chosen.bin.absolute(), server, USERS)
    played, found = attend(chosen, world, failures)
    print_table(played, found)
    world.end()
    if failures.count == 0 and not chosen.folder:
        shutil.rmtree(folder)
    return 1 if failures.count else 0


if __name__ == "__main__":
    sys.exit(main())
