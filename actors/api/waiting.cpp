// SPDX-License-Identifier: Apache-2.0
#include "actors/api/waiting.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "messages/codec/submit/gang.hpp"
#include "messages/native/job_search.hpp"
#include "runtime/base/text.hpp"
#include "runtime/logging/line.hpp"

namespace argosy::actors {

namespace {

constexpr const char* is_new = "no round has looked at it yet";
/// After how many gangs an answer that lists jobs no longer asks what they wait for.
constexpr std::size_t gangs_max = 100;

/// So many members that have ended are named.
constexpr std::uint32_t ended_max = 3;

/// The members of the job's gang that have ended since its run was leased, and not well. Gangs of
/// the same name that were there before ended earlier.
native::find_jobs ended_members_of(const model::job_record& job) {
  const auto& header = *job.header;
  using model::job_field;
  using model::job_state;
  native::find_jobs out;
  auto& all = out.conditions.all;
  all.push_back(
      {.field = job_field::annotation, .key = codec::gang_id_key, .texts = {header.gang->id}});
  all.push_back({.field = job_field::queue, .texts = {header.queue}});
  all.push_back({.field = job_field::state,
                 .states = {job_state::failed, job_state::cancelled, job_state::preempted,
                            job_state::rejected}});
  all.push_back({.field = job_field::changed,
                 .match = model::job_match::at_least,
                 .numbers = {job.live_run()->leased_ns}});
  out.limit = ended_max + 1;
  return out;
}

std::string missing_text(const std::string& gang, const std::vector<model::found_job>& ended) {
  std::string out;
  for (std::size_t i = 0; i < std::min<std::size_t>(ended.size(), ended_max); ++i) {
    const auto& record = ended[i].record;
    const auto* const how = record.state == model::job_state::failed      ? " failed"
                            : record.state == model::job_state::cancelled ? " was cancelled"
                            : record.state == model::job_state::preempted ? " was preempted"
                                                                          : " was rejected";
    out += (out.empty() ? "member " : ", member ") + to_string(record.header->id) + how + " at " +
           logging::utc_text(from_nanos(record.changed_ns)) +
           (record.reason.empty() ? "" : " (" + record.reason + ")");
  }
  if (ended.size() > ended_max) out += ", and others";
  return "its gang '" + shown(gang) + "' is not whole any more: " + out + "; the others run on";
}

/// The jobs of one gang that no round knows.
struct unheard_gang {
  std::string queue;
  std::string id;
  std::vector<v1::JobSummary*> jobs;
};
using unheard_gangs = std::shared_ptr<std::vector<unheard_gang>>;

void set_reasons(const std::vector<v1::JobSummary*>& jobs, const std::string& why) {
  for (auto* job : jobs) job->set_reason(why);
}

/// Fills in what the gangs from number `next` on wait for.
void add_waits(gateway_services& gateway, const call& caller, unheard_gangs gangs, std::size_t next,
               std::function<void()> then) {
  if (next == gangs->size()) {
    then();
    return;
  }
  const auto& gang = (*gangs)[next];
  const auto go_on = [&gateway, caller, gangs, next, then = std::move(then)] {
    add_waits(gateway, caller, gangs, next + 1, then);
  };
  const auto ask = [&gateway, caller, gangs, next, go_on](const queue_actor& queue) {
    const auto take = [gangs, next, go_on](const std::string& waits) {
      if (!waits.empty()) set_reasons((*gangs)[next].jobs, waits);
      go_on();
    };
    gateway.ask(caller, queue, take, atom::member_v, model::gang_name{(*gangs)[next].id});
  };
  // A queue that is gone meanwhile had no live jobs any more.
  gateway.find_queue(caller, gang.queue, ask, [go_on](const error&) { go_on(); });
}

unheard_gangs gangs_of(const std::vector<waiting_job>& unheard) {
  auto out = std::make_shared<std::vector<unheard_gang>>();
  std::map<std::pair<std::string, std::string>, std::size_t> places;
  for (const auto& [id, job] : unheard) {
    if (job->gang().empty()) continue;
    const auto [at, fresh] = places.emplace(std::pair{job->queue(), job->gang()}, out->size());
    if (fresh && out->size() == gangs_max) break;
    if (fresh) out->push_back({job->queue(), job->gang(), {}});
    (*out)[at->second].jobs.push_back(job);
  }
  return out;
}

}  // namespace

void add_reasons(gateway_services& gateway, const call& caller, std::vector<waiting_job> waiting,
                 std::function<void()> then) {
  if (waiting.empty()) {
    then();
    return;
  }
  auto ids = std::make_shared<std::vector<ulid>>();
  for (const auto& job : waiting) ids->push_back(job.id);
  gateway.ask(
      caller, gateway.config.explainer,
      [&gateway, caller, waiting = std::move(waiting),
       then = std::move(then)](const native::waiting_reasons_ptr& reasons) {
        std::vector<waiting_job> unheard;
        for (std::size_t i = 0; i < waiting.size(); ++i) {
          const auto& why = (*reasons)[i];
          if (why.reason.empty()) unheard.push_back(waiting[i]);
          waiting[i].summary->set_reason_code(why.code);
          waiting[i].summary->set_reason(why.reason.empty() ? is_new : why.reason);
        }
        add_waits(gateway, caller, gangs_of(unheard), 0, then);
      },
      atom::explain_v, native::job_ids_ptr{ids});
}

void ask_who_is_missing(gateway_services& gateway, const call& caller, const model::job_record& job,
                        std::function<void(std::string)> then) {
  if (!job.header->gang || job.live_run() == nullptr) {
    then({});
    return;
  }
  auto question = ended_members_of(job);
  question.asked_by = caller.asker(gateway.config.request_timeout);
  const auto patience = gateway.config.request_timeout / 4;
  // An answer without this sentence still has to reach the caller in time.
  const auto now = gateway.self->clock().now();
  question.asked_by.deadline =
      now + std::min<std::chrono::nanoseconds>(patience, question.asked_by.deadline - now) / 2;
  gateway.self->request(gateway.config.list_reader, patience, atom::query_v, std::move(question))
      .then(
          [then, gang = job.header->gang->id](const native::found_jobs_ptr& found) {
            then(found->jobs.empty() ? std::string{} : missing_text(gang, found->jobs));
          },
          [then](const caf::error&) { then({}); });
}

void ask_why_unheard_of(gateway_services& gateway, const call& caller,
                        const model::job_header& header, std::function<void(std::string)> then) {
  if (!header.gang) {
    then(is_new);
    return;
  }
  gateway.with_queue(
      caller, header.queue,
      [&gateway, caller, then = std::move(then), gang = header.gang->id](const queue_actor& queue) {
        gateway.ask(
            caller, queue,
            [then](const std::string& waits) { then(waits.empty() ? is_new : waits); },
            atom::member_v, model::gang_name{gang});
      });
}

}  // namespace argosy::actors
