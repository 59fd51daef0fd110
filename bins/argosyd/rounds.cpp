// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/rounds.hpp"

#include <string>

#include "bins/argosyd/kept_rounds.hpp"
#include "runtime/logging/logger.hpp"

namespace argosy::argosyd {

namespace {

const logging::logger rounds_logger{"argosyd"};

void keep_round(const kept_rounds& kept, const native::round_request& request,
                const std::string& why) {
  const auto path = kept.add(*request.snapshot, *request.config, request.params, why);
  if (path)
    rounds_logger.error("a round was wrong; argosy-sim round decides it again",
                        logging::kv("file", path->string()), logging::kv("error", why));
  else
    rounds_logger.error("a round was wrong and could not be saved", logging::kv("why", why),
                        logging::kv("error", path.error().detail));
}

}  // namespace

actors::round_rules make_round_rules(const std::filesystem::path& folder) {
  actors::round_rules rules;
  rules.keep = [kept = kept_rounds{folder}](const native::round_request& request,
                                            const std::string& why) {
    keep_round(kept, request, why);
  };
  rules.decide = round_decider();
  return rules;
}

std::function<scheduling::plan(const native::round_request&)>& round_decider() {
  static std::function<scheduling::plan(const native::round_request&)> decider;
  return decider;
}

}  // namespace argosy::argosyd
