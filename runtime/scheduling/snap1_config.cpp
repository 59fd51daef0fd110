// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/snap1_config.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "runtime/scheduling/snap1_fields.hpp"

namespace argosy::scheduling::snap1 {

namespace {

struct flag_key {
  std::string_view name;
  bool config::*member;
};
constexpr std::array flag_keys = {
    flag_key{"protectUncappedAdjustedFairShare", &config::protect_uncapped},
    flag_key{"enablePreferLargeJobOrdering", &config::prefer_large_jobs},
    flag_key{"disableAwayScheduling", &config::disable_away},
    flag_key{"disableGangAwayScheduling", &config::disable_gang_away},
    flag_key{"disableFairshareScheduling", &config::disable_fair_share_preemption},
    flag_key{"disableUrgencyScheduling", &config::disable_urgency_preemption},
    flag_key{"usagePriority", &config::usage_priority},
    flag_key{"classBeforeCost", &config::class_before_cost},
    flag_key{"evictedFirst", &config::evicted_first},
    flag_key{"classInJobOrder", &config::class_in_job_order},
    flag_key{"evictForBalance", &config::evict_for_balance},
    flag_key{"gangInOneCluster", &config::gang_in_one_cluster},
    flag_key{"minimumCardinality", &config::minimum_cardinality},
    flag_key{"exactIndex", &config::exact_index},
    flag_key{"isolatedTrials", &config::isolated_trials},
    flag_key{"neededVictimsOnly", &config::needed_victims_only},
    flag_key{"protectWholeGang", &config::protect_whole_gang},
    flag_key{"returnRoomOnly", &config::return_room_only},
    flag_key{"softTaintsPrefer", &config::soft_taints_prefer},
    flag_key{"hardPreemptionBudget", &config::hard_preemption_budget},
    flag_key{"podLimits", &config::pod_limits},
    flag_key{"crossPoolJobsFirst", &config::cross_pool_jobs_first}};

struct number_key {
  std::string_view name;
  double config::*member;
};
constexpr std::array number_keys = {
    number_key{"protectedFractionOfFairShare", &config::protected_fraction},
    number_key{"evictionProbability", &config::eviction_probability},
    number_key{"maximumSchedulingBurst", &config::burst},
    number_key{"maximumPerQueueSchedulingBurst", &config::queue_burst},
    number_key{"fairsharePreemptionBurst", &config::preemption_burst},
    number_key{"maximumSchedulingRate", &config::rate},
    number_key{"maximumPerQueueSchedulingRate", &config::queue_rate},
    number_key{"fairsharePreemptionRate", &config::preemption_rate}};

struct count_key {
  std::string_view name;
  std::uint64_t config::*member;
};
constexpr std::array count_keys = {
    count_key{"maxQueueLookback", &config::max_lookback},
    count_key{"maxNewDecisions", &config::max_new_decisions},
    count_key{"maxNewDecisionsPerQueue", &config::max_new_decisions_queue}};

struct names_key {
  std::string_view name;
  std::vector<std::string> config::*member;
};
constexpr std::array names_keys = {
    names_key{"indexedLabels", &config::indexed_labels},
    names_key{"indexedTaints", &config::indexed_taints},
    names_key{"unscheduledResources", &config::unscheduled_resources},
    names_key{"awayPools", &config::away_pools}, names_key{"guestPools", &config::guest_pools}};

/// Choices by their number, as they stand in config.hpp.
struct choice {
  std::string_view name;
  int (*get)(const config&);
  void (*set)(config&, int);
  int count;
};
template <auto Member, class Enum>
constexpr choice choice_of(std::string_view name, Enum last) {
  return {name, [](const config& conf) { return static_cast<int>(conf.*Member); },
          [](config& conf, int value) { conf.*Member = static_cast<Enum>(value); },
          static_cast<int>(last) + 1};
}
constexpr std::array choices = {
    choice_of<&config::base>("preset", preset::lottery),
    choice_of<&config::cost>("cost", cost_kind::per_cpu_factor),
    choice_of<&config::selection>("queueSelection", queue_selection::lottery),
    choice_of<&config::slices>("sliceShare", slice_share::direct),
    choice_of<&config::usage_decay>("usageForm", usage_form::literal),
    choice_of<&config::urgency>("urgencyVictims", urgency_rule::never)};

template <class Keys>
const auto* find_key(const Keys& keys, std::string_view name) {
  const auto at =
      std::find_if(keys.begin(), keys.end(), [&](const auto& key) { return key.name == name; });
  return at == keys.end() ? nullptr : &*at;
}

/// C lines.
class config_reader {
 public:
  config_reader(config& conf, round_params& params) : conf_(conf), params_(params) {}

