// SPDX-License-Identifier: Apache-2.0
#include "tests/support/kube/object_store.hpp"

#include <algorithm>

namespace argosy::testing {

namespace {

using nlohmann::json;

std::vector<std::string> terms_of(const std::string& all) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < all.size();) {
    const auto end = std::min(all.find(',', at), all.size());
    out.push_back(all.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

template <class Value>
bool holds(const std::string& term, Value value) {
  if (const auto no = term.find("!="); no != std::string::npos)
    return value(term.substr(0, no)) != term.substr(no + 2);
  const auto yes = term.find('=');
  return value(term.substr(0, yes)) == term.substr(yes + 1);
}

/// The text at "a.b.c"; empty if there is none.
std::string field_of(const json& object, const std::string& path) {
  const auto* at = &object;
  for (std::size_t from = 0; from < path.size();) {
    const auto end = std::min(path.find('.', from), path.size());
    const auto found = at->find(path.substr(from, end - from));
    if (!at->is_object() || found == at->end()) return {};
    at = &*found;
    from = end + 1;
  }
  return at->is_string() ? at->get<std::string>() : std::string{};
}

}  // namespace

bool object_store::selects(const kube_request& query, const json& object) {
  const auto labels = object["metadata"].value("labels", json::object());
  const auto label = [&](const std::string& name) { return labels.value(name, std::string{}); };
  const auto field = [&](const std::string& name) { return field_of(object, name); };
  return std::ranges::all_of(terms_of(query_of(query, "labelSelector")),
                             [&](const auto& term) { return holds(term, label); }) &&
         std::ranges::all_of(terms_of(query_of(query, "fieldSelector")),
                             [&](const auto& term) { return holds(term, field); });
}

void object_store::note(const std::string& kind, const std::string& type, json& object) {
  object["metadata"]["resourceVersion"] = std::to_string(++version_);
  history_.push_back({version_, kind, type, object});
}

json& object_store::put(const std::string& kind, json object) {
  const auto& meta = object["metadata"];
  const key at{meta.value("namespace", std::string{}), meta.value("name", std::string{})};
  auto& all = objects_[kind];
  const bool is_new = !all.contains(at);
  if (!meta.contains("uid")) object["metadata"]["uid"] = "uid-" + std::to_string(version_);
  auto& made = all[at] = std::move(object);
  note(kind, is_new ? "ADDED" : "MODIFIED", made);
  return made;
}

void object_store::set_status(const std::string& kind, const key& at, json status) {
  auto& object = objects_[kind].at(at);
  object["status"] = std::move(status);
  note(kind, "MODIFIED", object);
}

void object_store::erase(const std::string& kind, const key& at) {
  auto& all = objects_[kind];
  const auto found = all.find(at);
  if (found == all.end()) return;
  note(kind, "DELETED", found->second);
  all.erase(found);
}

json* object_store::find(const std::string& kind, const key& at) {
  auto& all = objects_[kind];
  const auto found = all.find(at);
  return found == all.end() ? nullptr : &found->second;
}

void object_store::since(std::uint64_t version, const std::string& kind,
                         const std::function<void(const std::string&, const json&)>& told) const {
  for (const auto& each : history_)
    if (each.version > version && each.kind == kind) told(each.type, each.object);
}

void object_store::forget() {
  forgotten_ = ++version_;
  history_.clear();
}

}  // namespace argosy::testing
