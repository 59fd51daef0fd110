// SPDX-License-Identifier: Apache-2.0
// An armada_link is one executor of Armada as the ARMADA_GATEWAY has it: its core, its CLUSTER, and
// what is not answered yet. It is used on the actor's thread, and stays for as long as the actor,
// since the numbers of its reports go on.
#pragma once

#include <caf/typed_response_promise.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "actors/interfaces/state/cluster.hpp"
#include "actors/link/armada_gateway.hpp"
#include "runtime/ledger/armada/armada_core.hpp"

namespace argosy::actors {

/// A list of events that is not answered yet. Several executors may have a part of it.
struct open_events {
  /// One part is done. When all are, the list is answered, with the first failure if there is one.
  void settle(const std::optional<error>& part_failure);

  caf::typed_response_promise<atom::ok> promise;
  std::size_t waits_for = 0;
  std::optional<error> failure;
};
using open_events_ptr = std::shared_ptr<open_events>;

struct armada_link {
  explicit armada_link(const ledger::armada_cluster& of);

  [[nodiscard]] bool may_serve(const std::string& user) const;
  /// The messages of an answer. Runs of which no lease can be made are added to `unfit`, with the
  /// reason.
  [[nodiscard]] native::message_list encode(
      const ledger::armada_answer& answer, const armada_gateway_config& config,
      std::vector<std::pair<model::run_key, std::string>>& unfit) const;
  /// Answers the events up to the effect's ticket.
  void taken(const ledger::armada_taken& effect);

  ledger::armada_cluster rules;
  ledger::armada_core core;
  model::pool_name pool;
  cluster_actor cluster;
  std::map<std::uint64_t, caf::typed_response_promise<native::message_list>> requests;
  std::multimap<std::uint64_t, open_events_ptr> waiting;  ///< By ticket.
};

}  // namespace argosy::actors
