// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/jobs/job_selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "bins/argosyctl/client/batches.hpp"
#include "bins/argosyctl/client/job_list.hpp"
#include "bins/argosyctl/output/event_text.hpp"
#include "bins/argosyctl/verbs/queues/queue_names.hpp"

namespace argosy::ctl {

using argosy::v1::JobSummary;

namespace {

bool is_set_kind(std::string_view word) {
  return word == "job-set" || word == "jobset" || word == "js";
}

}  // namespace

bool is_job_kind(std::string_view word) {
  return is_set_kind(word) || word == "job" || word == "jobs";
}

void job_roll::add(const JobSummary& job) {
  const auto [set, fresh] = set_numbers_.try_emplace({job.queue(), job.job_set()},
                                                     static_cast<std::uint32_t>(sets_.size()));
  if (fresh) sets_.push_back(set->first);
  jobs_.push_back({job_reference::of_id(job.job_id()), set->second,
                   job.state() != api::JobState::QUEUED, job.has_hold() && !job.hold().blocked()});
}

std::size_t job_roll::changed() const {
  return static_cast<std::size_t>(
      std::count_if(jobs_.begin(), jobs_.end(), [](const entry& job) { return job.changed; }));
}

std::size_t job_roll::changed_and_started() const {
  return static_cast<std::size_t>(std::count_if(
      jobs_.begin(), jobs_.end(), [](const entry& job) { return job.changed && job.started; }));
}

void job_selection::add_options(CLI::App& app, const std::string& done,
                                const std::string& of_queue) {
  app.add_option("jobs", words, "Ids or their beginnings, @last, or - for stdin")->type_name("JOB");
  app.add_option("-q,--queue", queue_,
                 "Queue of the job set" + (of_queue.empty() ? "" : "; alone: " + of_queue))
      ->type_name("QUEUE");
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

bool job_selection::is_queue() const {
  return !of_this_set_ && !queue_.empty() && words.empty() && job_set_.empty();
}

result<void> job_selection::check() const {
  if (is_set() && !words.empty())
    return fail(ec::invalid_argument, "name either jobs or a job set, not both");
  if (is_set() && job_set_.empty())
    return fail(ec::invalid_argument,
                fmt::format("name the job set, too, with --jobset; all jobs of the queue are "
                            "listed by: argosyctl get jobs -q {} --active -o name",
                            queue_));
  if (of_this_set_ && words.empty())
    return fail(ec::invalid_argument,
                "name the jobs; for all jobs of a job set, write job-set instead of job");
  if (!is_set() && words.empty())
    return fail(ec::invalid_argument, "name the jobs, or a job set with --queue and --jobset");
  return {};
}

result<job_roll> job_selection::find_set(client& server) {
  if (queue_.empty()) {
    auto queue = queue_of_job_set(server, job_set_);
    if (!queue) return fail(std::move(queue.error()));
    queue_ = std::move(*queue);
  }
  argosy::v1::ListJobsRequest list;
  list.set_queue(queue_);
  list.set_job_set(job_set_);
  list.set_active_only(true);
  job_roll found;
  auto listed = for_each_listed(server, list, [&](JobSummary& job) {
    found.add(job);
    return true;
  });
  if (!listed) return fail(std::move(listed.error()));
  if (found.jobs().empty())
    if (auto known = check_queue(server, queue_); !known) return fail(std::move(known.error()));
  return found;
}

result<job_roll> job_selection::find_named(session& s, client& server) const {
  auto references = expand_references(words, s.last_jobs(), s.in);
  if (!references) return fail(std::move(references.error()));
  job_roll found;
  std::size_t over = 0;
  std::optional<error> elsewhere;
  auto resolved = for_each_resolved(server, *references, [&](JobSummary& job) {
    if ((!queue_.empty() && job.queue() != queue_) ||
        (!job_set_.empty() && job.job_set() != job_set_))
      elsewhere = {ec::not_found,
                   fmt::format("job {} is in queue '{}', job set '{}', not where it was said to be",
                               job.job_id(), job.queue(), job.job_set())};
    if (is_over(job.state()))
      ++over;
    else
      found.add(job);
    return !elsewhere;
  });
  if (elsewhere) return fail(std::move(*elsewhere));
  if (!resolved) return fail(std::move(resolved.error()));
  if (over > 0) s.out.notice(fmt::format("{} job{} had ended already", over, over == 1 ? "" : "s"));
  return found;
}

result<job_roll> job_selection::find(session& s, client& server) {
  return is_set() ? find_set(server) : find_named(s, server);
}

/// A job set is what its jobs name: one without jobs is not there. A queue is there without any.
result<exit_code> job_selection::tell_nothing(session& s, client& server,
                                              std::string_view infinitive,
                                              std::string_view participle) const {
  argosy::v1::ListJobsRequest any;
  any.set_queue(queue_);
  any.set_job_set(job_set_);
  any.set_limit(1);
  const auto known = list_jobs(server, any);
  auto set = fmt::format("queue '{}'", queue_);
  if (!job_set_.empty()) set += fmt::format(" in job set '{}'", job_set_);
  const bool is_empty_queue = known && known->empty() && is_queue();
  if (is_empty_queue)
    if (auto there = check_queue(server, queue_); !there) return fail(std::move(there.error()));
  // The request has been carried out, whatever became of this question.
  if (!known || is_empty_queue)
    s.out.notice(fmt::format("no job of {} was there to {}", set, infinitive));
  else if (known->empty())
    return fail(ec::not_found,
                fmt::format("there is no job of {}: nothing was {}", set, participle));
  else
    s.out.notice(fmt::format("all jobs of {} had ended already", set));
  return exit_code::success;
}

std::string job_selection::words_again() const {
  if (is_set()) return fmt::format("-q {} --jobset {}", queue_, job_set_);
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

result<exit_code> send_in_batches(
    session& s, job_roll& jobs,
    const std::function<result<void>(const job_set_name&, const std::vector<std::string>& ids)>&
        send) {
  std::vector<std::vector<std::size_t>> by_set(jobs.sets().size());
  for (std::size_t i = 0; i < jobs.jobs().size(); ++i) by_set[jobs.jobs()[i].set].push_back(i);
  auto step = ids_per_request;
  bool first = true;
  for (std::size_t set = 0; set < by_set.size(); ++set)
    for (std::size_t at = 0; at < by_set[set].size();) {
      const auto end = std::min(by_set[set].size(), at + step);
      std::vector<std::string> ids;
      for (auto i = at; i < end; ++i) ids.push_back(jobs.jobs()[by_set[set][i]].id.str());
      auto done = send(jobs.sets()[set], ids);
      if (!done && may_be_too_long(done.error().code) && ids.size() > 1) {
        step = ids.size() / 2;
        continue;
      }
      if (!done && first) return fail(std::move(done.error()));
      if (!done) {
        s.out.error_line(done.error().detail);
        return exit_code::partial;
      }
      for (; at < end; ++at) jobs.jobs()[by_set[set][at]].changed = true;
      first = false;
    }
  return exit_code::success;
}

result<void> check_reason(const std::string& reason) {
  constexpr std::size_t bytes_max = 50;
  if (reason.size() <= bytes_max) return {};
  return fail(ec::invalid_argument,
              fmt::format("--reason has {} bytes; at most {} are kept", reason.size(), bytes_max));
}

void print_would(session& s, const job_roll& jobs, std::string_view verb) {
  if (s.as == format::name) {
    for (const auto& job : jobs.jobs()) s.out.print_line("job/" + job.id.str());
    return;
  }
  s.out.print_line(fmt::format("would {} {} job{}", verb, jobs.jobs().size(),
                               jobs.jobs().size() == 1 ? "" : "s"));
}

void print_changed(session& s, const job_roll& jobs, std::string_view what) {
  const auto count = jobs.changed();
  if (s.as == format::name) {
    for (const auto& job : jobs.jobs())
      if (job.changed) s.out.print_line("job/" + job.id.str());
  } else {
    s.out.print_line(fmt::format("{} {} job{}", what, count, count == 1 ? "" : "s"));
  }
  s.out.flush();
}

}  // namespace argosy::ctl
