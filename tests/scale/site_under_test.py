# SPDX-License-Identifier: Apache-2.0
"""One argosyd with many simulated clusters, clients that submit to it, and what they were told."""
import random
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "bench" / "system"))

from system_bench import Server, own_kib, wait_for  # noqa: E402 (its folder has just been added)

CLUSTERS, NODES, QUEUES, QUEUED, ENDED = 50, 1_000, 20, 2_000_000, 1_000_000
SHAPES = [(cpu, memory) for cpu in (1, 2, 4) for memory in range(256, 2816, 256)]
GANG = 4
GANG_PART = 50  # One of so many jobs is in a gang.
LIVE = ("queued", "leased", "pending", "running")
RESOURCES = "{cpu: 4, memory: 16Gi, ephemeral-storage: 100Gi}"
ITEM = """  - count: {count}
    namespace: default
    annotations: {{argosy.io/simRuntime: {millis}ms{more}}}
    podSpec:
      restartPolicy: Never
      containers:
        - name: main
          image: busybox:latest
          command: ["/bin/true"]
          resources:
            requests: {{cpu: {cpu}, memory: {memory}Mi}}
            limits: {{cpu: {cpu}, memory: {memory}Mi}}
"""
MEMBER = ', armadaproject.io/gangId: {name}, armadaproject.io/gangCardinality: "{count}"'
SETTINGS = """\
leases: {{length: {lease}ms, killGrace: 1s, margin: 1s, lossesMax: 100}}
agents: {{heartbeat: {heartbeat}ms, silenceMax: {silence}ms}}
"""
AGENT = """\
simulated:
  nodes:
    - {{name: node, count: {nodes}, resources: {resources}}}
"""


class Size:
    """How much of everything there is."""

    def __init__(self, part, run_seconds):
        root = part ** 0.5
        self.clusters = max(3, round(CLUSTERS * root))
        self.nodes = max(1, round(CLUSTERS * NODES * part / self.clusters))
        self.queued = round(QUEUED * part)
        self.ended = round(ENDED * part)
        self.batch = max(100, round(20_000 * root))
        self.run_seconds = run_seconds or 30 * root
        self.lease = max(3.0, 60 * root)
        self.queues = max(4, round(QUEUES * root))
        self.pause = self.lease / 5  # From one disturbance to the next.


