// SPDX-License-Identifier: Apache-2.0
#include "runtime/settings/checks/warnings.hpp"

#include <algorithm>
#include <utility>

#include "runtime/base/suggest.hpp"
#include "runtime/settings/checks/address.hpp"

namespace argosy::settings {

namespace {

/// Whether other machines reach who listens here.
bool is_reachable(const std::string& listen) {
  return listen != "off" && !is_loopback(host_of(listen));
}

void add_nats(const nats_settings& item, std::vector<std::string>& out) {
  if (!item.ca_file.empty() || !item.certificate_file.empty()) return;
  for (const auto& url : parts_of(item.url, ','))
    if (!url.starts_with("tls://") && !is_loopback(host_of(url))) {
      out.push_back("nats.url names the server " + host_of(url) +
                    " without encryption, so that whoever is in between reads and changes what is "
                    "said" +
                    (item.token_file.empty() ? "" : ", the token of nats.tokenFile too") +
                    "; give the server a certificate and write tls://");
      return;
    }
}

void add_paths(const std::vector<named_thing>& paths, std::vector<std::string>& out) {
  for (const auto& [key, path] : paths)
    if (!path.empty() && !path.starts_with('/'))
      out.push_back(key + " is '" + path +
                    "', which depends on the directory in which the program is started; write a "
                    "path that begins with /");
}

void add_nats_files(const nats_settings& item, std::vector<named_thing>& out) {
  out.push_back({"nats.tokenFile", item.token_file});
  out.push_back({"nats.credentialsFile", item.credentials_file});
  out.push_back({"nats.caFile", item.ca_file});
  out.push_back({"nats.certificateFile", item.certificate_file});
  out.push_back({"nats.keyFile", item.key_file});
}

void add_doors(const argosyd_settings& all, std::vector<std::string>& out) {
  const bool rest = all.rest.enabled && is_reachable(all.health.listen);
  const bool grpc = is_reachable(all.grpc.listen);
  if (rest)
    out.push_back("health.listen is " + all.health.listen +
                  ", where REST and the page are served without encryption: passwords and tokens "
                  "can be read by whoever is in between; listen on 127.0.0.1 behind a proxy with "
                  "TLS");
  if (grpc && all.grpc.certificate.empty())
    out.push_back("grpc.listen is " + all.grpc.listen +
                  ", where gRPC is served without encryption: passwords and tokens can be read by "
                  "whoever is in between; set grpc.certificateFile and grpc.keyFile, or listen on "
                  "127.0.0.1 behind a proxy with TLS");
  const bool near = all.grpc.listen != "off" || (all.rest.enabled && all.health.listen != "off");
  if (near && all.grpc.anonymous != anonymous_role::none) {
    const auto role = enum_names(all.grpc.anonymous)[static_cast<std::size_t>(all.grpc.anonymous)];
    out.push_back("grpc.anonymousRole is " + std::string{role} + ", so that everybody " +
                  (grpc   ? "who reaches " + all.grpc.listen
                   : rest ? "who reaches " + all.health.listen
                          : "on this machine, its jobs too, and behind a proxy on it") +
                  (all.grpc.anonymous == anonymous_role::operator_ ? " may do everything"
                   : all.grpc.anonymous == anonymous_role::submitter
                       ? " may read everything, submit and cancel"
                       : " may read everything") +
                  " without a log-in; set none and name users in access.users" +
                  (grpc || rest ? ", or listen on 127.0.0.1" : ""));
  }
  for (const auto& origin : all.rest.origins)
    if (origin.starts_with("http://") && !is_loopback(host_of(origin)))
      out.push_back("rest.allowedOrigins has " + origin +
                    ", whose pages can be changed by whoever is in between, and then act in the "
                    "name of their readers; serve them over https");
}

/// Every caller is in the group everyone, so that what it may change, strangers may.
void add_permissions(const access_settings& all, std::vector<std::string>& out) {
  const auto look = [&](const std::string& key, const std::string& name,
                        const std::vector<std::string>& groups) {
    if (name.starts_with("watch_") || name.starts_with("read_")) return;
    if (std::ranges::find(groups, "everyone") == groups.end()) return;
    out.push_back(key + " gives " + name +
                  " to the group everyone, in which each caller is; name a group of those who "
                  "should have it");
  };
  for (const auto& one : all.permissions) look("access.permissions", one.name, one.groups);
  for (const auto& [name, groups] : all.by_group)
    look("access.permissionGroupMapping", name, groups);
}

/// Whom callers over gRPC, REST and NATS may be. With tokens of others anybody may come, in any
/// group.
struct known_callers {
  std::vector<std::string_view> users;
  std::vector<std::string_view> groups{"everyone"};
  bool by_oidc = false;
  bool by_tokens = false;

