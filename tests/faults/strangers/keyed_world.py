# SPDX-License-Identifier: Apache-2.0
"""What `argosyd init` makes: a nats-server that asks everybody for his key, argosyd, an agent."""

import base64
import re
import socket
import subprocess

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from world import World


def nkey(public):
    """The text of a user's public key: its kind, the key, and a CRC16."""
    data, crc = bytes([20 << 3]) + public, 0
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x1021 if crc & 0x8000 else crc << 1) & 0xFFFF
    return base64.b32encode(data + crc.to_bytes(2, "little")).decode().rstrip("=")


class Peer:
    """A connection to nats-server with somebody's key, by frames alone."""

    def __init__(self, world, who):
        text = (world.made / "credentials" / who).read_text()
        seed = re.search(r"seed: (\S+)", text).group(1)
        key = Ed25519PrivateKey.from_private_bytes(
            base64.b32decode(seed + "=" * (-len(seed) % 8))[2:34])
        self.name = who.split("-", 1)[1]
        self.inbox = f"_INBOX.{who.replace('-', '.')}"
        self.socket = socket.create_connection(("127.0.0.1", world.nats_port), timeout=10)
        self.arrived = b""
        nonce = re.search(r'"nonce":"([^"]+)"', self.line().decode()).group(1)
        signed = base64.urlsafe_b64encode(key.sign(nonce.encode())).decode().rstrip("=")
        public = nkey(key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw))
        self.send(f'CONNECT {{"verbose":false,"nkey":"{public}","sig":"{signed}","headers":true,'
                  f'"no_responders":true,"lang":"python","version":"1"}}\r\nPING\r\n'.encode())
        if not (got := self.line()).startswith(b"PONG"):
            raise OSError(f"nats-server says {got}")

    def send(self, data):
        self.socket.sendall(data)

    def receive(self):
        if not (got := self.socket.recv(1 << 16)):
            raise OSError("nats-server has closed")
        self.arrived += got

    def take(self, size):
        while len(self.arrived) < size:
            self.receive()
        out, self.arrived = self.arrived[:size], self.arrived[size:]
        return out

    def line(self):
        while b"\r\n" not in self.arrived:
            self.receive()
        out, _, self.arrived = self.arrived.partition(b"\r\n")
        return out

    def answer(self):
        """The headers and the data of the next message."""
        while True:
            words = self.line().split()
            if words[0] == b"PING":
                self.send(b"PONG\r\n")
            elif words[0] in (b"MSG", b"HMSG"):
                whole = self.take(int(words[-1]) + 2)[:-2]
                head = int(words[-2]) if words[0] == b"HMSG" else 0
                return whole[:head], whole[head:]

    def request(self, method, data, reply="1", headers=b""):
        """A request of the API as it stands on the wire."""
        subject = f"argosy.api.{self.name}.{method} {self.inbox}.{reply}"
        if not headers:
            return f"PUB {subject} {len(data)}\r\n".encode() + data + b"\r\n"
        headers = b"NATS/1.0\r\n" + headers + b"\r\n"
        return (f"HPUB {subject} {len(headers)} {len(headers) + len(data)}\r\n".encode() +
                headers + data + b"\r\n")

    def close(self):
        self.socket.close()


def field(key, data):
    """A field of protobuf that has a length."""
    data = data.encode() if isinstance(data, str) else data
    size, rest = b"", len(data)
    while rest > 127:
        size += bytes([rest & 127 | 128])
        rest >>= 7
    return bytes([key << 3 | 2]) + size + bytes([rest]) + data


def jobs(count, queue="q", last=b"", cpu="900"):
    """A request for so many jobs, and this item at its end."""
    amounts = b"".join(field(1, field(1, name) + field(2, field(1, value)))
                       for name, value in (("cpu", cpu), ("memory", "1Mi")))
    wanted = amounts + b"".join(field(2, field(1, name) + field(2, field(1, value)))
                                for name, value in (("cpu", cpu), ("memory", "1Mi")))
    container = (field(1, "main") + field(2, "none") + field(3, "true") + field(8, wanted))
    item = field(3, field(3, "default") + field(7, field(2, container)))
    return field(1, queue) + field(2, "s") + item * count + last


class KeyedWorld(World):
    """Users are `mal` and `ann`, who submit, `vic`, who looks, and `root`; the agent is that of c1.
    Its submissions are those of ann."""

    def begin(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.nats_port = probe.getsockname()[1]
        self.made = self.folder / "made"
        subprocess.run(["argosyd", "init", str(self.made), "--listen",
                        f"127.0.0.1:{self.nats_port}", "--cluster", "c1", "--user",
                        "mal:submitter", "--user", "ann:submitter", "--user", "vic:viewer",
                        "--user", "root:operator"], env=self.env, check=True, capture_output=True)
        self.nats_server = self.start("nats-server", "-c", str(self.made / "nats-server.conf"))
        for name in ("argosyd.yaml", "agents/c1.yaml"):
            with open(self.made / name, "a", encoding="utf-8") as settings:
                settings.write("health:\n  listen: 127.0.0.1:0\n")
        with open(self.made / "argosyd.yaml", "a", encoding="utf-8") as settings:
            settings.write("grpc:\n  listen: 127.0.0.1:0\n")
        self.start_argosyd("--config", str(self.made / "argosyd.yaml"))
        self.start_agent("--config", str(self.made / "agents" / "c1.yaml"), "--backend",
                         "simulated")
        self.env["ARGOSY_SERVER"] = f"nats://127.0.0.1:{self.nats_port}"
        self.env["ARGOSY_CREDENTIALS"] = str(self.made / "credentials" / "user-root")
        subprocess.run(["argosyctl", "queue", "create", "q"], env=self.env, check=True,
                       capture_output=True)
        self.ann = None
        self.submit(3_000)

    def submit(self, count=1):
        try:
            if self.ann is None:
                self.ann = Peer(self, "user-ann")
                self.ann.send(f"SUB {self.ann.inbox}.* replies 1\r\n".encode())
            self.ann.send(self.ann.request("Submit.SubmitJobs", jobs(count)))
            head, _ = self.ann.answer()
            return self.accepted(b"argosy-status" not in head, head)
        except OSError:
            # An answer that comes late would be taken for that of the next request.
            if self.ann is not None:
                self.ann.close()
            self.ann = None
            raise

    def rights_of(self, who):
        """The subjects to which he may publish, each with something in place of what is free."""
        text = (self.made / "accounts.conf").read_text().split(f"# {who}")[1]
        allowed = re.search(r"publish: \{ allow: \[(.*?)\]", text, re.S).group(1)
        return [subject.replace("*", "X").replace(">", "X")
                for subject in re.findall(r'"(\S+)"', allowed)]
