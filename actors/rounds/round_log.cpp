// SPDX-License-Identifier: Apache-2.0
#include "actors/rounds/round_log.hpp"

#include <utility>

#include "actors/caf_error.hpp"
#include "messages/rounds/round_record.hpp"

namespace argosy::actors {

void round_log::append(const native::round_request& request, const scheduling::plan& plan,
                       model::round_decided decided) {
  decided.pool = model::pool_name{request.params.pool};
  decided.seed = request.params.seed;
  decided.config_version = config_.config_version;
  self_
      ->request(config_.journal, config_.record_timeout, atom::append_v,
                rounds::round_record(std::move(decided), plan, to_nanos(config_.clock->wall())))
      .then([](const native::append_ack&) {},
            [](const caf::error& err) {
              logger_.warning("a round was not recorded",
                              logging::kv("error", to_string(from_caf(err))));
            });
}

}  // namespace argosy::actors
