#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The workloads of snap1.py at some ten to ninety nodes, each varied by a seed: configuration,
amounts, node ids, taints, classes, jobs left out. Many equal nodes and jobs, of which a few differ.
usage: varied.py SEED [out]"""
import io
import sys
import snap1
from snap1 import MI, Rng

MOST_NODES = {'W7a': 25, 'W7b': 25, 'W2': 45, 'W3a': 45, 'W3b': 60, 'W4': 60}
RUN_PRIORITY = {'low': 500, 'std': 1000, 'std-np': 1000, 'urgent': 2000}
INDEXES = ['nvidia.com/gpu=1,cpu=1m,memory=1', 'cpu=1m', 'memory=1,cpu=100m',
           'cpu=100m,memory=100Mi', 'cpu=7m,memory=1Gi']
FRACTIONS = ['0', '0', '0.3', '0.5', '1', '1', '2']
TAINTS = ['gpu=true:NoSchedule', 'soft=x:PreferNoSchedule']


class Varied:
    def __init__(v, seed):
        v.r = Rng(seed, 13)
        v.workload = v.pick(list(snap1.G))
        v.nodes = 11 + v.r.below(MOST_NODES.get(v.workload, 90) - 10)
        v.out, v.left_out = [], set()
        # How many in a hundred are varied.
        v.amounts = v.pick([0, 0, 2, 10, 50])
        v.totals = v.pick([0, 0, 10, 60])
        v.taints = v.pick([0, 0, 5, 30])
        v.absent = v.pick([0, 0, 5, 30])
        v.classes = v.pick([0, 0, 10, 50])
        v.ids = list(range(v.nodes))
        if v.p(50):
            for i in range(v.nodes - 1, 0, -1):
                j = v.r.below(i + 1)
                v.ids[i], v.ids[j] = v.ids[j], v.ids[i]

    def p(v, percent): return v.r.below(100) < percent
    def pick(v, choices): return choices[v.r.below(len(choices))]

    def config(v):
        def c(*fields): v.out.append(' '.join(['C', *map(str, fields)]))
        if v.p(70): c('protectedFractionOfFairShare', v.pick(FRACTIONS))
        if v.p(60): c('indexedResources', v.pick(INDEXES))
        if v.p(20): c('enablePreferLargeJobOrdering', 'true')
        if v.p(20): c('maxQueueLookback', 1 + v.r.below(300))
        if v.p(15): c('fairsharePreemptionBurst', v.r.below(200))

    def node(v, f):
        f[2] = f'n{v.ids[int(f[1])]:07d}'
        step = v.pick([1, 10, 500])
        if v.p(v.totals): f[4] = str(int(f[4]) + v.r.below(9000) // step * step)
        if v.p(v.totals): f[5] = str(int(f[5]) + v.r.below(8 * 1024) * MI + v.r.below(MI))
        if v.p(v.taints) and f[8] == '-': f[8] = v.pick(TAINTS)
        return True

    def job(v, f):
        if v.p(v.absent):
            v.left_out.add(f[1])
            return False
        for place in (6, 7):
            if v.p(v.amounts) and v.p(70):
                f[place] = str(int(f[place]) * (1 + v.r.below(1000)) // 1000)
        if v.p(v.amounts): f[4] = str(v.r.below(4))
        if v.p(v.classes): f[3] = v.pick(list(RUN_PRIORITY))
        v.run_priority = RUN_PRIORITY[f[3]]
        return True

    def run(v, f):
        if f[1] in v.left_out: return False
        f[4] = str(v.run_priority)
        return True

    def build(v):
        text = io.StringIO()
        snap1.G[v.workload](snap1.Out(text), v.nodes)
        v.config()
        vary = {'N': v.node, 'J': v.job, 'R': v.run}
        for line in text.getvalue().splitlines():
            fields = line.split(' ')
            if fields[0] not in vary or vary[fields[0]](fields): v.out.append(' '.join(fields))
        return '\n'.join(v.out) + '\n'


if __name__ == '__main__':
    made = Varied(int(sys.argv[1])).build()
    (open(sys.argv[2], 'w') if len(sys.argv) > 2 else sys.stdout).write(made)
