// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/snap1/settings.hpp"

#include <algorithm>

#include "runtime/scheduling/fold.hpp"
#include "runtime/scheduling/snap1/fields.hpp"
#include "runtime/scheduling/snap1/key_text.hpp"

namespace argosy::scheduling::snap1 {

namespace {

/// Reads the C lines.
class config_reader {
 public:
  config_reader(config& conf, round_params& params) : conf_(conf), params_(params) {}

  result<void> read(std::string_view earlier_name, std::string_view earlier_text) {
    const auto [key, value] = current_form(earlier_name, earlier_text);
    if (const auto* which = find_key(key); which != nullptr && which->has_value()) {
      auto done = read_key(*which, value, conf_);
      if (key == "maximumSchedulingBurst") params_.tokens = conf_.burst;
      if (key == "fairsharePreemptionBurst") params_.preemption_tokens = conf_.preemption_burst;
      return done;
    }
    if (key == "indexedResources") return indexed(value);
    if (key == "indexedSteps") return indexed_steps(value);
    if (key == "floatingResources") return floating(value);
    if (key == "floatingSteps") return floating_steps(value);
    if (key == "wellKnownNodeTypes") return node_types(value);
    if (key == "awayNodeTypes") return away(value);
    if (key == "defaultTolerations") return tolerations(value);
    if (key == "resources") return resources(value);
    if (key == "priorityClass") return priority_class_of(value);
    return read_more(key, value);
  }

 private:
  template <class T>
  static result<void> take(T& key, const result<T>& read) {
    if (!read) return fail(read.error());
    key = *read;
    return {};
  }

  static result<void> fractions(fraction_list& into, std::string_view value,
                                result<double> (*read_one)(std::string_view) = read_share) {
    return take(into, read_fractions(value, read_one));
  }

  static result<void> list(std::vector<std::string>& into, std::string_view value) {
    into.clear();
    if (value == "-") return {};
    for (const auto name : split(value, ',')) into.emplace_back(name);
    return {};
  }

  result<void> resources(std::string_view value) {
    conf_.resources.clear();
    conf_.classes.clear();
    for (const auto& [name, milli] : pairs(value)) {
      const auto read = read_whole<std::int64_t>(milli, 1);
      if (!read) return fail(read.error());
      conf_.resources.push_back({std::string(name), *read});
    }
    return {};
  }

  /// Reads name=priority:flags:default:limits:time, where the flags are f (fair_share_preemptible)
  /// and u (urgency_preemptible), and the time is min_run_time_ns, which may be left out.
  result<void> priority_class_of(std::string_view value) {
    const auto equals = value.find('=');
    const auto parts = split(value.substr(equals + 1), ':');
    if (equals == std::string_view::npos || parts.size() < 4 || parts.size() > 5)
      return fail(ec::invalid_argument, "'" + std::string(value) + "' is no priority class");
    const auto priority = read_whole<std::int32_t>(parts[0], 0);
    if (!priority) return fail(priority.error());
    const auto flags = parts[1] == "-" ? std::string_view{} : parts[1];
    if (flags.find_first_not_of("fu") != std::string_view::npos)
      return fail(ec::invalid_argument,
                  "'" + std::string(flags) + "' is no flag of a class; there are f, u");
    const auto is_default = read_word(parts[2].empty() ? "-" : parts[2], "default");
    if (!is_default) return fail(is_default.error());
    auto& entry = conf_.classes.emplace_back();
    entry.name = value.substr(0, equals);
    entry.priority = *priority;
    entry.fair_share_preemptible = flags.find('f') != std::string_view::npos;
    entry.urgency_preemptible = flags.find('u') != std::string_view::npos;
    if (parts.size() == 5) {
      const auto least = read_whole<std::int64_t>(parts[4], 0);
      if (!least) return fail(least.error());
      entry.min_run_time_ns = *least;
    }
    if (*is_default) conf_.default_class = entry.name;
    return fractions(entry.queue_limit, parts[3]);
  }

  result<void> indexed_steps(std::string_view value) {
    conf_.indexed_resources.clear();
    for (const auto& [name, steps] : pairs(value)) {
      const auto read = read_whole<std::int64_t>(steps, 1);
      if (!read) return fail(read.error());
      conf_.indexed_resources.push_back({std::string(name), *read});
    }
    return {};
  }

  result<void> floating_steps(std::string_view value) {
    conf_.floating.clear();
    for (const auto& [name, rest] : pairs(value)) {
      const auto parts = split(rest, ':');
      const auto read = read_whole<std::int64_t>(parts[0], 0);
      if (!read) return fail(read.error());
      auto& entry = conf_.floating.emplace_back();
      entry.name = name;
      entry.total = *read;
      if (parts.size() > 1)
        for (const auto pool : split(parts[1], '|')) entry.pools.emplace_back(pool);
    }
    return {};
  }

