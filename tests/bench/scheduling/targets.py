#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Goal: measured rounds beside their targets. Method: argosy-sim decides each recorded workload;
the best of the repeats counts, and the digest is compared with the recorded one.

usage: targets.py ARGOSY_SIM [SIZES] [REPEATS]         SIZES as letters of S and M, default S
"""
import json
import math
import os
import subprocess
import sys
import tempfile

ORACLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'oracle')
sys.path.insert(0, ORACLE)
import snap1                                                                   # noqa: E402

# Seconds of one round of Armada on this kind of machine, and how many times faster a round must be.
ARMADA = {'S': {'W1': .31, 'W2': 1.81, 'W3a': 2.5, 'W3b': 5.2, 'W4': .110, 'W5a': .120,
                'W5b': .114, 'W6': .70, 'W7a': .18, 'W7b': .67},
          'M': {'W1': 5.5, 'W2': 37, 'W3a': 40.5, 'W3b': 573, 'W4': 1.63, 'W5a': 8.2,
                'W5b': 19.2, 'W6': 8.8, 'W7a': 3.2, 'W7b': 14.8}}
FACTOR = {'S': dict.fromkeys(ARMADA['S'], 25),
          'M': {**dict.fromkeys(ARMADA['M'], 50), 'W2': 100, 'W3a': 100, 'W5b': 100, 'W3b': 1000}}


def main():
    sim, sizes, repeats = sys.argv[1], (sys.argv[2:] + ['S'])[0], (sys.argv[3:] + ['5'])[0]
    with open(os.path.join(ORACLE, 'workloads.tsv')) as file:
        rows = [line.rstrip('\n').split('\t') for line in file][1:]
    print(f'{"workload":9}{"target s":>10}{"round s":>10}{"times faster":>14}{"peak MiB":>10}'
          '  digest  target')
    with tempfile.TemporaryDirectory() as folder:
        for size in sizes:
            ratios = []
            for workload, of, _, fraction, _, _, digest in rows:
                if of != size:
                    continue
                path = os.path.join(folder, 'world.snap')
                with open(path, 'w') as file:
                    snap1.G[workload](snap1.Out(file), snap1.SZ[size])
                command = [sim, 'round', '--protected-fraction', fraction, '--repeat', repeats]
                done = subprocess.run([*command, path], capture_output=True, text=True, check=True)
                answer = json.loads(done.stdout)
                best, peak = min(answer['round_seconds']), answer['peak_rss_bytes'] >> 20
                ratio = ARMADA[size][workload] / best
                ratios.append(ratio)
                target = ARMADA[size][workload] / FACTOR[size][workload]
                same = 'same  ' if answer['decisions_sha256'] == digest else 'OTHER '
                verdict = 'met' if best <= target else 'MISSED'
                print(f'{workload + " " + size:9}{target:10.4f}{best:10.4f}{ratio:14.0f}{peak:10}'
                      f'  {same}  {verdict}', flush=True)
            mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
            print(f'geometric mean at {size}: {mean:.0f}')


if __name__ == '__main__':
    main()
