# SPDX-License-Identifier: Apache-2.0
"""Pages name what is there: functions stand in the file beside them, tables of files are whole."""

import os
import posixpath
import re

from links import LINK, SPAN, without_blocks
from tree import Finding

CALL = re.compile(r"`(?:[\w.]+::)*(?:[\w.]+\.)?(~?\w+)\(\)`")
FILE = re.compile(r"[\w./-]+\.(?:hpp|cpp|proto|py|ts|tsx)")
SENTENCE = re.compile(r"(?<=[.?!])\s+(?=\S)")
ITEM = re.compile(r"^ *(?:[-*]|\d+\.) ")

FOLDERS = ("actors", "bins", "messages", "runtime")
# Its pages are rewritten together with the engine that they describe.
LATER = ("runtime/scheduling",)
ROW = re.compile(r"\|([^|]*)\|")
NAME = re.compile(r"`([\w./-]+)`")


def sentences(text):
    """(line, sentence) of a page: rows of tables count as sentences, and blocks of code do not."""
    unit, begin = [], 1
    for number, line in enumerate(without_blocks(text).splitlines() + [""], 1):
        row = line.startswith("|")
        if not line.strip() or row or ITEM.match(line) or line.startswith("#"):
            yield from ((begin, each) for each in SENTENCE.split("\n".join(unit)))
            unit = []
        if row:
            yield number, line
        elif line.strip():
            begin = begin if unit else number
            unit.append(line)


def named_files(sentence, folder, paths):
    """The files of the tree that a sentence names, by links or in code spans."""
    targets = LINK.findall(SPAN.sub("", sentence))
    out = {path for path in (posixpath.normpath(posixpath.join(folder, each))
                             for each in targets) if path in paths}
    for span in SPAN.findall(sentence):
        name = span.strip("`")
        if FILE.fullmatch(name):
            out.update(path for path in paths if ("/" + path).endswith("/" + name))
    return {path for path in out if FILE.fullmatch(path)}


def check_functions(source, texts):
    for line, sentence in sentences(source.text):
        calls = CALL.findall(sentence)
        files = named_files(sentence, source.folder, texts) if calls else ()
        for name in calls if files else ():
            if not any(re.search(rf"(?<!\w){name}\b", texts[path]) for path in files):
                yield Finding(source.path, line,
                              f"there is no {name}() in {' or '.join(sorted(files))}")


def contents(sources):
    """For each folder its concepts (a header and its source are one) and its folders with code."""
    out = {}
    for source in sources:
        if source.is_code:
            name = os.path.splitext(source.path)[0]
            out.setdefault(source.folder, set()).add(posixpath.basename(name))
            folder = source.folder
            while above := posixpath.dirname(folder):
                out.setdefault(above, set()).add(posixpath.basename(folder) + "/")
                folder = above
    return out


def listed(source):
    """The names in the first columns of the page's tables that are headed `file`, with lines."""
    inside, out = False, {}
    for number, line in enumerate(source.lines, 1):
        row = ROW.match(line)
        if not row:
            inside = False
        elif row.group(1).strip() == "file":
            inside = True
        elif inside:
            for name in NAME.findall(row.group(1)):
                out.setdefault(name, number)
    return out


def check_table(source, inside, paths):
    names = listed(source)
    for name in sorted(inside.get(source.folder, set()) - set(names)):
        yield Finding(source.path, 1, f"no table of files names {name}")
    for name, line in names.items():
        full = f"{source.folder}/{name.rstrip('/')}"
        below = inside.get(posixpath.dirname(full), set())
        if not ({posixpath.basename(full), posixpath.basename(full) + "/"} & below
                or any(path == full or path.startswith(full + "/") for path in paths)):
            yield Finding(source.path, line, f"there is no {name} in {source.folder}")


def has_code(folder, inside):
    return any(not name.endswith("/") for name in inside.get(folder, ()))


def check_folders(source, inside):
    """Where a page stands above folders alone, it names each of them."""
    for name in sorted(inside.get(source.folder, ())):
        if not {f"`{name}`", f"`{name.rstrip('/')}`"} & set(SPAN.findall(source.text)):
            yield Finding(source.path, 1, f"the page does not name {name}")


def check(sources):
    texts = {source.path: source.text for source in sources}
    inside = contents(sources)
    for source in sources:
        if source.suffix != ".md":
            continue
        yield from check_functions(source, texts)
        if (source.path.endswith("/README.md") and source.under(*FOLDERS)
                and not source.under(*LATER)):
            if has_code(source.folder, inside):
                yield from check_table(source, inside, texts)
            else:
                yield from check_folders(source, inside)
