// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/init/settings_text.hpp"

#include <algorithm>

#include "bins/argosyd/init/kubernetes_files.hpp"
#include "runtime/settings/argosyd_settings.hpp"
#include "runtime/settings/checks/address.hpp"

namespace argosy::argosyd {

namespace {

std::string nats_settings_text(const init_request& request, const access::server_plan& plan,
                               const access::member& who, const std::string& url) {
  std::string out = "nats:\n  url: " + quoted_yaml(url) + "\n  credentialsFile: " +
                    quoted_yaml((request.folder / credentials_of(who)).string()) + "\n";
  if (!plan.authority.empty()) out += "  caFile: " + quoted_yaml(plan.authority) + "\n";
  return out;
}

/// The size of the log, if its default is too large for this disk. A nats-server takes 75 % of what
/// is free, and needs room for two generations of the log.
std::string log_settings_text(std::uint64_t disk_free_bytes) {
  constexpr std::uint64_t gibi = std::uint64_t{1} << 30;
  const settings::argosyd_settings usual;
  const auto quarter = std::max<std::uint64_t>(disk_free_bytes / 4 / gibi, 1);
  if (disk_free_bytes == 0 || quarter * gibi >= usual.journal.log_bytes_max.bytes) return {};
  return "  # a quarter of what was free on the disk of the nats-server\n  "
         "logBytesMax: " +
         std::to_string(quarter) + "GiB\n";
}

/// The section of the log: three argosyd confirm to one another what they keep.
std::string journal_text(const init_request& request, const access::server_plan& plan) {
  auto out = log_settings_text(request.disk_free_bytes);
  if (!plan.machines.empty())
    out += "  replicas: 3\n  commit: standby\n  keyFile: " +
           quoted_yaml((request.folder / log_key_file).string()) + "\n";
  return out.empty() ? out : "journal:\n" + out;
}

/// The URLs, that of this machine's nats-server first.
std::string url_of(const access::server_plan& plan, const std::string& machine) {
  if (machine.empty()) return plan.url;
  std::string own;
  std::string others;
  for (const auto& each : settings::parts_of(plan.url, ','))
    (each.find("//" + machine + ":") != std::string::npos ? own : others) += "," + each;
  return (own + others).substr(1);
}

/// What three argosyd on one machine must have each for itself.
std::string trial_text(const init_request& request, const std::string& machine) {
  return "dataDir: " + quoted_yaml((request.folder / ("data-" + machine)).string()) +
         "\nhealth:\n  listen: " + quoted_yaml(machine + ":9480") + "\n";
}

/// The line that names the folder of a program's state, unless that is what it would take anyway.
std::string data_dir_text(const std::filesystem::path& state, const access::member& who) {
  const settings::argosyd_settings usual;
  if (state.empty() || state == usual.data_dir) return {};
  const auto own = who.what == access::role::agent ? "agent-" + who.name : std::string{"data"};
  return "dataDir: " + quoted_yaml((state / own).string()) + "\n";
}

/// gRPC answers to addresses and to localhost without being told; others may call it by this name.
std::string host_name_text(const std::string& host) {
  const bool is_address =
      host.starts_with('[') || host.find_first_not_of("0123456789.") == std::string::npos;
  if (is_address || host == "localhost") return {};
  return "health:\n  hostNames: [" + quoted_yaml(host) + "]\n";
}

std::string grpc_settings_text(const init_request& request, const access::server_plan& plan,
                               const std::string& machine) {
  if (request.grpc.empty()) return {};
  const auto listen =
      on_one_machine(plan) ? machine + request.grpc.substr(request.grpc.rfind(':')) : request.grpc;
  std::string out = "grpc:\n  listen: " + quoted_yaml(listen) + "\n";
  if (!plan.certificate.empty())
    out += "  certificateFile: " + quoted_yaml(plan.certificate) +
           "\n  keyFile: " + quoted_yaml(plan.certificate_key) + "\n";
  const auto begin = plan.grpc.find("://") + 3;
  const auto host = plan.grpc.substr(begin, plan.grpc.rfind(':') - begin);
  return out + host_name_text(machine.empty() ? host : machine);
}

}  // namespace

std::string quoted_yaml(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::filesystem::path credentials_of(const access::member& who) {
  const std::filesystem::path folder{"credentials"};
  switch (party_of(who.what)) {
    case access::party::control_plane:
      return folder / "argosyd";
    case access::party::agent:
      return folder / ("agent-" + who.name);
    case access::party::user:
      break;
  }
  return folder / ("user-" + who.name);
}

std::string settings_text(const init_request& request, const access::server_plan& plan,
                          const access::member& who, const std::string& machine) {
  const bool agent = who.what == access::role::agent;
  std::string out = "# Written by `argosyd init`. What else can be set here is printed by:\n# ";
  out += agent ? "argosy-agent config print\ncluster: " + quoted_yaml(who.name) + "\n"
               : "argosyd config print\n";
  out += machine.empty() || !on_one_machine(plan) ? data_dir_text(request.state, who)
                                                  : trial_text(request, machine);
  out += nats_settings_text(request, plan, who, url_of(plan, machine));
  if (agent && request.kubernetes) out += kubernetes_settings_text(request, who.name);
  if (!agent) out += grpc_settings_text(request, plan, machine) + journal_text(request, plan);
  return out;
}

std::string context_text(const access::server_plan& plan, const access::member& who,
                         const std::string& password) {
  const auto begin = plan.grpc.find("://") + 3;
  const auto grpc =
      plan.grpc.substr(0, begin) + who.name + ":" + password + "@" + plan.grpc.substr(begin);
  std::string out = "# Written by `argosyd init`. Whoever has this file is " +
                    to_string(identity_of(who)) +
                    " for Argosy. Keep it secret.\ncurrentContext: argosy\ncontexts:\n  argosy:\n" +
                    "    server: " + quoted_yaml(plan.url) +
                    "\n    credentials: credentials\n    grpc: " + quoted_yaml(grpc) + "\n";
  if (!plan.authority.empty()) out += "    caFile: " + quoted_yaml(plan.authority) + "\n";
  return out;
}

}  // namespace argosy::argosyd
