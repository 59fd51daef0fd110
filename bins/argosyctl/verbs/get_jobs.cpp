// SPDX-License-Identifier: Apache-2.0
// get jobs: filters, grouping by job set, and jobs by their ids.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "bins/argosyctl/client/job_list.hpp"
#include "bins/argosyctl/output/event_text.hpp"
#include "bins/argosyctl/output/human.hpp"
#include "bins/argosyctl/output/json.hpp"
#include "bins/argosyctl/output/progress.hpp"
#include "bins/argosyctl/verbs/get.hpp"
#include "bins/argosyctl/verbs/listing.hpp"
#include "bins/argosyctl/verbs/queue_names.hpp"

namespace argosy::ctl {

namespace {

using argosy::v1::JobSummary;

constexpr std::size_t rows_before_grouping = 200;

class get_jobs_command final : public command {
 public:
  explicit get_jobs_command(CLI::App& app) {
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
  std::vector<std::string> formats() const override { return list_formats; }
  std::string_view completes() const override { return "jobs"; }
  result<exit_code> run(session& s) override;

 private:
  result<std::vector<JobSummary>> find(session& s, client& server) const;

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
               {"QUEUE", alignment::left, false, 8},
               {"JOB SET", alignment::left, false, 8},
               {"STATE"},
               {"AGE", alignment::right},
               {"RUN TIME", alignment::right, true},
               {"CPU", alignment::right, true},
               {"MEMORY", alignment::right, true},
               {"OTHER", alignment::left, true},
               {"PRIORITY", alignment::right, true},
               {"CLASS", alignment::left, true},
               {"GANG", alignment::left, true},
               {"RUN", alignment::right, true},
               {"EXIT", alignment::right, true},
               {"POOL", alignment::left, true},
               {"NODE", alignment::left, false, 8},
               {"REASON", alignment::left, false, 10}}};
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

struct set_counts {
  std::map<api::JobState, std::size_t> by_state;
  std::size_t all = 0;
  std::size_t over = 0;
  std::int64_t submitted_ns = 0;

