#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One scheduling round, slowly and exactly: the reference that fast implementations are compared with.

Reads a SNAP1 snapshot and says which queued jobs start where and which running jobs are preempted. The parts below follow the
order of a round.

usage: round.py [--protected X] [--lookback N] [--decisions OUT] FILE...       prints: file digest started preempted
       OUT is a file for one input, or an existing folder that gets NAME.dec for every NAME.snap
"""
import bisect
import hashlib
import heapq
import math
import os
import sys
from collections import defaultdict
from fractions import Fraction

# ------------------------------------------------------------------------------------------------ fixed configuration

EVICTED, CROSS_POOL = -2, -1      # the two rows below every class priority
EVERY_ROW = math.inf              # cutoff of a job that must not be preempted: it counts in all rows
CLASSES = {'low': (500, True), 'std': (1000, True), 'std-np': (1000, False), 'urgent': (2000, False)}  # + preemptible?
DEFAULT_CLASS = 'std'
INDEXED_LABELS, INDEXED_TAINTS = ('hw', 'rack', 'zone'), ('gpu', 'team')
DIMENSIONS = {'cpu': 0, 'memory': 1, 'nvidia.com/gpu': 2}           # node resources; the floating ones come after them
UNITS = {'cpu': Fraction(1, 1000)}                                  # one integer step; 1 for every other resource
DEFAULT_INDEX = 'nvidia.com/gpu=1,cpu=100m,memory=100Mi'
NODE_ID_LABEL = 'armadaproject.io/nodeId'
SHUT_TAINT = ('armadaproject.io/unschedulable', 'true', 'NoSchedule')
NOTHING = (0, 0, 0)

ROUND_CAP, NO_TOKENS, CORDONED, NO_QUEUE_TOKENS = 'round cap', 'no tokens', 'queue cordoned', 'no queue tokens'
TOO_BIG, TOO_MANY, CLASS_LIMIT = 'gang above burst', 'gang above tokens', 'queue limit of its class'
FLOATING, NO_FIT, NO_VALUE = 'floating resources', 'fits nowhere', 'fits under no label value'
ENDS_ROUND = {ROUND_CAP, NO_TOKENS}                # from here on only evicted jobs are looked at
ENDS_QUEUE = {CORDONED, NO_QUEUE_TOKENS}           # the same for one queue


class RoundFailed(Exception):
    """The recorded scheduler gives up the whole round here and decides nothing."""


# ------------------------------------------------------------------------------------------------------ reading SNAP1

def quantity(text, unit=1):
    """A Kubernetes quantity in steps of `unit`, as an exact fraction."""
    number = text.rstrip('mkKMGTPi')
    scale = {'': 1, 'm': Fraction(1, 1000), 'k': 10**3, 'M': 10**6, 'G': 10**9, 'T': 10**12, 'P': 10**15,
             'Ki': 2**10, 'Mi': 2**20, 'Gi': 2**30, 'Ti': 2**40, 'Pi': 2**50}[text[len(number):]]
    return Fraction(number) * scale / unit


def pairs(text):
    """'a=b,c=d' as a list of pairs; '-' is empty."""
    return [] if text == '-' else [p.partition('=')[::2] for p in text.split(',')]


def taint(text):
    """'key=value:Effect' -> (key, value, effect)"""
    body, _, effect = text.partition(':')
    return *body.partition('=')[::2], effect


def toleration(text):
    """'*', 'key' or 'key=value', the last two with an optional ':Effect' -> (key, value, operator, effect)"""
    key, value, effect = ('', '', '') if text == '*' else taint(text)
    return key, value, 'Equal' if '=' in text.partition(':')[0] else 'Exists', effect


def affinity(text):
    """'label:Operator:value|value;...' -> ((label, operator, values), ...), all of which must hold"""
    rules = [(rule.split(':', 2) + [''])[:3] for rule in text.split(';')] if text != '-' else []
    return tuple((label, op, tuple(v.split('|')) if v else ()) for label, op, v in rules)


class Job:
    """A queued or running job. `need` is what its node must give, `request` also has the floating resources."""

    def __init__(self, fields, floating):
        self.id, self.queue, self.cls = fields[0], fields[1], fields[2]
        self.behaves = self.cls if self.cls in CLASSES else DEFAULT_CLASS    # an unknown class acts as the default one
        self.priority, self.preemptible = CLASSES[self.behaves]
        self.job_priority, self.submitted = int(fields[3]), int(fields[4])   # smaller first
        extra = dict(pairs(fields[14])) if len(fields) > 14 else {}
        self.need = tuple(map(int, fields[5:8]))
        self.request = self.need + tuple(int(extra.get(name, 0)) for name in floating)
        self.terms = (tuple(sorted(dict(pairs(fields[8])).items())),
                      tuple(sorted(toleration(t) for t in fields[9].split(',') if t != '-')),
                      tuple(sorted(affinity(fields[10]), key=lambda rule: (rule[0], rule[1], len(rule[2])))))
        self.members = int(fields[12]) if fields[11] != '-' else 1           # as declared
        self.gang = fields[11] if self.members > 1 else None
        self.label = fields[13] if self.gang and fields[13] != '-' else None
        wants = sorted((k, int(v)) for k, v in [*zip(DIMENSIONS, self.need), *extra.items()] if int(v))
        self.key = self.terms, tuple(wants), self.cls        # scheduling key: equal keys fit the same places
        self.node = self.since = self.run_priority = None    # set if it runs

    def order(self):
        """Place within its queue: running first, class priority, job priority, start of its run, submit time, id."""
        return self.node is None, -self.priority, self.job_priority, self.since or 0, self.submitted, self.id.encode()


class World:
    """A parsed SNAP1 file with its configuration lines."""

    def __init__(self, text):
        lines = [t for t in map(str.split, text.splitlines()) if t and t[0] != '#']
        self.conf = {t[1]: t[2] for t in lines if t[0] == 'C'}
        self.floating = {k: math.floor(quantity(v)) for k, v in self.pairs('floatingResources')}
        self.node_lines = [t[1:] for t in lines if t[0] == 'N']
        self.queues = {t[1]: float(t[2]) for t in lines if t[0] == 'Q'}
        self.cordoned = {t[1] for t in lines if t[0] == 'Q' and t[3:] == ['cordoned']}
        self.limits = defaultdict(dict)
        for t in lines:
            if t[0] == 'L':
                self.limits[t[1], t[2]][t[3]] = float(t[4])
        jobs = {t[1]: Job(t[1:], self.floating) for t in lines if t[0] == 'J'}
        for t in lines:
            if t[0] == 'R':
                job = jobs[t[1]]
                job.node, job.since, job.run_priority = map(int, t[2:5])
        self.jobs = list(jobs.values())

    def flag(self, name):
        return self.conf.get(name) == 'true'

    def number(self, name, default):
        return float(self.conf.get(name, default))

    def pairs(self, name, default='-'):
        return pairs(self.conf.get(name, default))

    def away_types(self):
        """class -> [(reduced priority, tolerations that open the foreign nodes)] in configured order"""
        known, types = dict(self.pairs('wellKnownNodeTypes')), defaultdict(list)
        for cls, rest in self.pairs('awayNodeTypes'):
            priority, _, name = rest.partition(':')
            taints = [taint(t) for t in known[name].split('+')]
            types[cls].append((int(priority), [(k, v, 'Exists' if v == '*' else 'Equal', e) for k, v, e in taints]))
        return types


# ----------------------------------------------------------------------------------------------------------- matching

def tolerates(tol, spot):
    """Does a toleration cover a taint? All effects count alike, PreferNoSchedule too."""
    key, value, operator, effect = tol
    return effect in ('', spot[2]) and key in ('', spot[0]) and (operator == 'Exists' or value == spot[1])


def holds(rule, labels):
    """Does one required node affinity rule hold?"""
    label, operator, values = rule
    if operator in ('In', 'NotIn') and values:
        return (labels.get(label) in values) == (operator == 'In')
    if operator in ('Exists', 'DoesNotExist') and not values:
        return (label in labels) == (operator == 'Exists')
    if operator in ('Gt', 'Lt') and len(values) == 1:
        try:
            have = int(labels[label])
        except (KeyError, ValueError):
            return False
        return have > int(values[0]) if operator == 'Gt' else have < int(values[0])
    raise RoundFailed(f'invalid affinity rule {rule}')


class Terms:
    """Where a job may go, resources aside. Remembers its verdicts."""

    def __init__(self, selector, tolerations, rules, kinds):
        self.selector, self.tolerations, self.rules = selector, tolerations, rules
        self.known = {}
        self.kinds = [kind for kind in kinds if self.suits_kind(kind)]

    def tolerate(self, taints):
        return all(any(tolerates(tol, spot) for tol in self.tolerations) for spot in taints)

    def suits_kind(self, kind):
        """The indexed taints and labels already rule out whole kinds of nodes."""
        labels = dict(kind[1])
        return self.tolerate(kind[0]) and all(labels.get(k) == v for k, v in self.selector if k in INDEXED_LABELS)

    def suits(self, node):
        if node not in self.known:
            self.known[node] = (self.tolerate(node.taints) and all(node.labels.get(k) == v for k, v in self.selector)
                                and all(holds(rule, node.labels) for rule in self.rules))
        return self.known[node]


# ---------------------------------------------------------------------------------------------------- nodes and space

def fits(need, free):
    return need[0] <= free[0] and need[1] <= free[1] and need[2] <= free[2]


class Node:
    """A node. free[p] is what a job could take there if it pushed aside everything that counts only below p."""

    def __init__(self, order, fields, rows):
        self.order, self.id = order, fields[1]
        self.total = tuple(map(int, fields[3:6]))
        self.labels = {**dict(pairs(fields[6])), NODE_ID_LABEL: self.id}
        self.taints = [taint(t) for t in fields[7].split(',') if t != '-']
        self.shut = fields[8:9] == ['unschedulable']
        self.overfull = False                                # its jobs exceed it already
        self.kind = (tuple(sorted((t for t in self.taints if t[0] in INDEXED_TAINTS), key=lambda t: t[0])),
                     tuple((label, self.labels[label]) for label in INDEXED_LABELS if label in self.labels))
        self.free = dict.fromkeys(rows, self.total)
        self.cutoff = {}                                     # bound job -> highest row it counts in
        self.gone = set()                                    # those of them that are evicted at the moment


class Cluster:
    """All nodes, per row an ordered index of them, the table of evicted jobs, and changes that can be undone."""

    def __init__(self, world):
        self.away = world.away_types()
        steps = {p for p, _ in CLASSES.values()} | {p for types in self.away.values() for p, _ in types}
        self.rows = [EVICTED, CROSS_POOL, *sorted(steps)]
        self.indexed = [(DIMENSIONS[k], math.ceil(quantity(v, UNITS.get(k, 1))))       # dimension, resolution
                        for k, v in world.pairs('indexedResources', DEFAULT_INDEX)]
        self.at = {}                                         # job -> priority of its last binding; never undone
        self.saved = None                                    # inside a change: node -> its state before
        self.table, self.number_of = [], {}                  # evicted jobs by number; None where struck out
        self.terms_of = {}
        self.stale = {row: set() for row in self.rows}       # nodes whose index key may have changed
        self.filed = {row: {} for row in self.rows}          # node -> its key in the index
        self.index = {row: defaultdict(list) for row in self.rows}                     # kind -> sorted keys
        self.nodes = []
        self.add_nodes(world)
        self.by_order = {node.order: node for node in self.nodes}
        self.kinds = list(dict.fromkeys(node.kind for node in self.nodes))

    def add_nodes(self, world):
        """All nodes with their running jobs. A shut node without jobs is left out, an overfull node is shut."""
        running = defaultdict(list)
        for job in world.jobs:
            if job.node is not None:
                running[job.node].append(job)
        for order, fields in enumerate(world.node_lines):
            node = Node(order, fields, self.rows)
            node.overfull = not fits(total_of((job.need for job in running[order]), NOTHING), node.total)
            if node.shut or node.overfull:
                node.taints.append(SHUT_TAINT)
            if node.shut and not running[order]:
                continue
            self.nodes.append(node)
            for job in running[order]:
                self.bind(job, node, job.run_priority)
            for row in self.rows:
                self.stale[row].add(node)

    def values(self, label):
        """All values of an indexed label in the pool, sorted; none for a label that is not indexed."""
        return sorted({n.labels[label] for n in self.nodes if label in INDEXED_LABELS and label in n.labels}, key=str.encode)

    def terms(self, offer):
        """The job's own terms plus what the round added to the offer. Equal terms are shared."""
        key = offer.job.terms, tuple(offer.tolerations), offer.pin
        if key not in self.terms_of:
            selector, tolerations, rules = offer.job.terms
            self.terms_of[key] = Terms(selector + offer.pin, tolerations + key[1], rules, self.kinds)
        return self.terms_of[key]

    # Changes. Inside begin() ... commit() or rollback() the state before is kept.

    def shift(self, node, cutoff, need, sign):
        """Give back (+1) or take (-1) space in every row up to the cutoff."""
        if self.saved is not None and node not in self.saved:
            self.saved[node] = dict(node.free), dict(node.cutoff), set(node.gone)
        for row in self.rows:
            if row > cutoff:
                break
            node.free[row] = add(node.free[row], need, sign)
            self.stale[row].add(node)

    def bind(self, job, node, priority):
        """Take space in the rows up to the priority, or in all rows if the job must not be preempted. A returning job
        gives up the evicted share that it still held."""
        cutoff = priority if job.preemptible else EVERY_ROW
        self.shift(node, cutoff, job.need, -1)
        if job in node.gone:
            self.shift(node, EVICTED, job.need, +1)
            node.gone.remove(job)
        node.cutoff[job] = cutoff
        self.at[job] = priority

    def evict(self, job, node):
        """The job keeps its space in the evicted row only."""
        self.shift(node, node.cutoff[job], job.need, +1)
        self.shift(node, EVICTED, job.need, -1)
        node.gone.add(job)

    def drop(self, job, node):
        """An evicted job leaves for good."""
        self.shift(node, EVICTED, job.need, +1)
        node.gone.remove(job)
        del node.cutoff[job]

    def begin(self):
        self.saved, self.struck = {}, []
        while self.table and self.table[-1] is None:         # keeps walks from the end short
            self.table.pop()

    def commit(self):
        self.saved = None

    def rollback(self):
        """Undo all since begin(), except `at`: the priorities of the failed attempt stay."""
        for node, before in self.saved.items():
            node.free, node.cutoff, node.gone = before
            for row in self.rows:
                self.stale[row].add(node)
        for number, offer in self.struck:
            self.table[number] = offer
        self.saved = None

    # The table of evicted jobs.

    def enter(self, offers):
        self.table, self.number_of = list(offers), {offer.job: i for i, offer in enumerate(offers)}

    def strike(self, job):
        """Take a job out of the table and return its offer; None if it is not there (any more)."""
        number = self.number_of.get(job, len(self.table))
        offer = self.table[number] if number < len(self.table) else None
        if offer:
            self.struck.append((number, offer))
            self.table[number] = None
        return offer

    # The search for a node.

    def key(self, node, row):
        """Index key: the indexed resources rounded towards zero to their resolution, then the order of creation."""
        free = node.free[row]
        return (*(free[d] // step * step if free[d] >= 0 else -(-free[d] // step * step) for d, step in self.indexed),
                node.order)

    def refresh(self, row):
        for node in self.stale[row]:
            old, new = self.filed[row].get(node), self.key(node, row)
            if old != new:
                keys = self.index[row][node.kind]
                if old is not None:
                    del keys[bisect.bisect_left(keys, old)]
                bisect.insort(keys, new)
                self.filed[row][node] = new
        self.stale[row].clear()

    def walk(self, row, kind, need):
        """Nodes of one kind that have enough of every indexed resource, in key order, but not all of them: the walk
        starts at the UNROUNDED request, and a node that is short of its i-th indexed resource sends it on to the
        node's rounded amounts before i followed by the unrounded request from i on. Keys are rounded down, so nodes
        with enough are passed over when their key lies before such a mark."""
        keys = self.index[row][kind]
        want = tuple(need[d] for d, _ in self.indexed)
        mark = *want, -1
        i = bisect.bisect_left(keys, mark)
        while i < len(keys):
            node = self.by_order[keys[i][-1]]
            short = next((n for n, (d, _) in enumerate(self.indexed) if node.free[row][d] < need[d]), None)
            if short is None:
                yield node
                i += 1
                continue
            onward = *keys[i][:short], *want[short:], -1
            if onward <= mark:
                i += 1
                continue
            mark, before, i = onward, i, bisect.bisect_left(keys, onward)
            if i <= before:                                  # a negative amount was rounded up to a request of zero
                raise RoundFailed('the node search does not advance')

    def first_fit(self, row, offer):
        """The first matching node with room. The walks of the kinds are merged: always the node at the front of a walk
        with the smallest exact free amounts (in indexed order), then the smallest id."""
        self.refresh(row)
        terms, need, fronts = self.terms(offer), offer.job.need, []

        def move(walk):
            node = next(walk, None)
            if node:
                heapq.heappush(fronts, (*(node.free[row][d] for d, _ in self.indexed), node.id.encode(), node, walk))
        for kind in terms.kinds:
            move(self.walk(row, kind, need))
        while fronts:
            *_, node, walk = heapq.heappop(fronts)
            move(walk)                                       # before the node is looked at: this can fail the round
            if fits(need, node.free[row]) and terms.suits(node):
                return node
        return None


# --------------------------------------------------------------------------------------------------- gangs and queues

class Offer:
    """A job on offer in a pass: a queued one (home is None), or an evicted one that may only go back home."""

    def __init__(self, job, home=None, members=None):
        self.job, self.home = job, home
        self.members = members or job.members                # how many of its gang must show up
        self.tolerations, self.pin = [], ()                  # added by the round
        self.priority, self.reach = None, EVICTED            # priority to bind at; highest row that it pushed into


class Gang:
    """Offers that are placed together; any other job is a gang of one. The first member speaks for all."""

    def __init__(self, offers):
        jobs = [offer.job for offer in offers]
        self.offers, self.queue, self.cls, self.label = offers, jobs[0].queue, jobs[0].cls, jobs[0].label
        self.total = total_of((job.request for job in jobs), (0,) * len(jobs[0].request))
        self.returning = all(offer.home for offer in offers)                 # nothing new in it
        self.priority = min(job.priority for job in jobs)
        self.run_priority = min(job.priority if job.run_priority is None else job.run_priority for job in jobs)


class Stream:
    """One queue's gangs: first the evicted jobs, then the queued ones. A gang comes when its last member has come;
    incomplete gangs wait aside and never block the queue."""

    def __init__(self, name, returning, queued, lookback, unfit):
        self.name, self.lookback, self.unfit = name, lookback, unfit
        self.returning, self.queued = iter(returning), iter(queued)
        self.waiting = defaultdict(list)                     # gang id -> members so far
        self.seen = 0                                        # new jobs looked at, skipped ones too
        self.closed = False                                  # new jobs are held back
        self.head = self.parked = None

    def peek(self):
        while self.head is None:
            if self.lookback and self.seen >= self.lookback:
                self.close()
            offer = next(self.returning, None) or self.next_new()
            if offer is None:
                return None
            if offer.home is None and offer.job.key in self.unfit:
                continue                                     # also a member of a gang, which then never gets complete
            crowd = self.waiting[offer.job.gang]
            crowd.append(offer)
            if len(crowd) == offer.members:                  # the last comer's number decides
                self.head = Gang(self.waiting.pop(offer.job.gang))
        return self.head

    def next_new(self):
        job = None if self.closed else next(self.queued, None)
        self.seen += job is not None
        return Offer(job) if job else None

    def close(self):
        """Hold new jobs back; a head with new jobs is parked."""
        if not self.closed:
            self.closed = True
            if self.head and not self.head.returning:
                self.parked, self.head = self.head, None

    def reopen(self):
        self.closed = False
        self.head, self.parked = self.parked, None


class Contest:
    """Whose turn it is among the queues. Heads are fetched and ranked when they come to the front of their queue."""

    def __init__(self, rnd, returning, queued, used, lookback=0, unfit=(), by_run_priority=False):
        self.rnd, self.used, self.by_run_priority = rnd, used, by_run_priority
        mine, new = defaultdict(list), defaultdict(list)
        for offer in sorted(returning, key=lambda offer: offer.job.order()):
            mine[offer.job.queue].append(offer)
        for job in sorted(queued, key=Job.order):
            new[job.queue].append(job)
        self.streams = {q: Stream(q, mine[q], new[q], lookback, unfit) for q in rnd.weight}
        self.closed_queues = set()
        self.refill()

    def rank(self, name, gang):
        """Class priority (pass 2: the priority it ran at), then weighted cost with the gang included, then name. With
        large-job ordering: queues that stay within budget first, by present cost and larger gang."""
        rnd, weight = self.rnd, self.rnd.weight[name]
        priority = -(gang.run_priority if self.by_run_priority else gang.priority)
        cost = rnd.cost(add(self.used[name], gang.total)) / weight
        if not rnd.prefer_large:
            return priority, cost, name.encode()
        if cost > rnd.capped[name] / weight:
            return priority, 1, cost, 0, name.encode()
        return priority, 0, rnd.cost(self.used[name]) / weight, -(rnd.cost(gang.total) * weight), name.encode()

    def refill(self):
        self.heap = []
        for name in self.streams:
            self.push(name)

    def push(self, name):
        gang = self.streams[name].peek()
        if gang:
            heapq.heappush(self.heap, (self.rank(name, gang), name))

    def head(self):
        return self.streams[self.heap[0][1]].head if self.heap else None

    def advance(self):
        name = heapq.heappop(self.heap)[1]
        self.streams[name].head = None
        self.push(name)

    def close(self):
        """From now on evicted jobs only."""
        for stream in self.streams.values():
            stream.close()
        self.refill()

    def close_queue(self, name):
        self.closed_queues.add(name)
        self.streams[name].close()
        self.refill()

    def reopen(self):
        """New jobs again, except for queues that were closed by themselves."""
        for name in self.streams.keys() - self.closed_queues:
            self.streams[name].reopen()
        self.refill()


# ------------------------------------------------------------------------------------------------------------- shares

def add(a, b, sign=1):
    return tuple(x + sign * y for x, y in zip(a, b))


def total_of(amounts, zero):
    for amount in amounts:
        zero = add(zero, amount)
    return zero


def exceeds(a, b):
    return any(x > y for x, y in zip(a, b))


def total_weight(weights):
    """A sum in the given order, one rounding per step."""
    total = 0.0
    for weight in weights:
        total += weight
    return total


def fill_water(weight, want):
    """Fair, demand-capped and uncapped share per queue. The queues take turns in name order, because sums of floating
    point numbers depend on it; the sum of all weights runs in the order of the Q lines."""
    whole, names = total_weight(weight.values()), sorted(weight, key=str.encode)
    fair = {q: weight[q] / whole for q in names}
    capped, uncapped, spare = dict.fromkeys(names, 0.0), dict.fromkeys(names, 0.0), dict.fromkeys(names, 0.0)
    sated, left, turns = set(), 1.0, 0
    while turns < 10 and left > 0.01:
        turns += 1
        hungry = total_weight(weight[q] for q in names if q not in sated)
        for q in names:
            uncapped[q] += weight[q] / (hungry + weight[q] if q in sated else hungry) * (left - spare[q])
        if hungry <= 0:
            break
        for q in names:
            if q not in sated:
                capped[q] += weight[q] / hungry * left
        left = 0.0
        for q in names:
            spare[q] = max(0.0, capped[q] - want[q])
            if spare[q] > 0:
                capped[q] = want[q]
                sated.add(q)
                left += spare[q]
    return fair, capped, uncapped


# ---------------------------------------------------------------------------------------------------------- the round

class Round:
    def __init__(self, world, protected=None, lookback=None):
        self.world, self.cluster = world, Cluster(world)
        self.protected = world.number('protectedFractionOfFairShare', protected or 0)
        self.lookback = world.number('maxQueueLookback', lookback or 0)
        self.prefer_large = world.flag('enablePreferLargeJobOrdering')
        self.banned = [DIMENSIONS[r] for r in world.conf.get('unscheduledResources', '').split(',') if r in DIMENSIONS]
        self.default_tolerations = [toleration(t) for t in world.conf.get('defaultTolerations', '').split(',') if t]
        self.tokens = self.burst = world.number('maximumSchedulingBurst', math.inf)
        self.queue_burst = world.number('maximumPerQueueSchedulingBurst', math.inf)
        self.preemption_tokens = world.number('fairsharePreemptionBurst', math.inf)
        self.preempted = set()                               # by fair-share preemption
        self.ended = False                                   # new jobs were stopped for good, or a pass is over
        self.total = *total_of((n.total for n in self.cluster.nodes), NOTHING), *world.floating.values()
        self.zero = (0,) * len(self.total)
        self.round_cap = self.fraction(world.pairs('maximumResourceFractionToSchedule'))
        self.gangs = defaultdict(list)                       # (queue, gang id) -> its live jobs, queued and running
        for job in world.jobs:
            if job.gang:
                self.gangs[job.queue, job.gang].append(job)
        self.open_books()

    def fraction(self, shares):
        """Shares of the pool as amounts, rounded down; a resource that is not named is unlimited."""
        shares = {k: float(v) for k, v in dict(shares).items()}
        return tuple(total if shares.get(name) == 1 else int(float(total) * shares[name]) if name in shares else math.inf
                     for name, total in zip([*DIMENSIONS, *self.world.floating], self.total))

    def cost(self, used):
        """The largest share of any resource that the pool has."""
        return max(float(u) / float(t) if t else 0.0 for u, t in zip(used, self.total))

    def open_books(self):
        """Per queue that has jobs: weight, limits, what it uses, what it wants, and from that its shares."""
        world, want = self.world, defaultdict(lambda: defaultdict(lambda: self.zero))  # queue -> class -> amount
        self.used_by_class = defaultdict(lambda: self.zero)
        for job in world.jobs:
            wants = want[job.queue]
            if job.node is not None or job.queue not in world.cordoned:
                wants[job.cls] = add(wants[job.cls], job.request)
            if job.node is not None:
                self.used_by_class[job.queue, job.cls] = add(self.used_by_class[job.queue, job.cls], job.request)
        self.weight = {q: 1 / factor if factor > 0 else 1.0 for q, factor in world.queues.items() if q in want}
        self.limit = {(q, cls): self.fraction(world.limits.get((q, cls), ())) for q in self.weight for cls in CLASSES}
        self.used = {q: total_of((a for (of, _), a in self.used_by_class.items() if of == q), self.zero) for q in self.weight}
        self.used_all = total_of(self.used.values(), self.zero)
        self.started = self.zero                             # by new jobs
        self.queue_tokens = dict.fromkeys(self.weight, self.queue_burst)
        hunger = {}
        for q in self.weight:
            wanted = [tuple(map(min, amount, self.limit.get((q, cls), amount))) for cls, amount in want[q].items()]
            hunger[q] = self.cost(total_of(wanted, self.zero)) if any(self.total) else 1.0
        self.fair, self.capped, self.uncapped = fill_water(self.weight, hunger)

    def charge(self, offers, sign):
        for offer in offers:
            queue, cls, request = offer.job.queue, offer.job.cls, offer.job.request
            self.used[queue] = add(self.used[queue], request, sign)
            self.used_by_class[queue, cls] = add(self.used_by_class[queue, cls], request, sign)
            self.used_all = add(self.used_all, request, sign)
            if offer.home is None:
                self.started = add(self.started, request, sign)

    # Evicting.

    def over_share(self):
        """All preemptible running jobs of the queues that use more than the protected fraction of their share."""
        shares = self.uncapped if self.world.flag('protectUncappedAdjustedFairShare') else \
            {q: max(self.capped[q], self.fair[q]) for q in self.weight}
        rich = {q for q in self.weight if self.cost(self.used[q]) / shares[q] > self.protected}
        return {job: n for n in self.cluster.nodes for job in n.cutoff if job.preemptible and job.queue in rich}

    def oversubscribed(self):
        """On every node with negative rows the preemptible jobs that are bound at exactly the priority of one."""
        found = {}
        for node in self.cluster.nodes:
            tight = {row for row in self.cluster.rows if row != EVICTED and min(node.free[row]) < 0}
            found.update((job, node) for job in node.cutoff if tight and job.preemptible and job not in node.gone
                         and job.queue in self.weight and self.cluster.at[job] in tight)
        return found

    def evict(self, found):
        """Evict the jobs, and the other bound members of their gangs whatever their class. Returns the new offers."""
        bound = {job: node for node in self.cluster.nodes for job in node.cutoff if job not in node.gone}
        found = dict(found)
        for job in list(found):
            found.update((mate, bound[mate]) for mate in self.mates(job) if mate in bound)
        queue_of, offers = {}, []
        for job, node in found.items():
            if job.gang and queue_of.setdefault(job.gang, job.queue) != job.queue:
                raise RoundFailed(f'gang id {job.gang} is evicted in two queues')
            self.cluster.evict(job, node)
            offers.append(Offer(job, node, len(self.mates(job)) or 1))       # all live members must come back
        self.charge(offers, -1)
        return offers

    def mates(self, job):
        return self.gangs[job.queue, job.gang] if job.gang else ()

    def comeback_order(self, offers):
        """The evicted jobs in the order in which they would come back if there were room for all. Members of a gang
        that is incomplete among them are left out."""
        used, order = dict(self.used), []
        contest = Contest(self, offers, [], used)
        while gang := contest.head():
            order += gang.offers
            used[gang.queue] = add(used[gang.queue], gang.total)
            contest.advance()
        return order

    # A pass.

    def compete(self, returning, queued, second=False):
        """Try the queues' gangs in turn until none is left; returns the offers that were placed."""
        unfit = set()                                        # scheduling keys of single jobs that fitted nowhere
        contest = Contest(self, returning, queued, self.used, self.lookback, unfit, second)
        placed, rationed, resumed = [], False, False
        while True:
            if not rationed and self.preemption_tokens < 1:
                rationed = True                              # first let all evicted jobs come back that can
                contest.close()
            gang = contest.head()
            if gang is None and rationed and not resumed and not self.ended:
                resumed = True
                contest.reopen()
                continue
            if gang is None:
                self.ended = True
                return placed
            if any(offer.job in self.preempted for offer in gang.offers):
                contest.advance()
                continue
            reason = self.attempt(gang, unfit)
            contest.advance()
            if not reason:
                placed += gang.offers
            elif reason in ENDS_ROUND:
                self.ended = True
                contest.close()
            elif reason in ENDS_QUEUE:
                contest.close_queue(gang.queue)

    def attempt(self, gang, unfit):
        """Place the gang, or say why not. All checks but the first count the gang as if it ran already."""
        if not gang.returning and exceeds(self.started, self.round_cap):
            return ROUND_CAP
        self.charge(gang.offers, +1)
        reason = None if gang.returning else self.barred(gang)
        reason = reason or self.floating_short(gang) or self.place(gang)
        if reason:
            self.charge(gang.offers, -1)
            if reason == NO_FIT and len(gang.offers) == 1 and not gang.returning:
                unfit.add(gang.offers[0].job.key)
        elif not gang.returning:
            self.tokens -= len(gang.offers)
            self.queue_tokens[gang.queue] -= len(gang.offers)
        return reason

    def barred(self, gang):
        """The constraints on gangs with new jobs, in their order."""
        if gang.queue in self.world.cordoned:
            return CORDONED
        for tokens, burst, none_left in ((self.tokens, self.burst, NO_TOKENS),
                                         (self.queue_tokens[gang.queue], self.queue_burst, NO_QUEUE_TOKENS)):
            if tokens < 1:
                return none_left
            if burst < len(gang.offers):
                return TOO_BIG
            if tokens < len(gang.offers):
                return TOO_MANY
        mine = gang.queue, gang.cls
        return CLASS_LIMIT if mine in self.limit and exceeds(self.used_by_class[mine], self.limit[mine]) else None

    def floating_short(self, gang):
        """Pool-wide amounts, asked of every gang that wants any: they can keep evicted jobs out, too."""
        return FLOATING if any(gang.total[3:]) and exceeds(self.used_all[3:], self.total[3:]) else None

    # Placing a gang.

    def place(self, gang):
        """Anywhere, or under one value of the uniformity label: the first one that needs no preemption at all, else
        the first one with the lowest mean reach of its members."""
        if gang.label is None:
            return self.place_anywhere(gang)
        values, best = self.cluster.values(gang.label), None
        for value in filter(None, values):
            victims = self.trial(gang, value)
            if victims is not None:
                mean = sum(offer.reach for offer in gang.offers) / len(gang.offers)
                better = best is None or mean < best[0]
                if mean == EVICTED or better and value == values[-1]:
                    return self.settle(victims)
                best = (mean, value) if better else best
            self.cluster.rollback()
        return self.place_anywhere(gang, best[1]) if best else NO_VALUE

    def place_anywhere(self, gang, value=None):
        victims = self.trial(gang, value)
        if victims is not None:
            return self.settle(victims)
        self.cluster.rollback()
        return NO_FIT

    def settle(self, victims):
        self.cluster.commit()
        self.preempted.update(victims)
        self.preemption_tokens -= len(victims)

    def trial(self, gang, value):
        """Place the members one by one; None as soon as one fails. Returns the evicted jobs that lose their place for
        it: those that a member pushed out, and at once the rest of their gangs."""
        self.cluster.begin()
        victims = []
        for offer in gang.offers:
            offer.pin = ((gang.label, value),) if value else ()
            node, pushed = self.choose(offer)
            if node is None:
                return None
            self.cluster.bind(offer.job, node, offer.priority)
            self.cluster.strike(offer.job)
            for job in pushed:
                victims += [job, *self.drop_mates(job)]
        return victims

    def drop_mates(self, job):
        """Gangs are preempted whole: drop the members that are still in the table."""
        entries = [entry for entry in map(self.cluster.strike, self.mates(job)) if entry]
        for entry in entries:
            self.cluster.drop(entry.job, entry.home)
        return [entry.job for entry in entries]

    # Choosing a node. Every step returns the node, or None, and the evicted jobs that were pushed out for it.

    def choose(self, offer):
        """Tolerations that the round added stay with the offer if it found a node, even in a trial that is undone;
        so does the priority."""
        job, own, node, pushed = offer.job, len(offer.tolerations), None, []
        offer.priority = self.cluster.at.get(job, job.priority)
        if offer.home:
            return self.choose_home(offer)
        offer.tolerations += self.default_tolerations
        if not any(job.need[d] for d in self.banned):
            node, pushed = self.choose_at(offer)
            no_away = self.world.flag('disableAwayScheduling') or job.gang and self.world.flag('disableGangAwayScheduling')
            if not node and not no_away:
                node, pushed = self.choose_away(offer)
        if not node:
            del offer.tolerations[own:]
        return node, pushed

    def choose_home(self, offer):
        """An evicted job returns if its row has room. To an overfull node it always returns."""
        offer.reach, room = offer.priority, offer.home.free.get(offer.priority, NOTHING)
        return offer.home if offer.home.overfull or fits(offer.job.need, room) else None, []

    def choose_away(self, offer):
        """The same search with the tolerations and the reduced priority of each away type in turn."""
        own = len(offer.tolerations)
        for priority, tolerations in self.cluster.away.get(offer.job.behaves, ()):
            offer.priority = priority
            offer.tolerations += tolerations
            node, pushed = self.choose_at(offer)
            if node:
                return node, pushed
            del offer.tolerations[own:]
        return None, []

    def choose_at(self, offer):
        """Without preemption if possible. Else, if its own row has room at all: fair-share preemption, then the lowest
        row that has room."""
        offer.reach = EVICTED
        node, pushed = self.cluster.first_fit(EVICTED, offer), []
        if node or not self.cluster.first_fit(offer.priority, offer):
            return node, pushed
        if not self.world.flag('disableFairshareScheduling'):
            node, pushed = self.preempt_fairly(offer)
        if not node and not self.world.flag('disableUrgencyScheduling'):
            node = self.push_in(offer)
        return node, pushed

    def push_in(self, offer):
        """A node in the lowest row that has one; the job's own row has. Who must leave it is settled after the pass."""
        for row in self.cluster.rows[1:]:
            node, offer.reach = self.cluster.first_fit(row, offer), row
            if node or row == offer.priority:
                return node

    def preempt_fairly(self, offer):
        """Walk the evicted jobs from the last number down, adding up node by node what they would free. The first node
        where the job fits is taken, and all the jobs counted there are pushed out."""
        cluster, terms, room, crowd = self.cluster, self.cluster.terms(offer), {}, defaultdict(list)
        for entry in reversed(cluster.table):
            if entry is None or cluster.at[entry.job] > offer.priority:
                continue
            node = entry.home
            room[node] = add(room.get(node, node.free[EVICTED]), entry.job.need)
            crowd[node].append(entry.job)
            if fits(offer.job.need, room[node]) and terms.suits(node):
                offer.reach = max(cluster.at[job] for job in crowd[node])
                for job in crowd[node]:
                    cluster.drop(job, node)
                    cluster.strike(job)
                return node, crowd[node]
        return None, []

    # The whole round.

    def decide(self):
        """The decisions: 'S job node priority' for jobs that start, 'P job node' for jobs that are preempted."""
        cluster, lost, won = self.cluster, set(), {}
        evicted = self.evict(self.over_share())
        lost.update(offer.job for offer in evicted)
        cluster.enter(self.comeback_order(evicted))
        self.tally(self.compete(evicted, [job for job in self.world.jobs if job.node is None]), lost, won)
        again = self.evict(self.oversubscribed())
        for offer in again:
            if won.pop(offer.job, None) is None:
                lost.add(offer.job)
        if again:
            cluster.enter([])                                # nobody new is placed any more, so nobody walks it
            self.tally(self.compete(again, [], second=True), lost, won)
        lines = [f'S {job.id} {node.id} {cluster.at[job]}' for job, node in won.items()]
        lines += [f'P {job.id} {self.world.node_lines[job.node][1]}' for job in lost]
        return sorted(lines, key=str.encode)

    def tally(self, placed, lost, won):
        """A placed job that was evicted is no longer lost; any other one is won."""
        where = {job: node for node in self.cluster.nodes for job in node.cutoff}
        for offer in placed:
            if offer.job in lost:
                lost.remove(offer.job)
            else:
                won[offer.job] = where[offer.job]


def decide(path_or_text, protected=None, lookback=None):
    """Decision lines for a snapshot, given as a path or as text. C lines in it win over the two arguments."""
    if '\n' not in path_or_text:
        with open(path_or_text) as file:
            path_or_text = file.read()
    return Round(World(path_or_text), protected, lookback).decide()


def main(args):
    options = {'--protected': None, '--lookback': None, '--decisions': None}
    while args and args[0] in options and args[1:]:
        options[args[0]], args = args[1], args[2:]
    if not args or args[0].startswith('--'):
        sys.exit(__doc__)
    for path in args:
        try:
            lines = decide(path, options['--protected'], options['--lookback'])
        except RoundFailed as failure:
            print(path, 'failed:', failure, flush=True)
            continue
        data = ''.join(line + '\n' for line in lines).encode()
        started = sum(line.startswith('S') for line in lines)
        print(path, hashlib.sha256(data).hexdigest(), started, len(lines) - started, flush=True)
        if out := options['--decisions']:
            name = os.path.basename(path).removesuffix('.snap') + '.dec'
            with open(os.path.join(out, name) if os.path.isdir(out) else out, 'wb') as file:
                file.write(data)


if __name__ == '__main__':
    main(sys.argv[1:])