  result<void> read(std::string_view key, std::string_view value) {
    if (const auto* flag = find_key(flag_keys, key))
      return set(conf_.*flag->member, value == "true");
    if (const auto* names = find_key(names_keys, key)) return list(conf_.*names->member, value);
    if (const auto* entry = find_key(choices, key)) return choose(*entry, value);
    if (const auto* entry = find_key(number_keys, key)) {
      auto done = number(conf_.*entry->member, value);
      if (key == "maximumSchedulingBurst") params_.tokens = conf_.burst;
      if (key == "fairsharePreemptionBurst") params_.preemption_tokens = conf_.preemption_burst;
      return done;
    }
    if (const auto* entry = find_key(count_keys, key)) return count(conf_.*entry->member, value);
    if (key == "maximumResourceFractionToSchedule")
      return fractions(conf_.max_fraction_to_schedule, value);
    if (key == "costMultipliers") return fractions(conf_.cost_multipliers, value);
    if (key == "indexedResources") return indexed(value);
    if (key == "indexedSteps") return indexed_steps(value);
    if (key == "floatingResources") return floating(value);
    if (key == "floatingSteps") return floating_steps(value);
    if (key == "wellKnownNodeTypes") return node_types(value);
    if (key == "awayNodeTypes") return away(value);
    if (key == "defaultTolerations") return tolerations(value);
    if (key == "resources") return resources(value);
    if (key == "priorityClass") return priority_class_of(value);
    if (key == "nodeOrder") return node_order(value);
    return read_more(key, value);
  }

 private:
  template <class T>
  static result<void> set(T& key, T value) {
    key = value;
    return {};
  }

  static result<void> number(double& key, std::string_view value) {
    const auto read = read_decimal(value);
    if (!read) return fail(read.error());
    key = *read;
    return {};
  }

  static result<void> fractions(fraction_list& into, std::string_view value) {
    into.clear();
    for (const auto& [name, share] : pairs(value)) {
      const auto read = read_decimal(share);
      if (!read) return fail(read.error());
      into.emplace_back(name, *read);
    }
    return {};
  }

  static result<void> count(std::uint64_t& key, std::string_view value) {
    const auto read = read_integer(value);
    if (!read) return fail(read.error());
    key = static_cast<std::uint64_t>(std::max<std::int64_t>(0, *read));
    return {};
  }

  static result<void> list(std::vector<std::string>& into, std::string_view value) {
    into.clear();
    if (value == "-") return {};
    for (const auto name : split(value, ',')) into.emplace_back(name);
    return {};
  }

  result<void> choose(const choice& entry, std::string_view value) {
    const auto read = read_integer(value);
    if (!read) return fail(read.error());
    if (*read < 0 || *read >= entry.count)
      return fail(ec::invalid_argument,
                  "'" + std::string(value) + "' is no choice of " + std::string(entry.name));
    entry.set(conf_, static_cast<int>(*read));
    conf_.explicit_victims = conf_.urgency != urgency_rule::preemptible_strictly_below;
    return {};
  }

  result<void> node_order(std::string_view value) {
    conf_.node_order.clear();
    for (const auto part : split(value, '+')) {
      const auto read = read_integer(part);
      if (!read) return fail(read.error());
      if (*read < 0 || *read > static_cast<int>(node_key::best_fit))
        return fail(ec::invalid_argument, "'" + std::string(part) + "' is no key of nodes");
      conf_.node_order.push_back(static_cast<node_key>(*read));
    }
    return {};
  }

  result<void> resources(std::string_view value) {
    conf_.resources.clear();
    conf_.classes.clear();
    for (const auto& [name, milli] : pairs(value)) {
      const auto read = read_integer(milli);
      if (!read) return fail(read.error());
      conf_.resources.push_back({std::string(name), *read});
    }
    return {};
  }

  /// name=priority:flags:default:limits, where flags are f and u.
  result<void> priority_class_of(std::string_view value) {
    const auto equals = value.find('=');
    const auto parts = split(value.substr(equals + 1), ':');
    if (equals == std::string_view::npos || parts.size() != 4)
      return fail(ec::invalid_argument, "'" + std::string(value) + "' is no priority class");
    const auto priority = read_integer(parts[0]);
    if (!priority) return fail(priority.error());
    auto& entry = conf_.classes.emplace_back();
    entry.name = value.substr(0, equals);
    entry.priority = static_cast<std::int32_t>(*priority);
    entry.fair_share_preemptible = parts[1].find('f') != std::string_view::npos;
    entry.urgency_preemptible = parts[1].find('u') != std::string_view::npos;
    if (parts[2] == "default") conf_.default_class = entry.name;
    return fractions(entry.queue_limit, parts[3]);
  }

