# SPDX-License-Identifier: Apache-2.0
"""Which folder may include what. The first matching entry of a table counts."""

from tree import Finding

PURE = ("base", "model", "scheduling", "ledger")

# Folder -> folders of the project that it may include beside itself and what is below it.
# The pure folders see only pure folders; the seams see the model and one another where one stands
# on the other; messages see values only; actors see everything but the implementations.
MAY_INCLUDE = {
    "runtime/base": (),
    "runtime/border": ("runtime/base",),
    "runtime/access": ("runtime/base", "runtime/border", "runtime/model"),
    "runtime/access/pods": ("runtime/base",),
    "runtime/model": ("runtime/base",),
    "runtime/metrics": ("runtime/base",),
    "runtime/ledger": ("runtime/base", "runtime/model"),
    "runtime/scheduling": ("runtime/base", "runtime/model"),
    "runtime/eventlog": ("runtime/base", "runtime/model", "runtime/bus"),
    "runtime/store": ("runtime/base", "runtime/model", "runtime/ledger"),
    "runtime/bus": ("runtime/base", "runtime/access", "runtime/border", "runtime/model"),
    "runtime/backends": ("runtime/base", "runtime/model", "runtime/logging", "runtime/kube",
                         "runtime/access/pods"),
    "runtime/backends/rules": ("runtime/base", "runtime/model", "runtime/access/pods"),
    "runtime/kube": ("runtime/base", "runtime/logging", "runtime/settings/yaml"),
    "runtime/trace": ("runtime/base", "runtime/model"),
    "runtime/settings": ("runtime/base", "runtime/border", "runtime/access", "runtime/model",
                         "runtime/ledger", "runtime/scheduling", "runtime/backends/rules"),
    "runtime/logging": ("runtime/base", "runtime/model", "runtime/settings", "runtime/trace"),
    "runtime/health": ("runtime/base", "runtime/border", "runtime/model", "runtime/metrics",
                       "runtime/trace", "runtime/logging"),
    "runtime/rpc": ("runtime/base", "runtime/border", "runtime/bus", "runtime/logging"),
    "runtime/rest": ("runtime/base", "runtime/border", "runtime/bus", "runtime/health",
                     "runtime/rpc"),
    "messages/proto": (),
    "messages/codec": ("runtime/base", "runtime/model", "runtime/ledger", "runtime/store",
                       "runtime/trace", "runtime/access", "messages/proto"),
    "messages/submit_file": ("runtime/base", "runtime/model", "runtime/settings", "messages/proto",
                             "messages/codec"),
    "messages/native": ("runtime/base", "runtime/model", "runtime/ledger", "runtime/scheduling",
                        "runtime/trace"),
    "messages/probes": ("runtime/base", "runtime/model", "runtime/metrics", "runtime/ledger",
                        "runtime/scheduling", "runtime/store", "runtime/eventlog", "runtime/bus",
                        "messages/native"),
    "messages/rounds": ("runtime/base", "runtime/model", "runtime/ledger", "runtime/scheduling",
                        "messages/native"),
    "messages/view": ("runtime/base", "runtime/model", "runtime/ledger", "runtime/store",
                      "runtime/eventlog", "runtime/logging", "messages/native", "messages/codec",
                      "messages/proto"),
    "messages/rounds/reports": ("runtime/base", "runtime/model", "messages/native",
                                "messages/rounds", "messages/proto"),
    "messages/past": ("runtime/base", "runtime/model", "runtime/ledger", "runtime/scheduling",
                      "runtime/store", "runtime/eventlog", "messages/native", "messages/codec",
                      "messages/view", "messages/rounds", "messages/rounds/reports",
                      "messages/proto"),
    "messages/batches": ("runtime/base", "runtime/model", "runtime/ledger", "runtime/eventlog",
                         "messages/native", "messages/codec", "messages/view"),
    "actors": ("messages", "runtime"),
    "bins": ("actors", "messages", "runtime"),
    "tests": ("bins", "actors", "messages", "runtime"),
}