  /// Reads the keys that belong to the round and not to its configuration.
  result<void> read_more(std::string_view key, std::string_view value) {
    if (key == "pool") return take<std::string>(params_.pool, std::string(value));
    if (key == "tokens") return take(params_.tokens, read_decimal(value));
    if (key == "preemptionTokens") return take(params_.preemption_tokens, read_decimal(value));
    if (key == "queueTokens") return fractions(params_.queue_tokens, value, read_decimal);
    if (key == "resourceTokens") return fractions(params_.resource_tokens, value, read_decimal);
    if (key == "queueResourceTokens") return queue_resource_tokens(value);
    if (key == "usage") return fractions(params_.usage_priority, value);
    if (key == "closedExecutors") return list(params_.closed_executors, value);
    if (key == "penalty") return penalty(value);
    if (key == "drawLimit") return take(params_.draw_limit, read_whole<std::uint64_t>(value));
    if (key == "seed") {
      const auto read = read_whole<std::int64_t>(value);
      if (!read) return fail(read.error());
      params_.seed = static_cast<std::uint64_t>(*read);
      return {};
    }
    if (key == "roundTime") return take(params_.round_time_ns, read_whole<std::int64_t>(value));
    return fail(ec::invalid_argument, "unknown configuration key '" + std::string(key) + "'");
  }

  /// Reads queue:resource=tokens,resource=tokens.
  result<void> queue_resource_tokens(std::string_view value) {
    if (value == "-") return {};
    const auto colon = value.find(':');
    if (colon == std::string_view::npos)
      return fail(ec::invalid_argument,
                  "'" + std::string(value) + "' is not of the form queue:resource=tokens");
    auto& [queue, tokens] = params_.queue_resource_tokens.emplace_back();
    queue = value.substr(0, colon);
    return fractions(tokens, value.substr(colon + 1), read_decimal);
  }

  /// Reads queue:resource=steps,resource=steps; there may be nothing after the colon.
  result<void> penalty(std::string_view value) {
    const auto colon = value.find(':');
    if (colon == std::string_view::npos)
      return fail(ec::invalid_argument, "'" + std::string(value) + "' is no penalty");
    resource_list amounts;
    const auto rest = value.substr(colon + 1);
    for (const auto& [name, steps] : pairs(rest.empty() ? "-" : rest)) {
      const auto read = read_whole<std::int64_t>(steps, 0, request_limit);
      if (!read) return fail(read.error());
      amounts.emplace_back(name, *read);
    }
    params_.penalties.emplace_back(value.substr(0, colon), std::move(amounts));
    return {};
  }

  result<void> indexed(std::string_view value) {
    conf_.indexed_resources.clear();
    for (const auto& [name, resolution] : pairs(value)) {
      const auto read = read_quantity(resolution, name == "cpu" ? 1 : 1000, true);
      if (!read) return fail(read.error());
      conf_.indexed_resources.push_back({std::string(name), *read});
    }
    return {};
  }

  result<void> floating(std::string_view value) {
    conf_.floating.clear();
    for (const auto& [name, total] : pairs(value)) {
      const auto read = read_quantity(total, 1000, false);
      if (!read) return fail(read.error());
      conf_.floating.push_back({std::string(name), *read, {}});
    }
    return {};
  }

  result<void> node_types(std::string_view value) {
    conf_.node_types.clear();
    if (value == "-") return {};
    for (const auto& [name, taints] : pairs(value)) {
      auto& type = conf_.node_types.emplace_back();
      type.name = name;
      if (taints.empty()) continue;
      for (const auto text : split(taints, '+')) type.taints.push_back(read_taint(text));
    }
    return {};
  }

  result<void> away(std::string_view value) {
    for (const auto& [class_name, rest] : pairs(value)) {
      const auto colon = rest.find(':');
      if (colon == std::string_view::npos)
        return fail(ec::invalid_argument, "'" + std::string(rest) + "' is not priority:nodeType");
      const auto priority = read_whole<std::int32_t>(rest.substr(0, colon), 0);
      if (!priority) return fail(priority.error());
      const auto entry =
          std::find_if(conf_.classes.begin(), conf_.classes.end(),
                       [&, &name = class_name](const auto& known) { return known.name == name; });
      if (entry == conf_.classes.end())
        return fail(ec::invalid_argument,
                    "there is no priority class '" + std::string(class_name) + "'");
      entry->away.push_back({*priority, std::string(rest.substr(colon + 1))});
    }
    return {};
  }

  result<void> tolerations(std::string_view value) {
    conf_.default_tolerations.clear();
    if (value == "-") return {};
    for (const auto text : split(value, ','))
      if (!text.empty()) conf_.default_tolerations.push_back(read_toleration(text));
    return {};
  }

  config& conf_;
  round_params& params_;
};

}  // namespace

result<void> read_setting(std::string_view key, std::string_view value, config& conf,
                          round_params& params) {
  return config_reader(conf, params).read(key, value);
}

}  // namespace argosy::scheduling::snap1
