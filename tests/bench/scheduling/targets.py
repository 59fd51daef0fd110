#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Goal: measured rounds beside their targets. Method: argosy-sim decides each recorded workload
under `current` and `argosy` in turns; the best of all repeats counts; the digest of `current` is
compared with the recorded one. Prints a table in Markdown; time decides nothing, a wrong digest
fails.

usage: targets.py ARGOSY_SIM [SIZES] [REPEATS] [WORKLOAD...]
SIZES: letters of T (10 nodes), S (1,000), M (10,000), X (100,000: W1, W2 and W6); default S
"""
import json
import math
import os
import subprocess
import sys
import tempfile

ORACLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'oracle')
sys.dont_write_bytecode = True
sys.path.insert(0, ORACLE)
import snap1                                                                   # noqa: E402

# Seconds of one round of Armada on this kind of machine, and how many times faster a round must be.
ARMADA = {'S': {'W1': .31, 'W2': 1.81, 'W3a': 2.5, 'W3b': 5.2, 'W4': .110, 'W5a': .120,
                'W5b': .114, 'W6': .70, 'W7a': .18, 'W7b': .67},
          'M': {'W1': 5.5, 'W2': 37, 'W3a': 40.5, 'W3b': 573, 'W4': 1.63, 'W5a': 8.2,
                'W5b': 19.2, 'W6': 8.8, 'W7a': 3.2, 'W7b': 14.8}}
FACTOR = {'S': dict.fromkeys(ARMADA['S'], 25),
          'M': {**dict.fromkeys(ARMADA['M'], 50), 'W2': 100, 'W3a': 100, 'W5b': 100, 'W3b': 1000}}
LARGE = {'W1': 1.0, 'W2': 5.0, 'W6': 1.0}


def recorded():
    """(workload, size) -> digest of the input, protected fraction, digest of the decisions."""
    with open(os.path.join(ORACLE, 'workloads.tsv')) as file:
        rows = [line.rstrip('\n').split('\t') for line in file][1:]
    table = {(row[0], row[1]): (row[3], row[6]) for row in rows}
    return table | {(workload, 'XL'): ('0', None) for workload in LARGE}


def decide(sim, preset, fraction, repeats, path):
    done = subprocess.run([sim, 'round', '--preset', preset, '--protected-fraction', fraction,
                           '--repeat', repeats, path], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f'argosy-sim failed with {done.returncode}: {done.stderr[:2000]}')
    answer = json.loads(done.stdout)
    if 'error' in answer or 'violation' in answer:
        sys.exit(f'{path}: {done.stdout}')
    return answer


def target_of(workload, size):
    if size == 'XL':
        return LARGE[workload]
    return ARMADA[size][workload] / FACTOR[size][workload] if size in ARMADA else None


def measure(sim, workload, size, repeats, folder, expected):
    """Prints one row; the times faster than Armada, or None, and whether the digest is right."""
    fraction, digest = expected
    path = os.path.join(folder, 'world.snap')
    with open(path, 'w') as file:
        snap1.G[workload](snap1.Out(file), snap1.SZ[size])
    best, argosy = math.inf, math.inf
    for _ in range(2):  # In turns, so that a busy moment does not decide.
        current = decide(sim, 'current', fraction, repeats, path)
        best = min(best, *current['round_seconds'])
        argosy = min(argosy, *decide(sim, 'argosy', fraction, repeats, path)['round_seconds'])
    target, ratio = target_of(workload, size), None
    if size in ARMADA:
        ratio = ARMADA[size][workload] / best
    right = digest is None or current['decisions_sha256'] == digest
    cells = [f'{workload} {size}', f'{target:.4f}' if target else '', f'{best:.4f}',
             f'{ratio:.0f}' if ratio else '', 'yes' if not target or best <= target else 'NO',
             f'{argosy:.4f}', f'{argosy / best:.2f}', str(current['peak_rss_bytes'] >> 20),
             'none' if digest is None else 'same' if right else 'OTHER']
    print('| ' + ' | '.join(cells) + ' |', flush=True)
    return ratio, right


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sim, sizes = sys.argv[1], (sys.argv[2:3] + ['S'])[0]
    repeats, wanted = (sys.argv[3:4] + ['5'])[0], sys.argv[4:]
    table, wrong = recorded(), 0
    print('| workload | target s | `current` s | times faster than Armada | met | `argosy` s '
          '| ratio to `current` | peak MiB | digest |')
    print('|---|---|---|---|---|---|---|---|---|')
    with tempfile.TemporaryDirectory() as folder:
        for letter in sizes:
            size, ratios = 'XL' if letter == 'X' else letter, []
            for (workload, of), expected in table.items():
                if of != size or (wanted and workload not in wanted):
                    continue
                ratio, right = measure(sim, workload, size, repeats, folder, expected)
                wrong += not right
                ratios += [ratio] if ratio else []
            if ratios:
                mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
                print(f'| geometric mean {size} | | | {mean:.0f} | | | | | |', flush=True)
    sys.exit(wrong and 'decisions differ')


if __name__ == '__main__':
    main()
