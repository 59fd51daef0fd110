// SPDX-License-Identifier: Apache-2.0
// This file checks the tables whose records stand for themselves: queues, clusters, nodes, rounds,
// and what rounds hand on.
#include <string>

#include "messages/codec/log/log_values.hpp"
#include "messages/proto/argosy/store.pb.h"
#include "messages/view/call_table.hpp"
#include "messages/view/check/store_check.hpp"
#include "messages/view/operation_table.hpp"
#include "messages/view/record.hpp"
#include "messages/view/settings_table.hpp"
#include "messages/view/store_codec.hpp"
#include "messages/view/view_keys.hpp"
#include "runtime/store/key.hpp"
#include "runtime/store/scan.hpp"

namespace argosy::view {

namespace {

namespace records = argosy::store::v1;
using store::table;

/// Calls `key_of` with each entry of the table. It returns the key that the record should have, or
/// the error why it does not decode.
template <class KeyOf>
result<std::uint64_t> check_keys(store::read_txn& txn, table in, check_report& report,
                                 KeyOf key_of) {
  std::uint64_t count = 0;
  auto walked = store::each(txn, in, [&](const store::entry& entry) -> result<void> {
    ++count;
    const result<std::string> due = key_of(entry);
    if (!due)
      report.add(in, entry.key, due.error().detail);
    else if (*due != entry.key)
      report.add(in, entry.key, "the record belongs to the key " + readable_key(*due));
    return {};
  });
  if (!walked) return fail(walked.error());
  return count;
}

}  // namespace

result<void> check_queues(store::read_txn& txn, check_report& report) {
  const auto queues =
      check_keys(txn, table::queues, report, [](const store::entry& entry) -> result<std::string> {
        auto settings = decode_queue(entry.value);
        if (!settings) return fail(settings.error());
        return settings->name;
      });
  if (!queues) return fail(queues.error());
  result<void> read;
  const auto totals = check_keys(
      txn, table::queue_totals, report, [&](const store::entry& entry) -> result<std::string> {
        auto known = decode_queue_totals(entry);
        if (!known) return fail(known.error());
        if (read)
          read = need(txn, table::queues, entry.key, "a queue that has totals is missing", report);
        return known->queue;
      });
  if (!totals) return fail(totals.error());
  const auto ids = check_keys(txn, table::client_ids, report,
                              [](const store::entry& entry) -> result<std::string> {
                                auto used = decode_client_id(entry);
                                if (!used) return fail(used.error());
                                return client_id_key(*used);
                              });
  if (!ids) return fail(ids.error());
  report.note(counted(*queues, "queue", "queues") + " and " +
              counted(*ids, "id of callers", "ids of callers") + " were read.");
  return read;
}

result<void> check_clusters(store::read_txn& txn, check_report& report) {
  const auto clusters = check_keys(txn, table::clusters, report,
                                   [](const store::entry& entry) -> result<std::string> {
                                     auto known = decode_cluster(entry.value);
                                     if (!known) return fail(known.error());
                                     return known->cluster.name;
                                   });
  if (!clusters) return fail(clusters.error());
  result<void> read;
  const auto nodes =
      check_keys(txn, table::nodes, report, [&](const store::entry& entry) -> result<std::string> {
        auto known = decode_node(entry);
        if (!known) return fail(known.error());
        if (read)
          read = need(txn, table::clusters, known->cluster, "the cluster of a node is missing",
                      report);
        return node_key(known->cluster, known->node.name);
      });
  if (!nodes) return fail(nodes.error());
  report.note(counted(*clusters, "cluster", "clusters") + " and " +
              counted(*nodes, "node", "nodes") + " were read.");
  return read;
}

result<void> check_rounds(store::read_txn& txn, check_report& report) {
  const auto rounds =
      check_keys(txn, table::rounds, report, [](const store::entry& entry) -> result<std::string> {
        const auto known = decode_round(entry.value);
        if (!known) return fail(known.error());
        return store::number_key(known->round.number);
      });
  if (!rounds) return fail(rounds.error());
  const auto carried =
      check_keys(txn, table::carried, report, [](const store::entry& entry) -> result<std::string> {
        const auto known = decode_carried(entry.value);
        if (!known) return fail(known.error());
        return carried_key(*known);
      });
  if (!carried) return fail(carried.error());
  const auto cordons =
      check_keys(txn, table::cordons, report, [](const store::entry& entry) -> result<std::string> {
        const auto known = decode_cordon(entry);
        if (!known) return fail(known.error());
        return node_key(known->cluster, known->node);
      });
  if (!cordons) return fail(cordons.error());
  const auto policies = check_keys(txn, table::retry_policies, report,
                                   [](const store::entry& entry) -> result<std::string> {
                                     const auto known = decode_retry_policy(entry.value);
                                     if (!known) return fail(known.error());
                                     return known->name;
                                   });
  if (!policies) return fail(policies.error());
  const auto calls =
      check_keys(txn, table::audit, report, [](const store::entry& entry) -> result<std::string> {
        const auto known = decode_call(entry);
        if (!known) return fail(known.error());
        return store::number_key(known->call.number);
      });
  if (!calls) return fail(calls.error());
  const auto changes = check_keys(txn, table::settings_changes, report,
                                  [](const store::entry& entry) -> result<std::string> {
                                    const auto known = decode_settings_change(entry);
                                    if (!known) return fail(known.error());
                                    return store::number_key(known->change.number);
                                  });
  if (!changes) return fail(changes.error());
  const auto operations = check_keys(txn, table::operations, report,
                                     [](const store::entry& entry) -> result<std::string> {
                                       const auto known = decode_operation(entry);
                                       if (!known) return fail(known.error());
                                       return operation_key(known->id, known->queue);
                                     });
  if (!operations) return fail(operations.error());
  report.note(counted(*rounds, "round", "rounds") + " and " +
              counted(*carried, "entry", "entries") + " that they hand on were read.");
  return {};
}

}  // namespace argosy::view
