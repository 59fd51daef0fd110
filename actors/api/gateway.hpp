// SPDX-License-Identifier: Apache-2.0
// The GATEWAY of the public API: it decodes requests, checks and completes them, asks the owner of
// the state, and answers when the answer is durable. Each service has a file `*_service.cpp`.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "actors/interfaces/armada_gateway.hpp"
#include "actors/interfaces/interfaces.hpp"
#include "actors/lineage_board.hpp"
#include "actors/spawn.hpp"
#include "messages/codec/submit/limits.hpp"
#include "messages/native/contact_board.hpp"
#include "runtime/access/nats_caller.hpp"
#include "runtime/base/clock.hpp"
#include "runtime/base/random.hpp"
#include "runtime/base/result.hpp"
#include "runtime/border/shares.hpp"
#include "runtime/bus/connection.hpp"
#include "runtime/eventlog/log_load.hpp"
#include "runtime/health/concern.hpp"
#include "runtime/metrics/board.hpp"
#include "runtime/model/plane.hpp"
#include "runtime/model/server_limits.hpp"

namespace argosy::actors {

struct gateway_config {
  bus_actor bus;
  /// The connection on which server streams are written.
  std::shared_ptr<bus::connection> connection;
  /// Whether requests come from transports of this process, which have checked who calls and say
  /// it in a header. Otherwise the subject says it, which the NATS server has checked.
  bool callers_in_header = false;
  access::user_directory users;  ///< It knows the users of NATS and their groups.
  access::proof_check prove;     ///< Checks what they show beside a request; may be empty.
  root_actor root;
  reader_actor reader;        ///< Is asked for jobs by id and for job sets.
  reader_actor list_reader;   ///< Is asked for lists of jobs.
  reader_actor event_reader;  ///< Is asked by FEEDs for events.
  store_actor store;
  coordinator_actor coordinator;
  explainer_actor explainer;
  policies_actor policies;
  settings_actor settings;  ///< Is asked to change scheduling settings.
  archive_actor archive;    ///< Is asked about rounds of the past.
  tracer_actor tracer;
  audit_actor audit;            ///< Null: calls are not recorded.
  journal_actor journal;        ///< Is asked to forget other planes.
  armada_gateway_actor armada;  ///< Null: executors of Armada are not served.
  const clock_source* clock = nullptr;
  std::shared_ptr<const native::contact_board> contacts;
  /// The history to which the tokens belong that callers are given.
  std::shared_ptr<const lineage_board> lineage;
  /// Knows how full log and store are. Null: callers are not told.
  std::shared_ptr<const eventlog::log_load> load;
  codec::submit_limits limits;
  /// The names of the priority classes whose jobs may lose their places.
  std::vector<std::string> preemptible_classes;
  std::chrono::milliseconds request_timeout = model::request_timeout_default;
  model::request_limits request_limits;
  /// The slow questions that callers have under way, over all transports. Null: as many as may be.
  std::shared_ptr<border::shares> slow_questions;
  std::string version;
  std::string commit;
  std::string preset;
  model::epoch epoch;
  std::uint64_t seed = 0;  ///< Seeds the random part of job ids; two epochs must not share a seed.
  std::shared_ptr<metrics::board> probes = metrics::make_board();
  /// Gives what /metrics shows; empty: nothing is shown.
  std::function<std::string()> metrics_text;
  /// Gives what is wrong with this process; may be empty. It is asked on the thread of a GATEWAY.
  std::function<health::concerns()> concerns;
  std::string holder;  ///< Who leads, as in the claim.
  model::plane plane;  ///< That of this process.
  /// Ends the lead in order, so that the plane with this id leads next; empty id: any. Null: there
  /// is nobody to hand it to.
  std::function<void(const std::string& heir)> hand_over;
};

[[nodiscard]] result<void> validate(const gateway_config& config);

/// The configuration must be valid. The GATEWAY asks the BUS for argosy.api.> by itself.
gateway_actor spawn_gateway(caf::actor_system& system, gateway_config config);

}  // namespace argosy::actors
