// SPDX-License-Identifier: Apache-2.0
#include "runtime/metrics/armada_names.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace argosy::metrics {

namespace {

/// How a value of ours becomes one of Armada's.
enum class as : std::uint8_t {
  same,
  one,      ///< The family only says that there is such a thing.
  inverse,  ///< Armada keeps the priority factor, which is 1 / weight.
  count,    ///< How many values a histogram has.
  millis,   ///< Armada's histograms of times are in milliseconds.
};

/// Our label and Armada's. An empty name of ours is a label that Armada has and we have not.
struct label_pair {
  std::string_view ours;
  std::string_view theirs;
};

using label_pairs = std::array<label_pair, 8>;

constexpr label_pairs pool_queue{{{"pool", "pool"}, {"queue", "queue"}}};
constexpr label_pairs pool_alone{{{"pool", "pool"}}};
constexpr label_pairs queue_names{{{"queue", "queueName"}, {"queue", "queue"}}};
constexpr label_pairs queue_amounts{{{"pool", "pool"},
                                     {"queue", "queueName"},
                                     {"queue", "queue"},
                                     {"resource", "resourceType"},
                                     {"", "priorityClass"},
                                     {"", "cluster"},
                                     {"", "nodeType"}}};
constexpr label_pairs cluster_amounts{{{"cluster", "cluster"},
                                       {"pool", "pool"},
                                       {"resource", "resourceType"},
                                       {"", "nodeType"},
                                       {"", "reservation"}}};
constexpr label_pairs job_ends{
    {{"pool", "pool"}, {"queue", "queue"}, {"", "priority_class"}, {"", "type"}}};

struct alias {
  std::string_view ours;
  /// Only samples count in which this label has this value.
  std::string_view label;
  std::string_view value;
  std::string_view theirs;
  family_kind kind;
  as how;
  label_pairs labels;
};

constexpr auto gauge_kind = family_kind::gauge;
constexpr auto counter_kind = family_kind::counter;

constexpr std::array aliases{
    alias{"argosy_queue_share_ratio", "kind", "fair", "armada_scheduler_fair_share", gauge_kind,
          as::same, pool_queue},
    alias{"argosy_queue_share_ratio", "kind", "adjusted", "armada_scheduler_adjusted_fair_share",
          gauge_kind, as::same, pool_queue},
    alias{"argosy_queue_share_ratio", "kind", "uncapped",
          "armada_scheduler_uncapped_adjusted_fair_share", gauge_kind, as::same, pool_queue},
    alias{"argosy_queue_share_ratio", "kind", "actual", "armada_scheduler_actual_share", gauge_kind,
          as::same, pool_queue},
    alias{"argosy_queue_share_ratio", "kind", "demand", "armada_scheduler_demand", gauge_kind,
          as::same, pool_queue},
    alias{"argosy_queue_share_ratio", "kind", "demand", "armada_scheduler_constrained_demand",
          gauge_kind, as::same, pool_queue},
    alias{"argosy_queue_weight", "", "", "armada_scheduler_queue_weight", gauge_kind, as::same,
          pool_queue},
    alias{"argosy_queue_weight", "", "", "armada_scheduler_raw_queue_weight", gauge_kind, as::same,
          pool_queue},
    alias{"argosy_pool_unfairness_ratio", "", "", "armada_scheduler_fairness_error", gauge_kind,
          as::same, pool_alone},
    alias{"argosy_pool_round_time_seconds", "", "", "armada_scheduler_pool_info", gauge_kind,
          as::one, pool_alone},
    alias{"argosy_round_duration_seconds", "", "", "armada_scheduler_pool_scheduling_cycle_times",
          family_kind::histogram, as::millis, pool_alone},
    alias{"argosy_rounds_total",
          "",
          "",
          "armada_scheduler_schedule_outcome",
          counter_kind,
          as::same,
          {{{"result", "outcome"}}}},
    alias{"argosy_job_schedule_delay_seconds",
          "",
          "",
          "armada_scheduler_scheduled_jobs",
          counter_kind,
          as::count,
          {{{"pool", "pool"},
            {"queue", "queue"},
            {"priority_class", "priority_class"},
            {"", "type"}}}},
    alias{"argosy_jobs_total", "state", "PREEMPTED", "armada_scheduler_preempted_jobs",
          counter_kind, as::same, job_ends},
    alias{"argosy_jobs_total", "state", "FAILED", "armada_scheduler_failed_jobs", counter_kind,
          as::same, job_ends},
    alias{"argosy_failures_total",
          "",
          "",
          "armada_executor_job_failure_category_total",
          counter_kind,
          as::same,
          {{{"queue", "queue"},
            {"category", "failure_category"},
            {"subcategory", "failure_subcategory"}}}},
    alias{"argosy_preemption_lost_seconds_total",
          "",
          "",
          "armada_scheduler_job_resource_seconds_lost_to_preemption",
          counter_kind,
          as::same,
          {{{"pool", "pool"},
            {"queue", "queue"},
            {"resource", "resource"},
            {"", "checkpoint_interval"}}}},
    alias{"argosy_queue_live_jobs", "state", "QUEUED", "armada_queue_size", gauge_kind, as::same,
          queue_names},
    alias{"argosy_queue_weight", "", "", "armada_queue_priority", gauge_kind, as::inverse,
          queue_names},
    alias{"argosy_queue_allocated", "", "", "armada_queue_resource_allocated", gauge_kind, as::same,
          queue_amounts},
    alias{"argosy_queue_waiting", "", "", "armada_queue_resource_queued", gauge_kind, as::same,
          queue_amounts},
    alias{"argosy_capacity", "", "", "armada_cluster_capacity", gauge_kind, as::same,
          cluster_amounts},
    alias{"argosy_capacity_ready", "", "", "armada_cluster_available_capacity", gauge_kind,
          as::same, cluster_amounts},
    alias{"argosy_feed_watchers",
          "",
          "",
          "armada_event_api_active_subscriptions",
          gauge_kind,
          as::same,
          {{{"", "user"}}}},
};

std::string_view label_of(const sample& from, std::string_view name) {
  for (const auto& [label, value] : from.labels)
    if (label == name) return value;
  return {};
}

label_list renamed(const sample& from, const label_pairs& pairs) {
  label_list out;
  for (const auto& [ours, theirs] : pairs)
    if (!theirs.empty())
      out.emplace_back(theirs, ours.empty() ? std::string_view{} : label_of(from, ours));
  return out;
}

sample translated(const sample& from, const alias& by) {
  sample out{renamed(from, by.labels), from.value, {}, 0};
  switch (by.how) {
    case as::same:
    case as::count:
      break;
    case as::one:
      out.value = 1;
      break;
    case as::inverse:
      out.value = from.value == 0 ? 0 : 1 / from.value;
      break;
    case as::millis:
      out.sum = from.sum * 1e3;
      for (const auto& [bound, count] : from.at_most) out.at_most.emplace_back(bound * 1e3, count);
      break;
  }
  return out;
}

/// Two of our series may be one of Armada's, which has fewer labels. Counters are added up, and of
/// gauges the first one stands for all.
class merged {
 public:
  explicit merged(family& to) : to_(to) {}

