// SPDX-License-Identifier: Apache-2.0
// The verbs hold and release: keep jobs that wait from being started, and let them go again.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "bins/argosyctl/client/job_list.hpp"
#include "bins/argosyctl/output/text.hpp"
#include "bins/argosyctl/verbs/command.hpp"
#include "bins/argosyctl/verbs/jobs/job_selection.hpp"
#include "bins/argosyctl/verbs/jobs/operation_call.hpp"

namespace argosy::ctl {

namespace {

constexpr std::string_view hold_footer =
    "argosyctl hold 01k9x2 --reason 'no input yet'   # and the other members of its gang\n"
    "argosyctl hold -q team-a --jobset nightly       # not what is submitted later\n"
    "argosyctl hold -q team-a                        # what runs is left alone";

constexpr std::string_view release_footer =
    "argosyctl release 01k9x2\n"
    "argosyctl release -q team-a --jobset nightly\n"
    "argosyctl release -q team-a";

/// These are the sums of the answers to all requests.
struct hold_outcome {
  std::uint64_t changed = 0;
  std::uint64_t running = 0;
  std::set<std::string> gang_mates{};
};

template <bool On>
class hold_command final : public command {
 public:
  explicit hold_command(CLI::App& app) {
    app.footer(std::string{On ? hold_footer : release_footer});
    selection_.add_options(app, On ? "Hold" : "Release",
                           On ? "all that wait in it now" : "all that are held in it");
    if (On)
      app.add_option("--reason", reason_, "For all who look, at most 50 bytes")->type_name("TEXT");
  }
  std::vector<std::string> formats() const override { return {"table", "name"}; }
  std::string_view completes() const override { return "jobs"; }
  result<exit_code> run(session& s) override;

 private:
  using request =
      std::conditional_t<On, argosy::v1::HoldJobsRequest, argosy::v1::ReleaseJobsRequest>;

  [[nodiscard]] result<void> send(session& s, client& server, request what);
  template <class Response>
  [[nodiscard]] static result<Response> ask(session& s, client& server, const char* method,
                                            const request& what);
  [[nodiscard]] result<exit_code> change(session& s, client& server, job_roll& jobs);
  [[nodiscard]] result<job_roll> queued_of_queue(client& server) const;
  [[nodiscard]] result<exit_code> tell(session& s, const job_roll& jobs) const;
  void tell_others(session& s, const job_roll& jobs) const;

