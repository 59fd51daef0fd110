// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/dev_clusters.hpp"

#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <set>

#include "actors/caf_error.hpp"
#include "bins/shared/agent_place.hpp"
#include "bins/shared/ending.hpp"
#include "runtime/backends/container/container_backend.hpp"
#include "runtime/backends/process/process_backend.hpp"
#include "runtime/backends/simulated/simulated_backend.hpp"
#include "runtime/base/program.hpp"
#include "runtime/logging/logger.hpp"
#include "runtime/store/lmdb/lmdb_database.hpp"

namespace argosy::argosyd {

namespace {

const logging::logger dev_logger{"argosyd"};

using backend_maker =
    std::function<result<std::unique_ptr<backends::backend>>(backends::event_sink)>;

/// With a folder for images: they are run where this machine can, and else not looked at.
backend_maker process_maker(const std::filesystem::path& runs, const std::filesystem::path& images,
                            std::vector<std::filesystem::path> hidden) {
  return [runs, images, hidden = std::move(hidden)](backends::event_sink sink) {
    backends::process_config config;
    config.runs_dir = runs;
    config.shim = own_program().parent_path() / "argosy-shim";
    config.limits = backends::without_storage_limits();
    // Whoever may submit here is the person who started the program, or one whom that person let
    // in.
    config.users.any_allowed = true;
    config.hidden = hidden;
    config.on_missing_protection = [](const std::string& what) {
      dev_logger.warning("a protection of runs is missing", logging::kv("what", what));
    };
    if (images.empty()) return backends::make_process_backend(std::move(config), std::move(sink));
    backends::container_config containers{{}, images};
    if (const char* file = std::getenv("CONTAINERS_REGISTRIES_CONF"))
      containers.rules.registries_conf = file;
    if (const char* file = std::getenv("REGISTRY_AUTH_FILE")) containers.rules.auth_file = file;
    containers.or_processes = true;
    return backends::make_container_backend(std::move(config), std::move(containers),
                                            std::move(sink));
  };
}

backend_maker simulated_maker(std::uint32_t nodes, std::uint64_t seed) {
  return [nodes, seed](backends::event_sink sink) -> result<std::unique_ptr<backends::backend>> {
    backends::simulated_config config;
    backends::node_template node;
    node.count = nodes;
    node.resources = {
        {"cpu", 32'000}, {"ephemeral-storage", std::int64_t{1} << 40}, {"memory", 256LL << 30}};
    config.nodes.push_back(std::move(node));
    config.runs.seed = seed;
    return std::unique_ptr<backends::backend>{
        std::make_unique<backends::simulated_backend>(std::move(config), std::move(sink))};
  };
}

/// ROOT answers when it has made all that the store holds: with millions of jobs after a minute. If
/// it ends, this fails at once. Fails with ec::cancelled if the process shall end before.
result<actors::cluster_actor> wait_for_session(const std::string& name, caf::actor_system& system,
                                               const actors::root_actor& root) {
  caf::scoped_actor self{system};
  while (true) {
    result<actors::cluster_actor> out = fail(ec::timeout, {});
    self->request(root, std::chrono::seconds{1}, atom::ensure_v, model::cluster_name{name})
        .receive([&](const actors::cluster_actor& cluster) { out = cluster; },
                 [&](const caf::error& err) { out = fail(actors::from_caf(err)); });
    if (out || out.error().code != ec::timeout) return out;
    if (stop_wanted(std::chrono::milliseconds{0})) return fail(ec::cancelled, "the process ends");
  }
}

result<std::shared_ptr<store::database>> open_store(const std::string& name,
                                                    const store::data_dir& dir) {
  auto folder = dir.folder("agent-" + name);
  if (!folder) return fail(folder.error());
  auto opened = store::open_lmdb({*folder, std::uint64_t{16} << 30});
  if (!opened) return fail(opened.error());
  return std::shared_ptr<store::database>{std::move(*opened)};
}

}  // namespace

result<void> dev_clusters::start(const options& chosen, const store::data_dir& dir,
                                 caf::actor_system& system, const actors::root_actor& root,
                                 const std::shared_ptr<metrics::board>& probes,
                                 const std::filesystem::path& credentials,
                                 std::function<void(const std::string&)> failed) {
  const auto make_config = [&](const std::string& name) {
    actors::executor_actor_config config;
    config.clock = &system_clock_source();
    config.probes = probes;
    config.rules.heartbeat = chosen.settings.value.clusters.heartbeat;
    config.on_failure = [failed, name](const error& why) {
      // Another agent has taken the name; the control plane serves that one.
      if (why.code == ec::conflict) return;
      failed("cluster '" + name + "': " + why.detail);
    };
    return config;
  };
  if (chosen.sim_clusters == 0 || chosen.local) {
    auto runs = dir.folder("runs");
    if (!runs) return fail(runs.error());
    auto config = make_config("local");
    // A job works with the user's files, but not as the control plane or its owner.
    const auto images = chosen.plain_processes ? std::filesystem::path{} : dir.path() / "images";
    config.make_backend = process_maker(*runs, images, {dir.path(), credentials});
    const bool pods = !images.empty() && backends::has_container_programs();
    if (auto added = add("local", pods ? model::container_backend : "process", std::move(config),
                         dir, system, root);
        !added)
      return added;
  }
  for (std::uint32_t i = 1; i <= chosen.sim_clusters; ++i) {
    const auto name = "sim-" + std::to_string(i);
    auto config = make_config(name);
    config.make_backend = simulated_maker(chosen.sim_nodes, i);
    if (auto added = add(name, "simulated", std::move(config), dir, system, root); !added)
      return added;
  }
  return {};
}

result<void> dev_clusters::add(const std::string& name, const std::string& backend,
                               actors::executor_actor_config config, const store::data_dir& dir,
                               caf::actor_system& system, const actors::root_actor& root) {
  auto opened = open_store(name, dir);
  if (!opened) return fail(opened.error());
  const auto database = std::move(*opened);
  config.cluster.name = model::cluster_name{name};
  config.cluster.backend = backend;
  set_place(config.cluster, dir.path());
  auto memory = actors::load_executor(*database, config.cluster.place, [&]() -> result<void> {
    if (backend == "simulated") return {};
    return set_runs_aside(config.cluster, dir.path() / "runs");
  });
  if (!memory) return fail(memory.error());
  // The runs of virtual nodes end with the process. Only the incarnation is kept: with another one
  // their jobs would wait for the end of a lease.
  const bool facts_only = backend == "simulated";
  auto session = wait_for_session(name, system, root);
  if (!session) return fail(session.error());
  config.session = std::move(*session);
  config.memory = std::move(*memory);
  config.store = actors::spawn_executor_store(system, {database, facts_only, config.probes},
                                              actors::run_on::own_thread);
  stores_.push_back(config.store);
  executors_.push_back(actors::spawn_executor(system, std::move(config)));
  if (!facts_only) processes_ = executors_.back();
  return {};
}

std::size_t dev_clusters::count_processes(caf::actor_system& system) const {
  if (!processes_) return 0;
  caf::scoped_actor self{system};
  std::size_t out = 0;
  self->request(processes_, std::chrono::seconds{1}, atom::status_v)
      .receive([&](const native::executor_status& status) { out = status.open; },
               [](const caf::error&) {});
  return out;
}

std::size_t dev_clusters::stop(caf::actor_system& system, std::chrono::milliseconds limit,
                               bool end_jobs) {
  const auto going_on = end_jobs ? 0 : count_processes(system);
  caf::scoped_actor self{system};
  std::set<caf::actor_addr> waiting;
  for (const auto& executor : executors_) {
    self->monitor(executor);
    waiting.insert(executor.address());
    self->send(executor, atom::shutdown_v,
               end_jobs ? ledger::runs_at_shutdown::stop : ledger::runs_at_shutdown::keep);
  }
  const auto end = std::chrono::steady_clock::now() + limit;
  bool late = false;
  while (!waiting.empty() && !late)
    self->receive([&](const caf::down_msg& down) { waiting.erase(down.source); },
                  caf::after(std::max(end - std::chrono::steady_clock::now(),
                                      std::chrono::steady_clock::duration::zero())) >>
                      [&] { late = true; });
  for (const auto& executor : executors_) caf::anon_send_exit(executor, caf::exit_reason::kill);
  for (const auto& store : stores_) caf::anon_send_exit(store, caf::exit_reason::user_shutdown);
  executors_.clear();
  processes_ = nullptr;
  stores_.clear();
  return going_on;
}

void tell_of_jobs(std::size_t count, boot_time lease) {
  std::cerr << "argosyd: " << count << (count == 1 ? " job goes" : " jobs go")
            << " on without it. Start argosyd --dev again within " << settings::print_value(lease)
            << " and it finds them; argosyctl cancel then ends them, and after that time they end "
               "by themselves. With --end-jobs-on-stop argosyd ends its jobs when it stops.\n";
}

}  // namespace argosy::argosyd
