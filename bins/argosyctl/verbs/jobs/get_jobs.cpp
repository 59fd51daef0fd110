// SPDX-License-Identifier: Apache-2.0
// get jobs: filters, grouping by job set, and jobs by their ids.
#include <fmt/format.h>

#include <algorithm>

#include "bins/argosyctl/client/job_list.hpp"
#include "bins/argosyctl/output/event_text.hpp"
#include "bins/argosyctl/output/human.hpp"
#include "bins/argosyctl/verbs/get.hpp"
#include "bins/argosyctl/verbs/jobs/job_set_table.hpp"
#include "bins/argosyctl/verbs/list_command.hpp"
#include "bins/argosyctl/verbs/queues/queue_names.hpp"

namespace argosy::ctl {

namespace {

using argosy::v1::JobSummary;

constexpr std::size_t rows_before_grouping = 200;

class get_jobs_command final : public list_command {
 public:
  explicit get_jobs_command(CLI::App& app) : list_command(app) {
    app.add_option("ids", ids_, "Ids or their beginnings, @last, or - for stdin")->type_name("JOB");
    app.add_option("-q,--queue", queue_, "Only jobs of this queue")->type_name("QUEUE");
    app.add_option("--jobset", job_set_, "Only jobs of this job set")->type_name("SET");
    app.add_option("--state", states_, "Only jobs in these states, separated by commas")
        ->type_name("STATE")
        ->delimiter(',')
        ->allow_extra_args(false);
    app.add_flag("--active", active_, "Only jobs that have not ended");
    app.add_option("--limit", limit_, "At most so many jobs")->type_name("N");
  }
  std::string_view completes() const override { return "jobs"; }

 protected:
  result<listing> fetch(session& s, client& server) override;
  result<void> print(session& s, client& server, const listing& items) override;

 private:
  result<argosy::v1::ListJobsRequest> request() const;
  result<std::vector<JobSummary>> find(session& s, client& server) const;
  result<listing> fetch_names(client& server) const;
  result<listing> fetch_counts(session& s, client& server) const;
  result<listing> fetch_rows(session& s, client& server) const;

  std::vector<std::string> ids_;
  std::string queue_;
  std::string job_set_;
  std::vector<std::string> states_;
  bool active_ = false;
  std::uint32_t limit_ = 0;
};

std::string place_of(const JobSummary& job) {
  if (job.node().empty()) return job.cluster();
  return job.cluster().empty() ? job.node() : job.cluster() + "/" + job.node();
}

std::string run_time(const JobSummary& job, std::int64_t now) {
  if (job.started_ns() == 0) return {};
  return human_age(job.started_ns(), job.finished_ns() != 0 ? job.finished_ns() : now);
}

listing job_listing(const std::vector<JobSummary>& jobs, std::int64_t now) {
  listing out{{{"JOB"},
               {.title = "QUEUE", .yields_to = 8, .spare = 3},
               {.title = "JOB SET", .yields_to = 8, .spare = 2},
               {"STATE"},
               {.title = "AGE", .align = alignment::right, .spare = 4, .ticks = true},
               {.title = "RUN TIME", .align = alignment::right, .wide = true, .ticks = true},
               {"CPU", alignment::right, true},
               {"MEMORY", alignment::right, true},
               {"OTHER", alignment::left, true},
               {"PRIORITY", alignment::right, true},
               {"CLASS", alignment::left, true},
               {"GANG", alignment::left, true},
               {"RUN", alignment::right, true},
               {"EXIT", alignment::right, true},
               {"POOL", alignment::left, true},
               {.title = "NODE", .yields_to = 8, .spare = 5},
               {.title = "REASON", .yields_to = 10, .spare = 1}}};
  for (const auto& job : jobs) {
    const auto gang =
        job.gang().empty() ? "" : fmt::format("{} ({})", job.gang(), job.gang_cardinality());
    out.rows.add(
        {job.job_id(), job.queue(), job.job_set(),
         cell{state_name(job.state()), state_look(job.state())},
         cell{human_age(job.submitted_ns(), now), static_cast<double>(now - job.submitted_ns())},
         run_time(job, now), amount_of("cpu", job.requests()), amount_of("memory", job.requests()),
         other_amounts(job.requests()), cell{fmt::format("{}", job.priority()), job.priority()},
         job.priority_class(), gang, job.run() == 0 ? std::string{} : fmt::format("{}", job.run()),
         job.has_exit_code() ? fmt::format("{}", job.exit_code()) : std::string{}, job.pool(),
         place_of(job), job.reason()});
    out.names.push_back("job/" + job.job_id());
  }
  return out;
}

/// Of very many jobs only the numbers are kept.
class job_counter {
 public:
  void add(JobSummary& job) {
    auto& set = sets_[{job.queue(), job.job_set()}];
    set.add(job.state(), 1);
    if (set.submitted_ns == 0 || job.submitted_ns() < set.submitted_ns)
      set.submitted_ns = job.submitted_ns();
    if (++count_ <= rows_before_grouping) first_.push_back(std::move(job));
  }

