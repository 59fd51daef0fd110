# SPDX-License-Identifier: Apache-2.0
"""Traps of CAF 0.17 that a reader overlooks and a scanner sees."""

import re

from tree import Finding

STATE = re.compile(r"\bstruct\s+(\w+_state)\b[^;{}]*\{")

CALLS = (
    (re.compile(r"\bcaf::infinite\b"),
     "a request without a time limit waits forever when the receiver forgets it"),
    (re.compile(r"\bself_?\s*->\s*(?:delayed_)?anon_send\b"),
     "the member anon_send names the sender all the same; use caf::anon_send"),
)


def matching_brace(code, at):
    depth = 0
    for offset in range(at, len(code)):
        if code[offset] == "{":
            depth += 1
        elif code[offset] == "}":
            depth -= 1
            if depth == 0:
                return offset
    return len(code)


def check_states(source, actors):
    """An aggregate is built as `State(self)`, which initialises its first member."""
    for match in STATE.finditer(source.code):
        name = match.group(1)
        if name.removesuffix("_state") not in actors:
            continue
        body = source.code[match.end():matching_brace(source.code, match.end() - 1)]
        if not re.search(rf"(?<!~)\b{name}\s*\(", body):
            yield Finding(source.path, source.line_of(match.start()),
                          f"the actor state {name} needs a declared constructor")


def check_calls(source):
    for pattern, reason in CALLS:
        for match in pattern.finditer(source.code):
            yield Finding(source.path, source.line_of(match.start()),
                          f"{match.group(0)}: {reason}")


def actor_names(sources):
    """Every x that has a function x_behavior()."""
    return {name for source in sources if source.is_code
            for name in re.findall(r"\b(\w+)_behavior\s*\(", source.code)}


def check(sources):
    actors = actor_names(sources)
    for source in sources:
        if not source.is_code or source.under("tests"):
            continue
        if source.under("actors", "bins"):
            yield from check_states(source, actors)
        yield from check_calls(source)
