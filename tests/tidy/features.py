# SPDX-License-Identifier: Apache-2.0
"""The map of features names tests that there are, has each feature once, and counts its lines."""

import re
from collections import Counter, defaultdict

from tree import Finding

MAP = "tests/features.md"
SHARED = "tests/support"  # contracts, whose cases are instantiated in the folders of the tests

CASE = re.compile(r"^(TEST(?:_[FP])?)\(\s*(\w+),\s*(\w+)\)", re.MULTILINE)
VALUES = re.compile(r"^INSTANTIATE_TEST_SUITE_P\(\s*(\w+),\s*(\w+),", re.MULTILINE)
PROGRAM = re.compile(r"\bargosy_test\((\w+)\s([^)]*)\)")
FOLDERS = re.compile(r"\bFOLDERS((?:\s+(?:\.(?=\s)|[a-z]\w*))+)")
COUNTS = re.compile(r"(\d+)\s+features:\s+(\d+)\s+shown,\s+(\d+)\s+in\s+part,\s+(\d+)\s+missing\.")
ROW = re.compile(r"\| ([A-Z]\d+) \| [^|]+ \| ([^|]+) \|")
HEAD = re.compile(r"\| id \||\|[-|]+\|$")
SPAN = re.compile(r"`([^`]+)`")


def expand(text, values):
    """What a text of CMake may be, with each of its variables by what that may stand for."""
    variable = re.search(r"\$\{(\w+)\}", text)
    if not variable:
        return [text]
    return [name for value in values[variable.group(1)]
            for name in expand(text.replace(variable.group(0), value), values)]


def added_tests(text):
    """The names of add_test() in a CMakeLists.txt. Names may have variables of `foreach` and the
    first parameter of a function."""
    values = defaultdict(list)
    for variable, items in re.findall(r"\bforeach\((\w+) IN ITEMS ([^)]*)\)", text):
        values[variable] += items.split()
    for function, parameter in re.findall(r"\bfunction\((\w+) (\w+)", text):
        values[parameter] += re.findall(rf"\b{function}\(([^\s)]+)", text)
    return [name for pattern in re.findall(r"\badd_test\(NAME (\S+)", text)
            for name in expand(pattern, values)]


def labelled_folders(source, text):
    """Each folder whose tests a CMakeLists.txt makes a program of, with their label."""
    for label, arguments in PROGRAM.findall(text):
        folders = FOLDERS.search(arguments)
        for folder in folders.group(1).split() if folders else []:
            yield source.folder if folder == "." else f"{source.folder}/{folder}", label
        if not folders:
            yield source.folder, label


def tests_of(sources):
    """Every name that the map may use: tests, `SUITE.*`, and `CASE/*` for a case with values."""
    known = set()
    labels = {}
    cases = defaultdict(list)  # folder -> (macro, suite, name)
    suites = defaultdict(list)  # folder -> (prefix, suite)
    for source in sources:
        if source.path.startswith("tests/") and source.path.endswith("/CMakeLists.txt"):
            text = re.sub(r"#[^\n]*", "", source.text)
            known.update(added_tests(text))
            labels.update(labelled_folders(source, text))
        elif source.is_code and source.under("tests"):
            folder = SHARED if source.under(SHARED) else source.folder
            cases[folder] += CASE.findall(source.text)
            suites[folder] += VALUES.findall(source.text)
    for folder, label in labels.items():
        for macro, suite, name in cases[folder]:
            if macro != "TEST_P":
                known.update((f"{label}.{suite}.{name}", f"{label}.{suite}.*"))
        for prefix, instantiated in suites[folder]:
            for macro, suite, name in cases[folder] + cases[SHARED]:
                if macro == "TEST_P" and suite == instantiated:
                    known.update((f"{label}.{prefix}/{suite}.{name}/*",
                                  f"{label}.{prefix}/{suite}.*"))
    return known


def kind_of(text):
    return next((kind for kind in ("in part", "missing") if text.startswith(kind + ": ")), "shown")


def wrong_with(text, known):
    """What is wrong with the last column of a line."""
    for name in SPAN.findall(text):
        if name not in known:
            yield f"there is no test {name}"
    kind = kind_of(text)
    shown, lacks, _ = text.partition("missing: ")
    if kind == "missing" and SPAN.search(text):
        yield "what is missing has a test: say 'in part'"
    if kind != "missing" and not SPAN.search(shown):
        yield "the line names no test"
    if (kind == "in part") != (kind != "missing" and bool(lacks)):
        yield "a line that begins with 'in part' says what is missing, and no other one does"


def check(sources):
    page = next((source for source in sources if source.path == MAP), None)
    if page is None:
        return
    known = tests_of(sources)
    lines_of = {}
    kinds = Counter()
    for number, line in enumerate(page.lines, 1):
        if not line.startswith("|") or HEAD.match(line):
            continue
        row = ROW.fullmatch(line)
        if not row:
            yield Finding(MAP, number, "this is no line of a feature: | id | name | tests |")
            continue
        feature, text = row.groups()
        if feature in lines_of:
            yield Finding(MAP, number, f"{feature} stands in line {lines_of[feature]} already")
        lines_of.setdefault(feature, number)
        kinds[kind_of(text)] += 1
        for wrong in wrong_with(text, known):
            yield Finding(MAP, number, wrong)
    yield from check_counts(page, kinds)


def check_counts(page, kinds):
    true = (kinds.total(), kinds["shown"], kinds["in part"], kinds["missing"])
    told = COUNTS.search(page.text)
    if not told:
        yield Finding(MAP, 1, "there are no counts: N features: A shown, B in part, C missing.")
    elif tuple(map(int, told.groups())) != true:
        yield Finding(MAP, page.line_of(told.start()),
                      "the lines say {} features: {} shown, {} in part, {} missing".format(*true))
