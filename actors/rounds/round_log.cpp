// SPDX-License-Identifier: Apache-2.0
#include "actors/rounds/round_log.hpp"

#include <utility>

#include "actors/caf_error.hpp"
#include "messages/rounds/round_record.hpp"
#include "runtime/logging/logger.hpp"

namespace argosy::actors {

void append_round(coordinator_actor::base& self, const coordinator_config& config,
                  const native::round_request& request, const scheduling::plan& plan,
                  round_facts facts) {
  static const logging::logger logger{"coordinator"};
  model::round_decided decided;
  decided.number = facts.number;
  decided.snapshot_position = facts.snapshot.value;
  decided.pool = request.params.pool;
  decided.seed = request.params.seed;
  decided.config_version = config.config_version;
  decided.duration_ns = facts.duration_ns;
  decided.carried = std::move(facts.carried);
  self.request(config.journal, config.record_timeout, atom::append_v,
               rounds::round_record(std::move(decided), plan, to_nanos(config.clock->wall())))
      .then([](const native::append_ack&) {},
            [](const caf::error& err) {
              logger.warning("a round was not recorded",
                             logging::kv("error", to_string(from_caf(err))));
            });
}

}  // namespace argosy::actors
