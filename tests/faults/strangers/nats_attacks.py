# SPDX-License-Identifier: Apache-2.0
"""What users and agents send to nats-server with keys of their own, as frames alone. Each attack
runs in a process of its own, for as long as it is told, and takes the world that is attacked and
the target."""

import selectors
import time

from keyed_world import KeyedWorld as WORLD
from keyed_world import Peer, field, jobs

# A subject and headers have room beside it in a message of 8 MiB.
LARGE = b"\0" * ((8 << 20) - 64)


def joined(world, who):
    while True:
        try:
            return Peer(world, who)
        except OSError:
            time.sleep(0.05)


def flood(world, who, end, pieces, connections=2):
    """Sends pieces in turn for as long as nats-server takes them, and reads no answer."""
    peers = [joined(world, who) for _ in range(connections)]
    numbers = [0] * connections
    while time.monotonic() < end:
        for i, _ in enumerate(peers):
            try:
                peers[i].send(pieces[numbers[i] % len(pieces)](peers[i]))
            except OSError:
                peers[i].close()
                peers[i] = joined(world, who)
            numbers[i] += 1


def large_requests(world, _, end):
    """8 MiB on every subject that a submitter has; replies go to an inbox that nobody has."""
    def one(subject):
        return lambda peer: (f"PUB {subject} {peer.inbox}.nobody {len(LARGE)}\r\n".encode() +
                             LARGE + b"\r\n")
    flood(world, "user-mal", end, [one(each) for each in world.rights_of("user/mal")])


def large_submissions(world, _, end):
    """Submissions of 4 MB that are right but for their last job."""
    data = jobs(30_000, last=field(3, field(3, "default")))
    flood(world, "user-mal", end, [lambda peer: peer.request("Submit.SubmitJobs", data)])


def large_ids(world, _, end):
    """Questions and changes that name 100,000 jobs each."""
    def one(method, key):
        ids = field(key, "01arz3ndektsv4rrffq69g5fav") * 100_000
        return lambda peer: peer.request(method, ids)
    flood(world, "user-mal", end, [one("Submit.CancelJobs", 4), one("Jobs.GetJobDetails", 1),
                                   one("Submit.ReprioritizeJobs", 1)])


def many_small(world, _, end):
    """As many questions of a viewer as nats-server takes."""
    def one(method):
        return lambda peer: peer.request(method, b"") * 200
    flood(world, "user-vic", end, [one(each.split(".", 3)[3]) for each in
                                   world.rights_of("user/vic")], connections=4)


def many_held(world, _, end):
    """1,500 connections, each with all the subscriptions that nats-server allows it."""
    held = []
    while time.monotonic() < end:
        if len(held) == 1_500:
            time.sleep(0.1)
            continue
        one = joined(world, "user-vic")
        one.send(b"".join(f"SUB {one.inbox}.{i} replies {i}\r\n".encode() for i in range(1, 201)))
        held.append(one)


def never_read(world, who, end, ask, count):
    """Connections that ask at once and again when they were closed, and take no answer."""
    held = []
    while time.monotonic() < end:
        while len(held) < count and time.monotonic() < end:
            one = joined(world, who)
            try:
                one.send(f"SUB {one.inbox}.> replies 1\r\n".encode())
                ask(one, len(held))
                held.append(one)
            except OSError:
                one.close()
        time.sleep(0.1)
        still = []
        for each in held:
            try:
                each.send(b"PONG\r\n")
                still.append(each)
            except OSError:
                each.close()
        held = still


def watches(world, _, end):
    """12,000 watches of all events of a large set, with all the credit that there may be."""
    def ask(peer, which):
        peer.send(b"".join(
            peer.request("Event.Watch", field(1, "q") + field(2, "s"), f"w{which}-{i}",
                         b"argosy-stream: open\r\nargosy-stream-id: %d-%d\r\n"
                         b"argosy-credit: 65536\r\nargosy-keepalive: 60000\r\n" % (which, i))
            for i in range(400)))
    never_read(world, "user-vic", end, ask, 30)


def lists(world, _, end):
    """Lists of many jobs, found anew for each question."""
    data = field(1, "q")

    def ask(peer, _):
        peer.send(peer.request("Query.ListJobs", data) * 2_000)
    never_read(world, "user-vic", end, ask, 30)


def controls(world, _, end):
    """Frames that go on with streams, or give requests up, that nobody has."""
    def one(peer):
        return b"".join(
            peer.request("Event.Watch", b"", "x",
                         b"argosy-stream: %s\r\nargosy-stream-id: %d\r\nargosy-request: %d\r\n" %
                         (kind, i, i))
            for i in range(50) for kind in (b"grant", b"keepalive", b"cancel", b"open"))
    flood(world, "user-vic", end, [one], connections=4)


def messages_of_agent(world, _, end):
    """8 MiB on every subject of agents, and parts of messages without their end."""
    def one(what):
        return lambda peer: (f"PUB argosy.agent.c1.{what} {peer.inbox}.nobody {len(LARGE)}\r\n"
                             .encode() + LARGE + b"\r\n")
    flood(world, "agent-c1", end, [one(each) for each in (
        "hello", "heartbeat", "report", "goodbye", "spans", "part", "order")])


def orders_to_agent(world, _, end):
    """8 MiB to an agent by whoever has its key."""
    def one(peer):
        return (f"PUB argosy.agent.c1.orders {peer.inbox}.nobody {len(LARGE)}\r\n".encode() +
                LARGE + b"\r\n")
    flood(world, "agent-c1", end, [one])


# Name, target, function.
ATTACKS = [
    ("NATS 8 MiB of a submitter", "argosyd", large_requests),
    ("NATS large submissions", "argosyd", large_submissions),
    ("NATS 100,000 ids", "argosyd", large_ids),
    ("NATS small requests", "argosyd", many_small),
    ("NATS connections", "argosyd", many_held),
    ("NATS watches never read", "argosyd", watches),
    ("NATS lists never read", "argosyd", lists),
    ("NATS controls", "argosyd", controls),
    ("NATS 8 MiB of an agent", "argosyd", messages_of_agent),
    ("NATS 8 MiB to an agent", "agent", orders_to_agent),
]
