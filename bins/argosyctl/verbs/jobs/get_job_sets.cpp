// SPDX-License-Identifier: Apache-2.0
// get jobsets: how far the jobs of each set have come.
#include <algorithm>
#include <tuple>

#include "bins/argosyctl/client/pages.hpp"
#include "bins/argosyctl/output/json.hpp"
#include "bins/argosyctl/verbs/get.hpp"
#include "bins/argosyctl/verbs/jobs/job_set_table.hpp"
#include "bins/argosyctl/verbs/list_command.hpp"
#include "bins/argosyctl/verbs/queues/queue_names.hpp"

namespace argosy::ctl {

namespace {

class get_job_sets_command final : public list_command {
 public:
  explicit get_job_sets_command(CLI::App& app) : list_command(app) {
    app.add_option("names", names_, "Names of job sets")->type_name("SET");
    app.add_option("-q,--queue", queue_, "Only job sets of this queue")->type_name("QUEUE");
    app.add_flag("--active", active_, "Only job sets with jobs that have not ended");
  }

 protected:
  result<listing> fetch(session& s, client& server) override;

 private:
  std::vector<std::string> names_;
  std::string queue_;
  bool active_ = false;
};

set_counts counts_of(const argosy::v1::JobSetSummary& set) {
  set_counts out;
  out.submitted_ns = set.submitted_ns();
  for (const auto& [name, count] : set.jobs_by_state()) {
    api::JobState state{};
    if (!api::JobState_Parse(name, &state)) state = api::JobState::UNKNOWN;
    out.add(state, count);
  }
  return out;
}

result<listing> get_job_sets_command::fetch(session& s, client& server) {
  argosy::v1::ListJobSetsRequest request;
  request.set_queue(queue_);
  request.set_active_only(active_);
  auto answer = call_pages<argosy::v1::ListJobSetsResponse>(server, "Query.ListJobSets", request);
  if (!answer) return fail(std::move(answer.error()));
  if (answer->job_sets().empty())
    if (auto known = check_queue(server, queue_); !known) return fail(std::move(known.error()));
  // The pages come in no order.
  std::sort(answer->mutable_job_sets()->begin(), answer->mutable_job_sets()->end(),
            [](const auto& a, const auto& b) {
              return std::tie(a.queue(), a.job_set()) < std::tie(b.queue(), b.job_set());
            });
  std::vector<std::string> plain;
  for (const auto& set : answer->job_sets()) plain.push_back(set.job_set());
  auto picked = pick_named(names_, plain, "job set");
  if (!picked) return fail(std::move(picked.error()));
  const auto now = s.now_ns();
  auto items = job_set_listing({}, now);
  for (const auto index : *picked) {
    const auto& set = answer->job_sets(static_cast<int>(index));
    auto one = job_set_listing({{{set.queue(), set.job_set()}, counts_of(set)}}, now);
    items.rows.append(std::move(one.rows));
    items.names.push_back(std::move(one.names.front()));
    items.json.push_back(json_of(set));
  }
  items.bare = names_.size() == 1 && items.json.size() == 1;
  if (items.names.empty()) items.hint = "no job sets";
  return items;
}

}  // namespace

void define_get_job_sets(CLI::App& get, command_set& commands) {
  commands.bind<get_job_sets_command>(
      add_kind(get, "jobsets", "Job sets with the states of their jobs.", {"jobset", "js"}));
}

}  // namespace argosy::ctl
