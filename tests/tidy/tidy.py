#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tidy.py ROOT RULE...: checks the project below ROOT; without a rule, all of them.

Prints one line for each finding and exits 1 if one of them is an error.
"""

import sys

import actor_rules
import classes
import features
import lacks
import layering
import links
import marks
import names
import sizes
from tree import load

RULES = {
    "layering": layering.check,
    "sizes": sizes.check,
    "classes": classes.check,
    "marks": marks.check,
    "links": links.check,
    "actors": actor_rules.check,
    "features": features.check,
    "lacks": lacks.check,
    "names": names.check,
}


def findings(root, names):
    sources = load(root)
    for name in names:
        yield from RULES[name](sources)


def main(arguments):
    root, names = arguments[0], arguments[1:] or list(RULES)
    found = list(findings(root, names))
    for finding in found:
        print(finding)
    errors = sum(not finding.warning for finding in found)
    print(f"{errors} errors, {len(found) - errors} warnings")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
