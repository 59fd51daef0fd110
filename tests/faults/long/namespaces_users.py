# SPDX-License-Identifier: Apache-2.0
"""The users: who submit, who watches, and what became of their jobs in the end.

A job writes into a file of its own name, in the form of bins/simulator/witness/traces.hpp, when
each run begins and ends. The clock of its lines has steps of 10 ms.
"""
import json
import random
import subprocess
import threading
import time

QUEUE, JOB_SET = "q", "s"
ENDED_WITHIN_S = 180
PAUSE_S = 0.15
ENDS = ("succeeded", "failed", "cancelled", "preempted", "rejected")
SHORT_JOB_S, LONG_JOB_S = 0.1, 8
# Each run has a user of its own.
SCRIPT = """umask 0; read token rest < /proc/sys/kernel/random/uuid
say() {
  read up rest < /proc/uptime
  echo "${ARGOSY_RUN##*-} ${token%%-*} $1 ${up%.*}${up#*.}0000000" >> TRACES/$ARGOSY_JOB_ID
}
say start; sleep SECONDS; say end"""
JOB = """queue: QUEUE
jobSetId: SET
jobs:
- podSpec:
    containers:
    - name: main
      image: none
      command: [sh, -c, SCRIPT]
      resources: {requests: {cpu: 10m, memory: 8Mi}, limits: {cpu: 10m, memory: 8Mi}}
"""


def tell(text):
    """Prints one line, whose end counts if it is long."""
    text = text.strip().replace("\n", " ")
    print(time.strftime("%H:%M:%S ") + (text if len(text) < 300 else text[:80] + " ... " +
                                        text[-200:]), flush=True)


def traces_of(world):
    return world.folder / "traces"


def job_file(world, seconds):
    return world.folder / f"job-{seconds}.yaml"


def make_jobs(world):
    """Writes the files of jobs, and makes the folder of their traces."""
    traces_of(world).mkdir()
    traces_of(world).chmod(0o777)
    for seconds in (SHORT_JOB_S, LONG_JOB_S):
        script = SCRIPT.replace("TRACES", str(traces_of(world))).replace("SECONDS", str(seconds))
        job_file(world, seconds).write_text(
            JOB.replace("QUEUE", QUEUE).replace("SET", JOB_SET)
            .replace("SCRIPT", json.dumps(script)))


def submit(world, user, key, seconds):
    """The job's id, or None and why it was not accepted within argosyctl's own time-out."""
    code, out, err = world.told(user, "submit", job_file(world, seconds), "--idempotency-key", key,
                                "-o", "name")
    return (out.split()[-1].split("/")[-1], "") if code == 0 and out.split() else (None, err)


def note_acknowledged(world, key, job):
    """What a run that is cut short has found can then still be judged."""
    with open(world.folder / "acknowledged", "a") as file:
        file.write(f"{key} {job}\n")


class Submitter(threading.Thread):
    """Submits a job after the other, each under one key until it is answered."""

    def __init__(self, world, user, seed):
        super().__init__(daemon=True)
        self.world, self.user = world, user
        self.jobs = {}
        self.errors = []  # the key of each submission that was given up
        self._times = []
        self._chance = random.Random(f"{seed} {user}")
        self._stopped = threading.Event()

    def run(self):
        number = 0
        while not self._stopped.is_set():
            number += 1
            key = f"{self.user}-{number}"
            began = time.monotonic()
            self._times.append((began, None))
            how_long = LONG_JOB_S if self._chance.random() < 0.05 else SHORT_JOB_S
            while key not in self.jobs:
                job, why = submit(self.world, self.user, key, how_long)
                if job is None:
                    if not self.errors or self.errors[-1] != key:
                        tell(f"{key} after {time.monotonic() - began:.1f} s: {why}")
                    self.errors.append(key)
                    time.sleep(0.5)
                else:
                    self.jobs[key] = job
                    note_acknowledged(self.world, key, job)
            self._times[-1] = (began, time.monotonic())
            self._stopped.wait(PAUSE_S)

    def stop(self):
        self._stopped.set()
        self.join()

    def slowest(self, since, until):
        """The longest time that a submission took which was under way then."""
        return max(((end or until) - began for began, end in self._times
                    if began < until and (end is None or end > since)), default=0.0)

    def answers(self, since, until):
        return [end for _, end in self._times if end is not None and since < end < until]