  result<void> indexed_steps(std::string_view value) {
    conf_.indexed_resources.clear();
    for (const auto& [name, steps] : pairs(value)) {
      const auto read = read_integer(steps);
      if (!read) return fail(read.error());
      conf_.indexed_resources.push_back({std::string(name), *read});
    }
    return {};
  }

  result<void> floating_steps(std::string_view value) {
    conf_.floating.clear();
    for (const auto& [name, rest] : pairs(value)) {
      const auto parts = split(rest, ':');
      const auto read = read_integer(parts[0]);
      if (!read) return fail(read.error());
      auto& entry = conf_.floating.emplace_back();
      entry.name = name;
      entry.total = *read;
      if (parts.size() > 1)
        for (const auto pool : split(parts[1], '|')) entry.pools.emplace_back(pool);
    }
    return {};
  }

  /// What is one number, and what belongs to the round and not to its configuration.
  result<void> read_more(std::string_view key, std::string_view value) {
    if (key == "pool") return set(params_.pool, std::string(value));
    if (key == "tokens") return number(params_.tokens, value);
    if (key == "preemptionTokens") return number(params_.preemption_tokens, value);
    if (key == "queueTokens") return fractions(params_.queue_tokens, value);
    if (key == "usage") return fractions(params_.usage_priority, value);
    if (key == "closedExecutors") return list(params_.closed_executors, value);
    if (key == "defaultUniformityLabel")
      return set(conf_.default_uniformity_label, std::string(value));
    if (key == "penalty") return penalty(value);
    const auto read = read_integer(value);
    if (key == "seed" || key == "roundTime" || key == "sliceBatch" || key == "usageHalfTime" ||
        key == "shortJobCutoff") {
      if (!read) return fail(read.error());
      if (key == "seed") params_.seed = static_cast<std::uint64_t>(*read);
      if (key == "roundTime") params_.round_time_ns = *read;
      if (key == "sliceBatch") conf_.slice_batch = static_cast<std::uint32_t>(*read);
      if (key == "usageHalfTime") conf_.usage_half_time_ns = *read;
      if (key == "shortJobCutoff") conf_.short_job_cutoff_ns = *read;
      return {};
    }
    return fail(ec::invalid_argument, "unknown configuration key '" + std::string(key) + "'");
  }

  /// queue:resource=steps,resource=steps
  result<void> penalty(std::string_view value) {
    const auto colon = value.find(':');
    if (colon == std::string_view::npos)
      return fail(ec::invalid_argument, "'" + std::string(value) + "' is no penalty");
    resource_list amounts;
    for (const auto& [name, steps] : pairs(value.substr(colon + 1))) {
      const auto read = read_integer(steps);
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
      for (const auto text : split(taints, '+')) type.taints.push_back(read_taint(text));
    }
    return {};
  }

  result<void> away(std::string_view value) {
    for (const auto& [class_name, rest] : pairs(value)) {
      const auto colon = rest.find(':');
      const auto priority = read_integer(rest.substr(0, colon));
      if (!priority || colon == std::string_view::npos)
        return fail(ec::invalid_argument, "'" + std::string(rest) + "' is not priority:nodeType");
      for (auto& entry : conf_.classes)
        if (entry.name == class_name)
          entry.away.push_back(
              {static_cast<std::int32_t>(*priority), std::string(rest.substr(colon + 1))});
    }
    return {};
  }

  result<void> tolerations(std::string_view value) {
    conf_.default_tolerations.clear();
    for (const auto text : split(value, ','))
      if (!text.empty()) conf_.default_tolerations.push_back(read_toleration(text));
    return {};
  }

