#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Goal: preset `current` decides as recorded. Method: inputs are generated from their seeds, their
checksums compared with the lists, decided by argosy-sim, and the digests compared; fresh random
worlds are decided by round.py as well.

usage: compare.py --sim ARGOSY_SIM [--lists] [--large] [--fresh COUNT] [--seed N] [--scale N]
"""
import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import odd                                                                     # noqa: E402
import round as model                                                          # noqa: E402
import snap1                                                                   # noqa: E402
import varied                                                                  # noqa: E402
import worlds                                                                  # noqa: E402

BATCH = 200
FAILURES = []


def rows(name):
    with open(os.path.join(HERE, name)) as file:
        return [line.rstrip('\n').split('\t') for line in file][1:]


def decide(sim, files, *options):
    """One JSON object per file, in order."""
    answers = []
    for i in range(0, len(files), BATCH):
        done = subprocess.run([sim, 'round', *options, *files[i:i + BATCH]],
                              capture_output=True, text=True)
        if done.returncode:
            sys.exit(f'argosy-sim failed with {done.returncode}: {done.stderr[:2000]}')
        answers += [json.loads(line) for line in done.stdout.splitlines()]
    return answers


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, 'w') as file:
        file.write(text)
    return path


def check(what, condition, detail):
    if not condition:
        FAILURES.append(f'{what}: {detail}')
        print('DIFFERENT', FAILURES[-1], flush=True)


def compare_list(sim, folder, name, make):
    """make(row) -> text of the world; the last columns are input digest, started, preempted,
    decisions digest."""
    table = rows(name)
    files = []
    for row in table:
        text = make(row)
        check(f'{name} {row[:2]}', hashlib.sha256(text.encode()).hexdigest() == row[2],
              'the generator changed')
        files.append(write(folder, f'{name}-{row[0]}-{row[1]}.snap', text))
    for row, answer in zip(table, decide(sim, files)):
        same = answer['decisions_sha256'] == row[5] and 'violation' not in answer
        check(f'{name} {row[:2]}', same, json.dumps(answer))
    print(f'{name}: {len(table)} worlds compared', flush=True)


def compare_workloads(sim, folder, sizes):
    count = 0
    for workload, size, digest, fraction, _, _, decisions in rows('workloads.tsv'):
        if size not in sizes:
            continue
        path = os.path.join(folder, f'{workload}-{size}.snap')
        with open(path, 'w') as file:
            out = snap1.Out(file)
            snap1.G[workload](out, snap1.SZ[size])
        check(f'{workload} {size}', out.h.hexdigest() == digest, 'the generator changed')
        answer = decide(sim, [path], '--protected-fraction', fraction)[0]
        check(f'{workload} {size}',
              answer['decisions_sha256'] == decisions and 'violation' not in answer,
              json.dumps(answer))
        os.remove(path)
        count += 1
    print(f'workloads.tsv: {count} compared', flush=True)


def recorded_surprises():
    name, recorded = None, {}
    with open(os.path.join(HERE, 'surprises', 'decisions.txt')) as file:
        for line in file.read().splitlines():
            if line.startswith('# '):
                name = line[2:]
                recorded[name] = []
            else:
                recorded[name].append(line)
    return recorded


def compare_surprises(sim, folder):
    recorded = recorded_surprises()
    for name, lines in recorded.items():
        out = os.path.join(folder, 'surprise.dec')
        answer = decide(sim, [os.path.join(HERE, 'surprises', name)], '--decisions', out)[0]
        with open(out) as file:
            mine = file.read().splitlines()
        if 'error' in answer:
            mine = ['the round fails']
        check(name, mine == lines, f'{mine} instead of {lines}')
    print(f'surprises: {len(recorded)} compared', flush=True)


def fresh(number, i, scale):
    """In turns from each generator, with seeds that the lists do not have."""
    if i % 3 == 0:
        return worlds.World(i // 3 % 10, number, scale)
    return odd.Odd(number, scale) if i % 3 == 1 else varied.Varied(number)


def compare_fresh(sim, folder, count, seed, scale):
    """The generators' seeds follow from `seed`; `scale` multiplies what a world holds."""
    numbers = [10_000 + seed * 1_000 + i for i in range(count)]
    texts = [fresh(number, i, scale).build() for i, number in enumerate(numbers)]
    files = [write(folder, f'fresh-{number}.snap', text) for number, text in zip(numbers, texts)]
    for number, text, answer in zip(numbers, texts, decide(sim, files)):
        try:
            lines = model.decide(text)
        except model.RoundFailed:
            check(f'fresh {number}', 'error' in answer, 'should have failed')
            continue
        data = ''.join(line + '\n' for line in lines).encode()
        same = (answer['decisions_sha256'] == hashlib.sha256(data).hexdigest()
                and 'error' not in answer)
        check(f'fresh {number}', same and 'violation' not in answer, json.dumps(answer))
    print(f'fresh worlds: {count} compared, seed {seed}, scale {scale}', flush=True)


def commit_seed():
    """Other worlds with each commit; always the same where there is no git."""
    if shutil.which('git') is None:
        return 1
    done = subprocess.run(['git', '-C', HERE, 'rev-parse', 'HEAD'], capture_output=True, text=True)
    return int(done.stdout[:6], 16) if done.returncode == 0 and done.stdout else 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--sim', required=True)
    parser.add_argument('--lists', action='store_true')
    parser.add_argument('--large', action='store_true')
    parser.add_argument('--fresh', type=int, default=0)
    parser.add_argument('--seed', type=int)
    parser.add_argument('--scale', type=int, default=1,
                        help='how many times the usual nodes and jobs a fresh world has')
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if args.lists:
            compare_surprises(args.sim, folder)
            compare_list(args.sim, folder, 'worlds.tsv',
                         lambda row: worlds.World(int(row[0]), int(row[1])).build())
            compare_list(args.sim, folder, 'odd.tsv', lambda row: odd.Odd(int(row[0])).build())
            compare_workloads(args.sim, folder, {'T', 'S'})
        if args.large:
            compare_workloads(args.sim, folder, {'M'})
        if args.fresh:
            compare_fresh(args.sim, folder, args.fresh,
                          commit_seed() if args.seed is None else args.seed, args.scale)
    if FAILURES:
        sys.exit(f'{len(FAILURES)} differences')


if __name__ == '__main__':
    main()