class Probe:
    """One submission that begins now, and the start of its job. Times are monotonic, or None."""

    all = []

    def __init__(self, world, user, number):
        self.jobs, self.answered, self.started = {}, None, None
        self._world, self._user, self._key = world, user, f"{user}-{number}"
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        Probe.all.append(self)

    def wait(self, until):
        self._thread.join(max(0.0, until - time.monotonic()))

    def _run(self):
        while self._key not in self.jobs:
            job, _ = submit(self._world, self._user, self._key, SHORT_JOB_S)
            if job is not None:
                self.answered = time.monotonic()
                self.jobs[self._key] = job
                note_acknowledged(self._world, self._key, job)
        trace = traces_of(self._world) / self.jobs[self._key]
        while not trace.exists():
            time.sleep(0.01)
        self.started = time.monotonic()


def outage(submitters, since, until):
    """The longest time in which nobody got an answer."""
    at = sorted([since, until, *(end for one in submitters for end in one.answers(since, until))])
    return max(later - earlier for earlier, later in zip(at, at[1:]))


class Watcher(threading.Thread):
    """Follows the job set from its start, and goes on after the last event if it is told to end."""

    def __init__(self, world, user):
        super().__init__(daemon=True)
        self.world, self.user = world, user
        self.ends, self.repeated, self.errors = {}, 0, []
        self._last, self._seen = "start", set()

    def run(self):
        while True:
            process = self.world.ctl(self.user, "watch", QUEUE, JOB_SET, "-o", "jsonl", "--from",
                                     self._last)
            for line in process.stdout:
                self._take(json.loads(line))
            self.errors.append((time.strftime("%H:%M:%S"), process.wait(), process.stderr.read()))
            tell(f"watch ended with {self.errors[-1]}")
            time.sleep(0.5)

    def _take(self, event):
        self._last = event["id"]
        if event["id"] in self._seen:
            self.repeated += 1
            return
        self._seen.add(event["id"])
        kind, told = next(iter(event["message"].items()))
        if kind in ENDS:
            self.ends.setdefault(told["jobId"], []).append(kind)


def runs_of(file):
    """(number, start, end) of each run; the end of one that did not come to it is None."""
    runs = {}
    for line in file.read_text().splitlines():
        number, process, what, at = line.split()
        runs.setdefault((number, process), {})[what] = int(at)
    return sorted((int(number), told.get("start", 0), told.get("end"))
                  for (number, _), told in runs.items())


def count_runs(world):
    """How many jobs had two runs at a time, and how many had a second one after the first."""
    doubled, again = [], []
    for file in traces_of(world).iterdir():
        runs = sorted(runs_of(file), key=lambda run: run[1])
        pairs = list(zip(runs, runs[1:]))
        if any(first[0] == second[0] or (first[2] or 0) > second[1] for first, second in pairs):
            doubled.append(file.name)
        elif pairs:
            again.append(file.name)
    return doubled, again


def all_jobs(world):
    """States by job, as soon as the server can tell."""
    code, out, err = world.told("ann", "get", "jobs", "-q", QUEUE, "--all", "-o", "jsonl",
                                "--timeout", "60s")
    if code != 0:
        print("get jobs: " + err, flush=True)
        return {}
    told = [json.loads(line) for line in out.splitlines()]
    return {one["jobId"]: one["state"] for one in told}


def judge(world, submitters, watcher, failures):
    """Waits until all jobs have ended, and counts."""
    keys = {key: job for one in submitters for key, job in one.jobs.items()}
    acknowledged = set(keys.values())
    until = time.monotonic() + ENDED_WITHIN_S
    while True:
        jobs = all_jobs(world)
        good = sum(jobs.get(job) == "SUCCEEDED" for job in acknowledged)
        if time.monotonic() > until or (good == len(acknowledged) and
                                        acknowledged <= set(watcher.ends)):
            break
        time.sleep(1)
    doubled, again = count_runs(world)
    named = {
        "lost": acknowledged - set(jobs),
        "not succeeded": {job for job in acknowledged if jobs.get(job) not in (None, "SUCCEEDED")},
        "of no name": set(jobs) - acknowledged,
        "without a run": {job for job in acknowledged
                          if not (traces_of(world) / job).exists()},
        "doubled": set(doubled),
        "ends not watched": acknowledged - set(watcher.ends),
        "ended more than once": {job for job, ends in watcher.ends.items() if len(ends) > 1},
    }
    if len(acknowledged) != len(keys):
        failures.add("two names have one job")
    for name, found in named.items():
        if found:
            failures.add(f"{name}: {len(found)}, such as {sorted(found)[:5]}")
    counts = {name: len(found) for name, found in named.items()}
    return {"acknowledged": len(acknowledged), **counts, "run again": len(again),
            "events repeated": watcher.repeated, "watch ended by itself": len(watcher.errors),
            "submit gave up": sum(len(getattr(one, "errors", [])) for one in submitters)}