  config& conf_;
  round_params& params_;
};

void put(std::string& text, std::string_view key, const std::string& value) {
  text.append("C ").append(key).append(" ").append(value.empty() ? "-" : value).append("\n");
}

template <class List, class Write>
std::string joined(const List& items, std::string_view separator, Write&& write) {
  std::string text;
  for (const auto& item : items) {
    if (!text.empty()) text += separator;
    text += write(item);
  }
  return text;
}

std::string write_fractions(const fraction_list& items) {
  return joined(items, ",",
                [](const auto& item) { return plain(item.first) + "=" + decimal(item.second); });
}

std::string write_steps(const resource_list& items) {
  return joined(items, ",", [](const auto& item) {
    return plain(item.first) + "=" + std::to_string(item.second);
  });
}

void write_classes(const config& conf, std::string& text) {
  for (const auto& entry : conf.classes) {
    auto flags = std::string(entry.fair_share_preemptible ? "f" : "") +
                 (entry.urgency_preemptible ? "u" : "");
    const auto limits = write_fractions(entry.queue_limit);
    put(text, "priorityClass",
        plain(entry.name) + "=" + std::to_string(entry.priority) + ":" + flags + ":" +
            (entry.name == conf.default_class ? "default" : "") + ":" +
            (limits.empty() ? "-" : limits));
  }
  put(text, "wellKnownNodeTypes", joined(conf.node_types, ",", [](const node_type& type) {
        return plain(type.name) + "=" + joined(type.taints, "+", write_taint);
      }));
  for (const auto& entry : conf.classes)
    for (const auto& away : entry.away)
      put(text, "awayNodeTypes",
          plain(entry.name) + "=" + std::to_string(away.priority) + ":" + plain(away.node_type));
}

void write_inventory(const config& conf, std::string& text) {
  put(text, "resources", joined(conf.resources, ",", [](const resource_type& type) {
        return plain(type.name) + "=" + std::to_string(type.milli_per_step);
      }));
  write_classes(conf, text);
  put(text, "indexedSteps", joined(conf.indexed_resources, ",", [](const indexed_resource& entry) {
        return plain(entry.name) + "=" + std::to_string(entry.resolution);
      }));
  put(text, "floatingSteps", joined(conf.floating, ",", [](const floating_resource& entry) {
        auto item = plain(entry.name) + "=" + std::to_string(entry.total);
        if (!entry.pools.empty()) item += ":" + joined(entry.pools, "|", plain);
        return item;
      }));
}

void write_params(const round_params& params, std::string& text) {
  put(text, "pool", plain(params.pool));
  put(text, "seed", std::to_string(static_cast<std::int64_t>(params.seed)));
  put(text, "roundTime", std::to_string(params.round_time_ns));
  put(text, "tokens", decimal(params.tokens));
  put(text, "preemptionTokens", decimal(params.preemption_tokens));
  put(text, "queueTokens", write_fractions(params.queue_tokens));
  put(text, "usage", write_fractions(params.usage_priority));
  put(text, "closedExecutors", joined(params.closed_executors, ",", plain));
  for (const auto& [queue, amounts] : params.penalties)
    put(text, "penalty", plain(queue) + ":" + write_steps(amounts));
}

}  // namespace

result<void> read_setting(std::string_view key, std::string_view value, config& conf,
                          round_params& params) {
  return config_reader(conf, params).read(key, value);
}

std::string write_settings(const config& conf, const round_params& params) {
  std::string text;
  for (const auto& entry : choices) put(text, entry.name, std::to_string(entry.get(conf)));
  write_inventory(conf, text);
  for (const auto& entry : flag_keys) put(text, entry.name, conf.*entry.member ? "true" : "false");
  for (const auto& entry : number_keys) put(text, entry.name, decimal(conf.*entry.member));
  for (const auto& entry : count_keys) put(text, entry.name, std::to_string(conf.*entry.member));
  for (const auto& entry : names_keys)
    put(text, entry.name, joined(conf.*entry.member, ",", plain));
  put(text, "costMultipliers", write_fractions(conf.cost_multipliers));
  put(text, "maximumResourceFractionToSchedule", write_fractions(conf.max_fraction_to_schedule));
  put(text, "defaultTolerations", joined(conf.default_tolerations, ",", write_toleration));
  put(text, "nodeOrder", joined(conf.node_order, "+", [](node_key key) {
        return std::to_string(static_cast<int>(key));
      }));
  put(text, "sliceBatch", std::to_string(conf.slice_batch));
  put(text, "usageHalfTime", std::to_string(conf.usage_half_time_ns));
  put(text, "shortJobCutoff", std::to_string(conf.short_job_cutoff_ns));
  if (!conf.default_uniformity_label.empty())
    put(text, "defaultUniformityLabel", plain(conf.default_uniformity_label));
  write_params(params, text);
  return text;
}

std::string plain(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  constexpr std::string_view kept = "./-*";
  std::string out;
  for (const auto c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const auto is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (is_word || kept.find(c) != std::string_view::npos)
      out += c;
    else
      out.append(1, '_').append(1, digits[byte >> 4]).append(1, digits[byte & 15]);
  }
  return out;
}

std::string decimal(double number) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  return {text.data(), end};
}

std::string write_taint(const taint& spot) {
  auto text = plain(spot.key) + "=" + plain(spot.value);
  if (!spot.effect.empty()) text += ":" + plain(spot.effect);
  return text;
}

std::string write_toleration(const toleration& tolerance) {
  if (tolerance.exists && tolerance.key.empty() && tolerance.effect.empty()) return "*";
  auto text = plain(tolerance.key);
  if (!tolerance.exists) text += "=" + plain(tolerance.value);
  if (!tolerance.effect.empty()) text += ":" + plain(tolerance.effect);
  return text;
}

}  // namespace argosy::scheduling::snap1
