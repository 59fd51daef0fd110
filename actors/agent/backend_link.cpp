// SPDX-License-Identifier: Apache-2.0
#include "actors/agent/backend_link.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "messages/codec/pod_manifest_codec.hpp"
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

std::function<void()> nodes_to(local_executor_actor::base* self) {
  return [address = caf::actor_cast<caf::actor_addr>(self)] {
    if (const auto strong = caf::actor_cast<caf::strong_actor_ptr>(address))
      caf::anon_send(caf::actor_cast<local_executor_actor>(strong), atom::nodes_v);
  };
}

backends::log_taker log_to(local_executor_actor::base* self, std::uint64_t number) {
  return
      [address = caf::actor_cast<caf::actor_addr>(self), number](result<model::log_chunk> chunk) {
        if (const auto strong = caf::actor_cast<caf::strong_actor_ptr>(address))
          caf::anon_send(caf::actor_cast<local_executor_actor>(strong), atom::read_log_v, number,
                         native::log_answer_ptr{
                             std::make_shared<const result<model::log_chunk>>(std::move(chunk))});
      };
}

std::optional<model::run_event> start_run(backends::backend& backend,
                                          const ledger::launch_run& action,
                                          const std::string& control_plane, std::int64_t now_ns) {
  const auto& order = action.order;
  backends::run_launch run;
  run.order = std::make_shared<const model::start_run>(order);
  run.control_plane = control_plane;
  run.find = action.find;
  if (run.find) {
    backend.start(std::move(run));
    return std::nullopt;
  }
  const auto wanted = backend.wanted_plan();
  if (wanted == model::plan_contents::pod) {
    auto made = codec::make_job_manifests(order);
    if (!made)
      return refusal(order.run, backends::reason::unsupported, made.error().detail, now_ns);
    run.pod = std::move(made->pod);
    run.attached = std::move(made->attached);
    run.owner_groups = std::move(made->owner_groups);
  } else {
    auto plan = codec::decode_process_plan(order, wanted);
    if (!plan)
      return refusal(order.run, backends::reason::unsupported, plan.error().detail, now_ns);
    run.plan = std::move(*plan);
  }
  backend.start(std::move(run));
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
