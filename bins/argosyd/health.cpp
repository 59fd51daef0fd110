// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/health.hpp"

#include <algorithm>
#include <utility>

#include "actors/status_page.hpp"
#include "bins/argosyd/diagnostics.hpp"
#include "bins/argosyd/init/nats_rights.hpp"
#include "bins/argosyd/upkeep/log_account.hpp"
#include "bins/argosyd/upkeep/store_watch.hpp"
#include "bins/shared/health_endpoint.hpp"
#include "bins/version.hpp"
#include "messages/probes/call_probe.hpp"
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

void outcome::set_epoch(model::epoch epoch) {
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

void outcome::set_rival(ledger::leader_standing who) {
  const std::lock_guard lock{mutex_};
  rival_ = std::move(who);
}

std::optional<ledger::leader_standing> outcome::rival() {
  const std::lock_guard lock{mutex_};
  return rival_;
}

void outcome::set_standby(const std::string& why) {
  const std::lock_guard lock{mutex_};
  standby_ = why;
}

model::epoch outcome::epoch() {
  const std::lock_guard lock{mutex_};
  return epoch_.value_or(model::epoch{});
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

void outcome::set_log_disk(std::uint64_t free_bytes, std::uint64_t bytes) {
  const std::lock_guard lock{mutex_};
  if (load_) load_->set_log_disk(free_bytes, bytes);
}

eventlog::fill outcome::set_log_account(std::uint64_t free_bytes, std::uint64_t bytes) {
  const std::lock_guard lock{mutex_};
  if (!load_) return {};
  load_->set_log_account(free_bytes, bytes);
  return load_->log_account();
}

void outcome::set_load(std::shared_ptr<eventlog::log_load> load) {
  const std::lock_guard lock{mutex_};
  load_ = std::move(load);
}

std::optional<std::uint64_t> outcome::position() {
  const std::lock_guard lock{mutex_};
  return epoch_ && load_ ? std::optional{load_->position().value} : std::nullopt;
}

rest::changed_names outcome::changed(std::uint64_t since) {
  // More than this would be longer to tell than to ask for.
  constexpr std::size_t names_max = 100;
  const std::lock_guard lock{mutex_};
  if (!load_ || !load_->changes()) return {};
  auto known = load_->changes()->since({since}, names_max);
  return {std::move(known.queues), std::move(known.job_sets)};
}

bool outcome::readers_fill_store() {
  const std::lock_guard lock{mutex_};
  if (!load_ || !load_->store().reaches(eventlog::shed_percent)) return false;
  const auto all = load_->store();
  const eventlog::fill own{all.bytes - std::min(all.bytes, load_->store_held()), all.bytes_max};
  return !own.reaches(eventlog::shed_percent);
}

result<void> outcome::log_answers() {
  const std::lock_guard lock{mutex_};
  auto out = load_ ? load_->answers(system_clock_source().boot()) : result<void>{};
  if (!out)
    out.error().detail +=
        "; if its disk is full, make room on it, and start it again if it is of version 2.9";
  return out;
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

std::shared_ptr<bus::connection> outcome::connection() {
  const std::lock_guard lock{mutex_};
  return connection_;
}

void outcome::set_concerns(std::vector<health::check> ready, const machine_watch& watch) {
  const std::lock_guard lock{mutex_};
  ready_ = std::move(ready);
  watch_ = &watch;
}

void outcome::no_concerns() {
  const std::lock_guard lock{mutex_};
  ready_.clear();
  watch_ = nullptr;
}

health::concerns outcome::concerns() {
  std::vector<health::check> ready;
  health::concerns out;
  {
    const std::lock_guard lock{mutex_};
    ready = ready_;
    if (watch_ != nullptr) out = watch_->concerns();
  }
  for (const auto& one : ready)
    if (const auto good = one.probe(); !good)
      out.push_back({true, one.name, one.name,
                     "this argosyd is not ready, " + one.name + ": " + good.error().detail});
  return out;
}

std::vector<health::check> ready_checks(ground& seams, outcome& told, const diagnostics& helps) {
  return {{"handlers", [&helps] { return helps.ready(); }},
          {"leader", [&told] { return told.leads(); }},
          {"rounds", [&told] { return told.decides(); }},
          {"bus", [&told] { return told.connected(); }},
          {"log", [&told] { return told.log_answers(); }},
          {"store", [&seams]() -> result<void> {
             auto usage = seams.database->usage();
             if (!usage) return fail(usage.error());
             return {};
           }}};
}

std::unique_ptr<machine_watch> watch_machine(const options& chosen, ground& seams, outcome& told) {
  using access::certificate_role;
  const auto& settings = chosen.settings.value;
  machine_watch_config config;
  config.own = {"data", "the data directory", seams.dir->path().string(),
                "nothing new is accepted"};
  config.database = seams.database;
  // The server of --dev has its log in the data directory.
  const auto sees_log_disk = std::make_shared<bool>(seams.nats_server != nullptr);
  if (const auto log = store_of_server(settings.nats))
    config.disks.push_back({"nats", "the nats-server's log", log->string(),
                            "nothing new is accepted",
                            [&told, sees_log_disk](std::uint64_t free_bytes, std::uint64_t bytes) {
                              *sees_log_disk = true;
                              told.set_log_disk(free_bytes, bytes);
                            }});
  config.nats = settings.nats;
  if (seams.nats_server) config.nats.url.clear();
  config.certificates = {{"the gRPC port", settings.grpc.certificate, certificate_role::shown},
                         {"the authorities of OIDC", settings.access.oidc.ca_file,
                          certificate_role::authorities, settings.access.oidc.issuer}};
  for (const auto& one : settings.access.kubernetes.clusters)
    config.certificates.push_back({"the authorities of the Kubernetes cluster " + one.key_id,
                                   one.ca_file, certificate_role::authorities, one.server});
  config.connected = [&told] { return told.connected().has_value(); };
  // Nobody needs a backup of what --dev keeps.
  const auto begun = seams.nats_server ? 0 : made_at_ns(seams.dir->path());
  const auto stores =
      std::make_shared<store_watch>(seams.database, seams.dir->path(), told.probes, begun);
  const auto rights = std::make_shared<rights_watch>(
      settings.nats, [&told] { return told.connection(); }, told.probes);
  const auto account = std::make_shared<account_watch>(
      settings.journal.replicas, [&told] { return told.connection(); },
      [&told](const account_room& room) { return told.set_log_account(room.free(), room.allowed); },
      [sees_log_disk] { return *sees_log_disk; }, told.probes);
  config.more = [stores, rights, account, &told] {
    const auto now = system_clock_source().boot();
    auto all = stores->look(told.readers_fill_store());
    for (auto& one : rights->look(now)) all.push_back(std::move(one));
    for (auto& one : account->look(now)) all.push_back(std::move(one));
    for (auto& [cluster, why] : told.probes->get<probes::agent_gateway_probe>()->refused(now))
      all.push_back({true, "setup", "hello of " + cluster, std::move(why)});
    return all;
  };
  config.probes = told.probes;
  return std::make_unique<machine_watch>(std::move(config));
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
  config.ready = ready_checks(seams, told, helps);
  config.metrics = metric_sources(chosen.settings.value.health, told);
  config.status = [&system] { return health::status_json(actors::ask_all_parts(system)); };
  config.recent_trace = recent_trace;
  return serve_health(std::move(config), seams.dir->path() / "health.port");
}

}  // namespace argosy::argosyd
