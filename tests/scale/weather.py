# SPDX-License-Identifier: Apache-2.0
"""Clusters that come and go."""
import random
import signal
import sys
import time


class Weather:
    """Clusters that come and go: every now and then one is disturbed, and mended after a while."""

    def __init__(self, site, seed):
        self.site = site
        self.random = random.Random(seed)
        self.count = 0
        self.next = time.monotonic()
        self.later = []  # (when, what mends it), in no order
        self.away = set()
        size = site.size
        beyond = size.lease * 1.25 + 4
        self.kinds = (
            ("left, and another cluster came", self.leave, size.pause),
            ("was killed and began at once", self.kill, 0.0),
            ("was stopped for less than its lease", self.stop, size.lease / 2),
            ("was killed for more than its lease", self.kill, beyond),
            ("was stopped for more than its lease", self.stop, beyond),
        )

    def leave(self, agent):
        agent.end(signal.SIGTERM)

        def replace():
            self.site.agents.remove(agent)
            self.site.join()
        return replace

    def kill(self, agent):
        agent.end(signal.SIGKILL)
        return agent.begin

    def stop(self, agent):
        agent.process.send_signal(signal.SIGSTOP)
        return lambda: agent.process.send_signal(signal.SIGCONT)

    def tick(self):
        now = time.monotonic()
        for each in [each for each in self.later if each[0] <= now]:
            self.later.remove(each)
            self.mend(each)
        ended = [agent.name for agent in self.site.agents
                 if agent not in self.away and agent.process.poll() is not None]
        if ended:
            sys.exit(f"agents ended by themselves: {', '.join(ended)}")
        if now < self.next:
            return
        self.next = now + self.site.size.pause
        well = [agent for agent in self.site.agents if agent not in self.away]
        if len(well) < 2:
            return
        agent = self.random.choice(well)
        what, disturb, pause = self.kinds[self.count % len(self.kinds)]
        self.count += 1
        self.away.add(agent)
        self.later.append((now + pause, agent, disturb(agent)))
        print(f"  {agent.name} {what}", flush=True)

    def mend(self, one):
        _, agent, mended = one
        mended()
        self.away.discard(agent)

    def clear_up(self):
        """Mends all that is still broken."""
        for each in self.later:
            self.mend(each)
        self.later.clear()
