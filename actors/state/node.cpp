// SPDX-License-Identifier: Apache-2.0
#include "actors/state/node.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include "messages/probes/node_probe.hpp"
#include "runtime/base/check.hpp"
#include "runtime/logging/logger.hpp"
#include "runtime/trace/caf/delayed_send.hpp"
#include "runtime/trace/caf/traced.hpp"

namespace argosy::actors {

struct node_state {
  static inline const char* name = "argosy.node";
  static inline const logging::logger logger{"node"};
  using pointer = traced_pointer<node_actor, node_state>;

  explicit node_state(pointer self_) : self(self_) {}

  node_actor::behavior_type make_behavior(node_actor_config cfg);
  void changed();
  void note_quarantine();
  void log_quarantine();
  void arm();
  [[nodiscard]] std::int64_t wall() const { return to_nanos(config.clock->wall()); }
  [[nodiscard]] native::node_delta_ptr cut();
  [[nodiscard]] native::node_status status() const;
  [[nodiscard]] metrics::figure_list figures() const;

  pointer self;
  node_actor_config config;
  std::unique_ptr<ledger::node_core> core;
  std::optional<probes::node_share> share;
  bool told_coordinator = false;
  model::quarantine noted;  ///< The quarantine that the node is in, as cuts tell it.
  boot_time noted_for{};  ///< The end of that quarantine since boot, which tells it from the next.
  bool logged_quarantine = false;  ///< The last line in the log says that the node is quarantined.
  bool said_gone = false;          ///< The last cut told that the node has gone.
  model::timer_generation timer;   ///< The generation of the timer that is armed.
  boot_time armed_for = boot_time::max();
};

node_actor::behavior_type node_state::make_behavior(node_actor_config cfg) {
  config = std::move(cfg);
  core = std::make_unique<ledger::node_core>(config.cluster, config.pool, config.rules);
  share.emplace(*config.probes);
  share->show(*core);
  return {
      [this](atom::nodes, const model::pool_name& pool, const model::node_info& info) {
        core->set_pool(pool);
        core->set_info(info);
        changed();
      },
      [this](atom::contact, bool in_contact) {
        core->set_contact(in_contact);
        changed();
      },
      [this](atom::bind, const model::run_key& run, const model::resource_list& requests) {
        core->bind(run, requests);
        changed();
      },
      [this](atom::unbind, const model::run_key& run, ledger::run_verdict verdict) {
        core->unbind(run, verdict, config.clock->boot());
        changed();
        arm();
      },
      [this](atom::began) {
        core->began();
        changed();
        arm();
      },
      [this](atom::health, const native::node_health_ptr& health, bool restored) {
        const auto boot = config.clock->boot();
        const auto until = boot_time{health->quarantine.until_ns};
        if (restored) core->restore(*health, until - boot_time{wall()}, boot);
        core->judge(*health, boot);
        changed();
        arm();
      },
      [this](atom::release, std::int64_t now_ns) {
        const bool ended = core->release(now_ns);
        changed();
        arm();
        return ended;
      },
      [this](atom::goodbye) {
        core->remove();
        changed();
      },
      [this](atom::cut, model::log_position) { return cut(); },
      [this](atom::cut, atom::ok) {
        if (said_gone && core->retired()) self->quit();
      },
      [this](atom::tick, model::timer_generation generation) {
        if (generation != timer) return;
        armed_for = boot_time::max();
        core->tick(config.clock->boot());
        changed();
        arm();
      },
      [this](atom::status) { return status(); },
      [this](atom::status, atom::figures) { return figures(); },
  };
}

void node_state::log_quarantine() {
  if (core->quarantined() == logged_quarantine) return;
  logged_quarantine = core->quarantined();
  if (config.parent) self->send(config.parent, atom::health_v, core->info().name, noted);
  const auto cluster = logging::kv("cluster", config.cluster);
  const auto node = logging::kv("node", core->info().name);
  if (!logged_quarantine) return logger.info("a node takes new jobs again", cluster, node);
  const auto rest = core->tick_due() - config.clock->boot();
  logger.warning("a node is quarantined and takes no new jobs for a while", cluster, node,
                 logging::kv("reason", core->why()),
                 logging::kv("for_s", std::chrono::ceil<std::chrono::seconds>(rest).count()));
}

/// The end of a quarantine is fixed when it begins, so that the same is said of it all the time.
void node_state::note_quarantine() {
  if (!core->quarantined()) {
    noted = {};
  } else if (noted.until_ns == 0 || noted_for != core->tick_due()) {
    noted_for = core->tick_due();
    noted = {wall() + (noted_for - config.clock->boot()).count(), core->period().count(),
             core->cause()};
  }
}

void node_state::changed() {
  note_quarantine();
  log_quarantine();
  share->show(*core);
  if (!core->dirty() || told_coordinator) return;
  told_coordinator = true;
  self->send(config.coordinator, atom::dirty_v, caf::actor_cast<node_actor>(self));
}

void node_state::arm() {
  const auto due = core->tick_due();
  if (due == armed_for) return;
  armed_for = due;
  const auto delay = std::max(due - config.clock->boot(), boot_time{0});
  trace::tick_send(self, caf::actor_cast<node_actor>(self), delay, atom::tick_v,
                   timer = timer.next());
}

native::node_delta_ptr node_state::cut() {
  told_coordinator = false;
  static_cast<void>(core->take_dirty());
  auto view = core->view();
  auto delta = std::make_shared<native::node_delta>();
  delta->cluster = std::move(view.cluster);
  delta->pool = std::move(view.pool);
  delta->present = view.present;
  delta->info = std::move(view.info);
  delta->quarantine = noted;
  delta->quarantined = view.state == ledger::node_state::quarantined;
  said_gone = core->retired();
  return delta;
}

native::node_status node_state::status() const {
  native::node_status out;
  out.cluster = config.cluster;
  out.pool = core->view().pool;
  out.state = to_string(core->state());
  out.info = core->info();
  out.used = core->used();
  out.runs = static_cast<std::uint32_t>(core->run_count());
  out.why = core->why();
  out.quarantined_until_ns = noted.until_ns;
  return out;
}

metrics::figure_list node_state::figures() const {
  return {{"cluster", config.cluster},
          {"node", core->info().name},
          {"state", std::string{to_string(core->state())}},
          {"runs", static_cast<double>(core->run_count())},
          {"refused_starts", static_cast<double>(core->refusals())}};
}

namespace {

node_actor::behavior_type node_behavior(traced_pointer<node_actor, node_state> self,
                                        node_actor_config config) {
  return self->state.make_behavior(std::move(config));
}

}  // namespace

node_actor spawn_node(caf::actor_system& system, node_actor_config config) {
  ARGOSY_CHECK(config.coordinator && config.clock != nullptr);
  return spawn_actor(system, run_on::pool, node_behavior, std::move(config));
}

}  // namespace argosy::actors
