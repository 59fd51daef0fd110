// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/jobs/job_selection.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <map>

#include "bins/argosyctl/client/job_list.hpp"
#include "bins/argosyctl/output/event_text.hpp"
#include "bins/argosyctl/output/text.hpp"
#include "bins/argosyctl/verbs/queues/queue_names.hpp"

namespace argosy::ctl {

using argosy::v1::JobSummary;

namespace {

constexpr std::size_t ids_per_request = 5'000;

bool is_set_kind(std::string_view word) {
  return word == "job-set" || word == "jobset" || word == "js";
}

}  // namespace

bool is_job_kind(std::string_view word) {
  return is_set_kind(word) || word == "job" || word == "jobs";
}

void job_selection::add_options(CLI::App& app, const std::string& done) {
  app.add_option("jobs", words, "Ids or their beginnings, @last, or - for stdin")->type_name("JOB");
  app.add_option("-q,--queue", queue_, "Queue of the job set")->type_name("QUEUE");
  app.add_option("--jobset", job_set_, done + " all jobs of this job set")->type_name("SET");
}

void job_selection::read_armada_spelling() {
  if (words.empty() || !is_job_kind(words.front())) return;
  const bool of_set = is_set_kind(words.front());
  words.erase(words.begin());
  if (words.size() >= 2 && queue_.empty() && job_set_.empty() && !names_a_job(words.front())) {
    queue_ = words[0];
    job_set_ = words[1];
    words.erase(words.begin(), words.begin() + 2);
  }
  of_this_set_ = !of_set;
}

bool job_selection::is_set() const {
  return !of_this_set_ && (!queue_.empty() || !job_set_.empty());
}

result<void> job_selection::check() const {
  if (is_set() && !words.empty())
    return fail(ec::invalid_argument, "name either jobs or a job set, not both");
  if (is_set() && (queue_.empty() || job_set_.empty()))
    return fail(ec::invalid_argument, "a job set is named by --queue and --jobset together");
  if (of_this_set_ && words.empty())
    return fail(ec::invalid_argument,
                "name the jobs; for all jobs of a job set, write job-set instead of job");
  if (!is_set() && words.empty())
    return fail(ec::invalid_argument, "name the jobs, or a job set with --queue and --jobset");
  return {};
}

result<std::vector<JobSummary>> job_selection::find_set(client& server) const {
  argosy::v1::ListJobsRequest list;
  list.set_queue(queue_);
  list.set_job_set(job_set_);
  list.set_active_only(true);
  auto jobs = list_jobs(server, list);
  if (jobs && jobs->empty())
    if (auto known = check_queue(server, queue_); !known) return fail(std::move(known.error()));
  return jobs;
}

result<std::vector<JobSummary>> job_selection::find(session& s, client& server) const {
  if (is_set()) return find_set(server);
  auto references = expand_references(words, s.env, s.in);
  if (!references) return fail(std::move(references.error()));
  auto jobs = resolve_jobs(server, *references);
  if (!jobs) return jobs;
  for (const auto& job : *jobs)
    if ((!queue_.empty() && job.queue() != queue_) ||
        (!job_set_.empty() && job.job_set() != job_set_))
      return fail(ec::not_found,
                  fmt::format("job {} is in queue '{}', job set '{}', not where it was said to be",
                              job.job_id(), job.queue(), job.job_set()));
  const auto over = static_cast<std::size_t>(
      std::erase_if(*jobs, [](const JobSummary& job) { return is_over(job.state()); }));
  if (over > 0) s.out.notice(fmt::format("{} job{} had ended already", over, over == 1 ? "" : "s"));
  return jobs;
}

std::vector<job_batch> batches_of(const std::vector<JobSummary>& jobs) {
  std::map<job_set_name, std::vector<const JobSummary*>> sets;
  for (const auto& job : jobs) sets[{job.queue(), job.job_set()}].push_back(&job);
  std::vector<job_batch> batches;
  for (const auto& [name, members] : sets)
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (i % ids_per_request == 0) batches.push_back({name, {}});
      batches.back().ids.push_back(members[i]->job_id());
    }
  return batches;
}

result<exit_code> send_each(session& s, const std::vector<job_batch>& batches,
                            const std::function<result<void>(const job_batch&)>& send) {
  bool first = true;
  for (const auto& batch : batches) {
    auto done = send(batch);
    if (!done && first) return fail(std::move(done.error()));
    if (!done) {
      s.out.error_line(done.error().detail);
      return exit_code::partial;
    }
    first = false;
  }
  return exit_code::success;
}

void print_changed(session& s, const std::vector<JobSummary>& jobs, std::string_view what) {
  if (s.as == format::name)
    for (const auto& job : jobs) s.out.print_line("job/" + job.job_id());
  else
    s.out.print_line(fmt::format("{} {} job{}", what, jobs.size(), jobs.size() == 1 ? "" : "s"));
  s.out.flush();
}

}  // namespace argosy::ctl
