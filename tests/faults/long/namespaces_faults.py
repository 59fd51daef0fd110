# SPDX-License-Identifier: Apache-2.0
"""What may happen to one of the three machines. Each fault chooses its machine by what it does for
the others, begins, lasts for some seconds, and is undone."""
import os
import signal
import subprocess
import time

RESTART_WITHOUT_DISK_S = 30


class Fault:
    """`victims` are the roles of which one is chosen: leader (of argosyd), log and meta (of
    JetStream), agent (whose nats-server it uses), or any."""

    victims = ("leader", "log", "any")
    seconds = (5, 12)

    def __init__(self, world, chance):
        self.world = world
        self.notes = []
        self.lasts_s = chance.randint(*self.seconds)
        self.chance = chance
        log, meta, _ = world.jetstream_leaders()
        role = chance.choice(self.victims)
        chosen = {"leader": world.leader(), "log": world.machine_at(log),
                  "meta": world.machine_at(meta), "agent": world.agents_machine()}.get(role)
        self.machine = chosen or chance.choice(world.machines)

    def begin(self):
        raise NotImplementedError

    def end(self):
        raise NotImplementedError


class MachineGone(Fault):
    def begin(self):
        self.machine.kill("nats", "argosyd")

    def end(self):
        self.machine.start("nats", "argosyd")


class MachineAndDiskGone(MachineGone):
    def end(self):
        self.machine.mount_new_disk()
        super().end()


class LeaderStopped(Fault):
    victims = ("leader",)
    seconds = (2, 15)

    def begin(self):
        self.machine.signal("argosyd", signal.SIGSTOP)

    def end(self):
        self.machine.signal("argosyd", signal.SIGCONT)


class NatsStopped(Fault):
    victims = ("leader", "log", "meta", "any")
    seconds = (4, 20)

    def begin(self):
        self.machine.signal("nats", signal.SIGSTOP)

    def end(self):
        self.machine.signal("nats", signal.SIGCONT)


class AgentsNatsStopped(NatsStopped):
    """For longer than the agent needs to find another server."""

    victims = ("agent",)
    seconds = (20, 30)


class CutOff(Fault):
    seconds = (5, 20)

    def begin(self):
        subprocess.run(["ip", "link", "set", f"to-{self.machine.name}", "down"], check=True)

    def end(self):
        subprocess.run(["ip", "link", "set", f"to-{self.machine.name}", "up"], check=True)


class Filtered(Fault):
    """Packets are dropped by rules of iptables on the machine."""

    seconds = (5, 20)

    def rules(self):
        raise NotImplementedError

    def begin(self):
        for rule in self.rules():
            self.machine.net("iptables", "-A", *rule.split(), "-j", "DROP")

    def end(self):
        self.machine.net("iptables", "-F")


class Deaf(Filtered):
    def rules(self):
        return ["INPUT -i eth0"]


class Mute(Filtered):
    def rules(self):
        return ["OUTPUT -o eth0"]


class CutOffFromOne(Filtered):
    """The third machine reaches both."""

    def rules(self):
        other = self.chance.choice([one for one in self.world.machines if one is not self.machine])
        self.notes.append(f"the other is {other.name}")
        return [f"INPUT -s {other.address}", f"OUTPUT -d {other.address}"]


class LeaderWithoutNats(Filtered):
    victims = ("leader",)

    def rules(self):
        return ["OUTPUT -p tcp --dport 4222", "INPUT -p tcp --sport 4222"]


class NatsKilled(Fault):
    victims = ("any",)

    def begin(self):
        self.machine.kill("nats")

    def end(self):
        self.machine.start("nats")


class LogsNatsKilled(NatsKilled):
    victims = ("log",)


class MetasNatsKilled(NatsKilled):
    victims = ("meta",)


class DiskFull(Fault):
    """A nats-server without room gives up JetStream until it is started again, which is done here
    once there is room; it is noted then."""

    def begin(self):
        room = os.statvfs(self.machine.disk)
        subprocess.run(["fallocate", "-l", str(room.f_bavail * room.f_frsize),
                        self.machine.disk / "filler"], capture_output=True)
        left = self.machine.disk / "filler-2"
        with open(left, "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError:
                pass

    def end(self):
        for name in ("filler", "filler-2"):
            (self.machine.disk / name).unlink(missing_ok=True)
        until = time.monotonic() + RESTART_WITHOUT_DISK_S
        while self.world.lacks("probe"):
            if time.monotonic() > until:
                self.notes.append("its nats-server was restarted, since: " +
                                  self.world.lacks("probe"))
                self.machine.kill("nats")
                self.machine.start("nats")
                return
            time.sleep(0.5)


class LeaderEnded(Fault):
    victims = ("leader",)
    seconds = (3, 8)

    def begin(self):
        self.machine.terminate("argosyd")

    def end(self):
        self.machine.start("argosyd")


class SlowLink(Fault):
    """Packets take 100 ms and one of a hundred is lost, or where the kernel has no netem, there is
    room for 100 kB a second."""

    seconds = (10, 20)
    SHAPES = (("netem", "delay", "100ms", "20ms", "loss", "1%"),
              ("tbf", "rate", "800kbit", "burst", "16kb", "latency", "400ms"))

    def begin(self):
        for shape in self.SHAPES:
            done = subprocess.run(["tc", "qdisc", "add", "dev", f"to-{self.machine.name}", "root",
                                   *shape], capture_output=True)
            if done.returncode == 0:
                self.machine.net("tc", "qdisc", "add", "dev", "eth0", "root", *shape)
                self.notes.append(shape[0])
                return
        raise RuntimeError("this kernel can slow no link")

    def end(self):
        subprocess.run(["tc", "qdisc", "del", "dev", f"to-{self.machine.name}", "root"], check=True)
        self.machine.net("tc", "qdisc", "del", "dev", "eth0", "root")


KINDS = {
    "machine-gone": MachineGone,
    "machine-and-disk-gone": MachineAndDiskGone,
    "leader-stopped": LeaderStopped,
    "nats-stopped": NatsStopped,
    "nats-of-agent-stopped": AgentsNatsStopped,
    "cut-off": CutOff,
    "deaf": Deaf,
    "mute": Mute,
    "cut-off-from-one": CutOffFromOne,
    "leader-without-nats": LeaderWithoutNats,
    "nats-killed": NatsKilled,
    "nats-of-log-killed": LogsNatsKilled,
    "nats-of-meta-killed": MetasNatsKilled,
    "disk-full": DiskFull,
    "leader-ended": LeaderEnded,
    "slow-link": SlowLink,
}
