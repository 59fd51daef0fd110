// SPDX-License-Identifier: Apache-2.0
// The verb get jobsets: prints how far the jobs of each set have come.
#include "bins/argosyctl/client/job_list.hpp"
#include "bins/argosyctl/verbs/get.hpp"
#include "bins/argosyctl/verbs/job_lists/job_set_table.hpp"
#include "bins/argosyctl/verbs/list_command.hpp"
#include "bins/argosyctl/verbs/queues/queue_names.hpp"

namespace argosy::ctl {

namespace {

class get_job_sets_command final : public list_command {
 public:
  explicit get_job_sets_command(CLI::App& app) : list_command(app) {
    app.footer(
        "argosyctl get jobsets -q team-a\n"
        "argosyctl get jobsets --active -w");
    app.add_option("names", names_, "Names of job sets")->type_name("SET");
    app.add_option("-q,--queue", queue_, "Only job sets of this queue")->type_name("QUEUE");
    app.add_flag("--active", active_, "Only job sets with jobs that have not ended");
  }
  std::string_view completes() const override { return "jobsets"; }

 protected:
  result<listing> fetch(session& s, client& server) override;

 private:
  std::vector<std::string> names_;
  std::string queue_;
  bool active_ = false;
};

result<listing> get_job_sets_command::fetch(session& s, client& server) {
  const auto found = list_job_sets(server, queue_, active_);
  if (!found) return fail(found.error());
  if (found->empty())
    if (auto known = check_queue(server, queue_); !known) return fail(std::move(known.error()));
  std::vector<std::string> plain;
  for (const auto& set : *found) plain.push_back(set.job_set());
  auto picked = pick_named(names_, plain, "job set");
  if (!picked) return fail(std::move(picked.error()));
  std::vector<const argosy::v1::JobSetSummary*> sets;
  for (const auto index : *picked) sets.push_back(&(*found)[index]);
  auto items = job_set_listing(sets, s.now_ns());
  items.bare = names_.size() == 1 && items.json.size() == 1;
  if (items.names.empty()) items.notice = "there are no job sets";
  return items;
}

}  // namespace

void define_describe_job_sets(CLI::App& describe, command_set& commands) {
  auto& kind =
      add_kind(describe, "jobset", "A job set with the states of its jobs.", {"jobsets", "js"});
  commands.bind<get_job_sets_command>(kind);
  kind.footer("argosyctl describe jobset nightly -q team-a");
}

void define_get_job_sets(CLI::App& get, command_set& commands) {
  commands.bind<get_job_sets_command>(
      add_kind(get, "jobsets", "Job sets with the states of their jobs.", {"jobset", "js"}));
}

}  // namespace argosy::ctl
