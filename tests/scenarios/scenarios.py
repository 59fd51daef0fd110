# SPDX-License-Identifier: Apache-2.0
"""Goal: whatever happens to machines, links, disks and clocks, a whole system keeps its promises.
Method: argosy-sim plays it in virtual time, under faults that follow from a seed.

usage: scenarios.py --sim PROGRAM same | known | fresh | long | planted | unplanted
                    [--seed N] [--minutes M]
  same    one seed, played by two processes, is the same run message by message
  known   the worlds of known.txt, in which something was found once
  fresh   worlds of all profiles, others with each commit
  long    the same on all processors for --minutes (15)
  planted    each fault that a build with planted faults has is found within --minutes (1)
  unplanted  the program has no planted fault in it"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def commit_seed():
    """Other worlds with each commit; always the same where there is no git."""
    if shutil.which('git') is None:
        return 1
    done = subprocess.run(['git', '-C', HERE, 'rev-parse', 'HEAD'], capture_output=True, text=True)
    return int(done.stdout[:6], 16) * 1000 if done.returncode == 0 else 1


def play(sim, *options):
    """Starts the program, whose output is read later."""
    return subprocess.Popen([sim, 'chaos', *map(str, options)], stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True)


def finish(process):
    """What a run printed. Ends the test if something was found."""
    out, _ = process.communicate()
    if process.returncode != 0:
        print(out)
        sys.exit(f'argosy-sim chaos ended with {process.returncode}')
    return out


def worlds_of(out):
    """The lines of the worlds, without how long they took."""
    return [re.sub(r', [0-9.]+ s$', '', line) for line in out.splitlines()
            if line.startswith('seed ')]


def same(args):
    options = ('--profile', 'everything', '--hours', 0.15)
    for seed in (args.seed, 8749884000):
        runs = [play(args.sim, '--seed', seed, '--runs', 2, *options) for _ in range(2)]
        # What one world leaves behind must not reach the next.
        alone = play(args.sim, '--seed', seed + 1, *options)
        first, second = [worlds_of(finish(run)) for run in runs]
        if first != second or first[1:] != worlds_of(finish(alone)):
            sys.exit(f'runs of one seed differ:\n{first}\n{second}')
        print('\n'.join(first))


def known(args):
    with open(os.path.join(HERE, 'known.txt'), encoding='utf-8') as lines:
        for line in lines:
            options, _, why = line.partition('#')
            if options.strip():
                finish(play(args.sim, *options.split()))
                print(f'{options.strip()}: nothing found any more ({why.strip()})')


def fresh(args):
    print(finish(play(args.sim, '--seed', args.seed, '--profile', 'all', '--hours', 0.2, '--runs',
                      14, '--seconds', 12)))


def long(args):
    runs = [play(args.sim, '--seed', args.seed + 100_000 * i, '--profile', 'all', '--runs', 100_000,
                 '--seconds', args.minutes * 60) for i in range(os.cpu_count() or 1)]
    outputs = [one.communicate()[0] for one in runs]
    for out in outputs:
        at = out.rfind('\n', 0, out.find(' worlds, ')) + 1
        print(out if ' FOUND ' in out else out[at:])
    if any(one.returncode != 0 for one in runs):
        sys.exit('something was found')


def planted_names():
    with open(os.path.join(HERE, '../../runtime/base/planted.hpp'), encoding='utf-8') as source:
        names = source.read().split('planted_fault_names{', 1)[1].split('}', 1)[0]
    return re.findall(r'"([a-z-]+)"', names)[1:]


def planted(args):
    """Prints a table: the fault, the seconds until it was found, and by what."""
    missed = []
    for name in planted_names():
        begun = time.monotonic()
        run = play(args.sim, '--plant', name, '--stop', '--seed', args.seed, '--profile', 'all',
                   '--runs', 1000, '--hours', 0.5, '--seconds', args.minutes * 60)
        out, _ = run.communicate()
        took = time.monotonic() - begun
        found = re.search(r'FOUND (.*)', out)
        crash = run.returncode not in (0, 1)
        text = found.group(1) if found else 'it ended: ' + out[-300:].strip() if crash else ''
        if not text:
            missed.append(name)
        print(f'| {name} | {took:.0f} s | {text[:110] or "NOT FOUND"} |', flush=True)
    print(f'{len(planted_names()) - len(missed)} of {len(planted_names())} were found')
    if missed:
        sys.exit('not found: ' + ' '.join(missed))


def unplanted(args):
    with open(args.sim, 'rb') as program:
        content = program.read()
    for fault in planted_names():
        if fault.encode() in content:
            sys.exit(f'the program has the planted fault {fault} in it')


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('--sim', required=True)
    parser.add_argument('--seed', type=int, default=commit_seed())
    parser.add_argument('--minutes', type=float)
    parts = {'same': same, 'known': known, 'fresh': fresh, 'long': long, 'planted': planted,
             'unplanted': unplanted}
    parser.add_argument('part', choices=parts)
    args = parser.parse_args()
    if args.minutes is None:
        args.minutes = 15 if args.part == 'long' else 1
    parts[args.part](args)


if __name__ == '__main__':
    main()
