#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Containers on this machine beside processes and crun by hand, with a registry in a folder.

  start     lease to end of a job that does nothing: process and container in turns
  many      containers of one second, with as many at once, and the same by crun alone
  pull      a job whose image is not here yet, beside skopeo copy by hand

Usage, as root: containers_bench.py BIN_DIR [FIGURE...]
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

from system_bench import Server, seconds_of  # noqa: E402 (its folder is added above)

JOB = """  - namespace: default
    podSpec:
      restartPolicy: Never
      terminationGracePeriodSeconds: 1
      containers:
        - name: main
          image: {image}
          command: {command}
          resources:
            requests: {{cpu: {cpu}, memory: 64Mi}}
            limits: {{cpu: {cpu}, memory: 64Mi}}
"""


class Registry:
    """Debian's docker-registry on a port of its own, with images of busybox-static."""

    def __init__(self, folder):
        self.folder = folder
        self.address = "127.0.0.1:5099"
        (folder / "registry.yml").write_text(
            "version: 0.1\nlog: {level: error}\nstorage: {filesystem: {rootdirectory: "
            f"{folder}/blobs}}}}\nhttp: {{addr: \"{self.address}\"}}\n")
        self.process = subprocess.Popen(["docker-registry", "serve", folder / "registry.yml"],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(1)

    def push(self, name, padding_mb=0):
        """An image with `padding_mb` that cannot be packed; its name for jobs."""
        place = self.folder / name
        (place / "r/bin").mkdir(parents=True)
        # The mount points of containers, which usual images have.
        run(f"cd {place}/r && cp /bin/busybox bin && ln -s busybox bin/sh && "
            "mkdir dev etc proc sys && touch etc/hosts etc/resolv.conf")
        if padding_mb:
            with open(place / "r/padding", "wb") as out:
                for _ in range(padding_mb):
                    out.write(os.urandom(1_000_000))
        run(f"cd {place} && tar -C r -cf layer.tar . && umoci init --layout l && "
            "umoci new --image l:x && umoci raw add-layer --image l:x layer.tar && skopeo copy -q "
            f"--dest-tls-verify=false oci:l:x docker://{self.address}/{name}:1")
        return f"{self.address}/{name}:1"


def run(command):
    subprocess.run(["/bin/bash", "-c", command], check=True, stdout=subprocess.DEVNULL)


def load():
    return f"load {os.getloadavg()[0]:.1f}"


def job(image, script, cpu):
    words = ["/bin/busybox", "sh", "-c", script]
    return JOB.format(image=image, command=json.dumps(words), cpu=cpu)


def submit(server, folder, name, jobs, *flags):
    file = folder / "jobs.yaml"
    file.write_text(f"queue: bench\njobSetId: {name}\njobs:\n" + "".join(jobs))
    return server.ctl("submit", file, "-o", "name", *flags)


def jobs_of(server, name):
    return json.loads(server.ctl("get", "jobs", "-q", "bench", "--jobset", name, "-o", "json",
                                 "--all"))["items"]


def seconds_each(server, name):
    """From the lease of each job of the set to the end that its shim wrote, since what the server
    hears comes in turns of 100 ms."""
    out = []
    for job_ in jobs_of(server, name):
        status = next(Path(server.folder.name).rglob(job_["jobId"] + "-1/status"))
        out.append(status.stat().st_mtime - seconds_of(job_["jobRuns"][0]["leasedTs"]))
    return out


def start(server, folder, registry, count=30):
    image = registry.push("busy")
    submit(server, folder, "warm", [job(image, "true", "100m")], "--wait")
    for cpu in ("100m", "1"):
        for _ in range(count):
            for name in ("none", image):
                kind = ("process" if name == "none" else "container") + "-" + cpu
                submit(server, folder, kind, [job(name, "true", cpu)], "--wait")
        process, container = (sorted(seconds_each(server, f"{kind}-{cpu}"))
                              for kind in ("process", "container"))
        text = ", ".join(f"{kind} median {statistics.median(all_) * 1e3:.0f} ms "
                         f"({all_[0] * 1e3:.0f} to {all_[-1] * 1e3:.0f})"
                         for kind, all_ in (("process", process), ("container", container)))
        over = (statistics.median(container) - statistics.median(process)) * 1e3
        print(f"start: {count} each in turns, cpu {cpu}: {text}: {over:.0f} ms more; {load()}",
              flush=True)


def many(server, folder, registry, count=1000, at_once=50):
    image = registry.push("second")
    submit(server, folder, "first", [job(image, "true", "100m")], "--wait")
    cpu = f"{os.cpu_count() * 1000 // at_once}m"
    took = {}
    for name in ("none", image):
        kind = "processes" if name == "none" else "containers"
        took[kind] = seconds_of_all(server, folder, kind, [job(name, "sleep 1", cpu)] * count)
    by_hand = crun_by_hand(folder, registry.folder / "second/r", count, at_once)
    print(f"many: {count} of 1 s, {at_once} at once: containers {took['containers']:.1f} s, crun "
          f"by hand {by_hand:.1f} s ({took['containers'] / by_hand:.2f} times), processes "
          f"{took['processes']:.1f} s; {load()}", flush=True)


def seconds_of_all(server, folder, name, jobs):
    begun = time.monotonic()
    submit(server, folder, name, jobs, "--wait", "--timeout", "10m")
    return time.monotonic() - begun


def crun_by_hand(folder, root, count, at_once):
    """The same image, read-only, with no file system, limits or output of each one's own."""
    bundle = folder / "bundle"
    bundle.mkdir()
    run(f"cd {bundle} && crun spec")
    config = json.loads((bundle / "config.json").read_text())
    config["process"].update(terminal=False, args=["/bin/busybox", "sh", "-c", "sleep 1"])
    config["root"] = {"path": str(root), "readonly": True}
    # Like those of the agent, with the network of the machine.
    config["linux"]["namespaces"] = [each for each in config["linux"]["namespaces"]
                                     if each["type"] != "network"]
    config["mounts"] = [each for each in config["mounts"]
                        if each["type"] not in ("sysfs", "cgroup")]
    (bundle / "config.json").write_text(json.dumps(config))
    begun = time.monotonic()
    # crun takes no machine with cgroups of both versions, though it is told to use none.
    run(f"unshare -m bash -c 'mount -t tmpfs none /sys/fs/cgroup && seq {count} | xargs "
        f"-P {at_once} -I{{}} crun --root={folder}/crun --cgroup-manager=disabled run -b {bundle} "
        "c{}'")
    return time.monotonic() - begun


def pull(server, folder, registry, count=3):
    for number in range(count):
        image = registry.push(f"large{number}", padding_mb=100)
        begun = time.monotonic()
        run(f"skopeo copy -q --src-tls-verify=false docker://{image} "
            f"oci:{folder}/copied{number}:x")
        transfer = time.monotonic() - begun
        submit(server, folder, image, [job(image, "true", "1")], "--wait")
        first = seconds_each(server, image)[0]
        print(f"pull: 100 MB: skopeo copy {transfer:.2f} s, first job {first:.2f} s: "
              f"{first - transfer:.2f} s more; {load()}", flush=True)


def main():
    os.environ["TZ"] = "UTC"  # Times of the server are read as local ones.
    time.tzset()
    if os.geteuid() != 0:
        sys.exit("containers_bench.py: crun by hand and limits need root")
    figures = {"start": start, "many": many, "pull": pull}
    with tempfile.TemporaryDirectory(prefix="argosy-containers-") as name, \
            Server(Path(sys.argv[1]).resolve()) as server:
        folder = Path(name)
        registry = Registry(folder)
        try:
            server.ctl("queue", "create", "bench")
            for each in sys.argv[2:] or figures:
                figures[each](server, folder, registry)
        finally:
            registry.process.kill()


if __name__ == "__main__":
    main()
