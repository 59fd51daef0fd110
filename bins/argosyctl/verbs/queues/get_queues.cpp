// SPDX-License-Identifier: Apache-2.0
// The verb get queues: prints what waits and runs in each queue, and its share of the resources.
#include <fmt/format.h>

#include <algorithm>

#include "bins/argosyctl/client/pages.hpp"
#include "bins/argosyctl/output/human.hpp"
#include "bins/argosyctl/output/json.hpp"
#include "bins/argosyctl/verbs/get.hpp"
#include "bins/argosyctl/verbs/list_command.hpp"
#include "bins/argosyctl/verbs/queues/queue_settings.hpp"
#include "bins/argosyctl/verbs/queues/share_text.hpp"

namespace argosy::ctl {

namespace {

class get_queues_command final : public list_command {
 public:
  explicit get_queues_command(CLI::App& app) : list_command(app) {
    app.footer(
        "argosyctl get queues\n"
        "argosyctl get queue team-a -o json\n"
        "argosyctl get queues -w --sort-by=-queued");
    app.add_option("names", names_, "Names of queues")->type_name("QUEUE");
  }
  std::string_view completes() const override { return "queues"; }

 protected:
  result<listing> fetch(session& s, client& server) override;

 private:
  std::vector<std::string> names_;
};

std::string label_text(const google::protobuf::Map<std::string, std::string>& labels) {
  std::map<std::string, std::string> sorted(labels.begin(), labels.end());
  std::string text;
  for (const auto& [key, value] : sorted) text += (text.empty() ? "" : ",") + key + "=" + value;
  return text;
}

/// Jobs in one of these states have a column only where there are any, so that the numbers add up.
struct rare_counts {
  bool held = false;
  bool leased = false;
  bool pending = false;
  bool cancelled = false;
  bool preempted = false;

  void see(const argosy::v1::QueueSummary& q) {
    held = held || q.held() > 0;
    leased = leased || q.leased() > 0;
    pending = pending || q.pending() > 0;
    cancelled = cancelled || q.cancelled() > 0;
    preempted = preempted || q.preempted() > 0;
  }
};

std::vector<column> queue_columns(const rare_counts& rare) {
  const auto wide = [](column of, bool is_wide = true) {
    of.wide = is_wide;
    return of;
  };
  return {{.title = "QUEUE", .yields_to = 8},
          numbers("FACTOR", {}, 5),
          {"STATE"},
          numbers("QUEUED"),
          wide(numbers("HELD"), !rare.held),
          wide(numbers("LEASED"), !rare.leased),
          wide(numbers("PENDING", "PEND"), !rare.pending),
          numbers("RUNNING", "RUN"),
          numbers("SUCCEEDED", "SUCC", 1),
          numbers("FAILED", "FAIL"),
          wide(numbers("CANCELLED", "CANC"), !rare.cancelled),
          wide(numbers("PREEMPTED", "PREE"), !rare.preempted),
          {.title = "POOL", .yields_to = 6, .spare = 6},
          numbers("FAIR SHARE", "FAIR", 3),
          numbers("ACTUAL SHARE", "ACTUAL", 2),
          wide(numbers("DEMAND SHARE", "DEMAND")),
          {"SHARES BY POOL", alignment::left, true},
          wide(numbers("CPU HOURS")),
          {"LABELS", alignment::left, true}};
}

/// What the queue has, and its fair share, in each pool: "default 75.0% of 40.0%, large 0.0% of
/// 66.7%".
std::string shares_text(const argosy::v1::QueueSummary& q) {
  std::string text;
  for (const auto& share : q.shares())
    text += fmt::format("{}{} {} of {}", text.empty() ? "" : ", ", share.pool(),
                        human_share(share.actual_share()), human_share(share.fair_share()));
  return text;
}

/// A queue is slowed when its runs fail: its tokens for starts then come more slowly.
cell state_of(const argosy::v1::QueueSummary& q) {
  if (q.queue().cordoned()) return {"cordoned", look::warning};
  if (q.slowed() > 0) return {"slowed by " + human_share(q.slowed()), look::warning};
  return {"open", look::plain};
}

std::vector<cell> queue_row(const argosy::v1::QueueSummary& q) {
  const auto& queue = q.queue();
  const auto cpu_hours = static_cast<double>(q.usage_cpu_ms()) / 3.6e6;
  return {queue.name(),
          {fmt::format("{}", queue.priority_factor()), queue.priority_factor()},
          state_of(q),
          number(q.queued()),
          number(q.held()),
          number(q.leased()),
          number(q.pending()),
          number(q.running()),
          number(q.succeeded()),
          number(q.failed()),
          number(q.cancelled()),
          number(q.preempted()),
          q.share_pool(),
          {human_share(q.fair_share()), q.fair_share()},
          {human_share(q.actual_share()), q.actual_share()},
          {human_share(q.demand_share()), q.demand_share()},
          shares_text(q),
          {fmt::format("{:.2f}", cpu_hours), cpu_hours},
          label_text(queue.labels())};
}

result<listing> get_queues_command::fetch(session&, client& server) {
  auto answer = call_pages<argosy::v1::ListQueuesResponse>(server, "Query.ListQueues",
                                                           argosy::v1::ListQueuesRequest{});
  if (!answer) return fail(std::move(answer.error()));
  std::vector<std::string> plain;
  for (const auto& queue : answer->queues()) plain.push_back(queue.queue().name());
  auto picked = pick_named(names_, plain, "queue");
  if (!picked) return fail(std::move(picked.error()));
  const auto& all = answer->queues();
  rare_counts rare;
  for (const auto& each : all) rare.see(each);
  listing items{queue_columns(rare)};
  const auto weights = weights_by_pool(*answer);
  for (const auto index : *picked) {
    const auto& queue = answer->queues(static_cast<int>(index));
    items.rows.add(queue_row(queue));
    items.names.push_back("queue/" + queue.queue().name());
    items.json.push_back(json_of(queue));
    auto details = queue_details(queue.queue());
    for (const auto& share : queue.shares())
      details.emplace_back("Share", share_sentence(share, queue.queue().priority_factor(),
                                                   weights.at(share.pool())));
    items.details.push_back(std::move(details));
  }
  items.bare = names_.size() == 1;
  if (plain.empty()) items.hint = "no queues; create one with: argosyctl queue create NAME";
  return items;
}

}  // namespace

void define_describe_queues(CLI::App& describe, command_set& commands) {
  auto& kind =
      add_kind(describe, "queue", "A queue: its settings, jobs and shares.", {"queues", "q"});
  commands.bind<get_queues_command>(kind);
  kind.footer("argosyctl describe queue team-a");
}

void define_get_queues(CLI::App& get, command_set& commands) {
  commands.bind<get_queues_command>(add_kind(
      get, "queues", "Queues, their jobs, shares (of POOL, where the queue has most) and used cpu.",
      {"queue", "q"}));
}

}  // namespace argosy::ctl
