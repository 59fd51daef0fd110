#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random small SNAP1 worlds that reach the rules which worlds.py leaves out. usage: odd.py FIRST COUNT FOLDER
Seed s uses flavour s % len(FLAVOURS); the same seed gives the same bytes everywhere. Needs snap1.py beside it."""
import sys

from snap1 import Rng, GI, MI

PRIO = {'low': 500, 'std': 1000, 'std-np': 1000, 'urgent': 2000}
FLAVOURS = ['plain', 'mixedgang', 'uniform', 'overfull', 'floating', 'oddrun', 'zero', 'away', 'limits', 'index', 'match',
            'large', 'unknown', 'budget', 'urgent', 'awayuniform', 'everything', 'stale', 'redo']


class Odd:
    def __init__(z, seed, scale=1):
        z.scale = scale
        z.r = Rng(seed, 11)
        z.f = FLAVOURS[seed % len(FLAVOURS)]
        z.out = []
        z.n = 0

    def on(z, *names): return z.f in names or z.f == 'everything'
    def p(z, pct): return z.r.below(100) < pct
    def pick(z, xs): return xs[z.r.below(len(xs))]
    def span(z, a, b): return a + z.r.below(b - a + 1)
    def emit(z, *a): z.out.append(' '.join(str(x) for x in a))

    def config(z):
        c = lambda k, v: z.emit('C', k, v)
        c('protectedFractionOfFairShare', z.pick(['0', '0', '0', '0.3', '0.5', '0.9', '1', '1', '1.5', '3']))
        if z.p(45): c('indexedResources', 'nvidia.com/gpu=1,cpu=1m,memory=1')
        elif z.on('index') and z.p(80):
            c('indexedResources', z.pick(['cpu=1,memory=1Gi', 'memory=4Gi,cpu=500m', 'cpu=3', 'memory=1Gi', 'memory=512Mi,nvidia.com/gpu=2,cpu=4',
                                          'nvidia.com/gpu=4,memory=10Gi,cpu=1', 'cpu=100m,memory=100Mi,nvidia.com/gpu=1', 'nvidia.com/gpu=1,cpu=10,memory=20Gi']))
        if z.p(70 if z.on('large') else 15): c('enablePreferLargeJobOrdering', 'true')
        if z.p(15): c('protectUncappedAdjustedFairShare', 'true')
        if z.on('limits') or z.p(10):
            if z.p(40): c('maxQueueLookback', z.span(1, 15))
            if z.p(35): c('maximumSchedulingBurst', z.span(0, 30))
            if z.p(35): c('maximumPerQueueSchedulingBurst', z.span(0, 12))
            if z.p(35): c('maximumResourceFractionToSchedule', z.pick(['cpu=0.1', 'cpu=0.3,memory=0.2', 'memory=1.0', 'nvidia.com/gpu=0', 'cpu=0', 'license=0.2', 'cpu=1,memory=0.05']))
            if z.p(15): c('disableFairshareScheduling', 'true')
            if z.p(20): c('disableUrgencyScheduling', 'true')
            if z.p(10): c('unscheduledResources', z.pick(['nvidia.com/gpu', 'memory', 'license', 'nvidia.com/gpu,license']))
        if z.f == 'stale': c('disableUrgencyScheduling', 'true')
        if z.on('budget') or z.p(10): c('fairsharePreemptionBurst', z.span(0, 8))
        z.away = False
        if z.on('away', 'awayuniform', 'redo') or z.p(8):
            z.away = True
            c('wellKnownNodeTypes', z.pick(['gpunode=gpu=true:NoSchedule,blue=team=blue:NoSchedule', 'gpunode=gpu=*:NoSchedule,blue=team=blue:NoSchedule+spot=yes:NoExecute',
                                            'gpunode=gpu=true:NoSchedule+team=blue:NoSchedule,blue=team=*:']))
            c('awayNodeTypes', z.pick(['std=400:gpunode', 'std=400:gpunode,std=300:blue', 'low=200:blue,std=300:blue', 'std-np=450:gpunode,std=450:blue',
                                       'std=1500:gpunode', 'urgent=1000:blue,std=500:gpunode', 'low=0:gpunode,std=0:gpunode']))
            if z.p(10): c('disableAwayScheduling', 'true')
            if z.p(10): c('disableGangAwayScheduling', 'true')
        if z.p(15 if z.away or z.on('match') else 5): c('defaultTolerations', z.pick(['spot=yes:NoExecute', 'gpu', 'team=blue,soft', '*']))
        z.floating = z.on('floating') or z.p(8)
        if z.floating: c('floatingResources', z.pick(['license=10', 'license=25', 'license=3', 'license=0', 'license=12,seat=7', 'license=2500m']))

    def nodes(z):
        n = z.pick([1, 2, 3, 4, 6, 8, 12]) * z.scale if z.p(97) else 0
        z.nodes_ = []
        for i in range(n):
            c, m, g = z.pick([(8000, 32, 0), (8000, 32, 0), (16000, 64, 0), (16000, 128, 2), (4000, 16, 4)])
            m = m * GI
            if z.p(50): c, m = c - z.span(0, 150), m - z.span(0, 300) * MI
            labels, taints = {}, []
            if z.on('uniform', 'match', 'awayuniform', 'index', 'redo') or z.p(20):
                for k, v in (('rack', 3), ('zone', 2), ('hw', 2), ('disk', 2)):
                    if z.p(80): labels[k] = f'{k[0]}{z.r.below(v)}'
                    elif z.p(15): labels[k] = ''
                if z.p(50): labels['size'] = z.pick(['1', '5', '12', 'big', '-3'])
            if z.on('match', 'away', 'awayuniform', 'redo') or z.p(10):
                for t, pct in (('gpu=true:NoSchedule', 35), ('team=blue:NoSchedule', 25), ('spot=yes:NoExecute', 12), ('soft=x:PreferNoSchedule', 10), ('gpu=false:NoExecute', 6)):
                    if z.p(pct): taints.append(t)
            shut = z.p(12)
            z.nodes_.append({'cap': (c, m, g), 'free': [c, m, g]})
            z.emit('N', i, f'n{z.r.below(100):02d}x{i}', f'e{i % 2}', c, m, g, ','.join(f'{k}={v}' for k, v in sorted(labels.items())) or '-',
                   ','.join(taints) or '-', *(['unschedulable'] if shut else []))

    def queues(z):
        z.q = [f'{z.pick("abAz")}{i}' for i in range(z.pick([1, 2, 2, 3, 4, 6]))]
        for q in z.q:
            z.emit('Q', q, z.pick(['1', '1', '1', '2', '3.5', '10', '0.5', '0', '0.001']), *(['cordoned'] if z.p(12) else []))
            if z.on('limits') and z.p(40):
                z.emit('L', q, z.pick([*PRIO, 'nosuch']), z.pick(['cpu', 'memory', 'nvidia.com/gpu', 'license', 'nosuch']), z.pick(['0.1', '0.3', '0', '1.0', '0.05']))

    def shape(z):
        if z.f == 'stale': return z.pick([(1000, GI, 0), (2000, GI, 0), (4000, 2 * GI, 0), (3000, GI, 0)])
        if z.f == 'redo': return z.pick([(2000, 4 * GI, 0), (4000, 8 * GI, 0), (1000, GI, 0), (3000, 2 * GI, 0)])
        c = z.pick([1000, 1000, 2000, 2000, 4000, 500, 1250, 8000, 150]); m = z.pick([1, 2, 4, 8, 16]) * GI
        if z.p(30): m += z.span(-300, 300) * MI
        g = z.pick([1, 2]) if z.p(12) else 0
        if z.on('zero') and z.p(25): c = 0
        if z.on('zero') and z.p(25) and (c or g): m = 0      # never nothing at all: that kills the recorded scheduler at random
        return c, m, g

    def terms(z):
        sel = tol = aff = '-'
        if z.on('match', 'index', 'awayuniform') or z.p(10):
            if z.p(20): sel = z.pick(['rack=r0', 'zone=z1', 'hw=h0,zone=z0', 'disk=d1', 'rack=', 'armadaproject.io/nodeId=n01x0', 'size=5', 'nolabel=x'])
            if z.p(35): tol = ','.join(z.pick(['gpu=true:NoSchedule', 'gpu', 'gpu=true', 'team:NoSchedule', 'team=blue', 'spot:NoSchedule', 'spot:NoExecute', 'soft', '*', 'soft=x:PreferNoSchedule',
                                               'armadaproject.io/unschedulable'])
                                       for _ in range(z.span(1, 3)))
            if z.p(25): aff = ';'.join(z.pick(['rack:In:r0|r1', 'rack:NotIn:r0', 'zone:Exists:', 'disk:DoesNotExist:', 'size:Gt:3', 'size:Lt:6', 'zone:In:z0', 'hw:NotIn:h1|h9', 'rack:In:r2'])
                                       for _ in range(z.span(1, 2)))
        return sel, tol, aff

    def job(z, q, cls, shape, terms=('-', '-', '-'), gang='-', card=1, uni='-', node=None, at=None, extra='-', prio=None):
        z.n += 1
        jid = f'{z.pick("jkJ")}{z.r.below(1000):03d}n{z.n}'
        f = ['J', jid, q, cls, z.r.below(3) if prio is None else prio, z.r.below(6), *shape, *terms, gang, card, uni]
        if extra != '-': f.append(extra)
        z.emit(*f)
        if node is not None:
            z.emit('R', jid, node, z.r.below(6), PRIO.get(cls, 1000) if at is None else at)
            for d in range(3): z.nodes_[node]['free'][d] -= shape[d]

    def room(z, node, shape): return all(a >= b for a, b in zip(z.nodes_[node]['free'], shape))
    def cls(z):
        if z.f == 'redo': return z.pick(['low', 'low', 'std', 'std', 'std', 'urgent'])
        return z.pick(['low', 'std', 'std', 'std-np', 'urgent']) if not z.on('urgent') else z.pick(['low', 'low', 'std', 'std', 'urgent', 'std-np'])
    def queue(z): return 'ghost' if z.on('unknown') and z.p(15) else z.pick(z.q)
    def extra(z): return z.pick(['license=1', 'license=2', 'license=4', 'license=1,seat=2', 'seat=1', 'license=0']) if z.floating and z.p(45) else z.pick(['-'] * 30 + ['odd=1', 'odd=2'])

    def running(z):
        if not z.nodes_ or z.p(8): return
        hog = z.pick(z.q)
        for g in range(z.pick([0, 4, 10, 25, 40]) * z.scale):
            q = hog if z.p(60) else z.queue(); cls = z.cls(); shape = z.shape()
            if z.p(25) or z.on('mixedgang', 'uniform', 'awayuniform') and z.p(40):
                card = z.span(2, 4); here = card if not z.on('mixedgang') or z.p(40) else z.span(1, card + 1)
                uni = z.pick(['rack', 'zone', 'disk', 'hw', '-']) if z.on('uniform', 'awayuniform') else '-'
                for _ in range(here):
                    node = z.r.below(len(z.nodes_))
                    if z.room(node, shape): z.job(q, cls if not z.on('mixedgang') or z.p(75) else z.cls(), shape, gang=f'rg{g}', card=card, uni=uni, node=node, extra=z.extra(), at=z.at(cls))
                if z.on('mixedgang') and z.p(50):
                    for _ in range(z.span(1, max(1, card - here + 1))): z.job(q, cls, shape, gang=f'rg{g}', card=card, uni=uni, extra=z.extra())
                continue
            node = z.r.below(len(z.nodes_))
            if z.room(node, shape) or z.on('overfull') and z.p(20): z.job(q, cls if not z.on('unknown') or z.p(90) else 'nosuch', shape, node=node, extra=z.extra(), at=z.at(cls))

    def at(z, cls):
        if z.on('oddrun') and z.p(30): return z.pick([0, 100, 700, 2500, 500, 1000, 2000])
        if z.away and z.p(20): return z.pick([400, 300, 200, 450, 0])
        return None

    def queued(z):
        for g in range(z.pick([3, 10, 20, 40, 60]) * z.scale):
            q = z.queue(); cls = z.cls(); shape = z.shape(); terms = z.terms()
            if z.p(20) or z.on('mixedgang', 'uniform', 'awayuniform', 'redo') and z.p(30):
                card = z.span(2, 4); uni = z.pick(['rack', 'zone', 'hw', 'rack', 'disk', 'nolabel', '-']) if z.on('uniform', 'awayuniform', 'redo') or z.p(15) else '-'
                here = card if z.p(85) else z.pick([card - 1, card + 1, 2 * card])
                prio = z.r.below(3)
                for _ in range(here): z.job(q, cls if not z.on('mixedgang') or z.p(80) else z.cls(), shape if z.p(80) else z.shape(), terms, f'g{g}', card if z.p(99) else 1, uni, extra=z.extra(), prio=prio)
            else: z.job(q, cls if not z.on('unknown') or z.p(90) else 'nosuch', shape, terms, extra=z.extra())

    def build(z):
        z.config(); z.nodes(); z.queues(); z.running(); z.queued()
        return '\n'.join(z.out) + '\n'


if __name__ == '__main__':
    first, count, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    for s in range(first, first + count):
        with open(f'{folder}/f{s:07d}.snap', 'w') as f: f.write(Odd(s).build())
