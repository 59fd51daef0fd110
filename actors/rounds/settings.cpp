// SPDX-License-Identifier: Apache-2.0
#include "actors/rounds/settings.hpp"

#include <optional>
#include <set>
#include <string>
#include <utility>

#include "actors/caf_error.hpp"
#include "actors/log/open_appends.hpp"
#include "runtime/base/check.hpp"
#include "runtime/ledger/leader_core.hpp"
#include "runtime/logging/logger.hpp"
#include "runtime/trace/caf/traced.hpp"

namespace argosy::actors {

namespace {

std::string cause_of(native::settings_wish wish) {
  switch (wish) {
    case native::settings_wish::reload:
      return "reload";
    case native::settings_wish::update:
      return "update";
    case native::settings_wish::undo:
      break;
  }
  return "undo";
}

/// "scheduling.maximumSchedulingRate: 100 -> 20".
std::string text_of(const std::vector<model::changed_setting>& changed) {
  std::string out;
  for (const auto& key : changed)
    out.append(out.empty() ? "" : "; ").append(key.name + ": " + key.before + " -> " + key.after);
  return out;
}

}  // namespace

struct settings_state {
  static inline const char* name = "argosy.settings";
  static inline const logging::logger logger{"settings"};
  using pointer = traced_pointer<settings_actor, settings_state>;
  using promise = caf::typed_response_promise<native::settings_outcome_ptr>;

  /// A change that is not durable yet, and who waits for it; nobody does after a signal.
  struct pending {
    native::round_settings_ptr rounds;
    ledger::retention_config retention;
    native::settings_outcome_ptr outcome;
    std::optional<promise> answer;
  };

  explicit settings_state(pointer self_) : self(self_) {}

  settings_actor::behavior_type make_behavior(settings_config cfg);
  [[nodiscard]] caf::result<native::settings_outcome_ptr> change(
      const native::settings_change_request& request);
  void reload_by_signal();
  /// Finds the settings that would come into force. Nothing has changed if that fails.
  [[nodiscard]] result<native::new_settings> look(native::settings_change_request request);
  void begin(native::new_settings found, const native::settings_change_request& request,
             std::optional<promise> answer);
  [[nodiscard]] caf::result<native::settings_listing_ptr> list() const;
  void note_start();
  /// Gives the change its number, keeps it, and makes the record for the log.
  [[nodiscard]] std::shared_ptr<native::append_request> record(model::settings_changed changed);
  void appended(const native::append_outcome& outcome);

