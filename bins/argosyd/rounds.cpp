// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/rounds.hpp"

#include <set>
#include <string>

#include "bins/argosyd/kept_rounds/kept_rounds.hpp"
#include "runtime/logging/logger.hpp"
#include "runtime/settings/scheduling_config.hpp"

namespace argosy::argosyd {

namespace {

const logging::logger rounds_logger{"argosyd"};

void keep_round(const kept_rounds& kept, const native::round_request& request,
                const scheduling::plan& plan) {
  const auto path = kept.add(*request.snapshot, *request.config, request.params, plan.violation);
  if (path)
    rounds_logger.error("a round failed its self-check; argosy-sim round decides it again",
                        logging::kv("file", path->string()), logging::kv("error", plan.violation));
  else
    rounds_logger.error("a round failed its self-check and could not be saved",
                        logging::kv("error", path.error().detail));
}

/// The pools that have settings, and the pools whose nodes they use.
std::set<std::string> named_pools(const settings::scheduling_settings& settings) {
  std::set<std::string> names;
  for (const auto& pool : settings.pools) {
    names.insert(pool.name);
    names.insert(pool.own.away_pools.begin(), pool.own.away_pools.end());
  }
  return names;
}

}  // namespace

result<actors::round_rules> make_round_rules(const settings::scheduling_settings& settings,
                                             const std::filesystem::path& folder) {
  actors::round_rules rules;
  for (const auto& pool : named_pools(settings)) {
    auto own = settings::to_config(settings, pool);
    if (!own) return fail(own.error());
    rules.pools[pool] = std::make_shared<const scheduling::config>(std::move(*own));
  }
  rules.keep = [kept = kept_rounds{folder}](const native::round_request& request,
                                            const scheduling::plan& plan) {
    keep_round(kept, request, plan);
  };
  rules.decide = round_decider();
  return rules;
}

std::function<scheduling::plan(const native::round_request&)>& round_decider() {
  static std::function<scheduling::plan(const native::round_request&)> decider;
  return decider;
}

result<void> check_rounds(const settings::scheduling_settings& settings) {
  auto pools = named_pools(settings);
  pools.insert("");  // The empty name stands for pools that are not named.
  for (const auto& pool : pools)
    if (auto rules = settings::to_config(settings, pool); !rules) return fail(rules.error());
  return {};
}

}  // namespace argosy::argosyd
