# SPDX-License-Identifier: Apache-2.0
"""What strangers send to an HTTP port. Each attack runs in a process of its own, for as long as it
is told, and takes the world that is attacked and the target, which is "argosyd" or "agent"."""

import base64
import os
import re
import selectors
import time

BLOCK = b"x" * 65_536


def send_all(made, parts):
    """Sends until the other end has had enough of it."""
    try:
        for part in parts:
            made.sendall(part)
    except OSError:
        pass
    made.close()


def again_until(end, once):
    while time.monotonic() < end:
        try:
            once()
        except OSError:
            time.sleep(0.05)


def large_chunked(world, target, end):
    """400 MB in chunks to a route that takes a body, and to one that there is not."""
    def parts(path):
        yield (f"POST {path} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
               .encode())
        chunk = b"10000\r\n" + BLOCK + b"\r\n"
        for _ in range(400 * 16):
            yield chunk
            if time.monotonic() > end:
                return
    def once():
        for path in ("/v1/jobs/find", "/nothing", "/livez"):
            send_all(world.connect(target), parts(path))
    again_until(end, once)


def large_sized(world, target, end):
    """400 MB whose length is told."""
    def parts(path, length):
        yield (f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n\r\n"
               .encode())
        for _ in range(400 * 16):
            yield BLOCK
            if time.monotonic() > end:
                return
    def once():
        for length in (400 << 20, 4_000_000):
            for path in ("/v1/jobs/find", "/nothing", "/livez"):
                send_all(world.connect(target), parts(path, length))
    again_until(end, once)


def endless_header(world, target, end):
    """One header of 300 MB."""
    def parts():
        yield b"GET /livez HTTP/1.1\r\nHost: localhost\r\nX: "
        for _ in range(300 * 16):
            yield BLOCK
            if time.monotonic() > end:
                return
    again_until(end, lambda: send_all(world.connect(target), parts()))


def many_headers(world, target, end):
    """100,000 headers."""
    lines = b"".join(b"X-%d: y\r\n" % i for i in range(100_000))
    def parts():
        yield b"GET /livez HTTP/1.1\r\nHost: localhost\r\n"
        yield lines
        yield b"\r\n"
    again_until(end, lambda: send_all(world.connect(target), parts()))


def slow(world, target, end, count, first):
    """Connections that send their first bytes, and then one more each second; those that are closed
    come again."""
    open_ones = []
    turn = 0
    while time.monotonic() < end:
        while len(open_ones) < count and time.monotonic() < end:
            try:
                made = world.connect(target)
                made.sendall(first)
                made.settimeout(0)
                open_ones.append(made)
            except OSError:
                break
        kept = []
        for made in open_ones:
            try:
                made.send(b"a")
                kept.append(made)
            except BlockingIOError:
                kept.append(made)
            except OSError:
                made.close()
        open_ones = kept
        turn += 1
        time.sleep(max(0.0, min(1.0, end - time.monotonic())))


def slow_1100(world, target, end):
    """1,100 connections that send a byte a second."""
    slow(world, target, end, 1_100, b"G")


def slow_5000(world, target, end):
    """5,000 connections that send a byte a second."""
    slow(world, target, end, 5_000, b"GET /livez HTTP/1.1\r\nX: ")


def slow_bodies(world, target, end, begun=0):
    """1,100 connections whose bodies do not come, with the password of a user."""
    head = ("POST /v1/jobs/find HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n"
            f"Authorization: {world.password_of('ann')}\r\n\r\n")
    slow(world, target, end, 1_100, head.encode() + b" " * begun)


def begun_bodies(world, target, end):
    """The same with bodies of which the first half comes."""
    slow_bodies(world, target, end, 50_000)


def never_read(world, target, end):
    """1,100 connections that ask again and again, and never read an answer."""
    held = []
    request = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n" * 50
    while time.monotonic() < end:
        if len(held) < 1_100:
            try:
                made = world.connect(target, room=4_096)
                made.sendall(request)
                held.append(made)
                continue
            except OSError:
                pass
        time.sleep(0.1)


def is_whole(answer):
    head, _, body = answer.partition(b"\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", head.lower())
    return length is not None and len(body) >= int(length[1])


def ask_again(world, target, end, count, request):
    """Keeps so many connections, each of which asks again once its answer is there."""
    answers = {}
    picks = selectors.DefaultSelector()
    while time.monotonic() < end:
        try:
            while len(answers) < count:
                made = world.connect(target)
                answers[made] = b""
                picks.register(made, selectors.EVENT_READ)
                made.sendall(request())
        except OSError:
            time.sleep(0.05)
        for key, _ in picks.select(timeout=0.2):
            made = key.fileobj
            try:
                if not (got := made.recv(1 << 20)):
                    raise OSError("closed")
                answers[made] += got
                if is_whole(answers[made]):
                    answers[made] = b""
                    made.sendall(request())
            except OSError:
                picks.unregister(made)
                made.close()
                del answers[made]


def ranges(world, target, end):
    """A page 2,000 times over in one answer, on 32 connections that read it."""
    ask_again(world, target, end, 32, lambda: (
        b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nRange: bytes=0-" + b",0-" * 2_000 +
        b"\r\n\r\n"))


def long_paths(world, target, end):
    """Calls whose path has nearly 8,000 bytes, from 48 connections."""
    ask_again(world, target, end, 48, lambda: (
        b"GET /v1/" + b"a" * 7_900 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n"))


def wrong_passwords(world, target, end):
    """Wrong passwords from 64 connections."""
    def request():
        word = base64.b64encode(b"ann:" + os.urandom(12).hex().encode()).decode()
        return (f"GET /v1/version HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic {word}"
                "\r\n\r\n").encode()
    ask_again(world, target, end, 64, request)


# Name, target, function.
ATTACKS = [
    ("400 MB chunked", "argosyd", large_chunked),
    ("400 MB chunked", "agent", large_chunked),
    ("400 MB sized", "argosyd", large_sized),
    ("header of 300 MB", "argosyd", endless_header),
    ("header of 300 MB", "agent", endless_header),
    ("100,000 headers", "argosyd", many_headers),
    ("100,000 headers", "agent", many_headers),
    ("1,100 slow", "argosyd", slow_1100),
    ("1,100 slow", "agent", slow_1100),
    ("5,000 slow", "argosyd", slow_5000),
    ("1,100 slow bodies", "argosyd", slow_bodies),
    ("1,100 begun bodies", "argosyd", begun_bodies),
    ("answers never read", "argosyd", never_read),
    ("answers never read", "agent", never_read),
    ("ranges", "argosyd", ranges),
    ("ranges", "agent", ranges),
    ("long paths", "argosyd", long_paths),
    ("wrong passwords", "argosyd", wrong_passwords),
]