  explicit known_callers(const argosyd_settings& all)
      : by_oidc(!all.access.oidc.issuer.empty()),
        by_tokens(by_oidc || !all.access.kubernetes.clusters.empty()) {
    for (const auto& user : all.access.users) {
      users.emplace_back(user.name);
      groups.insert(groups.end(), user.groups.begin(), user.groups.end());
    }
    if (all.grpc.anonymous != anonymous_role::none) users.emplace_back("anonymous");
  }
};

/// Why nobody is in the group; empty if somebody may be.
std::string fault_of_group(const std::string& group, const known_callers& known) {
  if (std::ranges::find(known.groups, group) != known.groups.end()) return {};
  if (group == "anonymous" || group == "system:unauthenticated")
    return "in which no caller ever is; grpc.anonymousRole says what callers may do who do not "
           "say who they are";
  if (known.by_tokens) return {};
  return "in which no user of access.users is" + did_you_mean(group, known.groups);
}

/// What is given to nobody does nothing, and whoever wrote it meant somebody.
void add_given_to_nobody(const argosyd_settings& all, std::vector<std::string>& out) {
  const known_callers known{all};
  const auto look = [&](const std::string& key, const std::string& name,
                        const std::vector<std::string>& groups) {
    for (const auto& group : groups)
      if (const auto fault = fault_of_group(group, known); !fault.empty())
        out.push_back(key + " gives " + name + " to the group '" + group + "', " + fault);
  };
  const auto look_at_tokens = [&](const std::string& key, const std::string& name,
                                  const std::vector<std::string>& words) {
    if (!words.empty() && !known.by_oidc)
      out.push_back(key + " gives " + name + " by '" + words.front() +
                    "' of tokens, and there are none without access.oidc");
  };
  const auto& access = all.access;
  for (const auto& one : access.permissions) {
    look("access.permissions", one.name, one.groups);
    look_at_tokens("access.permissions", one.name, one.scopes);
    look_at_tokens("access.permissions", one.name, one.claims);
  }
  for (const auto& [name, groups] : access.by_group)
    look("access.permissionGroupMapping", name, groups);
  for (const auto& [name, words] : access.by_scope)
    look_at_tokens("access.permissionScopeMapping", name, words);
  for (const auto& [name, words] : access.by_claim)
    look_at_tokens("access.permissionClaimMapping", name, words);
  for (const auto& cluster : all.armada_executors.clusters)
    for (const auto& user : cluster.rules.users) {
      if (std::ranges::find(known.users, user) != known.users.end()) continue;
      if (user == "anonymous")
        out.push_back("armadaExecutors.clusters lets anonymous serve '" + cluster.rules.name +
                      "', and grpc.anonymousRole none refuses callers who do not say who they are");
      else if (!known.by_tokens)
        out.push_back("armadaExecutors.clusters lets '" + user + "' serve '" + cluster.rules.name +
                      "', who is no user of access.users" + did_you_mean(user, known.users));
    }
}

/// A gang with more members than a bucket can hold is taken, and never starts.
void add_bursts(const argosyd_settings& all, std::vector<std::string>& out) {
  const auto most = all.queues.gang_cardinality_max;
  const auto look = [&](const std::string& key, double burst) {
    if (burst >= most) return;
    out.push_back("scheduling." + key + " is " + std::to_string(static_cast<std::uint64_t>(burst)) +
                  ", so that a gang of more members never starts, and api.gangCardinalityMax lets "
                  "gangs of " +
                  std::to_string(most) + " in; lower the latter, or raise the former");
  };
  look("maximumSchedulingBurst", all.scheduling.keys.burst);
  look("maximumPerQueueSchedulingBurst", all.scheduling.keys.queue_burst);
}

template <class T>
std::vector<std::string> at_their_places(const std::vector<std::string>& found,
                                         const loaded<T>& all) {
  std::vector<std::string> out;
  for (const auto& text : found) out.push_back(placed(text, all.origins));
  return out;
}

}  // namespace

std::vector<std::string> unknown_pools(const scheduling_settings& all,
                                       const std::vector<std::string>& of_clusters) {
  std::vector<std::string> out;
  std::vector<std::string_view> known{"default"};
  known.insert(known.end(), of_clusters.begin(), of_clusters.end());
  for (const auto& pool : all.pools) known.emplace_back(pool.name);
  const auto look = [&](const std::string& where, const std::string& name) {
    if (std::ranges::find(known, name) != known.end()) return;
    out.push_back(where + " names the pool '" + name +
                  "', which is not in scheduling.pools; it does nothing unless an agent has that "
                  "pool" +
                  did_you_mean(name, known));
  };
  for (const auto& pool : all.pools)
    for (const auto& away : pool.own.away_pools)
      look("scheduling.pools: awayPools of '" + pool.name + "'", away);
  for (const auto& floating : all.floating)
    for (const auto& pool : floating.pools)
      look("scheduling.floatingResources: '" + floating.name + "'", pool);
  return out;
}

std::vector<std::string> unknown_components(const logging_settings& logging,
                                            const std::vector<std::string>& known) {
  std::vector<std::string> out;
  for (const auto& [name, level] : logging.components)
    if (std::ranges::find(known, name) == known.end())
      out.push_back("logging.components names '" + name +
                    "', which is no component of this program's log" + did_you_mean(name, known));
  return out;
}

std::vector<named_thing> listen_addresses(const argosyd_settings& all) {
  return {{"grpc.listen", all.grpc.listen}, {"health.listen", all.health.listen}};
}

std::vector<named_thing> listen_addresses(const agent_settings& all) {
  return {{"health.listen", all.health.listen}};
}

std::vector<named_thing> files_read(const argosyd_settings& all) {
  std::vector<named_thing> out{{"grpc.certificateFile", all.grpc.certificate},
                               {"grpc.keyFile", all.grpc.key},
                               {"access.oidc.caFile", all.access.oidc.ca_file}};
  add_nats_files(all.nats, out);
  for (const auto& cluster : all.access.kubernetes.clusters)
    out.push_back({"access.kubernetes.clusters: caFile", cluster.ca_file});
  return out;
}

std::vector<named_thing> files_read(const agent_settings& all) {
  std::vector<named_thing> out;
  add_nats_files(all.nats, out);
  out.push_back({"container.registriesConf", all.container.rules.registries_conf});
  out.push_back({"container.authFile", all.container.rules.auth_file});
  for (const auto& file : parts_of(all.kubernetes.kubeconfig, ':'))
    out.push_back({"kubernetes.kubeconfig", file});
  return out;
}

std::vector<std::string> warnings_of(const loaded<argosyd_settings>& all) {
  std::vector<std::string> out;
  add_doors(all.value, out);
  add_nats(all.value.nats, out);
  add_permissions(all.value.access, out);
  add_given_to_nobody(all.value, out);
  add_bursts(all.value, out);
  // The pools of agents are not known here, so that a name may be right that stands nowhere else.
  for (auto& text : unknown_pools(all.value.scheduling, {})) out.push_back(std::move(text));
  auto paths = files_read(all.value);
  paths.push_back({"dataDir", all.value.data_dir});
  paths.push_back({"journal.keyFile", all.value.journal.key_file});
  paths.push_back({"logging.file", all.value.logging.file});
  add_paths(paths, out);
  return at_their_places(out, all);
}

std::vector<std::string> warnings_of(const loaded<agent_settings>& all) {
  std::vector<std::string> out;
  add_nats(all.value.nats, out);
  if (all.value.kubernetes.lapse)
    out.push_back(
        "kubernetes.lapse is true, so that a job may run twice if this agent, its API server or "
        "the pod's node is away as well when the lease of the pod lapses; with false its job waits "
        "for the pod");
  auto paths = files_read(all.value);
  paths.push_back({"dataDir", all.value.data_dir});
  paths.push_back({"logging.file", all.value.logging.file});
  add_paths(paths, out);
  return at_their_places(out, all);
}

}  // namespace argosy::settings
