#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random small worlds in SNAP1 with configuration lines. usage: worlds.py PROFILE SEED [out]   (PROFILE 0..9)
A world holds everything that a round needs; the same profile and seed give the same bytes everywhere."""
import sys
from snap1 import Rng, GI, MI, T0, R0

LABELS = {'zone': 4, 'hw': 3, 'rack': 6, 'disk': 2}          # label -> number of values; disk is not indexed
TAINTS = ['gpu=true:NoSchedule', 'team=blue:NoSchedule', 'spot=yes:NoExecute', 'soft=x:PreferNoSchedule']
PRIO = {'low': 500, 'std': 1000, 'std-np': 1000, 'urgent': 2000}
PREEMPTIBLE = {'low', 'std'}
PROFILES = {  # what each profile switches on
    0: 'fair', 1: 'fair running', 2: 'fair running classes', 3: 'match', 4: 'match running classes', 5: 'gangs',
    6: 'gangs running classes uniform', 7: 'limits running classes', 8: 'away floating running classes',
    9: 'match running classes gangs uniform limits away floating'}

class World:
    def __init__(w, profile, seed, scale=1):
        w.scale = scale; w.on = set(PROFILES[profile].split()); w.r = Rng(seed * 16 + profile, 7); w.out = []
        w.nodes = []; w.queues = []; w.away = None; w.floating = None
    def p(w, pct): return w.r.below(100) < pct
    def pick(w, xs): return xs[w.r.below(len(xs))]
    def emit(w, *f): w.out.append(' '.join(str(x) for x in f))

    def config(w):
        if 'running' in w.on or w.p(30): w.emit('C', 'protectedFractionOfFairShare', w.pick(['0', '0', '0.5', '1', '1', '2']))
        if w.p(50): w.emit('C', 'indexedResources', 'nvidia.com/gpu=1,cpu=1m,memory=1')
        if w.p(20): w.emit('C', 'enablePreferLargeJobOrdering', 'true')
        if w.p(10): w.emit('C', 'protectUncappedAdjustedFairShare', 'true')
        if 'limits' in w.on:
            if w.p(30): w.emit('C', 'maxQueueLookback', 1 + w.r.below(30))
            if w.p(30): w.emit('C', 'maximumSchedulingBurst', 1 + w.r.below(60))
            if w.p(30): w.emit('C', 'maximumPerQueueSchedulingBurst', 1 + w.r.below(25))
            if w.p(30): w.emit('C', 'maximumResourceFractionToSchedule', f'cpu=0.{1 + w.r.below(9)},memory=0.{1 + w.r.below(9)}')
            if w.p(30): w.emit('C', 'fairsharePreemptionBurst', w.r.below(12))
            if w.p(10): w.emit('C', 'disableFairshareScheduling', 'true')
            if w.p(10): w.emit('C', 'disableUrgencyScheduling', 'true')
            if w.p(10): w.emit('C', 'unscheduledResources', 'nvidia.com/gpu')
        if 'away' in w.on:
            w.emit('C', 'wellKnownNodeTypes', 'gpunode=gpu=true:NoSchedule,blue=team=blue:NoSchedule')
            w.away = w.pick(['std=400:gpunode', 'std=400:gpunode,std=300:blue', 'low=200:blue,std=300:blue', 'std-np=450:gpunode,std=450:blue'])
            w.emit('C', 'awayNodeTypes', w.away)
            if w.p(15): w.emit('C', 'disableAwayScheduling', 'true')
            if w.p(15): w.emit('C', 'disableGangAwayScheduling', 'true')
            if w.p(15): w.emit('C', 'defaultTolerations', 'spot=yes:NoExecute')
        if 'floating' in w.on:
            w.floating = 5 + w.r.below(40); w.emit('C', 'floatingResources', f'license={w.floating}')

    def make_nodes(w):
        kinds = [(32, 256, 0), (16, 64, 0), (64, 512, 8), (48, 190, 0)]
        n = (6 + w.r.below(30)) * w.scale
        for i in range(n):
            c, m, g = w.pick(kinds) if 'match' in w.on or 'away' in w.on else kinds[i % 2 if w.out and len(w.out) % 2 else 0]
            odd = w.r.below(900) * MI if w.p(40) else 0
            labels, taints = {}, []
            if 'match' in w.on or 'uniform' in w.on:
                for k, v in LABELS.items():
                    if w.p(85): labels[k] = f'{k[0]}{w.r.below(v)}'
            if 'match' in w.on:
                if g and w.p(70): taints.append(TAINTS[0])
                if w.p(15): taints.append(TAINTS[1])
                if w.p(10): taints.append(TAINTS[2])
                if w.p(10): taints.append(TAINTS[3])
            elif 'away' in w.on:
                if w.p(35): taints.append(w.pick(TAINTS[:2]))
            un = 'limits' in w.on and w.p(10)
            cap = {'cpu': c * 1000 - (w.r.below(500) if w.p(30) else 0), 'mem': m * GI - odd, 'gpu': g}
            w.nodes.append({'cap': cap, 'free': dict(cap), 'labels': labels, 'taints': taints, 'un': un})
            lab = ','.join(f'{k}={labels[k]}' for k in sorted(labels)) or '-'
            w.emit('N', i, f'n{w.r.below(1000):03d}x{i:04d}', f'e{i % 3}', cap['cpu'], cap['mem'], g, lab, ','.join(taints) or '-', *(['unschedulable'] if un else []))

    def make_queues(w):
        for q in range(1 + w.r.below(8)):
            name = f'q{w.r.below(100):02d}-{q}'; w.queues.append(name)
            w.emit('Q', name, w.pick(['1', '1', '2', '3.5', '10', '0.5']), *(['cordoned'] if 'limits' in w.on and w.p(10) else []))
            if 'limits' in w.on and w.p(25):
                w.emit('L', name, w.pick(list(PRIO)), w.pick(['cpu', 'memory']), f'0.{1 + w.r.below(7)}')

    def request(w):
        c = w.pick([500, 1000, 1000, 2000, 4000, 8000, 16000, 1250]); m = w.pick([1, 2, 4, 8, 16, 32]) * GI + (w.r.below(3000) * MI // 3 if w.p(30) else 0)
        g = w.pick([1, 2, 8]) if ('match' in w.on or 'away' in w.on) and w.p(15) else 0
        if w.p(4): c, m = 32000, 256 * GI
        return c, m, g

    def terms(w):
        sel = tol = aff = '-'
        if 'match' in w.on:
            if w.p(25): sel = ','.join(f'{k}={k[0]}{w.r.below(LABELS[k])}' for k in sorted({w.pick(list(LABELS)) for _ in range(1 + w.r.below(2))}))
            if w.p(35): tol = ','.join(w.pick(['gpu=true:NoSchedule', 'gpu', 'gpu=true', 'team:NoSchedule', 'team=blue:NoSchedule', 'spot=yes:NoExecute', 'spot:NoSchedule', '*']) for _ in range(1 + w.r.below(3)))
            if w.p(25):
                k = w.pick(list(LABELS)); v = [f'{k[0]}{w.r.below(LABELS[k])}' for _ in range(1 + w.r.below(3))]
                aff = w.pick([f'{k}:In:{"|".join(v)}', f'{k}:NotIn:{"|".join(v)}', f'{k}:Exists:', f'{k}:DoesNotExist:'])
                if w.p(20): aff += ';zone:Exists:'
        elif 'away' in w.on and w.p(15): tol = w.pick(['gpu=true:NoSchedule', 'team:NoSchedule'])
        return sel, tol, aff

    def job(w, q, cls, prio, shape, terms, gang='-', card=1, uni='-', node=None, at=None, extra='-'):
        j = w.nj; w.nj += 1
        jid = f'j{w.r.below(10**6):06d}n{j:05d}'
        f = ['J', jid, q, cls, prio, T0 + 1000 * w.r.below(10**6) * 4096 + j, *shape, *terms, gang, card, uni]
        if extra != '-': f.append(extra)
        w.emit(*f)
        if node is not None:
            w.emit('R', jid, node, R0 + 1000 * w.r.below(10**6) * 4096 + j, PRIO[cls] if at is None else at)
            for k, v in zip(('cpu', 'mem', 'gpu'), shape): w.nodes[node]['free'][k] -= v

    def fits(w, node, shape, terms):
        n = w.nodes[node]
        if any(n['free'][k] < v for k, v in zip(('cpu', 'mem', 'gpu'), shape)): return False
        if any(t.endswith(('NoSchedule', 'NoExecute')) and not t.endswith('PreferNoSchedule') for t in n['taints']): return False
        return terms[0] == '-' and terms[2] == '-'

    def running(w):
        want = len(w.nodes) * (2 + w.r.below(20)); g = 0; skew = 1 + w.r.below(len(w.queues))
        for _ in range(want):
            node = w.r.below(len(w.nodes)); shape = w.request(); q = w.queues[w.r.below(skew)] if w.p(70) else w.pick(w.queues)
            cls = w.pick(['low', 'std', 'std', 'std', 'std-np', 'urgent']) if 'classes' in w.on else 'std'
            none = ('-', '-', '-')
            if 'gangs' in w.on and w.p(15):
                card = 2 + w.r.below(4); spots = []
                for _ in range(card):
                    c = [i for i in range(len(w.nodes)) if w.fits(i, shape, none) and i not in spots]
                    if c: spots.append(w.pick(c))
                if len(spots) == card:
                    g += 1
                    for s in spots: w.job(q, cls, w.r.below(3), shape, none, f'rg{g}', card, node=s)
                continue
            if w.fits(node, shape, none): w.job(q, cls, w.r.below(3), shape, none, node=node)
            elif 'away' in w.on and cls == 'std' and 'std=400:gpunode' in w.away and w.nodes[node]['taints'] == [TAINTS[0]] \
                    and all(w.nodes[node]['free'][k] >= v for k, v in zip(('cpu', 'mem', 'gpu'), shape)):
                w.job(q, cls, w.r.below(3), shape, none, node=node, at=400)

    def queued(w):
        g = 0
        for _ in range((20 + w.r.below(220)) * w.scale):
            q = w.pick(w.queues); shape = w.request(); terms = w.terms()
            cls = w.pick(['low', 'std', 'std', 'std-np', 'urgent']) if 'classes' in w.on else 'std'
            extra = f'license={1 + w.r.below(4)}' if w.floating and w.p(25) else '-'
            if 'gangs' in w.on and w.p(20):
                g += 1; card = 2 + w.r.below(7); uni = w.pick(['rack', 'zone', '-', 'disk' if w.p(20) else 'rack']) if 'uniform' in w.on else '-'
                prio = w.r.below(3)
                for k in range(card): w.job(q, cls, prio, shape if w.p(80) else w.request(), terms, f'g{g}', card, uni, extra=extra)
            else: w.job(q, cls, w.r.below(3), shape, terms, extra=extra)

    def build(w):
        w.nj = 0; w.config(); w.make_nodes(); w.make_queues()
        if 'running' in w.on: w.running()
        w.queued()
        return '\n'.join(w.out) + '\n'

if __name__ == '__main__':
    text = World(int(sys.argv[1]), int(sys.argv[2])).build()
    (open(sys.argv[3], 'w') if len(sys.argv) > 3 else sys.stdout).write(text)
