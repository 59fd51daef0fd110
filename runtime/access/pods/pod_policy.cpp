// SPDX-License-Identifier: Apache-2.0
#include "runtime/access/pods/pod_policy.hpp"

#include <algorithm>
#include <array>

#include "runtime/base/text.hpp"
#include "runtime/base/whole_number.hpp"

namespace argosy::access {

namespace {

constexpr std::array<std::string_view, 3> level_names{"privileged", "baseline", "restricted"};
constexpr std::array<std::string_view, 3> host_namespace_names{"network", "pid", "ipc"};
constexpr std::array<std::string_view, 3> service_names{"NodePort", "Headless", "Ingress"};
constexpr std::int64_t port_max = 65'535;

/// The names of a path, without those that mean nothing. Nothing for one that leads upwards.
std::optional<std::vector<std::string_view>> parts_of(std::string_view path) {
  std::vector<std::string_view> out;
  while (!path.empty()) {
    const auto end = std::min(path.find('/'), path.size());
    const auto name = path.substr(0, end);
    path.remove_prefix(std::min(end + 1, path.size()));
    if (name == "..") return std::nullopt;
    if (!name.empty() && name != ".") out.push_back(name);
  }
  return out;
}

struct port_range {
  std::int64_t first;
  std::int64_t last;
};

std::optional<port_range> parse_range(std::string_view text) {
  const auto dash = text.find('-');
  const auto first = whole_number<std::int64_t>(text.substr(0, dash));
  const auto last =
      dash == std::string_view::npos ? first : whole_number<std::int64_t>(text.substr(dash + 1));
  if (!first || !last || *first < 1 || *last > port_max || *first > *last) return std::nullopt;
  return port_range{*first, *last};
}

}  // namespace

std::span<const std::string_view> enum_names(pod_level) {
  return level_names;
}

bool fits_any(const std::vector<std::string>& patterns, std::string_view text) {
  return std::ranges::any_of(patterns, [&](const auto& each) { return fits_name(each, text); });
}

bool holds_path(const std::vector<std::string>& paths, std::string_view path) {
  const auto wanted = parts_of(path);
  if (!wanted || !path.starts_with('/')) return false;
  return std::ranges::any_of(paths, [&](const auto& each) {
    const auto folder = parts_of(each);
    return folder && folder->size() <= wanted->size() &&
           std::equal(folder->begin(), folder->end(), wanted->begin());
  });
}

bool holds_port(const std::vector<std::string>& ranges, std::int64_t port) {
  return std::ranges::any_of(ranges, [&](const auto& each) {
    const auto range = parse_range(each);
    return range && port >= range->first && port <= range->last;
  });
}

const pod_policy& policy_of(const std::vector<pod_policy>& policies, std::string_view queue) {
  static const pod_policy usual;
  for (const auto& each : policies)
    if (each.queues.empty() || fits_any(each.queues, queue)) return each;
  return usual;
}

std::optional<std::string> fault_of(const pod_policy& policy) {
  for (const auto& each : policy.host_paths)
    if (!each.starts_with('/') || !parts_of(each))
      return "hostPaths: '" + each + "' has to begin with / and to have no ..";
  for (const auto& each : policy.host_namespaces)
    if (std::ranges::find(host_namespace_names, each) == host_namespace_names.end())
      return "hostNamespaces: '" + each + "' is not one of network, pid, ipc";
  for (const auto& each : policy.services)
    if (std::ranges::find(service_names, each) == service_names.end())
      return "services: '" + each + "' is not one of NodePort, Headless, Ingress";
  for (const auto& each : policy.host_ports)
    if (!parse_range(each))
      return "hostPorts: '" + each + "' is no port and no range of ports, such as 8000-8100";
  return std::nullopt;
}

}  // namespace argosy::access
