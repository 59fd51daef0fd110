# SPDX-License-Identifier: Apache-2.0
"""One argosyd with many simulated clusters, clients that submit to it, and what they were told."""
import random
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "bench" / "system"))

from system_bench import Server, metrics, own_kib, wait_for  # noqa: E402 (its folder was added)

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


def total(samples, name, label=""):
    """The sum of all samples of the name that have the label."""
    return sum(value for key, value in samples.items()
               if key.split("{")[0] == name and label in key)


class Agent:
    """The agent of one simulated cluster, which may be ended in several ways and begin again."""

    def __init__(self, site, name):
        self.site, self.name = site, name
        self.begin()

    def begin(self):
        root = self.site.root
        self.process = self.site.server.begin_agent(self.name, root / "agent.yaml",
                                                    root / self.name, self.site.agents_log)

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
        self.samples = metrics(self.server.urls[1])

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
            return condition()
        wait_for(holds, what, limit, pause=0.5)

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
        """Starts a client that submits so many jobs under a key of their own. Returns a function
        that waits for its end."""
        key = f"key-{self.submissions}"
        queue = f"queue-{self.submissions % self.size.queues}"
        self.submissions += 1
        file = self.write_batch(key, count)
        words = ["submit", file, "-q", queue, "--jobset", "day", "--idempotency-key", key,
                 "--timeout", "5m", "-o", "name"]
        client = subprocess.Popen([self.server.bin / "argosyctl", *words], env=self.server.env,
                                  text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

        def end():
            """Notes what the client was told. Whoever is told nothing asks again with his key."""
            names, errors = client.communicate(timeout=600)
            if client.returncode != 0:
                print(f"  submitted again, since the client said: {errors.strip()}", flush=True)
                names = self.server.ctl(*words)
            file.unlink()
            ids = [name.split("/")[1] for name in names.split()]
            if len(ids) != count or len(set(ids)) != count:
                sys.exit(f"{key}: {len(set(ids))} different ids of {len(ids)} for {count} jobs")
            for item, job in enumerate(ids):
                self.told.write(f"{key} {item} {job} succeeds\n")
            self.accepted[queue] += count
        return end

    def submit(self, count):
        """Returns how long it took."""
        begun = time.monotonic()
        self.begin_submission(count)()
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
