# SPDX-License-Identifier: Apache-2.0
"""A link that can be cut."""

import selectors
import socket
import threading


class Link:
    """A way to an address at a port of this machine. While it is cut, nothing comes through and
    nobody is told; what was sent meanwhile comes when it is mended."""

    def __init__(self, host, port):
        self.to = host, port
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = self.listener.getsockname()[1]
        self.open = threading.Event()
        self.open.set()
        threading.Thread(target=self.accept, daemon=True).start()

    def cut(self):
        self.open.clear()

    def mend(self):
        self.open.set()

    def accept(self):
        while True:
            one, _ = self.listener.accept()
            threading.Thread(target=self.carry, args=(one,), daemon=True).start()

    def carry(self, one):
        self.open.wait()
        try:
            other = socket.create_connection(self.to)
        except OSError:
            one.close()
            return
        with one, other, selectors.DefaultSelector() as both:
            both.register(one, selectors.EVENT_READ, other)
            both.register(other, selectors.EVENT_READ, one)
            while True:
                for ready, _ in both.select():
                    self.open.wait()
                    try:
                        data = ready.fileobj.recv(65536)
                        if not data:
                            return
                        ready.data.sendall(data)
                    except OSError:
                        return
