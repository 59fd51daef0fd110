#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pages that say that something is lacking name its line in the map of features.

A sentence with "not yet" or "not there yet", and a cell with **no**, carry an id of the map that is
not shown there. The comparison in README.md has each line of the map in one of its rows, and its
second column ends with what the map says to lack of these.

  lacks.py ROOT --update    writes these ends
"""

import pathlib
import re
import sys

from features import MAP, ROW, kind_of
from names import LATER, sentences
from tree import Finding, Source, load

PAGE = "README.md"
LACK = re.compile(r"\bnot\s+(?:there\s+)?yet\b")
ID = re.compile(r"\b[BPSX]\d+\b")
TABLE = re.compile(r"(?<=<!-- lacks -->\n).*?(?=<!-- end of lacks -->)", re.DOTALL)
SPAN = re.compile(r"\b([BPSX])(\d+)(?:–\1(\d+))?")
TOLD = re.compile(r"(?:; )?(?:in part|\*\*no\*\*): .*")


def features_of(page):
    """The name and kind of each feature of the map, by its id."""
    found = {}
    for line in page.lines:
        row = ROW.fullmatch(line)
        if row:
            found[row.group(1)] = (line.split("|")[2].strip(), kind_of(row.group(2)))
    return found


def named(cell, features):
    """The ids in a cell, of which a range as S80–S86 names all that the map has."""
    out = []
    for kind, first, last in SPAN.findall(cell):
        numbers = range(int(first), int(last or first) + 1)
        out += [key for key in features if key[0] == kind and int(key[1:]) in numbers]
    return out


def told_of(row, features):
    """A row of the comparison, whose second column ends with what the map says to lack."""
    cells = row.split("|")
    ids = named(cells[1], features)
    if not ids:
        return row
    ends = [TOLD.sub("", cells[2].strip())]
    for kind, begin in (("in part", "in part"), ("missing", "**no**")):
        lacking = [f"{features[key][0]} ({key})" for key in ids if features[key][1] == kind]
        ends += [f"{begin}: {', '.join(lacking)}"] if lacking else []
    cells[2] = f" {'; '.join(filter(None, ends))} "
    return "|".join(cells)


def wrong_with(table, features):
    """What is wrong with the comparison: (line in it, sentence)."""
    rows = {}
    for number, row in enumerate(table.splitlines()):
        if not row.startswith("|"):
            continue
        for key in named(row.split("|")[1], features):
            if key in rows:
                yield number, f"{key} stands in line {rows[key]} of the comparison already"
            rows[key] = number
        if told_of(row, features) != row:
            yield number, "the row is not what the map says: tests/tidy/lacks.py . --update"
    if missing := [key for key in features if key not in rows]:
        yield 0, f"no row of the comparison has {', '.join(missing)}"


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
    told = TABLE.search(texts[PAGE].text) if PAGE in texts else None
    if told:
        begin = texts[PAGE].line_of(told.start())
        for number, wrong in wrong_with(told.group(0), features):
            yield Finding(PAGE, begin + number, wrong)


def updated(text, features):
    return TABLE.sub(lambda table: re.sub(
        r"^\|.*", lambda row: told_of(row.group(0), features), table.group(0),
        flags=re.MULTILINE), text)


def main(arguments):
    root = pathlib.Path(arguments[0])
    features = features_of(Source(MAP, (root / MAP).read_text(encoding="utf-8")))
    if arguments[1:] == ["--update"]:
        page = root / PAGE
        page.write_text(updated(page.read_text(encoding="utf-8"), features), encoding="utf-8")
    found = list(check(load(root)))
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
