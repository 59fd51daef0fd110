#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pages that say that something is lacking name its line in the map of features.

A sentence with "not yet" or "not there yet", and a cell with **no**, carry an id of the map that is
not shown there. The list in README.md is the map's.

  lacks.py ROOT --update    writes that list
"""

import pathlib
import re
import sys
import textwrap

from features import MAP, ROW, kind_of
from names import LATER, sentences
from tree import Finding, Source, load

PAGE = "README.md"
LACK = re.compile(r"\bnot\s+(?:there\s+)?yet\b")
ID = re.compile(r"\b[BPSX]\d+\b")
LIST = re.compile(r"(?<=<!-- lacks -->\n).*?(?=<!-- end of lacks -->)", re.DOTALL)


def features_of(page):
    """The name and kind of each feature of the map, by its id."""
    found = {}
    for line in page.lines:
        row = ROW.fullmatch(line)
        if row:
            found[row.group(1)] = (line.split("|")[2].strip(), kind_of(row.group(2)))
    return found


def list_of(features):
    """What the map says to be missing and in part, as paragraphs."""
    out = ""
    for kind, begin in (("missing", "Missing"), ("in part", "There in part")):
        names = [f"{name} ({key})" for key, (name, what) in features.items() if what == kind]
        out += textwrap.fill(f"{begin}: {'; '.join(names)}.", 100, break_on_hyphens=False) + "\n\n"
    return "\n" + out


def places(source):
    """(line, text) of each sentence and each cell that says that something is lacking."""
    for line, text in sentences(source.text):
        if text.startswith("|"):
            yield from ((line, cell) for cell in text.split("|")
                        if "**no**" in cell or LACK.search(cell))
        elif LACK.search(text):
            yield line, text


def check(sources):
    texts = {source.path: source for source in sources}
    if MAP not in texts:
        return
    features = features_of(texts[MAP])
    lacking = {key for key, (_, kind) in features.items() if kind != "shown"}
    for source in sources:
        if source.suffix != ".md" or source.path == MAP or source.under(*LATER):
            continue
        for line, text in places(source):
            if not lacking.intersection(ID.findall(text)):
                yield Finding(source.path, line,
                              f"what is lacking names no id that {MAP} says to lack")
    told = LIST.search(texts[PAGE].text) if PAGE in texts else None
    if told and told.group(0) != list_of(features):
        yield Finding(PAGE, texts[PAGE].line_of(told.start()),
                      "the list is not that of the map: tests/tidy/lacks.py . --update")


def main(arguments):
    root = pathlib.Path(arguments[0])
    features = features_of(Source(MAP, (root / MAP).read_text(encoding="utf-8")))
    if arguments[1:] == ["--update"]:
        text = (root / PAGE).read_text(encoding="utf-8")
        text = LIST.sub(lambda _: list_of(features), text)
        (root / PAGE).write_text(text, encoding="utf-8")
    found = list(check(load(root)))
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
