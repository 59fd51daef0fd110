// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/served_namespaces.hpp"

#include <algorithm>

#include "runtime/base/text.hpp"
#include "runtime/base/whole_number.hpp"
#include "runtime/model/namespace_part.hpp"

namespace argosy::model {

namespace {

// No name of a namespace or of a cluster has these characters.
constexpr char between = '|';
constexpr char closing = '!';
constexpr char trying = '?';
constexpr char within = '/';
constexpr std::string_view preempting = "preempts";

/// Takes what stands before the next `until` off the text, which has no `until` then.
std::string_view next_part(std::string_view& text, char until) noexcept {
  const auto end = std::min(text.find(until), text.size());
  const auto part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

}  // namespace

std::string to_taint_value(const namespace_limits& limits) {
  std::string out;
  const auto add = [&](const std::string& part) {
    if (!out.empty()) out += between;
    out += part;
  };
  for (const auto& each : limits.served) add(each);
  for (const auto& each : limits.closed) add(closing + each);
  for (const auto& each : limits.tried) {
    auto part =
        trying + each.cluster.str() + within + each.name_space + within + std::to_string(each.jobs);
    if (each.preempts) (part += within) += preempting;
    add(part);
  }
  return out;
}

namespace_limits read_taint_value(std::string_view value) {
  namespace_limits out;
  while (!value.empty()) {
    auto part = next_part(value, between);
    if (part.starts_with(closing)) {
      out.closed.emplace_back(part.substr(1));
    } else if (part.starts_with(trying)) {
      part.remove_prefix(1);
      auto& trial = out.tried.emplace_back();
      trial.cluster = cluster_name{next_part(part, within)};
      trial.name_space = next_part(part, within);
      trial.jobs = whole_number<std::uint32_t>(next_part(part, within)).value_or(1);
      trial.preempts = part == preempting;
    } else {
      out.served.emplace_back(part);
    }
  }
  return out;
}

namespace_fate fate_in(std::string_view taint_value, std::string_view name,
                       std::string_view tries_in, bool to_preempt) noexcept {
  bool any = false;
  bool served = false;
  while (!taint_value.empty()) {
    auto part = next_part(taint_value, between);
    if (part.starts_with(closing)) {
      if (concerns(part.substr(1), name)) return namespace_fate::closed;
    } else if (part.starts_with(trying)) {
      part.remove_prefix(1);
      const auto cluster = next_part(part, within);
      if (!concerns(next_part(part, within), name)) continue;
      next_part(part, within);
      if (tries_in.empty() || cluster != tries_in || (to_preempt && part != preempting))
        return namespace_fate::closed;
    } else {
      any = true;
      served = served || fits_name(part, namespace_in(name));
    }
  }
  return any && !served ? namespace_fate::unserved : namespace_fate::taken;
}

bool serves(const std::vector<std::string>& patterns, std::string_view name) noexcept {
  return patterns.empty() ||
         std::ranges::any_of(patterns, [&](const auto& each) { return fits_name(each, name); });
}

}  // namespace argosy::model