  [[nodiscard]] listing made(std::int64_t now) const {
    if (count_ <= rows_before_grouping) return job_listing(first_, now);
    auto out = job_set_listing(sets_, now);
    out.hint = fmt::format("{} jobs; -o wide shows each of them", count_);
    return out;
  }

 private:
  counts_by_set sets_;
  std::vector<JobSummary> first_;
  std::size_t count_ = 0;
};

result<argosy::v1::ListJobsRequest> get_jobs_command::request() const {
  argosy::v1::ListJobsRequest out;
  for (const auto& name : states_) {
    auto state = parse_state(name);
    if (!state) return fail(ec::invalid_argument, "--state: " + state.error().detail);
    out.add_states(*state);
  }
  out.set_queue(queue_);
  out.set_job_set(job_set_);
  out.set_active_only(active_);
  out.set_limit(limit_);
  return out;
}

result<std::vector<JobSummary>> get_jobs_command::find(session& s, client& server) const {
  auto filter = request();
  if (!filter) return fail(std::move(filter.error()));
  if (ids_.empty()) return list_jobs(server, *filter);
  auto references = expand_references(ids_, s.env, s.in);
  if (!references) return fail(std::move(references.error()));
  auto jobs = resolve_jobs(server, *references);
  if (!jobs) return jobs;
  std::erase_if(*jobs, [&](const JobSummary& job) {
    const auto& states = filter->states();
    return (!queue_.empty() && job.queue() != queue_) ||
           (!job_set_.empty() && job.job_set() != job_set_) || (active_ && is_over(job.state())) ||
           (!states.empty() &&
            std::find(states.begin(), states.end(), job.state()) == states.end());
  });
  if (limit_ != 0 && jobs->size() > limit_) jobs->resize(limit_);
  return jobs;
}

/// Without rows, which take room when there are very many jobs.
result<listing> get_jobs_command::fetch_names(client& server) const {
  auto filter = request();
  if (!filter) return fail(std::move(filter.error()));
  listing out{{}};
  auto listed = for_each_listed(
      server, *filter, [&](JobSummary& job) { out.names.push_back("job/" + job.job_id()); });
  if (!listed) return fail(std::move(listed.error()));
  return out;
}

result<listing> get_jobs_command::fetch_counts(session& s, client& server) const {
  auto filter = request();
  if (!filter) return fail(std::move(filter.error()));
  job_counter jobs;
  auto listed = for_each_listed(server, *filter, [&](JobSummary& job) { jobs.add(job); });
  if (!listed) return fail(std::move(listed.error()));
  return jobs.made(s.now_ns());
}

result<listing> get_jobs_command::fetch_rows(session& s, client& server) const {
  const bool all = ids_.empty() && s.flags.sort_by.empty();
  const bool only_names = s.as == format::json || s.as == format::jsonl || s.as == format::name;
  if (all && only_names && !watching()) return fetch_names(server);
  if (all && s.as == format::table) return fetch_counts(s, server);
  auto jobs = find(s, server);
  if (!jobs) return fail(std::move(jobs.error()));
  return job_listing(*jobs, s.now_ns());
}

result<listing> get_jobs_command::fetch(session& s, client& server) {
  auto items = fetch_rows(s, server);
  if (items && items->names.empty()) {
    if (auto known = check_queue(server, queue_); !known) return fail(std::move(known.error()));
    items->hint = "no jobs";
  }
  if (items) items->bare = ids_.size() == 1 && items->names.size() == 1;
  return items;
}

result<void> get_jobs_command::print(session& s, client& server, const listing& items) {
  if (s.as != format::json && s.as != format::jsonl) {
    show(s, items);
    return {};
  }
  std::vector<std::string> ids;
  ids.reserve(items.names.size());
  for (const auto& name : items.names) ids.push_back(name.substr(4));
  return show_job_details(s, server, ids, items.bare);
}

}  // namespace

void define_get_jobs(CLI::App& get, command_set& commands) {
  commands.bind<get_jobs_command>(add_kind(
      get, "jobs", "Jobs, one a line; by job set when there are more than 200.", {"job", "j"}));
}

}  // namespace argosy::ctl
