// SPDX-License-Identifier: Apache-2.0
// This file lists all atoms: constants with a type of their own, by which messages are told apart.
// An atom's text has at most ten characters. Atoms with equal texts are of one type, also those of
// CAF itself.
#pragma once

#include <caf/atom.hpp>

#define ARGOSY_ATOM(name, text)                     \
  namespace argosy::atom {                          \
  using name = caf::atom_constant<caf::atom(text)>; \
  constexpr name name##_v = name{};                 \
  }

// The life cycle of processes and actors.
ARGOSY_ATOM(ok, "ok")
ARGOSY_ATOM(tick, "tick")
ARGOSY_ATOM(status, "status")
ARGOSY_ATOM(figures, "figures")
ARGOSY_ATOM(shutdown, "shutdown")
ARGOSY_ATOM(stand_down, "standdown")
// The log and the store.
ARGOSY_ATOM(append, "append")
ARGOSY_ATOM(flush, "flush")
ARGOSY_ATOM(claim, "claim")
ARGOSY_ATOM(verify, "verify")
ARGOSY_ATOM(confirm, "confirm")
ARGOSY_ATOM(tail, "tail")
ARGOSY_ATOM(apply, "apply")
ARGOSY_ATOM(committed, "committed")
ARGOSY_ATOM(watch, "watch")
ARGOSY_ATOM(unwatch, "unwatch")
ARGOSY_ATOM(changed, "changed")
ARGOSY_ATOM(query, "query")
ARGOSY_ATOM(oldest, "oldest")
ARGOSY_ATOM(record, "record")
// Queues.
ARGOSY_ATOM(submit, "submit")
ARGOSY_ATOM(cancel, "cancel")
ARGOSY_ATOM(reprioritize, "reprio")
ARGOSY_ATOM(hold, "hold")
ARGOSY_ATOM(settings, "settings")
ARGOSY_ATOM(erase, "erase")
ARGOSY_ATOM(cordon, "cordon")
ARGOSY_ATOM(drain, "drain")
ARGOSY_ATOM(place, "place")
ARGOSY_ATOM(report, "report")
ARGOSY_ATOM(expired, "expired")
ARGOSY_ATOM(cut, "cut")
ARGOSY_ATOM(allow, "allow")
ARGOSY_ATOM(dirty, "dirty")
// Gangs.
ARGOSY_ATOM(member, "member")
ARGOSY_ATOM(ended, "ended")
ARGOSY_ATOM(ready, "ready")
ARGOSY_ATOM(done, "done")
// Clusters, nodes and agents.
ARGOSY_ATOM(hello, "hello")
ARGOSY_ATOM(heartbeat, "heartbeat")
ARGOSY_ATOM(nodes, "nodes")
ARGOSY_ATOM(cluster, "cluster")
ARGOSY_ATOM(goodbye, "goodbye")
ARGOSY_ATOM(orders, "orders")
ARGOSY_ATOM(read_log, "readlog")
ARGOSY_ATOM(bind, "bind")
ARGOSY_ATOM(unbind, "unbind")
ARGOSY_ATOM(began, "began")
ARGOSY_ATOM(health, "health")
ARGOSY_ATOM(release, "release")
ARGOSY_ATOM(contact, "contact")
ARGOSY_ATOM(events, "events")
// The coordinator.
ARGOSY_ATOM(round, "round")
ARGOSY_ATOM(explain, "explain")
// The directory.
ARGOSY_ATOM(find, "find")
ARGOSY_ATOM(ensure, "ensure")
ARGOSY_ATOM(list, "list")
// The bus and the gateway.
ARGOSY_ATOM(frame, "frame")
ARGOSY_ATOM(respond, "respond")
ARGOSY_ATOM(serve, "serve")
ARGOSY_ATOM(send, "send")
// Tracing.
ARGOSY_ATOM(spans, "spans")
ARGOSY_ATOM(graph, "graph")
ARGOSY_ATOM(collect, "collect")

#undef ARGOSY_ATOM
