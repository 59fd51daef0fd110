# SPDX-License-Identifier: Apache-2.0
"""Sizes of files, functions and folders. Those of files and folders are advice."""

import re
from collections import defaultdict

from tree import Finding

FILE_LINES_GOOD = 300
FUNCTION_LINES_MAX = 70
LINE_COLUMNS_MAX = 100
FOLDER_PAIRS_GOOD = 15

MEASURED = {".hpp", ".cpp", ".py", ".proto", ".cmake", ".ts", ".tsx", ".mjs", ".css"}
# One element of markup is a line, however many attributes it has.
MARKUP = {".ts", ".tsx", ".mjs", ".css"}
# The reference that recorded the decisions, kept as it was then.
RECORDED = {f"tests/oracle/{name}.py" for name in ("odd", "round", "snap1", "worlds")}
CONTROL = re.compile(r"\b(if|for|while|switch|catch|else|do)\b")
SCOPE = re.compile(r"^\s*(?:template\s*<[^{}()]*>\s*)?(?:inline\s+|export\s+)?"
                   r"(?:namespace|extern|enum|class|struct|union)\b[^()]*\Z", re.MULTILINE)


def functions(code):
    """(start, end) offsets of every outermost function body in blanked code.

    A scanner of braces, which relies on clang-format: a block's brace follows a space, the brace of
    an initializer follows a name, `=`, `return`, a comma or another bracket.
    """
    stack = []  # kinds of the open braces: "scope", "function", "other"
    starts = []
    head_from = 0
    for match in re.finditer(r"[{};]", code):
        at, mark = match.start(), match.group(0)
        inside = "function" in stack
        if mark == ";":
            head_from = head_from if stack and stack[-1] == "initializer" else at + 1
            continue
        if mark == "}":
            kind = stack.pop() if stack else "other"
            if kind == "function":
                yield starts.pop(), at
            if kind != "initializer":
                head_from = at + 1
            continue
        head = code[head_from:at]
        if inside:
            stack.append("other")
        elif is_initializer(head):
            stack.append("initializer")
            continue
        elif SCOPE.search(strip_directives(head)):
            stack.append("scope")
        elif ")" in head and not CONTROL.match(head.strip()):
            stack.append("function")
            starts.append(at)
        else:
            stack.append("other")
        head_from = at + 1


def strip_directives(head):
    return re.sub(r"^\s*#[^\n]*$", "", head, flags=re.MULTILINE)


def is_initializer(head):
    stripped = head.rstrip()
    if not stripped:
        return False
    touching = len(stripped) == len(head)
    last_word = re.search(r"(\w+)$", stripped)
    return ((touching and stripped[-1] != ")") or stripped[-1] in "=,({"
            or (last_word is not None and last_word.group(1) == "return"))


def check_functions(source):
    for start, end in functions(source.code):
        first, last = source.line_of(start), source.line_of(end)
        if last - first + 1 > FUNCTION_LINES_MAX:
            yield Finding(source.path, first, f"a function of {last - first + 1} lines; "
                                              f"at most {FUNCTION_LINES_MAX}")


def check_file(source):
    count = len(source.lines)
    if count > FILE_LINES_GOOD:
        yield Finding(source.path, count, f"{count} lines; {FILE_LINES_GOOD} are aimed at", True)


def check_columns(source):
    for number, line in enumerate(source.lines, 1):
        if len(line) > LINE_COLUMNS_MAX:
            yield Finding(source.path, number, f"{len(line)} columns; at most {LINE_COLUMNS_MAX}")


def check_folders(sources):
    """A header and its source count once."""
    concepts = defaultdict(set)
    for source in sources:
        if source.is_code:
            concepts[source.folder].add(source.path.rsplit(".", 1)[0])
    for folder, names in sorted(concepts.items()):
        if len(names) > FOLDER_PAIRS_GOOD:
            yield Finding(folder, 1, f"{len(names)} concepts in one folder; "
                                     f"more than {FOLDER_PAIRS_GOOD} ask for a split", True)


def check(sources):
    for source in sources:
        if source.path in RECORDED:
            continue
        if source.suffix in MEASURED or source.is_script:
            yield from check_file(source)
            if source.suffix not in MARKUP:
                yield from check_columns(source)
        if source.is_code:
            yield from check_functions(source)
    yield from check_folders(sources)