def metrics(url):
    """Every sample that argosyd shows, by its name with its labels."""
    text = urllib.request.urlopen(url + "/metrics", timeout=60).read().decode()
    lines = (line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    return {name: float(value) for name, value in lines}


def total(samples, name, *labels):
    """The sum of all samples of the name that have the labels."""
    return sum(value for key, value in samples.items()
               if key.split("{")[0] == name and all(label in key for label in labels))


class Agent:
    """The agent of one simulated cluster, which may be ended in several ways and begin again."""

    def __init__(self, site, name):
        self.site, self.name = site, name
        self.process = None
        self.begin()

    def begin(self):
        self.process = subprocess.Popen(
            [self.site.server.bin / "argosy-agent", "--cluster", self.name, "--backend",
             "simulated", "--config", self.site.root / "agent.yaml", "--data-dir",
             self.site.root / self.name, "--nats", self.site.server.env["ARGOSY_SERVER"]],
            env=self.site.server.env, stdout=self.site.agents_log, stderr=self.site.agents_log)

    def end(self, number):
        self.process.send_signal(number)
        self.process.wait(timeout=60)


class Site:
    """argosyd, the agents of its clusters, and what its callers were told."""

    def __init__(self, bin_dir, size, folder):
        self.size, self.root = size, folder
        self.agents_log = open(folder / "agents.log", "wb")
        lease = round(size.lease * 1000)
        (folder / "argosyd.yaml").write_text(SETTINGS.format(
            lease=lease, heartbeat=min(5_000, lease // 6), silence=min(15_000, lease // 2)))
        (folder / "agent.yaml").write_text(AGENT.format(nodes=size.nodes, resources=RESOURCES))
        self.server = Server(bin_dir, "--config", folder / "argosyd.yaml", "--sim-clusters", "1",
                             "--sim-nodes", str(size.nodes))
        self.agents = []
        self.made = 0
        self.accepted = dict.fromkeys((f"queue-{number}" for number in range(size.queues)), 0)
        self.told = open(folder / "acknowledged", "w", encoding="ascii")
        self.submissions = 0
        self.leases_before = 0  # Those of rounds of processes that were killed.
        self.samples = {}

    def join(self):
        """One more cluster."""
        self.made += 1
        self.agents.append(Agent(self, f"cluster-{self.made}"))

    def look(self):
        url = self.server.ready.read_text().splitlines()[1]
        self.samples = metrics(url)
        return self.samples

    def jobs(self, *states):
        return sum(total(self.samples, "argosy_queue_jobs", f'state="{state}"') for state in states)

    def succeeded(self):
        return total(self.samples, "argosy_queue_ended_jobs_total", 'state="SUCCEEDED"')

    def placed(self):
        return self.leases_before + total(self.samples, "argosy_round_leases_total")

    def wait_until(self, condition, what, limit=600.0):
        """Waits for a condition of what argosyd shows."""
        def holds():
            self.look()
            if condition():
                return True
            time.sleep(0.5)
            return False
        wait_for(holds, what, limit)

    def connected(self):
        clusters, nodes = self.size.clusters, self.size.clusters * self.size.nodes
        return (total(self.samples, "argosy_clusters", 'state="connected"') == clusters and
                total(self.samples, "argosy_nodes", 'state="ready"') == nodes)

    def write_batch(self, key, count):
        """A file with so many jobs of all shapes, some of them in gangs."""
        file = self.root / f"{key}.yaml"
        gangs = count // GANG_PART // GANG
        single, rest = divmod(count - gangs * GANG, len(SHAPES))
        millis = round(self.size.run_seconds * 1000)

        def item(cpu, memory, number, more=""):
            return ITEM.format(count=number, cpu=cpu, memory=memory, more=more,
                               millis=random.randint(millis // 2, millis * 3 // 2))
        with open(file, "w", encoding="ascii") as out:
            out.write("jobs:\n")
            for number in range(gangs):
                more = MEMBER.format(name=f"{key}-{number}", count=GANG)
                out.write(item(*SHAPES[number % len(SHAPES)], GANG, more))
            for number, shape in enumerate(SHAPES):
                if each := single + (number < rest):
                    out.write(item(*shape, each))
        return file

    def begin_submission(self, count):
        """A client that submits so many jobs under a key of their own, with what it is to do."""
        key = f"key-{self.submissions}"
        queue = f"queue-{self.submissions % self.size.queues}"
        self.submissions += 1
        file = self.write_batch(key, count)
        words = [self.server.bin / "argosyctl", "submit", file, "-q", queue, "--jobset", "day",
                 "--idempotency-key", key, "--timeout", "5m", "-o", "name"]
        client = subprocess.Popen(words, env=self.server.env, text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE)
        return client, key, queue, file, count

    def end_submission(self, client, key, queue, file, count):
        """Notes what the client was told. Whoever is told nothing asks again with his key."""
        names, errors = client.communicate(timeout=600)
        if client.returncode != 0:
            print(f"  submitted again, since the client said: {errors.strip()}", flush=True)
            names = self.server.ctl("submit", file, "-q", queue, "--jobset", "day",
                                    "--idempotency-key", key, "--timeout", "5m", "-o", "name")
        file.unlink()
        ids = [name.split("/")[1] for name in names.split()]
        if len(ids) != count or len(set(ids)) != count:
            sys.exit(f"{key}: {len(set(ids))} different ids of {len(ids)} for {count} jobs")
        for item, job in enumerate(ids):
            self.told.write(f"{key} {item} {job} succeeds\n")
        self.accepted[queue] += count

    def submit(self, count):
        """Returns how long it took."""
        begun = time.monotonic()
        self.end_submission(*self.begin_submission(count))
        return time.monotonic() - begun

    def kill_and_start(self):
        """Kills argosyd, and the nats-server that ends with it, and starts it again."""
        self.look()
        self.leases_before = self.placed()
        self.server.process.kill()
        self.server.process.wait()
        begun = time.monotonic()
        self.server.start(limit=600.0)
        ready = time.monotonic() - begun
        self.server.ctl("get", "queues", "-o", "name")
        return ready, time.monotonic() - begun

    def agents_mib(self):
        """What the agents' processes have for themselves."""
        return sum(own_kib(agent.process.pid) for agent in self.agents
                   if agent.process.poll() is None) / 1024

    def close(self):
        for agent in self.agents:
            agent.process.kill()
            agent.process.wait()
        self.server.__exit__()