  job_selection selection_;
  std::string reason_;
  hold_outcome outcome_;
};

/// Jobs that are named are few in a request.
template <bool On>
template <class Response>
result<Response> hold_command<On>::ask(session& s, client& server, const char* method,
                                       const request& what) {
  return what.job_ids().empty() ? call_operation<Response>(s, server, method, what)
                                : call<Response>(server, method, what);
}

template <bool On>
result<void> hold_command<On>::send(session& s, client& server, request what) {
  if constexpr (On) {
    what.set_reason(reason_);
    const auto done = ask<argosy::v1::HoldJobsResponse>(s, server, "JobControl.HoldJobs", what);
    if (!done) return fail(done.error());
    outcome_.changed += done->changed();
    outcome_.running += done->running();
    outcome_.gang_mates.insert(done->gang_mates().begin(), done->gang_mates().end());
  } else {
    const auto done =
        ask<argosy::v1::ReleaseJobsResponse>(s, server, "JobControl.ReleaseJobs", what);
    if (!done) return fail(done.error());
    outcome_.changed += done->changed();
    outcome_.gang_mates.insert(done->gang_mates().begin(), done->gang_mates().end());
  }
  return {};
}

/// A job set or a queue is changed in one request, so that the server does the work however many
/// jobs there are.
template <bool On>
result<exit_code> hold_command<On>::change(session& s, client& server, job_roll& jobs) {
  if (!selection_.is_set())
    return send_in_batches(s, jobs, [&](const job_set_name& set, const auto& ids) {
      request what;
      what.set_queue(set.first);
      what.set_job_set(set.second);
      what.mutable_job_ids()->Assign(ids.begin(), ids.end());
      return send(s, server, std::move(what));
    });
  request what;
  what.set_queue(selection_.queue());
  what.set_job_set(selection_.job_set());
  what.set_whole_queue(selection_.is_queue());
  if (auto done = send(s, server, std::move(what)); !done) return fail(std::move(done.error()));
  for (auto& job : jobs.jobs()) job.changed = true;
  return exit_code::success;
}

/// The jobs are listed only if their names are printed.
template <bool On>
result<job_roll> hold_command<On>::queued_of_queue(client& server) const {
  argosy::v1::ListJobsRequest list;
  list.set_queue(selection_.queue());
  list.add_states(api::JobState::QUEUED);
  job_roll found;
  const auto listed = for_each_listed(server, list, [&](argosy::v1::JobSummary& job) {
    found.add(job);
    return true;
  });
  if (!listed) return fail(listed.error());
  return found;
}

/// Says what became of the jobs that were not named, or named in vain.
template <bool On>
void hold_command<On>::tell_others(session& s, const job_roll& jobs) const {
  constexpr std::size_t names_max = 10;
  std::vector<std::string> mates;
  std::size_t in_vain = 0;
  std::set<std::string> named;
  for (const auto& job : jobs.jobs()) {
    named.insert(job.id.str());
    if (!job.started && job.held == On) ++in_vain;
  }
  for (const auto& mate : outcome_.gang_mates)
    if (!named.contains(mate)) mates.push_back(mate);
  if (outcome_.running > 0)
    s.out.notice(fmt::format("{} job{} left alone, with a run already", outcome_.running,
                             outcome_.running == 1 ? " was" : "s were"));
  if (in_vain > 0 && !selection_.is_set())
    s.out.notice(fmt::format("{} job{} {}held", in_vain, in_vain == 1 ? " was" : "s were",
                             On ? "already " : "not "));
  if (mates.empty()) return;
  const auto count = mates.size();
  mates.resize(std::min(count, names_max));
  s.out.notice(
      fmt::format("{} with {}, as members of {}: {}{}", On ? "held" : "released",
                  jobs.jobs().size() == 1 ? "it" : "them",
                  jobs.jobs().size() == 1 ? "its gang" : "their gangs", fmt::join(mates, ", "),
                  count > names_max ? fmt::format(" and {} more", count - names_max) : ""));
}

template <bool On>
result<exit_code> hold_command<On>::tell(session& s, const job_roll& jobs) const {
  if (On && outcome_.changed == 0 && outcome_.running > 0)
    return fail(ec::conflict,
                "nothing was held: a hold does not touch jobs that have a run; to end runs: "
                "argosyctl preempt, or cancel");
  if (s.as == format::name) {
    std::set<std::string> names(outcome_.gang_mates.begin(), outcome_.gang_mates.end());
    for (const auto& job : jobs.jobs()) {
      if (!job.changed || job.started || job.held == On) continue;
      names.erase(job.id.str());
      s.out.print_line("job/" + job.id.str());
    }
    for (const auto& name : names) s.out.print_line("job/" + escaped(name));
  } else {
    s.out.print_line(fmt::format("{} {} job{}", On ? "held" : "released", outcome_.changed,
                                 outcome_.changed == 1 ? "" : "s"));
  }
  s.out.flush();
  tell_others(s, jobs);
  return exit_code::success;
}

template <bool On>
result<exit_code> hold_command<On>::run(session& s) {
  selection_.read_armada_spelling();
  if (auto fits = check_reason(reason_); !fits) return fail(std::move(fits.error()));
  const bool of_queue = selection_.is_queue();
  if (!of_queue)
    if (auto valid = selection_.check(); !valid) return fail(std::move(valid.error()));
  auto server = s.server();
  if (!server) return fail(std::move(server.error()));
  auto jobs = !of_queue              ? selection_.find(s, **server)
              : s.as == format::name ? queued_of_queue(**server)
                                     : result<job_roll>{job_roll{}};
  if (!jobs) return fail(std::move(jobs.error()));
  const auto done = change(s, **server, *jobs);
  if (!done) return done;
  if (selection_.is_set() && jobs->jobs().empty() && outcome_.changed + outcome_.running == 0)
    return selection_.tell_nothing(s, **server, On ? "hold" : "release", On ? "held" : "released");
  if (const auto told = tell(s, *jobs); !told) return told;
  return done;
}

}  // namespace

void define_hold(CLI::App& app, command_set& commands) {
  define_verb<hold_command<true>>(app, commands);
}

void define_release(CLI::App& app, command_set& commands) {
  define_verb<hold_command<false>>(app, commands);
}

}  // namespace argosy::ctl
