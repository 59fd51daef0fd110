// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/kubernetes/trouble/node_state.hpp"

#include <set>
#include <utility>

#include "runtime/backends/kubernetes/object.hpp"
#include "runtime/base/text.hpp"

namespace argosy::backends {

namespace {

using nlohmann::json;
using object::part;
using object::text;

constexpr std::size_t node_message_max = 200;
const node_state gone_state{true, false, {}};

std::string name_of(const json& node) {
  return text(part(node, "metadata"), "name");
}

}  // namespace

std::optional<node_state> read_node_state(const json& node) {
  for (const auto& each : part(node, "status", "conditions")) {
    if (text(each, "type") != "Ready") continue;
    const auto status = text(each, "status");
    if (status == "True") return std::nullopt;
    return node_state{false, status != "False",
                      std::string{cut_to_size(text(each, "message"), node_message_max)},
                      text(each, "lastTransitionTime")};
  }
  // A node that has just been made says nothing of itself yet.
  return std::nullopt;
}

std::string silence_of(const std::string& node, const node_state& state) {
  if (state.is_gone) return "node '" + node + "' is not in Kubernetes any more";
  if (!state.is_silent) return {};
  return "the kubelet of node '" + node + "' is silent" +
         (state.since.empty() ? "" : " since " + state.since) +
         (state.message.empty() ? "" : ": " + state.message);
}

void node_states::set(const std::string& node, const std::optional<node_state>& state,
                      std::vector<std::string>& news) {
  const auto [known, is_new] = nodes_.try_emplace(node, state);
  if (!is_new && known->second == state) return;
  known->second = state;
  news.push_back(node);
}

std::vector<std::string> node_states::listed(const std::vector<json>& nodes) {
  std::vector<std::string> news;
  std::set<std::string> present;
  for (const auto& each : nodes) {
    present.insert(name_of(each));
    set(name_of(each), read_node_state(each), news);
  }
  is_listed_ = true;
  std::erase_if(nodes_, [&](const auto& each) {
    if (present.contains(each.first)) return false;
    news.push_back(each.first);
    return true;
  });
  return news;
}

std::vector<std::string> node_states::changed(const json& node) {
  std::vector<std::string> news;
  set(name_of(node), read_node_state(node), news);
  return news;
}

std::vector<std::string> node_states::gone(const json& node) {
  nodes_.erase(name_of(node));
  return {name_of(node)};
}

const node_state* node_states::find(const std::string& node) const {
  const auto found = nodes_.find(node);
  if (found == nodes_.end()) return is_listed_ ? &gone_state : nullptr;
  return found->second ? &*found->second : nullptr;
}

}  // namespace argosy::backends