# Behind the seams: only the programs choose one, and one may stand on another.
IMPLEMENTATIONS = ("runtime/bus/nats", "runtime/eventlog/jetstream", "runtime/store/lmdb",
                   "runtime/backends/container", "runtime/backends/process",
                   "runtime/access/tokens/curl", "runtime/kube/https")

# Generated protobuf code: the API's services, and the call that they answer, are the one part of
# the actors that speaks it.
SEES_WIRE = ("messages", "actors/api", "actors/call.hpp", "bins", "tests")

# Beginning of a third-party header -> the only folders that may include it.
THIRD_PARTY = {
    "caf/all.hpp": (),
    "caf/": ("runtime/trace", "messages/native", "actors", "bins", "tests"),
    "nats/": ("runtime/bus/nats", "runtime/eventlog/jetstream", "tests"),
    "nats.h": ("runtime/bus/nats", "runtime/eventlog/jetstream", "tests"),
    "lmdb.h": ("runtime/store/lmdb", "tests"),
    "google/protobuf/": SEES_WIRE,
    "yaml.h": ("runtime/settings", "messages/submit_file", "bins", "tests"),
    "CLI/": ("bins", "tests"),
    "prometheus/": ("runtime/health", "bins", "tests"),
    "httplib.h": ("runtime/health", "runtime/rest", "bins", "tests"),
    "grpcpp/": ("tests",),
    "nghttp2/": ("runtime/rpc", "tests"),
    "curl/": ("runtime/access/tokens/curl", "runtime/kube", "runtime/trace/export", "tests"),
    "crypt.h": ("runtime/access",),
    "re2/": ("runtime/base",),
    "openssl/": ("messages/codec", "runtime/access", "runtime/bus/nats", "runtime/rpc", "bins",
                 "tests"),
}

PURE_BANS = ("thread", "mutex", "future", "spdlog/", "sys/", "unistd.h", "curl/", "openssl/")


def folder_rule(path):
    """The longest key of MAY_INCLUDE that holds the path."""
    keys = [key for key in MAY_INCLUDE if path.startswith(key + "/")]
    return max(keys, key=len) if keys else None


def is_pure(source):
    return source.under(*("runtime/" + name for name in PURE))


def is_project_header(header):
    return header.split("/")[0] in ("runtime", "messages", "actors", "bins", "tests")


def check_project_include(source, line, header):
    rule = folder_rule(source.path)
    if rule is None:
        yield Finding(source.path, line, "tests/tidy/layering.py says nothing about this folder")
        return
    if header.endswith(".pb.h") and not source.under(*SEES_WIRE):
        yield Finding(source.path, line, f"generated code is not for this folder: {header}")
        return
    allowed = (rule,) + MAY_INCLUDE[rule]
    if not any(header.startswith(folder + "/") for folder in allowed):
        yield Finding(source.path, line, f"{rule}/ may not include {header}")
    for folder in IMPLEMENTATIONS:
        if header.startswith(folder + "/") and not source.under(*IMPLEMENTATIONS, "bins", "tests"):
            yield Finding(source.path, line, f"only bins/ picks an implementation: {header}")


def check_third_party_include(source, line, header):
    for start, folders in THIRD_PARTY.items():
        if header.startswith(start):
            if not source.under(*folders):
                where = ", ".join(folders) or "nobody"
                yield Finding(source.path, line, f"{header} may be included by {where} only")
            break
    if is_pure(source) and any(header == ban or (ban.endswith("/") and header.startswith(ban))
                               for ban in PURE_BANS):
        yield Finding(source.path, line, f"a pure folder may not include <{header}>")


def check(sources):
    for source in sources:
        if not source.is_code:
            continue
        for line, header in source.includes:
            if is_project_header(header):
                yield from check_project_include(source, line, header)
            else:
                yield from check_third_party_include(source, line, header)
        if is_pure(source):
            at = source.code.find("::now(")
            if at >= 0:
                yield Finding(source.path, source.line_of(at),
                              "a pure folder reads no clock; take the time as an argument")
