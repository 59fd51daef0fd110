// SPDX-License-Identifier: Apache-2.0
#include "actors/api/waiting.hpp"

namespace argosy::actors {

namespace {

void set_reason(const native::waiting_reason& why, v1::JobSummary& job) {
  job.set_reason_code(why.code);
  if (!why.reason.empty())
    job.set_reason(why.reason);
  else if (job.gang().empty())
    job.set_reason("no round has looked at it yet");
  else
    job.set_reason("its gang is new or lacks members: no round has looked at it yet");
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
      [waiting = std::move(waiting),
       then = std::move(then)](const native::waiting_reasons_ptr& reasons) {
        for (std::size_t i = 0; i < waiting.size(); ++i)
          set_reason((*reasons)[i], *waiting[i].summary);
        then();
      },
      atom::explain_v, native::job_ids_ptr{ids});
}

void ask_why_unheard_of(gateway_services& gateway, const call& caller,
                        const model::job_header& header, std::function<void(std::string)> then) {
  static constexpr const char* is_new = "no round has looked at it yet";
  if (!header.gang) {
    then(is_new);
    return;
  }
  gateway.with_queue(
      caller, header.queue,
      [&gateway, caller, then = std::move(then), gang = *header.gang](const queue_actor& queue) {
        gateway.ask(
            caller, queue,
            [then, gang](std::uint64_t missing) {
              then(missing == 0
                       ? is_new
                       : std::to_string(gang.cardinality - missing) + " of the " +
                             std::to_string(gang.cardinality) +
                             " members of its gang have been submitted; it starts when all are "
                             "there");
            },
            atom::member_v, model::gang_name{gang.id});
      });
}

}  // namespace argosy::actors
