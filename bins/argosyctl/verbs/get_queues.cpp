// SPDX-License-Identifier: Apache-2.0
// get queues: what waits and runs in each, and its share of the resources.
#include <fmt/format.h>

#include "bins/argosyctl/output/human.hpp"
#include "bins/argosyctl/output/json.hpp"
#include "bins/argosyctl/verbs/get.hpp"
#include "bins/argosyctl/verbs/listing.hpp"

namespace argosy::ctl {

namespace {

class get_queues_command final : public command {
 public:
  explicit get_queues_command(CLI::App& app) {
    app.add_option("names", names_, "Names of queues")->type_name("QUEUE");
  }
  std::vector<std::string> formats() const override { return list_formats; }
  std::string_view completes() const override { return "queues"; }
  result<exit_code> run(session& s) override;

 private:
  std::vector<std::string> names_;
};

std::string label_text(const google::protobuf::Map<std::string, std::string>& labels) {
  std::map<std::string, std::string> sorted(labels.begin(), labels.end());
  std::string text;
  for (const auto& [key, value] : sorted) text += (text.empty() ? "" : ",") + key + "=" + value;
  return text;
}

std::vector<column> queue_columns() {
  const auto right = alignment::right;
  return {{"QUEUE", alignment::left, false, 8},
          {"FACTOR", right},
          {"STATE"},
          {"QUEUED", right},
          {"LEASED", right, true},
          {"PENDING", right, true},
          {"RUNNING", right},
          {"SUCCEEDED", right},
          {"FAILED", right},
          {"CANCELLED", right, true},
          {"PREEMPTED", right, true},
          {"FAIR SHARE", right},
          {"ACTUAL SHARE", right},
          {"DEMAND SHARE", right, true},
          {"CPU USED", right, true},
          {"LABELS", alignment::left, true}};
}

std::vector<cell> queue_row(const argosy::v1::QueueSummary& q) {
  const auto& queue = q.queue();
  const auto cpu_time = std::chrono::milliseconds{q.usage_cpu_ms()};
  return {queue.name(),
          {fmt::format("{}", queue.priority_factor()), queue.priority_factor()},
          {queue.cordoned() ? "cordoned" : "open", queue.cordoned() ? look::warning : look::plain},
          number(q.queued()),
          number(q.leased()),
          number(q.pending()),
          number(q.running()),
          number(q.succeeded()),
          number(q.failed()),
          number(q.cancelled()),
          number(q.preempted()),
          {human_share(q.fair_share()), q.fair_share()},
          {human_share(q.actual_share()), q.actual_share()},
          {human_share(q.demand_share()), q.demand_share()},
          {human_duration(cpu_time), static_cast<double>(q.usage_cpu_ms())},
          label_text(queue.labels())};
}

result<exit_code> get_queues_command::run(session& s) {
  auto server = s.server();
  if (!server) return fail(std::move(server.error()));
  auto answer = call<argosy::v1::ListQueuesResponse>(**server, "Query.ListQueues",
                                                     argosy::v1::ListQueuesRequest{});
  if (!answer) return fail(std::move(answer.error()));
  std::vector<std::string> plain;
  for (const auto& queue : answer->queues()) plain.push_back(queue.queue().name());
  auto picked = pick_named(names_, plain, "queue");
  if (!picked) return fail(std::move(picked.error()));
  listing items{queue_columns()};
  for (const auto index : *picked) {
    const auto& queue = answer->queues(static_cast<int>(index));
    items.rows.add(queue_row(queue));
    items.names.push_back("queue/" + queue.queue().name());
    items.json.push_back(json_of(queue));
  }
  if (auto sorted = sort_listing(s, items); !sorted) return fail(std::move(sorted.error()));
  show(s, items, names_.size() == 1);
  if (plain.empty()) s.out.hint("no queues; create one with: argosyctl queue create NAME");
  return exit_code::success;
}

}  // namespace

void define_get_queues(CLI::App& get, command_set& commands) {
  commands.bind<get_queues_command>(
      add_kind(get, "queues", "Queues, their jobs and shares.", {"queue", "q"}));
}

}  // namespace argosy::ctl
