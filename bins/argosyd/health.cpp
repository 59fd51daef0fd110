// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/health.hpp"

#include <utility>

#include "actors/status_page.hpp"
#include "bins/argosyd/diagnostics/diagnostics.hpp"
#include "bins/shared/health_endpoint.hpp"
#include "bins/version.hpp"
#include "runtime/base/clock.hpp"
#include "runtime/eventlog/recent_changes.hpp"
#include "runtime/health/metrics.hpp"
#include "runtime/health/status_json.hpp"
#include "runtime/trace/caf/live_actors.hpp"

namespace argosy::argosyd {

void outcome::begin() {
  // The probes read the clock of the actors and more that ends with the actors.
  probes->clear();
  const std::lock_guard lock{mutex_};
  epoch_.reset();
  failure_.reset();
  load_.reset();
  crashed_ = false;
}

bool outcome::led() {
  const std::lock_guard lock{mutex_};
  return epoch_.has_value();
}

void outcome::set_epoch(std::uint64_t epoch) {
  const std::lock_guard lock{mutex_};
  epoch_ = epoch;
}

void outcome::set_failure(const std::string& why) {
  const std::lock_guard lock{mutex_};
  if (!failure_) failure_ = why;
}

void outcome::set_crashed() {
  const std::lock_guard lock{mutex_};
  crashed_ = true;
}

bool outcome::crashed() {
  const std::lock_guard lock{mutex_};
  return crashed_;
}

void outcome::set_waiting(const std::string& why) {
  const std::lock_guard lock{mutex_};
  waiting_ = why;
}

void outcome::set_standby(const std::string& why) {
  const std::lock_guard lock{mutex_};
  standby_ = why;
}

std::uint64_t outcome::epoch() {
  const std::lock_guard lock{mutex_};
  return epoch_.value_or(0);
}

void outcome::set_safe_mode() {
  const std::lock_guard lock{mutex_};
  safe_mode_ = true;
}

result<void> outcome::decides() {
  const std::lock_guard lock{mutex_};
  if (!safe_mode_) return {};
  return fail(ec::unavailable,
              "safe mode: argosyd crashed several times in a row, so that it decides no rounds "
              "and accepts nothing; start it with --leave-safe-mode");
}

void outcome::set_connection(std::shared_ptr<bus::connection> connection) {
  const std::lock_guard lock{mutex_};
  connection_ = std::move(connection);
}

void outcome::set_load(std::shared_ptr<const eventlog::log_load> load) {
  const std::lock_guard lock{mutex_};
  load_ = std::move(load);
}

std::optional<std::uint64_t> outcome::position() {
  const std::lock_guard lock{mutex_};
  return epoch_ && load_ ? std::optional{load_->position()} : std::nullopt;
}

rest::changed_names outcome::changed(std::uint64_t since) {
  // More than this would be longer to tell than to ask for.
  constexpr std::size_t names_max = 100;
  const std::lock_guard lock{mutex_};
  if (!load_ || !load_->changes()) return {};
  auto known = load_->changes()->since(since, names_max);
  return {std::move(known.queues), std::move(known.job_sets)};
}

result<void> outcome::log_answers() {
  const std::lock_guard lock{mutex_};
  return load_ ? load_->answers(system_clock_source().boot()) : result<void>{};
}

bool outcome::decided() {
  const std::lock_guard lock{mutex_};
  return epoch_ || failure_;
}

std::optional<std::string> outcome::failed() {
  const std::lock_guard lock{mutex_};
  return failure_;
}

result<void> outcome::leads() {
  const std::lock_guard lock{mutex_};
  if (epoch_ && !failure_) return {};
  return fail(ec::unavailable, standby_.empty() ? "not leading" : "not leading: " + standby_);
}

result<void> outcome::connected() {
  const std::lock_guard lock{mutex_};
  if (!connection_) return fail(ec::unreachable, waiting_);
  if (connection_->status() == bus::link_status::connected) return {};
  return fail(ec::unreachable, "no connection to " + connection_->server());
}

void outcome::set_names(const settings::argosyd_settings& from) {
  auto all = from.health.host_names;
  // Whoever lists the origin of the page has told its name.
  for (const auto& origin : from.rest.origins)
    if (const auto host = origin.find("://"); host != std::string::npos)
      all.push_back(origin.substr(host + 3));
  names->set(all);
}

std::vector<std::shared_ptr<const prometheus::Collectable>> metric_sources(
    const settings::health_settings& settings, const outcome& told) {
  return {health::process_metrics("argosyd", version_text),
          health::actor_metrics([] { return trace::read_actors(); }),
          health::probe_metrics(told.probes, settings.armada_names)};
}

result<std::unique_ptr<health::server>> start_health(const options& chosen, ground& seams,
                                                     outcome& told, const diagnostics& helps,
                                                     caf::actor_system& system,
                                                     std::shared_ptr<health::pages> more) {
  health::server_config config;
  config.more = std::move(more);
  config.listen = chosen.settings.value.health.listen;
  told.set_names(chosen.settings.value);
  config.names = told.names;
  config.live.push_back({"actors", [&told]() -> result<void> {
                           if (auto why = told.failed()) return fail(ec::internal, *why);
                           return {};
                         }});
  config.live.push_back({"handlers", [&helps] { return helps.live(); }});
  config.ready.push_back({"handlers", [&helps] { return helps.ready(); }});
  config.ready.push_back({"leader", [&told] { return told.leads(); }});
  config.ready.push_back({"rounds", [&told] { return told.decides(); }});
  config.ready.push_back({"bus", [&told] { return told.connected(); }});
  config.ready.push_back({"log", [&told] { return told.log_answers(); }});
  config.ready.push_back({"store", [&seams]() -> result<void> {
                            auto usage = seams.database->usage();
                            if (!usage) return fail(usage.error());
                            return {};
                          }});
  config.metrics = metric_sources(chosen.settings.value.health, told);
  config.status = [&system] { return health::status_json(actors::ask_all_parts(system)); };
  config.recent_trace = recent_trace;
  return serve_health(std::move(config), seams.dir->path() / "health.port");
}

}  // namespace argosy::argosyd
