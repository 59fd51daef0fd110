// SPDX-License-Identifier: Apache-2.0
#include "actors/agent/backend_link.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "messages/codec/process_plan_codec.hpp"

namespace argosy::actors {

backends::event_sink events_to(local_executor_actor::base* self) {
  // The reference is weak, since the actor would otherwise keep itself alive through its backend.
  return [address = caf::actor_cast<caf::actor_addr>(self)](std::vector<model::run_event> events) {
    if (const auto strong = caf::actor_cast<caf::strong_actor_ptr>(address))
      caf::anon_send(caf::actor_cast<local_executor_actor>(strong), atom::changed_v,
                     native::run_events_ptr{
                         std::make_shared<const std::vector<model::run_event>>(std::move(events))});
  };
}

std::optional<model::run_event> start_run(backends::backend& backend, const model::start_run& order,
                                          std::int64_t now_ns) {
  auto plan = codec::decode_process_plan(order, backend.wanted_plan());
  if (!plan) return refusal(order.run, backends::reason::unsupported, plan.error().detail, now_ns);
  backend.start({std::make_shared<const model::start_run>(order), std::move(*plan)});
  return std::nullopt;
}

model::run_event refusal(const model::run_key& run, const char* reason, std::string why,
                         std::int64_t now_ns) {
  model::run_event refused;
  refused.run = run;
  refused.phase = model::run_phase::refused;
  refused.outcome.reason = reason;
  refused.outcome.message = std::move(why);
  refused.time_ns = now_ns;
  return refused;
}

}  // namespace argosy::actors
