// SPDX-License-Identifier: Apache-2.0
#include "bins/argosy-agent/replica.hpp"

#include <unistd.h>
#include <xxhash.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <system_error>
#include <utility>

#include "actors/agent/executor_store.hpp"
#include "bins/argosy-agent/job_peers.hpp"
#include "bins/argosy-agent/kubernetes.hpp"
#include "bins/shared/agent_place.hpp"
#include "bins/shared/ending.hpp"
#include "bins/shared/health_endpoint.hpp"
#include "bins/version.hpp"
#include "runtime/base/random.hpp"
#include "runtime/health/health_server.hpp"
#include "runtime/health/metrics.hpp"
#include "runtime/kube/https/https_api.hpp"
#include "runtime/logging/logger.hpp"

namespace argosy::agent {

namespace {

const logging::logger replica_logger{"agent"};

constexpr std::chrono::milliseconds release_limit{1'000};

bool wants_election(const settings::agent_settings& from) {
  if (from.backend != settings::backend_kind::kubernetes) return false;
  switch (from.kubernetes.election) {
    case settings::leader_election::always:
      return true;
    case settings::leader_election::never:
      return false;
    case settings::leader_election::automatic:
      break;
  }
  return from.kubernetes.kubeconfig.empty();
}

/// When two processes have one identity, the first is dead: the lock on the data directory held
/// back the second one until then. The boot is in it, because the lock ends with that.
std::string identity_of(const std::filesystem::path& data_dir) {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  model::cluster_info place;
  set_place(place, data_dir);
  const auto named = place.place + "/" + place.boot;
  const auto hash = XXH3_64bits(named.data(), named.size());
  std::array<char, 17> hex{};
  static_cast<void>(
      std::snprintf(hex.data(), hex.size(), "%016llx", static_cast<unsigned long long>(hash)));
  return std::string{host.data()} + "_" + hex.data();
}

/// Nothing is ended in order: whatever is still under way must not be carried on.
[[noreturn]] void end_at_once(const std::string& lease, const std::filesystem::path& ready_file) {
  std::error_code ignored;
  if (!ready_file.empty()) std::filesystem::remove(ready_file, ignored);
  replica_logger.error("the lease is lost, so that another replica may act; this process ends",
                       logging::kv("lease", lease));
  std::cerr << "argosy-agent: lease '" << lease
            << "' was not renewed in time or is held by another replica; this one ends, and waits "
               "for the lease when it is started again"
            << std::endl;
  std::_Exit(lease_lost_code);
}

}  // namespace

result<replica> replica::join(const settings::agent_settings& settings,
                              const std::filesystem::path& data_dir,
                              const std::filesystem::path& ready_file) {
  replica out;
  if (!wants_election(settings)) return out;
  const auto& own = settings.kubernetes;
  const auto access = access_of(own);
  if (!access) return fail(access.error());
  kube::election_rules rules;
  rules.name = own.lease_name.empty() ? "argosy-agent-" + settings.cluster : own.lease_name;
  rules.name_space = own.lease_namespace.empty() ? access->space : own.lease_namespace;
  rules.identity = identity_of(data_dir);
  rules.duration = own.lease_duration;
  rules.renew_within = own.renew_deadline;
  rules.retry = own.retry_period;
  if (rules.name_space.empty())
    return fail(ec::invalid_argument,
                "kubernetes.leaseNamespace is empty, and the kubeconfig file names no namespace: "
                "set it to the namespace that has the Lease object of the replicas");
  if (auto good = kube::validate(rules); !good) return fail(std::move(good.error()));
  // It has a connection and a limit of requests of its own: many pods must not hold a renewal back.
  auto server = kube::make_https_api(*access, {}, system_clock_source(), system_random{}.next(),
                                     origin_of(own));
  if (!server) return fail(std::move(server.error()));
  const auto lease = rules.name_space + "/" + rules.name;
  out.election_ = std::make_unique<kube::election>(
      std::shared_ptr<kube::api>{std::move(*server)}, std::move(rules),
      [lease, ready_file] { end_at_once(lease, ready_file); }, system_clock_source());
  return out;
}

result<bool> replica::wait(const settings::agent_settings& settings, const ground& seams) {
  if (!election_) return true;
  health::server_config config;
  config.listen = settings.health.listen;
  config.names->set(settings.health.host_names);
  config.bounds = health::few_connections();
  config.admits = admits_no_job(settings);
  config.ready.push_back({"bus", [connection = seams.connection]() -> result<void> {
                            if (connection->status() == bus::link_status::connected) return {};
                            return fail(ec::unreachable,
                                        "no connection to " + connection->server());
                          }});
  // Nobody acts where no replica may have the lease.
  config.ready.push_back({"lease", [this] { return election_->may_look(); }});
  config.metrics = {health::process_metrics("argosy-agent", version_text)};
  config.status = [this] {
    auto holder = election_->holder();
    // Whoever may write the object may have written anything into it.
    std::erase_if(holder, [](char c) { return c < ' ' || c > '~' || c == '"' || c == '\\'; });
    return R"({"standby":true,"lease_holder":")" + holder + "\"}";
  };
  auto page = serve_health(std::move(config), seams.dir->path() / "health.port");
  if (!page) return fail(std::move(page.error()));
  while (!election_->leads())
    if (stop_wanted()) return false;
  return true;
}

std::string replica::term() const {
  return election_ ? "/lease/" + election_->term() : std::string{};
}

act_limit replica::limit() const {
  return election_ ? election_->fence() : act_limit{};
}

void replica::release() {
  if (election_) election_->release(release_limit);
}

result<void> replica::forget_runs(const std::filesystem::path& runs) {
  std::error_code code;
  for (const auto& each : std::filesystem::directory_iterator{runs, code})
    std::filesystem::remove_all(each.path(), code);
  if (code)
    return fail(ec::internal, "what is in '" + runs.string() +
                                  "' is of an earlier time as the acting replica and cannot be "
                                  "removed: " +
                                  code.message());
  replica_logger.info("another replica may have acted since; runs are found by their pods");
  return {};
}

result<void> replica::drop_all(const ground& seams) {
  replica_logger.warning(
      "an agent that does not ask for the lease has served the cluster since; what this one knew "
      "is dropped, and it goes on with the pods that are there");
  if (auto done = forget_runs(seams.runs); !done) return done;
  return actors::forget_executor(*seams.database);
}

}  // namespace argosy::agent
