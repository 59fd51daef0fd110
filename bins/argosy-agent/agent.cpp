// SPDX-License-Identifier: Apache-2.0
#include "bins/argosy-agent/agent.hpp"

#include <algorithm>
#include <atomic>
#include <caf/scoped_actor.hpp>
#include <chrono>
#include <mutex>
#include <optional>

#include "actors/agent/executor.hpp"
#include "actors/api/bus.hpp"
#include "actors/link/cluster_proxy.hpp"
#include "actors/status_page.hpp"
#include "actors/tracer.hpp"
#include "bins/argosy-agent/convert.hpp"
#include "bins/argosy-agent/ground.hpp"
#include "bins/argosy-agent/job_peers.hpp"
#include "bins/argosy-agent/replica.hpp"
#include "bins/shared/actor_settings.hpp"
#include "bins/shared/agent_place.hpp"
#include "bins/shared/config_warnings.hpp"
#include "bins/shared/ending.hpp"
#include "bins/shared/file_limit.hpp"
#include "bins/shared/file_owners.hpp"
#include "bins/shared/health_endpoint.hpp"
#include "bins/shared/machine_watch.hpp"
#include "bins/shared/options.hpp"
#include "bins/shared/refused_rights.hpp"
#include "bins/version.hpp"
#include "runtime/backends/run/file.hpp"
#include "runtime/health/health_server.hpp"
#include "runtime/health/metrics.hpp"
#include "runtime/health/status_json.hpp"
#include "runtime/trace/caf/live_actors.hpp"
#include "runtime/trace/recorder.hpp"