  void put(sample fresh) {
    const auto [known, is_new] = places_.try_emplace(fresh.labels, to_.samples.size());
    if (is_new)
      to_.samples.push_back(std::move(fresh));
    else if (to_.kind == family_kind::counter)
      to_.samples[known->second].value += fresh.value;
  }

 private:
  family& to_;
  std::map<label_list, std::size_t> places_;
};

/// Whether several samples of ours may give one of Armada's.
bool may_merge(const alias& by) {
  return by.ours == "argosy_jobs_total" || by.how == as::inverse;
}

/// Returns how much queues want and do not have, as a family: Armada has it as a metric, and ours
/// has its two parts, which one probe writes with the same labels in the same order.
std::optional<family> waiting_of(const family_list& ours) {
  const family* demand = nullptr;
  const family* allocated = nullptr;
  for (const auto& each : ours) {
    if (each.name == "argosy_queue_demand") demand = &each;
    if (each.name == "argosy_queue_allocated") allocated = &each;
  }
  if (demand == nullptr || allocated == nullptr ||
      demand->samples.size() != allocated->samples.size())
    return std::nullopt;
  family out{"argosy_queue_waiting", "", family_kind::gauge, demand->samples};
  for (std::size_t i = 0; i < out.samples.size(); ++i)
    out.samples[i].value = std::max(0.0, out.samples[i].value - allocated->samples[i].value);
  return out;
}

void translate(const family& from, family_list& out) {
  for (const auto& by : aliases) {
    if (by.ours != from.name) continue;
    family to{std::string{by.theirs}, "As Armada calls it: " + from.help, by.kind, {}};
    merged once{to};
    for (const auto& each : from.samples) {
      if (!by.label.empty() && label_of(each, by.label) != by.value) continue;
      if (may_merge(by))
        once.put(translated(each, by));
      else
        to.samples.push_back(translated(each, by));
    }
    out.push_back(std::move(to));
  }
}

}  // namespace

family_list armada_families(const family_list& ours) {
  family_list out;
  for (const auto& each : ours) translate(each, out);
  if (const auto waiting = waiting_of(ours)) translate(*waiting, out);
  return out;
}

}  // namespace argosy::metrics
