// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/declared/declared.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "bins/argosyctl/client/pages.hpp"
#include "bins/argosyctl/output/json.hpp"
#include "bins/argosyctl/output/yaml.hpp"
#include "bins/argosyctl/verbs/declared/declared_keys.hpp"
#include "bins/argosyctl/verbs/queues/queue_settings.hpp"
#include "messages/codec/api/queue_codec.hpp"
#include "messages/codec/api/retry_codec.hpp"
#include "messages/proto/argosy/v1.pb.h"

namespace argosy::ctl {

namespace {

using json = nlohmann::ordered_json;

constexpr std::string_view action_prefix = "RETRY_ACTION_";

/// Leaves out what is not set, and writes the actions of policies as files do.
json pruned(const json& from) {
  if (from.is_string() && from.get_ref<const std::string&>().starts_with(action_prefix)) {
    auto word = from.get<std::string>().substr(action_prefix.size());
    std::transform(word.begin() + 1, word.end(), word.begin() + 1, [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
    });
    return word;
  }
  if (from.is_array()) {
    json out = json::array();
    for (const auto& item : from) out.push_back(pruned(item));
    return out;
  }
  if (!from.is_object()) return from;
  json out = json::object();
  for (const auto& [key, value] : from.items()) {
    auto inner = pruned(value);
    const bool unset = inner.is_null() || inner == false || inner == "" ||
                       (inner.is_structured() && inner.empty());
    if (!unset) out[key] = std::move(inner);
  }
  return out;
}

json object_of(const model::queue_settings& queue) {
  api::Queue message;
  codec::to_wire(queue, message, codec::owner_form::fields);
  return pruned(json::parse(json_of(message)));
}

json object_of(const model::retry_policy& policy) {
  api::RetryPolicy message;
  codec::to_wire(policy, message);
  return pruned(json::parse(json_of(message)));
}

template <class Settings>
std::string written(const char* kind, const Settings& settings) {
  json out{{"kind", kind}};
  out.update(object_of(settings));
  return yaml_of(out.dump(-1, ' ', true));
}

void flatten(const json& value, const std::string& path, std::map<std::string, std::string>& out) {
  if (!value.is_object()) {
    out[path] = value.dump(-1, ' ', false, json::error_handler_t::replace);
    return;
  }
  for (const auto& [key, inner] : value.items())
    flatten(inner, path.empty() ? key : path + "." + key, out);
}

std::vector<field_difference> differences(const json& before, const json& after) {
  std::map<std::string, std::string> old_fields;
  std::map<std::string, std::string> new_fields;
  flatten(before, {}, old_fields);
  flatten(after, {}, new_fields);
  std::map<std::string, field_difference> found;
  for (const auto& [field, text] : old_fields) found[field] = {field, text, {}};
  for (const auto& [field, text] : new_fields) {
    found[field].field = field;
    found[field].after = text;
  }
  std::vector<field_difference> out;
  for (auto& [field, both] : found)
    if (both.before != both.after && field != "name") out.push_back(std::move(both));
  return out;
}

template <class Settings>
step compared(const Settings& wanted, const std::map<std::string, Settings>& there) {
  step out;
  out.name = wanted.name;
  const auto known = there.find(wanted.name);
  const auto after = object_of(wanted);
  if (known == there.end()) {
    out.what = step_kind::create;
    out.fields = differences(json::object(), after);
  } else if (known->second != wanted) {
    out.what = step_kind::change;
    out.fields = differences(object_of(known->second), after);
  }
  return out;
}

template <class Settings>
void add_removed(const std::map<std::string, Settings>& there, const std::set<std::string>& wanted,
                 declared_kind of, std::vector<step>& out) {
  for (const auto& [name, settings] : there)
    if (!wanted.contains(name))
      out.push_back(
          {step_kind::remove, of, name, differences(object_of(settings), json::object())});
}

}  // namespace

std::string step::title() const {
  switch (of) {
    case declared_kind::queue:
      return "queue/" + name;
    case declared_kind::pool:
      return "pool/" + name;
    case declared_kind::settings:
      return "settings";
    case declared_kind::policy:
      break;
  }
  return "retry-policy/" + name;
}

std::string document_of(const model::queue_settings& queue) {
  return written("Queue", queue);
}

std::string document_of(const model::retry_policy& policy) {
  return written("RetryPolicy", policy);
}

result<server_settings> read_server_settings(client& server, bool with_keys) {
  server_settings out;
  if (with_keys)
    if (auto read = read_keys(server, out); !read) return fail(std::move(read.error()));
  const auto policies = call<api::RetryPolicyList>(server, "RetryPolicyService.GetRetryPolicies",
                                                   api::RetryPolicyListRequest{});
  if (!policies) return fail(policies.error());
  for (const auto& message : policies->retry_policies()) {
    auto policy = codec::from_wire(message);
    if (!policy) return fail(std::move(policy.error()));
    out.policies[policy->name] = std::move(*policy);
  }
  auto queues = call_pages<argosy::v1::ListQueuesResponse>(server, "Query.ListQueues",
                                                           argosy::v1::ListQueuesRequest{});
  if (!queues) return fail(std::move(queues.error()));
  for (auto& summary : *queues->mutable_queues()) {
    gather_owners(*summary.mutable_queue());
    auto queue = codec::from_wire(summary.queue());
    if (!queue) return fail(std::move(queue.error()));
    out.queues[queue->name] = std::move(*queue);
  }
  return out;
}

result<std::vector<step>> compare(const submit_file::declarations& wanted,
                                  const server_settings& there, bool prune) {
  std::set<std::string> policies;
  std::set<std::string> queues;
  for (const auto& declared : wanted.policies) policies.insert(declared.policy.name);
  std::string mistakes;
  for (const auto& [settings, where] : wanted.queues) {
    queues.insert(settings.name);
    for (const auto& name : settings.retry_policies)
      if (!policies.contains(name) && (prune || !there.policies.contains(name)))
        mistakes +=
            fmt::format("{}{}: the queue '{}' names the retry policy '{}', which {}",
                        mistakes.empty() ? "" : "\n", where, settings.name, name,
                        prune ? "the file does not have" : "neither the file nor the server has");
  }
  if (!mistakes.empty()) return fail(ec::invalid_argument, mistakes);
  std::vector<step> out;
  for (const auto& declared : wanted.policies) {
    out.push_back(compared(declared.policy, there.policies));
    out.back().policy = &declared.policy;
  }
  for (const auto& declared : wanted.queues) {
    out.push_back(compared(declared.settings, there.queues));
    out.back().of = declared_kind::queue;
    out.back().queue = &declared.settings;
  }
  add_key_steps(wanted, there, prune, out);
  if (!prune) return out;
  add_removed(there.queues, queues, declared_kind::queue, out);
  add_removed(there.policies, policies, declared_kind::policy, out);
  return out;
}

}  // namespace argosy::ctl