namespace argosy::agent {

namespace {

const logging::logger logger{"agent"};

constexpr std::chrono::milliseconds leave_limit{3'000};

/// What the actors tell the main thread.
struct outcome {
  std::shared_ptr<metrics::board> probes = metrics::make_board();
  std::mutex mutex;
  std::optional<error> failure;
  std::atomic<bool> ready = false;
  std::atomic<bool> outdated = false;  ///< Another agent has served the cluster since.
  /// Why the backend cannot begin runs; guarded by the mutex.
  std::string trouble = "its cluster has not answered yet";

  void set_failure(const error& why) {
    const std::lock_guard lock{mutex};
    if (!failure) failure = why;
  }
  void set_trouble(std::string why) {
    const std::lock_guard lock{mutex};
    trouble = std::move(why);
  }
  /// Notes what the nats-server refuses. What the agent does not hear keeps it from beginning runs,
  /// unless it is questions for output.
  void set_refusals(const std::vector<bus::refusal>& all, std::int64_t now_ns) {
    auto text = refusal_text(all, "its agent");
    const bool begins_runs = std::ranges::all_of(
        all, [](const auto& one) { return !one.hears || one.subject.ends_with(".logs"); });
    const std::lock_guard lock{mutex};
    const auto since = refused_.why.empty() ? now_ns : refused_.since_ns;
    refused_ = {};
    if (begins_runs)
      refused_.lacks = std::move(text);
    else
      refused_ = {std::move(text), since, {}};
  }
  [[nodiscard]] model::backend_trouble refusals() { return (std::lock_guard{mutex}, refused_); }
  [[nodiscard]] std::string backend_trouble() { return (std::lock_guard{mutex}, trouble); }
  [[nodiscard]] std::optional<error> failed() { return (std::lock_guard{mutex}, failure); }

 private:
  model::backend_trouble refused_;  ///< What the nats-server refuses it; guarded by the mutex.
};

/// The actors of an agent. The handles live only as long as the actor system.
struct actor_set {
  actors::bus_actor bus;
  actors::tracer_actor tracer;
  actors::remote_cluster_actor session;
  actors::executor_store_actor store;
  actors::local_executor_actor executor;

  /// `alone`: no other agent acts now, since this one holds the lease of the replicas.
  result<void> spawn(caf::actor_system& system, const options& chosen, ground& seams,
                     const replica& own, bool alone, outcome& told, std::function<void()> on_ready);
  void stop(caf::actor_system& system);
};

result<void> actor_set::spawn(caf::actor_system& system, const options& chosen, ground& seams,
                              const replica& own, bool alone, outcome& told,
                              std::function<void()> on_ready) {
  using actors::run_on;
  const auto& settings = chosen.settings.value;
  actors::executor_actor_config config;
  config.cluster.name = model::cluster_name{settings.cluster};
  set_place(config.cluster, seams.dir->path());
  config.cluster.place += own.term();
  auto memory = actors::load_executor(*seams.database, config.cluster.place, [&] {
    return own.is_one() ? replica::forget_runs(seams.runs)
                        : set_runs_aside(config.cluster, seams.runs);
  });
  if (!memory) return fail(std::move(memory.error()));
  const auto open = std::ranges::count_if(
      memory->runs, [](const auto& run) { return !model::is_final(run.phase); });
  config.cluster.backend =
      settings::enum_names(settings.backend)[static_cast<std::size_t>(settings.backend)];
  if (auto noted = note_owner(seams.dir->path(), config.cluster, open); !noted)
    return fail(std::move(noted.error()));
  auto backend = make_backend_maker(
      settings, {seams.runs, memory->facts.control_plane, own.limit(), told.probes});
  if (!backend) return fail(std::move(backend.error()));
  config.make_backend = std::move(*backend);
  bus = actors::spawn_bus(system, {seams.connection, told.probes}, run_on::own_thread);
  actors::tracer_config tracing;
  tracing.probes = told.probes;
  tracing.drain_period = settings.tracing.collect_period;
  tracing.ship = [connection = seams.connection,
                  cluster = settings.cluster](std::vector<trace::finished_span> spans) {
    ship_spans(*connection, cluster, spans);
  };
  tracer = actors::spawn_tracer(system, std::move(tracing), run_on::own_thread);
  actors::cluster_proxy_config for_session;
  for_session.cluster = model::cluster_name{settings.cluster};
  for_session.bus = bus;
  for_session.timeout = settings.nats.request_timeout;
  for_session.probes = told.probes;
  for_session.process = config.cluster.process;
  // What is beside a part in its frame is small.
  for_session.part_bytes_max =
      std::min(for_session.part_bytes_max, seams.connection->max_payload() / 8 * 7);
  auto checker = make_order_checker(settings);
  if (!checker) return fail(std::move(checker.error()));
  for_session.checker = std::move(*checker);
  session = actors::spawn_cluster_proxy(system, std::move(for_session));
  store = actors::spawn_executor_store(system, {seams.database, false, told.probes},
                                       run_on::own_thread);
  config.cluster.pool = model::pool_name{settings.pool};
  if (settings.backend == settings::backend_kind::kubernetes)
    config.cluster.namespaces = settings.kubernetes.rules.namespaces;
  config.memory = std::move(*memory);
  config.store = store;
  config.session = session;
  config.clock = &system_clock_source();
  config.probes = told.probes;
  config.rules = executor_rules(settings);
  config.rules.take_over = chosen.take_over || alone;
  config.rules.acts_alone = alone;
  config.rules.version = std::string{version_text} + " (" + commit_text + ")";
  config.rules.join_control_plane = chosen.join_control_plane;
  config.on_ready = std::move(on_ready);
  config.link_trouble = [&told] { return told.refusals(); };
  config.on_trouble = [&told](const auto& now) { told.set_trouble(now.why); };
  config.on_failure = [&told](const error& why) { told.set_failure(why); };
  config.on_outdated = [&told] { told.outdated = true; };
  executor = actors::spawn_executor(system, std::move(config));
  return {};
}

void actor_set::stop(caf::actor_system& system) {
  {
    caf::scoped_actor self{system};
    bool ended = !executor;
    if (executor) {
      self->monitor(executor);
      self->send(executor, atom::shutdown_v, ledger::runs_at_shutdown::keep);
    }
    const auto end = std::chrono::steady_clock::now() + leave_limit;
    while (!ended && std::chrono::steady_clock::now() < end)
      self->receive([&](const caf::down_msg&) { ended = true; },
                    caf::after(std::chrono::milliseconds{50}) >> [] {});
  }
  for (const auto& handle :
       {caf::actor_cast<caf::strong_actor_ptr>(executor),
        caf::actor_cast<caf::strong_actor_ptr>(session),
        caf::actor_cast<caf::strong_actor_ptr>(bus), caf::actor_cast<caf::strong_actor_ptr>(store),
        caf::actor_cast<caf::strong_actor_ptr>(tracer)})
    if (handle) caf::anon_send_exit(handle, caf::exit_reason::kill);
  *this = {};
}

result<std::unique_ptr<health::server>> start_health(const settings::agent_settings& settings,
                                                     const ground& seams, outcome& told,
                                                     caf::actor_system& system) {
  health::server_config config;
  config.listen = settings.health.listen;
  config.names->set(settings.health.host_names);
  config.bounds = health::few_connections();
  config.admits = admits_no_job(settings);
  config.live.push_back({"executor", [&told]() -> result<void> {
                           if (auto why = told.failed()) return fail(*why);
                           return {};
                         }});
  config.ready.push_back({"backend", [&told]() -> result<void> {
                            const auto why = told.backend_trouble();
                            return why.empty() ? result<void>{} : fail(ec::unavailable, why);
                          }});
  config.ready.push_back({"control-plane", [&told]() -> result<void> {
                            if (told.ready) return {};
                            return fail(ec::unavailable, "has not answered yet");
                          }});
  config.ready.push_back({"bus", [connection = seams.connection]() -> result<void> {
                            if (connection->status() == bus::link_status::connected) return {};
                            return fail(ec::unreachable,
                                        "no connection to " + connection->server());
                          }});
  config.metrics = {health::process_metrics("argosy-agent", version_text),
                    health::actor_metrics([] { return trace::read_actors(); }),
                    health::probe_metrics(told.probes)};
  config.status = [&system] { return health::status_json(actors::ask_all_parts(system)); };
  return serve_health(std::move(config), seams.dir->path() / "health.port");
}

/// Runs the actors on the open seams until the end. The actor system lives only in here.
result<void> run_actors(const options& chosen, ground& seams, const replica& own, bool alone,
                        outcome& told) {
  const auto& settings = chosen.settings.value;
  actor_settings config;
  caf::actor_system system{config};
  auto health_server = start_health(settings, seams, told, system);
  if (!health_server) return fail(std::move(health_server.error()));
  auto text = seams.url + "\n";
  if (*health_server) text += (*health_server)->url() + "\n";
  const auto on_ready = [&chosen, &told, text] {
    told.ready = true;
    if (chosen.ready_file.empty()) return;
    auto written = backends::write_file(chosen.ready_file, text, backends::sync_mode::no);
    if (!written) told.set_failure(written.error());
  };
  machine_watch_config watched;
  watched.own = {"data", "the data directory", seams.dir->path().string(),
                 "it can soon not note any more what happens to its runs"};
  watched.database = seams.database;
  watched.nats = settings.nats;
  watched.connected = [connection = seams.connection] {
    return connection->status() == bus::link_status::connected;
  };
  watched.more = [connection = seams.connection, &told] {
    const auto all = connection->refusals();
    told.set_refusals(all, to_nanos(system_clock_source().wall()));
    auto out = refusal_concerns(all, "this agent");
    told.probes->get<rights_probe>()->stale.set(out.empty() ? 0 : 1);
    return out;
  };
  watched.probes = told.probes;
  const machine_watch watch{std::move(watched)};
  actor_set all;
  auto spawned = all.spawn(system, chosen, seams, own, alone, told, on_ready);
  if (spawned) {
    logger.info("serving", logging::kv("cluster", settings.cluster),
                logging::kv("data_dir", seams.dir->path().string()),
                logging::kv("health", *health_server ? (*health_server)->url() : "off"));
    while (!told.failed() && !stop_wanted()) {
    }
  }
  const watchdog limit{"argosy-agent"};
  logger.info("stopping; runs go on");
  health_server->reset();
  all.stop(system);
  seams.connection->close();
  system.await_all_actors_done();
  if (!spawned) return fail(std::move(spawned.error()));
  if (auto why = told.failed()) return fail(std::move(*why));
  return {};
}

/// An agent without replicas has served the cluster since this one did last, and the lease does not
/// tell of it. It may be there still, so that nothing is taken from it: it has to be stopped, or to
/// be silent.
result<void> begin_again(const options& chosen, ground& seams, const replica& own) {
  if (auto dropped = replica::drop_all(seams); !dropped) return dropped;
  const auto connected = seams.connect(chosen.settings.value);
  if (!connected) return fail(connected.error());
  if (!*connected) return {};
  outcome told;
  return run_actors(chosen, seams, own, false, told);
}

/// Waits for its turn where there are other replicas, and gives it up in the end.
result<void> serve_in_turn(const options& chosen, ground& seams) {
  const auto& settings = chosen.settings.value;
  auto own = replica::join(settings, seams.dir->path(), chosen.ready_file);
  if (!own) return fail(std::move(own.error()));
  const auto acts = own->wait(settings, seams);
  if (!acts) return fail(acts.error());
  if (!*acts) return {};
  outcome told;
  auto done = run_actors(chosen, seams, *own, own->is_one(), told);
  if (told.outdated && own->is_one() && !stop_wanted()) done = begin_again(chosen, seams, *own);
  own->release();
  return done;
}

}  // namespace

int serve(options chosen) {
  block_signals();
  take_kept_credentials(chosen.settings.value.nats);
  const auto& settings = chosen.settings.value;
  if (auto set = logging::setup(logging_options(settings.logging)); !set)
    return report("argosy-agent", set.error());
  log_warnings(config_warnings(chosen.settings));
  auto obeyed = settings::files_read(settings);
  obeyed.push_back({"container.secretsDir", settings.container.rules.secrets_dir});
  if (auto own = refuse_files_of_others(chosen.config_file, obeyed); !own)
    return report("argosy-agent", own.error());
  raise_file_limit();
  trace::set_process_name("argosy-agent/" + settings.cluster);
  trace::set_enabled(settings.tracing.enabled);
  trace::set_sample_ratio(settings.tracing.sample_ratio);
  trace::set_span_capacity(settings.tracing.spans_max, settings.tracing.span_bytes_max.bytes);
  ground seams;
  if (auto opened = seams.open(settings); !opened) return report("argosy-agent", opened.error());
  // No sooner: a refused agent must not remove the file of the one that has the directory.
  std::error_code ignored;
  if (!chosen.ready_file.empty()) std::filesystem::remove(chosen.ready_file, ignored);
  auto connected = seams.connect(settings);
  if (!connected) return report("argosy-agent", connected.error());
  auto done = *connected ? serve_in_turn(chosen, seams) : result<void>{};
  if (!chosen.ready_file.empty()) std::filesystem::remove(chosen.ready_file, ignored);
  return done ? 0 : report("argosy-agent", done.error());
}

}  // namespace argosy::agent