  pointer self;
  settings_config config;
  open_appends<pending> in_flight;
};

settings_actor::behavior_type settings_state::make_behavior(settings_config cfg) {
  config = std::move(cfg);
  in_flight = {"the owner of settings", config.journal, config.root, config.load};
  note_start();
  return {
      [this](atom::settings, const native::settings_change_request& request) {
        return change(request);
      },
      [this](atom::settings) { reload_by_signal(); },
      [this](atom::list) -> native::settings_history_ptr {
        return std::make_shared<const std::vector<ledger::put_settings_change>>(config.history);
      },
      [this](atom::list, atom::settings) { return list(); },
      [this](atom::append, const native::append_outcome& outcome) { appended(outcome); },
      [this](atom::status, atom::figures) {
        return metrics::figure_list{
            {"changes on record", static_cast<double>(config.history.size())}};
      },
  };
}

result<native::new_settings> settings_state::look(native::settings_change_request request) {
  if (!config.source)
    return fail(ec::unavailable, "this process cannot change its settings while it runs");
  if (const auto expected = request.edit.expected_change;
      expected != 0 && !config.history.empty() && config.history.back().change.number != expected) {
    const auto& last = config.history.back().change;
    return fail(ec::conflict, "nothing has changed: " + last.by + " changed the settings (change " +
                                  std::to_string(last.number) +
                                  ") after they were read; look at them again");
  }
  std::set<std::string> pools;
  for (const auto& [cluster, contact] : config.contacts->all()) pools.insert(contact.pool);
  request.pools.assign(pools.begin(), pools.end());
  auto found = config.source->look(request);
  if (!found || found->outcome.is_nothing()) return found;
  if (auto ok = config.load->admit(eventlog::command_kind::relieving); !ok) return fail(ok.error());
  return found;
}

caf::result<native::settings_outcome_ptr> settings_state::change(
    const native::settings_change_request& request) {
  auto found = look(request);
  if (!found) return to_caf(found.error());
  if (found->outcome.is_nothing() || request.dry_run)
    return native::settings_outcome_ptr{
        std::make_shared<native::settings_outcome>(std::move(found->outcome))};
  auto answer = self->make_response_promise<promise>();
  begin(std::move(*found), request, answer);
  return answer;
}

caf::result<native::settings_listing_ptr> settings_state::list() const {
  if (!config.source)
    return to_caf({ec::unavailable, "this process cannot change its settings while it runs"});
  auto out = std::make_shared<native::settings_listing>(config.source->list());
  out->change = config.history.empty() ? 0 : config.history.back().change.number;
  return native::settings_listing_ptr{std::move(out)};
}

void settings_state::reload_by_signal() {
  native::settings_change_request request;
  request.by = "SIGHUP";
  auto found = look(request);
  if (!found)
    logger.error("the settings stay as they are", logging::kv("by", request.by),
                 logging::kv("error", to_string(found.error())));
  else if (found->outcome.is_nothing())
    logger.info("the settings are as before", logging::kv("by", request.by));
  else
    begin(std::move(*found), request, std::nullopt);
}

/// Whoever explains a round of the past finds in the log by which settings it was decided, also if
/// they came with a start.
void settings_state::note_start() {
  if (!config.source) return;
  const auto* last = config.history.empty() ? nullptr : &config.history.back().change;
  auto first = config.source->first(last == nullptr ? std::string{} : last->text);
  if (last != nullptr && last->version == first.version && last->overrides == first.overrides &&
      !last->text.empty())
    return;
  model::settings_changed changed;
  changed.version = first.version;
  changed.version_before = last == nullptr ? 0 : last->version;
  changed.by = "argosyd";
  changed.cause = "start";
  changed.changed = std::move(first.changed);
  changed.text = std::move(first.text);
  changed.overrides = std::move(first.overrides);
  in_flight.send(self, record(std::move(changed)), {});
}

std::shared_ptr<native::append_request> settings_state::record(model::settings_changed changed) {
  changed.number = config.history.empty() ? 1 : config.history.back().change.number + 1;
  const model::event event{to_nanos(config.clock->wall()), {}, changed};
  config.history.push_back({event.time_ns, std::move(changed)});
  if (config.history.size() > model::settings_changes_kept)
    config.history.erase(config.history.begin());
  auto request = std::make_shared<native::append_request>();
  request->changes = ledger::control_changes(event);
  request->events.push_back(event);
  return request;
}

/// From here on further changes are compared with these settings. If the log does not take the
/// change, the process ends.
void settings_state::begin(native::new_settings found,
                           const native::settings_change_request& request,
                           std::optional<promise> answer) {
  config.source->take();
  auto outcome = std::make_shared<const native::settings_outcome>(std::move(found.outcome));
  model::settings_changed changed;
  changed.version = outcome->version;
  changed.version_before = outcome->version_before;
  changed.by = request.by;
  changed.cause = cause_of(request.wish);
  changed.changed = outcome->changed;
  changed.text = std::move(found.text);
  changed.overrides = std::move(found.overrides);
  auto request_to_log = record(std::move(changed));
  logger.info("the settings change", logging::kv("by", request.by),
              logging::kv("cause", cause_of(request.wish)),
              logging::kv("changed", text_of(outcome->changed)));
  for (const auto& text : outcome->warnings)
    logger.warning("a setting is probably not meant", logging::kv("what", text));
  in_flight.send(
      self, std::move(request_to_log),
      {std::move(found.rounds), std::move(found.retention), std::move(outcome), std::move(answer)});
}

void settings_state::appended(const native::append_outcome& outcome) {
  auto done = in_flight.take(self, outcome);
  if (!done.rounds) return;  // It was the record of the start.
  if (!outcome.position) {
    if (done.answer) done.answer->deliver(to_caf(outcome.position.error()));
    return;
  }
  self->send(config.coordinator, atom::settings_v, done.rounds);
  self->send(config.root, atom::settings_v, std::move(done.retention));
  if (done.answer) done.answer->deliver(done.outcome);
}

result<void> validate(const settings_config& config) {
  if (!config.root || !config.journal || !config.coordinator || !config.load || !config.contacts ||
      config.clock == nullptr)
    return fail(ec::invalid_argument,
                "settings need a root, a journal, a coordinator, a load, contacts and a clock");
  return {};
}

namespace {

settings_actor::behavior_type settings_behavior(traced_pointer<settings_actor, settings_state> self,
                                                settings_config config) {
  return self->state.make_behavior(std::move(config));
}

}  // namespace

settings_actor spawn_settings(caf::actor_system& system, settings_config config, run_on where) {
  ARGOSY_CHECK(validate(config).has_value());
  return spawn_actor(system, where, settings_behavior, std::move(config));
}

}  // namespace argosy::actors
