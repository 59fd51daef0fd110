# SPDX-License-Identifier: Apache-2.0
"""What strangers with many addresses of IPv6 send. It needs root, and gives this process a network
of its own, in which all of 2001:db8::/32 is this machine."""

import ctypes
import itertools
import os
import random
import socket
import subprocess

from http_attacks import slow_1100, slow_5000, wrong_passwords
from world import World

SERVER = "2001:db8:ffff::1"
CLONE_NEWNET = 0x4000_0000
IPV6_FREEBIND = 78


class WORLD(World):
    """The same, reached by strangers from so many networks of IPv6."""

    listen = "[::]:0"
    networks = 1
    has_network = False

    @classmethod
    def why_not(cls):
        """Why there can be no such network; nothing once there is one."""
        if cls.has_network:
            return None
        if os.geteuid() != 0:
            return "only root makes networks"
        if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET) != 0:
            return "a network of its own: " + os.strerror(ctypes.get_errno())
        for words in (("link", "set", "lo", "up"),
                      ("-6", "route", "add", "local", "2001:db8::/32", "dev", "lo")):
            made = subprocess.run(("ip", *words), capture_output=True, text=True)
            if made.returncode != 0:
                return f"ip {' '.join(words)}: {made.stderr.strip()}"
        cls.has_network = True
        return None

    def begin(self):
        self.turns = itertools.count()
        super().begin()

    def connect(self, target, room=None):
        network = next(self.turns) % self.networks
        made = socket.socket(socket.AF_INET6)
        made.setsockopt(socket.IPPROTO_IPV6, IPV6_FREEBIND, 1)
        made.bind((f"2001:db8:{network:x}:1::{random.randrange(1, 1 << 16):x}", 0))
        return self.connect_from(made, (SERVER, self.http_port(target)), room)


def from_networks(count, attack):
    def run(world, target, end):
        world.networks = count
        attack(world, target, end)
    return run


# Name, target, function.
ATTACKS = [
    ("passwords from a /64", "argosyd", from_networks(1, wrong_passwords)),
    ("passwords from 5,000 /64", "argosyd", from_networks(5_000, wrong_passwords)),
    ("1,100 slow from a /64", "argosyd", from_networks(1, slow_1100)),
    ("5,000 slow from 5,000 /64", "argosyd", from_networks(5_000, slow_5000)),
]
