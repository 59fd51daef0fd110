// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "runtime/health/family.hpp"
#include "runtime/health/metrics.hpp"
#include "runtime/trace/actor_counts.hpp"
#include "runtime/trace/recorder.hpp"
#include "runtime/trace/render_text.hpp"

namespace argosy::health {

namespace {

struct message_totals {
  std::uint64_t handled = 0;
  std::uint64_t failed = 0;
  std::uint64_t dropped = 0;
  trace::histogram processing;
};

struct actor_totals {
  std::uint64_t waiting = 0;
  std::uint64_t depth_max = 0;
  trace::histogram wait;
};

class actor_collector final : public prometheus::Collectable {
 public:
  explicit actor_collector(std::function<trace::actor_readings()> read) : read_(std::move(read)) {}

  std::vector<prometheus::MetricFamily> Collect() const override {
    std::map<std::pair<std::string, std::string>, message_totals> messages;
    std::map<std::string, actor_totals> actors;
    for (const auto& edge : trace::flow()) {
      const std::string actor{trace::short_actor_name(edge.to)};
      auto& message = messages[{actor, edge.message}];
      message.handled += edge.handled - std::min(edge.failed, edge.handled);
      message.failed += edge.failed;
      message.dropped += edge.dropped;
      message.processing.merge(edge.processing);
      auto& totals = actors[actor];
      totals.waiting += edge.waiting();
      totals.depth_max = std::max(totals.depth_max, edge.depth_max);
      totals.wait.merge(edge.wait);
    }
    auto families = message_families(messages);
    for (auto& family : actor_families(actors)) families.push_back(std::move(family));
    for (auto& family : instance_families()) families.push_back(std::move(family));
    if (read_)
      for (auto& family : reading_families(read_())) families.push_back(std::move(family));
    return families;
  }

 private:
  using message_map = std::map<std::pair<std::string, std::string>, message_totals>;

  static std::vector<prometheus::MetricFamily> message_families(const message_map& messages) {
    auto total = counter_family("argosy_actor_messages_total",
                                "Messages that left a mailbox, by actor type and message.");
    auto processing = histogram_family("argosy_actor_processing_seconds",
                                       "Time that handlers took, by actor type and message.");
    for (const auto& [key, item] : messages) {
      const auto& [actor, message] = key;
      const auto add = [&](const char* outcome, std::uint64_t count) {
        if (count > 0)
          add_sample(total, {{"actor", actor}, {"msg", message}, {"result", outcome}},
                     static_cast<double>(count));
      };
      add("handled", item.handled);
      add("failed", item.failed);
      add("dropped", item.dropped);
      add_sample(processing, {{"actor", actor}, {"msg", message}}, item.processing);
    }
    return {std::move(total), std::move(processing)};
  }

  static std::vector<prometheus::MetricFamily> actor_families(
      const std::map<std::string, actor_totals>& actors) {
    auto wait = histogram_family("argosy_actor_mailbox_wait_seconds",
                                 "Time that messages lay in mailboxes, by actor type.");
    auto depth = gauge_family("argosy_actor_mailbox_depth",
                              "Messages in mailboxes: now in all of a type (sum), and in the "
                              "deepest one since the start (max).");
    for (const auto& [actor, item] : actors) {
      add_sample(wait, {{"actor", actor}}, item.wait);
      add_sample(depth, {{"actor", actor}, {"stat", "sum"}}, static_cast<double>(item.waiting));
      add_sample(depth, {{"actor", actor}, {"stat", "max"}}, static_cast<double>(item.depth_max));
    }
    return {std::move(wait), std::move(depth)};
  }

  /// The longest of each type, since one actor that hangs is enough.
  static std::vector<prometheus::MetricFamily> reading_families(
      const trace::actor_readings& readings) {
    std::map<std::string, std::pair<std::int64_t, std::int64_t>> longest;
    for (const auto& reading : readings) {
      auto& [oldest, busy] = longest[std::string{trace::short_actor_name(reading.type)}];
      oldest = std::max(oldest, reading.oldest_nanos);
      busy = std::max(busy, reading.busy_nanos);
    }
    auto waiting = gauge_family("argosy_actor_oldest_message_seconds",
                                "For how long the oldest message that is not done has been in a "
                                "mailbox, over all actors of a type.");
    auto at_work = gauge_family("argosy_actor_busy_seconds",
                                "For how long an actor has been at its present message, the "
                                "longest of a type; 0: none is at work.");
    for (const auto& [actor, item] : longest) {
      add_sample(waiting, {{"actor", actor}}, static_cast<double>(item.first) / 1e9);
      add_sample(at_work, {{"actor", actor}}, static_cast<double>(item.second) / 1e9);
    }
    return {std::move(waiting), std::move(at_work)};
  }

  static std::vector<prometheus::MetricFamily> instance_families() {
    auto instances = gauge_family("argosy_actor_instances", "Actors alive, by type.");
    auto starts = counter_family("argosy_actor_starts_total", "Actors ever started, by type.");
    for (const auto& count : trace::actor_type_counts()) {
      const std::string actor{trace::short_actor_name(count.type)};
      add_sample(instances, {{"actor", actor}}, static_cast<double>(count.instances));
      add_sample(starts, {{"actor", actor}}, static_cast<double>(count.started));
    }
    auto lost = counter_family("argosy_trace_spans_lost_total",
                               "Spans that were not kept since a thread's ring was full.");
    add_sample(lost, {}, static_cast<double>(trace::spans_lost()));
    return {std::move(instances), std::move(starts), std::move(lost)};
  }

  std::function<trace::actor_readings()> read_;
};

}  // namespace

std::shared_ptr<const prometheus::Collectable> actor_metrics(
    std::function<trace::actor_readings()> read) {
  return std::make_shared<actor_collector>(std::move(read));
}

}  // namespace argosy::health
