// SPDX-License-Identifier: Apache-2.0
#include "actors/api/waiting.hpp"

#include <map>
#include <memory>
#include <utility>

namespace argosy::actors {

namespace {

constexpr const char* is_new = "no round has looked at it yet";
/// After how many gangs an answer that lists jobs no longer asks what they wait for.
constexpr std::size_t gangs_max = 100;

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
      caller, gateway.config.coordinator,
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
