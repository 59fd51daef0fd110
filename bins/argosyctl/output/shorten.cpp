// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/output/shorten.hpp"

#include <algorithm>
#include <set>
#include <string_view>

namespace argosy::ctl {

namespace {

constexpr std::size_t id_size_min = 13;
constexpr std::size_t id_spare = 3;
/// A beginning that is shorter than this is not replaced by "…".
constexpr std::size_t beginning_size_min = 3;

std::size_t common_size(std::string_view a, std::string_view b) {
  const auto at = std::mismatch(
      a.begin(), a.begin() + static_cast<std::ptrdiff_t>(std::min(a.size(), b.size())), b.begin());
  return static_cast<std::size_t>(at.first - a.begin());
}

struct node_path {
  std::string_view cluster;
  std::string_view node;
};

node_path split_path(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return {{}, text};
  return {text.substr(0, slash), text.substr(slash + 1)};
}

/// The domain that all names end with behind their first part, such as ".rack7.example.com".
std::string_view common_domain(const std::set<std::string_view>& nodes) {
  const auto domain_of = [](std::string_view node) {
    const auto dot = node.find('.');
    return dot == std::string_view::npos || dot == 0 ? std::string_view{} : node.substr(dot);
  };
  const auto domain = domain_of(*nodes.begin());
  const bool all =
      std::all_of(nodes.begin(), nodes.end(), [&](auto node) { return domain_of(node) == domain; });
  return all ? domain : std::string_view{};
}

/// How many bytes the common beginning of all names has, without the digits at its end.
std::size_t common_beginning(const std::set<std::string_view>& nodes) {
  if (nodes.size() < 2) return 0;
  auto beginning = nodes.begin()->substr(0, common_size(*nodes.begin(), *nodes.rbegin()));
  while (!beginning.empty() && beginning.back() >= '0' && beginning.back() <= '9')
    beginning.remove_suffix(1);
  return beginning.size() < beginning_size_min ? 0 : beginning.size();
}

}  // namespace

std::vector<std::string> short_ids(const std::vector<std::string>& ids) {
  auto sorted = ids;
  std::sort(sorted.begin(), sorted.end());
  std::size_t needed = 0;
  for (std::size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i] != sorted[i - 1])
      needed = std::max(needed, common_size(sorted[i - 1], sorted[i]) + 1);
  const auto size = std::max(id_size_min, needed + id_spare);
  std::vector<std::string> out;
  out.reserve(ids.size());
  for (const auto& id : ids) out.push_back(id.substr(0, size));
  return out;
}

std::vector<std::string> short_places(const std::vector<std::string>& places) {
  std::set<std::string_view> clusters;
  std::set<std::string_view> nodes;
  for (const auto& text : places) {
    if (text.empty()) continue;
    const auto [cluster, node] = split_path(text);
    clusters.insert(cluster);
    nodes.insert(node);
  }
  if (nodes.empty()) return places;
  const auto domain = common_domain(nodes);
  std::set<std::string_view> names;
  for (auto node : nodes) names.insert(node.substr(0, node.size() - domain.size()));
  const auto beginning = common_beginning(names);
  std::vector<std::string> out;
  for (const auto& text : places) {
    auto [cluster, node] = split_path(text);
    if (text.empty() || node.size() < domain.size()) {
      out.push_back(text);
      continue;
    }
    node.remove_suffix(domain.size());
    std::string shorter;
    if (clusters.size() > 1 && !cluster.empty()) shorter = std::string{cluster} + '/';
    if (beginning > 0) shorter += "…";
    out.push_back(shorter.append(node.substr(beginning)));
  }
  return out;
}

}  // namespace argosy::ctl
