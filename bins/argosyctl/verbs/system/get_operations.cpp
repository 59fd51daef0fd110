// SPDX-License-Identifier: Apache-2.0
// The verb get operations: prints the drains and the changes of very many jobs that go on, and
// those that ended last.
#include <fmt/format.h>

#include <algorithm>

#include "bins/argosyctl/client/pages.hpp"
#include "bins/argosyctl/output/human.hpp"
#include "bins/argosyctl/output/json.hpp"
#include "bins/argosyctl/verbs/get.hpp"
#include "bins/argosyctl/verbs/list_command.hpp"

namespace argosy::ctl {

namespace {

using argosy::v1::Operation;

class get_operations_command final : public list_command {
 public:
  explicit get_operations_command(CLI::App& app) : list_command(app) {
    app.footer(
        "argosyctl get operations --running -w\n"
        "argosyctl describe operation 01k9x2");
    app.add_option("ids", ids_, "Only operations whose ids begin so")->type_name("OPERATION");
    app.add_flag("--running", running_, "Only those that go on");
  }
  std::string_view completes() const override { return "operations"; }

 protected:
  result<listing> fetch(session& s, client& server) override;

 private:
  std::vector<std::string> ids_;
  bool running_ = false;
};

look operation_look(const std::string& state) {
  if (state == "done") return look::good;
  return state == "running" ? look::plain : look::warning;
}

/// Returns the node, cluster or queue that the operation is about, as "queue/NAME".
std::string scope_of(const Operation& of) {
  const auto place = of.node().empty() ? of.cluster() : of.cluster() + "/" + of.node();
  if (of.queue().empty()) return (of.node().empty() ? "cluster/" : "node/") + place;
  auto out = "queue/" + of.queue();
  if (!of.job_set().empty()) out += "/" + of.job_set();
  return place.empty() ? out : out + " on " + place;
}

/// How much is done, such as "14/17".
cell progress_of(const Operation& of) {
  const auto share =
      of.total() == 0 ? 1.0 : static_cast<double>(of.done()) / static_cast<double>(of.total());
  return {fmt::format("{}/{}", of.done(), of.total()), share};
}

/// "by the deadline in 2h", for drains that have one.
std::string deadline_of(const Operation& of, std::int64_t now_ns) {
  if (of.deadline_ns() == 0) return {};
  const auto rest = std::chrono::nanoseconds{std::max<std::int64_t>(0, of.deadline_ns() - now_ns)};
  return of.ended_ns() != 0 ? utc_time(of.deadline_ns())
                            : "in " + human_duration(std::chrono::ceil<std::chrono::seconds>(rest));
}

result<listing> get_operations_command::fetch(session& s, client& server) {
  std::vector<Operation> found;
  auto wanted = ids_;
  if (wanted.empty()) wanted.emplace_back();
  for (const auto& id : wanted) {
    argosy::v1::ListOperationsRequest request;
    request.set_id(id);
    request.set_running_only(running_);
    auto answer =
        call_pages<argosy::v1::ListOperationsResponse>(server, "Query.ListOperations", request);
    if (!answer) return fail(std::move(answer.error()));
    if (!id.empty() && answer->operations().empty())
      return fail(ec::not_found, "no operation has an id that begins with '" + id + "'");
    for (auto& each : *answer->mutable_operations()) found.push_back(std::move(each));
  }
  listing items{{{.title = "OPERATION"},
                 {.title = "KIND"},
                 {.title = "TARGET", .yields_to = 12},
                 {.title = "STATE"},
                 {.title = "DONE", .align = alignment::right},
                 {.title = "BY", .yields_to = 8},
                 {.title = "AGE", .align = alignment::right, .ticks = true},
                 {.title = "BEGUN", .wide = true},
                 {.title = "ENDED", .wide = true},
                 {.title = "DEADLINE", .wide = true},
                 {.title = "REASON", .wide = true},
                 {.title = "DETAIL", .wide = true}}};
  const auto now = s.now_ns();
  for (const auto& each : found) {
    items.rows.add({each.id(),
                    each.kind(),
                    scope_of(each),
                    {each.state(), operation_look(each.state())},
                    progress_of(each),
                    each.by(),
                    {human_age(each.begun_ns(), now), static_cast<double>(now - each.begun_ns())},
                    utc_time(each.begun_ns()),
                    each.ended_ns() == 0 ? std::string{} : utc_time(each.ended_ns()),
                    deadline_of(each, now),
                    each.reason(),
                    each.detail()});
    items.names.push_back("operation/" + each.id());
    items.json.push_back(json_of(each));
  }
  items.bare = ids_.size() == 1 && items.json.size() == 1;
  if (found.empty())
    items.hint =
        "nothing is drained, and no change of more than a thousand jobs goes on or ended "
        "lately";
  return items;
}

}  // namespace

void define_get_operations(CLI::App& get, command_set& commands) {
  commands.bind<get_operations_command>(
      add_kind(get, "operations", "Drains and changes of very many jobs, and how far they are.",
               {"operation", "ops"}));
}

void define_describe_operations(CLI::App& describe, command_set& commands) {
  auto& operation =
      add_kind(describe, "operation", "A drain, or a change of very many jobs, and how far it is.",
               {"operations", "ops"});
  commands.bind<get_operations_command>(operation);
  operation.footer("argosyctl describe operation 01k9x2");
}

}  // namespace argosy::ctl
