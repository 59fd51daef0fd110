// SPDX-License-Identifier: Apache-2.0
// Turns what executors of Armada say into values, and leases for them into bytes.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/ledger/armada/armada_exchange.hpp"

namespace argosy::codec {

/// The largest request of an executor: it divides its events at 8 MiB, and its list of nodes is not
/// divided.
inline constexpr std::size_t executor_request_bytes_max = std::size_t{32} << 20;

/// Decodes an executorapi.LeaseRequest. Nodes of another pool than the executor's are left out, as
/// are amounts that are no quantities. ec::invalid_argument when it does not decode or names no
/// executor.
[[nodiscard]] result<ledger::armada_request> decode_lease_request(std::string_view bytes);

/// The events of an executorapi.EventList in its order. ec::invalid_argument when it does not
/// decode.
[[nodiscard]] result<std::vector<ledger::armada_event>> decode_executor_events(
    std::string_view bytes);

/// The id of a run, as the API has it.
[[nodiscard]] std::string name_of_run(const model::run_key& run);
/// The runs that such an id may name.
[[nodiscard]] std::vector<model::run_key> runs_of(const std::string& run_id);

/// What leases for one cluster have besides the job.
struct lease_rules {
  std::string cluster;
  std::string pool;
  std::string node_label;      ///< The label by which a pod is put onto its node.
  std::string priority_class;  ///< The class of all pods there; empty: that of the job.
  std::vector<std::string> preemptible_classes;
  /// Resources that no node has: pods do not ask for them.
  std::vector<std::string> floating_resources;
};

/// Encodes a LeaseStreamMessage with a lease. `node_value` is what the node has as the label
/// lease_rules::node_label. Fails with ec::corrupt when the job's specification does not decode.
[[nodiscard]] result<std::string> encode_lease(const model::start_run& order,
                                               const lease_rules& rules,
                                               const std::string& node_value);
/// Encodes a LeaseStreamMessage with the runs to cancel.
[[nodiscard]] std::string encode_cancels(const std::vector<std::string>& runs);
/// Encodes the LeaseStreamMessage that ends an answer.
[[nodiscard]] std::string encode_lease_end();

}  // namespace argosy::codec
