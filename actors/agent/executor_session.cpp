// SPDX-License-Identifier: Apache-2.0
// The part of the EXECUTOR that speaks with the control plane, and how the EXECUTOR ends.
#include <utility>

#include "actors/agent/executor_state.hpp"

namespace argosy::actors {

void executor_state::act(const ledger::send_hello& action) {
  control_plane->say(action, [this](const result<model::hello_ack>& ack) {
    if (ack) {
      const bool was_connected = core->connected();
      take(core->hello_acknowledged(*ack, boot()));
      leave_when_idle();
      if (core->connected() && !was_connected)
        logger.info("connected to the control plane", logging::kv("cluster", core->cluster()),
                    logging::kv("epoch", ack->epoch.value),
                    logging::kv("incarnation", core->incarnation().value));
      if (core->connected() && adopted && !std::exchange(was_ready, true) && config.on_ready)
        config.on_ready();
    } else if (!superseded(ack.error()) && !refused(ack.error())) {
      control_plane->complain("the control plane did not answer the hello", ack.error());
      core->hello_failed(boot());
      arm();
      leave_when_idle();
    }
  });
}

void executor_state::act(const ledger::send_heartbeat& action) {
  control_plane->say(action, core->heartbeat_period(),
                     [this, said = boot()](const result<model::heartbeat_ack>& ack) {
                       if (ack) {
                         share->heartbeat_answered(boot() - said);
                         take(core->heartbeat_acknowledged(*ack, boot()));
                       } else if (!superseded(ack.error())) {
                         control_plane->complain("a heartbeat failed", ack.error());
                         core->heartbeat_failed(boot());
                         show();
                         arm();
                       }
                     });
}

void executor_state::act(const ledger::send_reports& action) {
  control_plane->say(
      action, [this, said = boot(), number = action.number](const result<model::report_ack>& ack) {
        if (ack) {
          share->report_answered(boot() - said);
          take(core->reports_acknowledged(number, *ack, boot()));
          leave_when_idle();
        } else if (!superseded(ack.error())) {
          control_plane->complain("reports were not taken", ack.error());
          core->reports_failed(number, ack.error().code == ec::unavailable, boot());
          arm();
        }
      });
}

bool executor_state::superseded(const error& why) {
  if (why.code != ec::conflict) return false;
  if (core->is_superseded()) return true;
  logger.error("this agent takes no more work and ends when its runs have ended",
               logging::kv("cluster", core->cluster()),
               logging::kv("incarnation", core->incarnation().value),
               logging::kv("runs", core->open_runs().size()), logging::kv("answer", to_string(why)),
               logging::kv("error", to_string(control_plane->superseded_error())));
  take(core->superseded(boot()));
  return true;
}

/// The runs of this agent, if it has any from elsewhere, go on as if it had been killed.
bool executor_state::refused(const error& why) {
  // An agent that has served already waits for its own control plane to come back.
  const bool denied = why.code == ec::denied && !was_ready;
  if (why.code != ec::already_exists && !denied) return false;
  departure->end_abruptly();
  give_up({denied ? ec::denied : ec::conflict, why.detail});
  return true;
}

/// The runs that the control plane could still count on have been ended by their lease by then.
/// Pods are those of the agent which serves the cluster now.
void executor_state::end_if_superseded() {
  const bool outlive = config.cluster.traits().outlives_agent;
  if (!core->is_superseded() || steps->writing() || !departure->is_serving() ||
      !(outlive || core->open_runs().empty()))
    return;
  departure->end_abruptly();
  if (!was_ready && config.on_outdated) config.on_outdated();
  give_up(control_plane->superseded_error());
}

void executor_state::shut_down(ledger::runs_at_shutdown runs) {
  if (!departure->begin(runs, boot())) return;
  if (runs == ledger::runs_at_shutdown::stop) backend->stop_all(stop_reason);
  core->gather_no_more();
  take(core->refuse_held(boot()));
  leave_when_idle();
}

void executor_state::leave_when_idle() {
  // This is asked after each event of a run, so that the open runs are counted only while leaving.
  if (departure->is_serving()) return;
  if (!departure->say_goodbye(
          {core->open_runs().size(), core->outbox_size(), core->awaits_incarnation()}, boot())) {
    arm();
    return;
  }
  control_plane->say_goodbye(core->incarnation(), config.cluster.process, [this] {
    backend->shutdown();
    self->quit(caf::exit_reason::user_shutdown);
  });
}

}  // namespace argosy::actors