  [[nodiscard]] std::size_t count(api::JobState state) const {
    const auto found = by_state.find(state);
    return found == by_state.end() ? 0 : found->second;
  }
};

using counts_by_set = std::map<std::pair<std::string, std::string>, set_counts>;

table group_table(const counts_by_set& sets, std::int64_t now) {
  table out{{{"QUEUE", alignment::left, false, 8},
             {"JOB SET", alignment::left, false, 8},
             {"JOBS", alignment::right},
             {"QUEUED", alignment::right},
             {"RUNNING", alignment::right},
             {"FAILED", alignment::right},
             {"AGE", alignment::right},
             {"PROGRESS"}}};
  using api::JobState;
  const auto number = [](std::size_t n, look as = look::plain) {
    return cell{fmt::format("{}", n), static_cast<double>(n), n == 0 ? look::plain : as};
  };
  for (const auto& [key, set] : sets) {
    const auto running =
        set.count(JobState::LEASED) + set.count(JobState::PENDING) + set.count(JobState::RUNNING);
    const auto failed = set.count(JobState::FAILED) + set.count(JobState::REJECTED);
    out.add({key.first, key.second, number(set.all), number(set.count(JobState::QUEUED)),
             number(running), number(failed, look::bad),
             cell{human_age(set.submitted_ns, now), static_cast<double>(now - set.submitted_ns)},
             cell{fmt::format("{} {}/{}", progress_bar(set.over, set.all, 20), set.over, set.all),
                  static_cast<double>(set.over) /
                      static_cast<double>(std::max<std::size_t>(1, set.all))}});
  }
  return out;
}

table grouped(const std::vector<JobSummary>& jobs, std::int64_t now) {
  counts_by_set sets;
  for (const auto& job : jobs) {
    auto& set = sets[{job.queue(), job.job_set()}];
    ++set.by_state[job.state()];
    ++set.all;
    if (is_over(job.state())) ++set.over;
    if (set.submitted_ns == 0 || job.submitted_ns() < set.submitted_ns)
      set.submitted_ns = job.submitted_ns();
  }
  return group_table(sets, now);
}

result<std::vector<JobSummary>> get_jobs_command::find(session& s, client& server) const {
  argosy::v1::ListJobsRequest request;
  for (const auto& name : states_) {
    auto state = parse_state(name);
    if (!state) return fail(ec::invalid_argument, "--state: " + state.error().detail);
    request.add_states(*state);
  }
  request.set_queue(queue_);
  request.set_job_set(job_set_);
  request.set_active_only(active_);
  request.set_limit(limit_);
  if (ids_.empty()) return list_jobs(server, request);
  auto references = expand_references(ids_, s.env, s.in);
  if (!references) return fail(std::move(references.error()));
  auto jobs = resolve_jobs(server, *references);
  if (!jobs) return jobs;
  std::erase_if(*jobs, [&](const JobSummary& job) {
    const auto& states = request.states();
    return (!queue_.empty() && job.queue() != queue_) ||
           (!job_set_.empty() && job.job_set() != job_set_) || (active_ && is_over(job.state())) ||
           (!states.empty() &&
            std::find(states.begin(), states.end(), job.state()) == states.end());
  });
  return jobs;
}

result<exit_code> get_jobs_command::run(session& s) {
  auto server = s.server();
  if (!server) return fail(std::move(server.error()));
  auto jobs = find(s, **server);
  if (!jobs) return fail(std::move(jobs.error()));
  if (jobs->empty())
    if (auto known = check_queue(**server, queue_); !known) return fail(std::move(known.error()));
  const auto now = s.now_ns();
  if (s.as == format::table && ids_.empty() && jobs->size() > rows_before_grouping &&
      s.flags.sort_by.empty()) {
    show_table(s, grouped(*jobs, now));
    s.out.hint(fmt::format("{} jobs; -o wide shows each of them", jobs->size()));
    return exit_code::success;
  }
  auto items = job_listing(*jobs, now);
  if (auto sorted = sort_listing(s, items); !sorted) return fail(std::move(sorted.error()));
  if (s.as == format::json || s.as == format::jsonl) {
    std::vector<std::string> ids;
    ids.reserve(items.names.size());
    for (const auto& name : items.names) ids.push_back(name.substr(4));
    auto shown = show_job_details(s, **server, ids, ids_.size() == 1 && ids.size() == 1);
    if (!shown) return fail(std::move(shown.error()));
    return exit_code::success;
  }
  show(s, items);
  if (jobs->empty()) s.out.hint("no jobs");
  return exit_code::success;
}

class get_job_sets_command final : public command {
 public:
  explicit get_job_sets_command(CLI::App& app) {
    app.add_option("names", names_, "Names of job sets")->type_name("SET");
    app.add_option("-q,--queue", queue_, "Only job sets of this queue")->type_name("QUEUE");
    app.add_flag("--active", active_, "Only job sets with jobs that have not ended");
  }
  std::vector<std::string> formats() const override { return list_formats; }
  result<exit_code> run(session& s) override;

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
    out.by_state[state] += count;
    out.all += count;
    if (is_over(state)) out.over += count;
  }
  return out;
}

result<exit_code> get_job_sets_command::run(session& s) {
  auto server = s.server();
  if (!server) return fail(std::move(server.error()));
  argosy::v1::ListJobSetsRequest request;
  request.set_queue(queue_);
  request.set_active_only(active_);
  auto answer = call<argosy::v1::ListJobSetsResponse>(**server, "Query.ListJobSets", request);
  if (!answer) return fail(std::move(answer.error()));
  if (answer->job_sets().empty())
    if (auto known = check_queue(**server, queue_); !known) return fail(std::move(known.error()));
  std::vector<std::string> plain;
  for (const auto& set : answer->job_sets()) plain.push_back(set.job_set());
  auto picked = pick_named(names_, plain, "job set");
  if (!picked) return fail(std::move(picked.error()));
  const auto now = s.now_ns();
  listing items{group_table({}, now).columns()};
  for (const auto index : *picked) {
    const auto& set = answer->job_sets(static_cast<int>(index));
    counts_by_set one{{{set.queue(), set.job_set()}, counts_of(set)}};
    items.rows.append(group_table(one, now));
    items.names.push_back("jobset/" + set.queue() + "/" + set.job_set());
    items.json.push_back(json_of(set));
  }
  if (auto sorted = sort_listing(s, items); !sorted) return fail(std::move(sorted.error()));
  show(s, items, names_.size() == 1 && items.json.size() == 1);
  return exit_code::success;
}

}  // namespace

void define_get_jobs(CLI::App& get, command_set& commands) {
  commands.bind<get_jobs_command>(add_kind(
      get, "jobs", "Jobs, one a line; by job set when there are more than 200.", {"job", "j"}));
}

void define_get_job_sets(CLI::App& get, command_set& commands) {
  commands.bind<get_job_sets_command>(
      add_kind(get, "jobsets", "Job sets with the states of their jobs.", {"jobset", "js"}));
}

}  // namespace argosy::ctl
