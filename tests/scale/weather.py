# SPDX-License-Identifier: Apache-2.0
"""The disturbances of a site's clusters."""
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
        self.disturbed = {}  # agent: (when it is mended, what mends it)
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
        self.mend_until(now)
        well = [agent for agent in self.site.agents if agent not in self.disturbed]
        ended = [agent.name for agent in well if agent.process.poll() is not None]
        if ended:
            sys.exit(f"agents ended by themselves: {', '.join(ended)}")
        if now < self.next:
            return
        self.next = now + self.site.size.pause
        if len(well) < 2:
            return
        agent = self.random.choice(well)
        what, disturb, pause = self.kinds[self.count % len(self.kinds)]
        self.count += 1
        self.disturbed[agent] = now + pause, disturb(agent)
        print(f"  {agent.name} {what}", flush=True)

    def mend_until(self, end):
        """Mends whatever is to be mended by then."""
        for agent, (when, mend) in list(self.disturbed.items()):
            if when <= end:
                mend()
                del self.disturbed[agent]

    def clear_up(self):
        """Mends all that is still broken."""
        self.mend_until(float("inf"))
