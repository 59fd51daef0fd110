// SPDX-License-Identifier: Apache-2.0
#include "actors/api/gateway_services.hpp"

#include <algorithm>
#include <caf/send.hpp>

#include "actors/api/audited_call.hpp"
#include "messages/codec/api/environment_mask.hpp"
#include "messages/codec/api/resume_token.hpp"

namespace argosy::actors {

gateway_services::gateway_services(gateway_self self_, gateway_config config_)
    : self(self_),
      config(std::move(config_)),
      probe(config.probes->get<probes::gateway_probe>()),
      actors(config.root, config.request_timeout),
      random(config.seed),
      decoder(config.limits, codec::process_shapes(), ids),
      watches(std::make_shared<border::shares>(border::share_limits{
          config.request_limits.watches_per_user_max, config.request_limits.watches_max})),
      started_ns(to_nanos(config.clock->wall())) {}

result<std::string> gateway_services::own_cursor(const call& caller,
                                                 const std::string& marked) const {
  const auto now = config.lineage->position();
  return codec::own_cursor(marked, caller.method(), *config.lineage->all(), now);
}

result<void> gateway_services::check_mark(const google::protobuf::Message& request) const {
  const auto now = config.lineage->position();
  return codec::check_mark(request, *config.lineage->all(), now);
}

std::optional<call> gateway_services::begin_slow(const call& caller) {
  if (!config.slow_questions) return caller;
  auto taken = config.slow_questions->take(caller.share());
  if (taken.held) return caller.holding(std::move(taken.held));
  const auto& limits = config.request_limits;
  caller.fail(ec::overloaded,
              taken.answer == border::share_core::answer::own_share_full
                  ? "as many questions of yours that take long are under way as one caller may "
                    "have, " +
                        std::to_string(limits.slow_per_user_max) + "; wait for their answers"
                  : "too many questions that take long are under way; try again in a second");
  return std::nullopt;
}

void gateway_services::find_refusal(const call& caller, const std::string& queue,
                                    access::action what,
                                    std::function<void(std::optional<error>)> then) {
  if (access::may(*caller.who(), what)) {
    then(std::nullopt);
    return;
  }
  actors.find_queue(
      self, queue,
      [this, caller, what, then](const queue_actor& handle) {
        self->request(handle, config.request_timeout, atom::allow_v, caller.who(),
                      static_cast<std::uint8_t>(what))
            .then([then](atom::ok) { then(std::nullopt); },
                  [then](const caf::error& err) { then(from_caf(err)); });
      },
      [then](const error& why) { then(why); });
}

void gateway_services::find_hidden(const call& caller, const std::string& queue,
                                   std::function<void(bool)> then) {
  find_refusal(caller, queue, access::action::view_specifications,
               [then](const std::optional<error>& refused) { then(refused.has_value()); });
}

void gateway_services::find_hidden(const call& caller, const std::vector<model::job_record>& jobs,
                                   std::function<void(const std::set<std::string>&)> then) {
  std::set<std::string> queues;
  for (const auto& job : jobs)
    if (!access::sees_environment(*caller.who(), job.header->owner))
      queues.insert(job.header->queue);
  if (queues.empty()) {
    then({});
    return;
  }
  struct open_answers {
    std::size_t missing = 0;
    std::set<std::string> hidden;
  };
  auto open = std::make_shared<open_answers>();
  open->missing = queues.size();
  for (const auto& queue : queues)
    find_hidden(caller, queue, [open, queue, then](bool hides) {
      if (hides) open->hidden.insert(queue);
      if (--open->missing == 0) then(open->hidden);
    });
}

namespace {

/// The owner of the caller's own jobs.
std::string own_name(const call& caller, bool in_header) {
  return in_header ? access::sees_jobs_of(*caller.who()) : access::display_name(*caller.who());
}

model::call_recorded shown_to(const call& caller, bool in_header) {
  auto out = call_of(caller.frame(), caller.method(), *caller.who(), in_header);
  out.outcome = model::call_outcome::ok;
  out.summary = "saw specifications of others";
  return out;
}

}  // namespace

bool gateway_services::is_of_another(const call& caller, const std::string& owner) const {
  return owner != own_name(caller, config.callers_in_header);
}

void gateway_services::note_shown(const call& caller, const std::vector<ulid>& jobs) const {
  if (!config.audit || jobs.empty()) return;
  auto record = shown_to(caller, config.callers_in_header);
  record.jobs = jobs.size();
  record.summary += ", job " + to_string(jobs.front());
  if (jobs.size() > 1) record.summary += " and " + std::to_string(jobs.size() - 1) + " more";
  self->send(config.audit, atom::record_v, std::move(record));
}

std::function<void(const std::string&)> gateway_services::shown_noter(const call& caller,
                                                                      model::queue_name queue,
                                                                      std::string job_set) const {
  if (!config.audit) return {};
  auto record = shown_to(caller, config.callers_in_header);
  record.summary += ", job set " + job_set + " of queue " + queue;
  record.queue = std::move(queue);
  record.job_set = std::move(job_set);
  return [record = std::move(record), own = own_name(caller, config.callers_in_header),
          to = config.audit, noted = false](const std::string& owner) mutable {
    if (noted || owner == own) return;
    noted = true;
    caf::anon_send(to, atom::record_v, record);
  };
}

bool show(const call& caller, const std::set<std::string>& hidden, const model::job_header& of,
          api::Job& shown) {
  if (of.owner == access::sees_jobs_of(*caller.who()) || !hidden.contains(of.queue)) return true;
  codec::hide_environment(shown);
  return false;
}

namespace {

/// The kind of all jobs; nothing if there are several, or gangs.
std::optional<told_notes::kind> only_kind(const told_notes::job_list& jobs) {
  if (jobs.empty()) return {};
  const auto& first = *jobs.front();
  const bool is_only = std::ranges::all_of(jobs, [&](const auto& job) {
    return !job->gang && job->shape == first.shape && job->name_space == first.name_space &&
           job->owner == first.owner;
  });
  if (!is_only) return {};
  return told_notes::kind{first.shape, first.name_space, first.owner};
}

}  // namespace

std::optional<std::string> told_notes::find(const job_list& jobs, boot_time now) const {
  constexpr boot_time told_for = std::chrono::seconds{5};
  const auto kind = only_kind(jobs);
  if (!kind) return {};
  const auto known = notes_.find(*kind);
  if (known == notes_.end() || now - known->second.at > told_for) return {};
  return known->second.note;
}

void told_notes::add(const job_list& jobs, const std::string& note, boot_time now) {
  constexpr std::size_t kinds_max = 1'000;
  auto kind = only_kind(jobs);
  if (!kind) return;
  if (notes_.size() >= kinds_max) notes_.clear();
  notes_[std::move(*kind)] = {note, now};
}

}  // namespace argosy::actors
