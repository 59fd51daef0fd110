#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Classes have at most 25 methods and 15 fields, and fields that others change become no more.

classes.py ROOT [--list|--update]: --list prints the classes above the bounds and the count of open
fields, --update writes them to classes.json where they became less. Those that stand there may not
exceed their numbers; no other class may pass the bounds. A class is scanned as clang-format leaves
it: methods that are defaulted or deleted, constants, friends and nested types do not count. A
struct with fewer than three methods is a record, which may have as many fields as there are.
"""

import json
import os
import re
import sys

from tree import Finding, load

METHODS_MAX = 25
FIELDS_MAX = 15
RECORD_METHODS_MAX = 2
PRODUCT = ("actors", "bins", "messages", "runtime")
TABLE = "tests/tidy/classes.json"

HEAD = re.compile(r"\b(?<!enum )(class|struct)\s+(?:\[\[\w+\]\]\s+)?([\w:]+)(?:\s+final)?"
                  r"\s*(?::[^:;{}()][^;{}]*)?\{")
ACCESS = re.compile(r"\s*(public|protected|private)\s*:(?!:)")
SKIPPED = re.compile(r"(using|friend|typedef|static_assert|enum|class|struct|union|CAF_\w+)\b")
OPERATOR = re.compile(r"\boperator\s*(\(\)|[^\s\w(]+)")


class Counted:
    """What a class declares. `open_fields`: public, and not constant."""

    def __init__(self, name, line):
        self.name = name
        self.line = line
        self.methods = 0
        self.fields = 0
        self.verbs = 0  # methods that are no constructor, destructor or operator
        self.open_fields = 0


def statements(body):
    """The declarations of a class body, without what stands in braces, each with its access."""
    depth, text, access = 0, "", None
    for at, mark in enumerate(body):
        if mark == "}":
            depth -= 1
            # A body ends its method; an initializer is followed by more.
            if depth == 0 and "(" in without_templates(text).split("=")[0] and \
                    not re.match(r"\s*[;,)}]", body[at + 1:]):
                yield text.strip(), access
                text = ""
            continue
        if mark == "{":
            depth += 1
            continue
        if depth > 0:
            continue
        if mark == ";":
            yield text.strip(), access
            text = ""
            continue
        text += mark
        match = ACCESS.fullmatch(text) if mark == ":" and body[at + 1:at + 2] != ":" else None
        if match:
            access, text = match.group(1), ""


def without_templates(text):
    text = OPERATOR.sub("operator_ ", text)
    while True:
        shorter = re.sub(r"<[^<>]*>", "", text)
        if shorter == text:
            return text
        text = shorter


def count(name, line, kind, body):
    out = Counted(name, line)
    own = name.rsplit(":", 1)[-1]
    for text, access in statements(body):
        text = re.sub(r"^(\s*\[\[\w+(\(\s*\))?\]\]\s*)+", "", without_templates(text)).strip()
        text = re.sub(r"^template\s*(requires\b[^;]*?)?", "", text).strip()
        if not text or text.startswith("#") or SKIPPED.match(text):
            continue
        head = text.split("=")[0]
        if "(" in head:
            if re.search(r"=\s*(default|delete)\s*$", text):
                continue
            out.methods += 1
            called = re.search(r"([~\w]+)\s*\(", head)
            if called and called.group(1).lstrip("~") not in (own, "operator_"):
                out.verbs += 1
        elif not re.match(r"(static|inline static|constexpr)\b", text):
            fields = 1 + head.count(",")
            out.fields += fields
            is_open = (access or ("public" if kind == "struct" else "private")) == "public"
            if is_open and not text.startswith("const ") and "&" not in head:
                out.open_fields += fields
    return out


def classes(source):
    code = re.sub(r"^[ \t]*#.*(?:\\\n.*)*$", "", source.code, flags=re.MULTILINE)
    for match in HEAD.finditer(code):
        depth, end = 1, match.end()
        while depth and end < len(code):
            depth += {"{": 1, "}": -1}.get(code[end], 0)
            end += 1
        yield count(match.group(2), code.count("\n", 0, match.start()) + 1, match.group(1),
                    code[match.end():end - 1])


def measured(sources):
    """(large, open fields): the classes above the bounds by path and name, and the sum."""
    large, open_fields = {}, 0
    for source in sources:
        if source.is_code and source.under(*PRODUCT):
            for each in classes(source):
                if each.verbs <= RECORD_METHODS_MAX:
                    continue
                open_fields += each.open_fields
                if each.methods > METHODS_MAX or each.fields > FIELDS_MAX:
                    large[f"{source.path} {each.name}"] = each
    return large, open_fields


def known(table, large, key):
    """The numbers of a class in the table, also if its file was moved; else None."""
    moved = [old for old in table if old not in large and old.split()[1] == key.split()[1]]
    return table.get(key, table[moved[0]] if len(moved) == 1 else None)


def check(sources):
    table = next((json.loads(each.text) for each in sources if each.path == TABLE),
                 {"classes": {}, "open_fields": 0})
    large, open_fields = measured(sources)
    for key, each in large.items():
        methods, fields = known(table["classes"], large, key) or (METHODS_MAX, FIELDS_MAX)
        for what, now, most in (("methods", each.methods, max(methods, METHODS_MAX)),
                                ("fields", each.fields, max(fields, FIELDS_MAX))):
            if now > most:
                yield Finding(key.split()[0], each.line,
                              f"{each.name} has {now} {what}; at most {most}: divide its idea")
    for key in sorted(table["classes"].keys() - large.keys()):
        yield Finding(TABLE, 1, f"{key} is moved or within the bounds now: "
                                "run tests/tidy/classes.py . --update", True)
    if open_fields > table["open_fields"]:
        yield Finding(TABLE, 1, f"classes with methods have {open_fields} fields that everybody "
                                f"may change; at most {table['open_fields']}: make the new one "
                                "private")


def main(arguments):
    root, option = arguments[0], (arguments[1:] or ["--list"])[0]
    large, open_fields = measured(load(root))
    for key, each in sorted(large.items()):
        print(f"{each.methods:4} methods {each.fields:4} fields  {key}")
    print(f"{open_fields} fields of classes with methods that everybody may change")
    if option != "--update":
        return
    path = os.path.join(root, TABLE)
    old = {"classes": {}, "open_fields": open_fields}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as stream:
            old = json.load(stream)
    new = {}
    for key, each in sorted(large.items()):
        before = known(old["classes"], large, key)
        if before or not old["classes"]:
            before = before or (each.methods, each.fields)
            new[key] = [min(each.methods, before[0]), min(each.fields, before[1])]
    with open(path, "w", encoding="utf-8") as stream:
        lines = ",\n".join(f"    {json.dumps(key)}: {json.dumps(new[key])}" for key in new)
        stream.write(f'{{\n  "open_fields": {min(open_fields, old["open_fields"])},\n'
                     f'  "classes": {{\n{lines}\n  }}\n}}\n')


if __name__ == "__main__":
    main(sys.argv[1:])
