// SPDX-License-Identifier: Apache-2.0
// The methods by which somebody holds jobs that wait, and releases them. Who may cancel jobs may do
// this as well.
#include <absl/container/flat_hash_set.h>

#include <optional>
#include <utility>

#include "actors/api/gateway_services.hpp"
#include "actors/api/operation_calls.hpp"
#include "actors/api/selections.hpp"
#include "messages/proto/argosy/v1.pb.h"

namespace argosy::actors {

namespace {

/// How many members of gangs an answer names at most that the request did not.
constexpr std::size_t gang_mates_max = 10'000;

/// The jobs of a request may be of several queues. Each of these is asked, whatever becomes of the
/// others.
struct joint_hold {
  absl::flat_hash_set<ulid> named{};
  std::size_t missing = 0;
  std::optional<error> failed{};
  std::string partial{};  ///< Why queues failed, one clause for each of them.
  ledger::selection_reply sum{};

  void add(const ledger::selection_reply& part) {
    sum.ids.insert(sum.ids.end(), part.ids.begin(), part.ids.end());
    sum.running += part.running;
    if (!part.operation.is_nil()) sum.operation = part.operation;
  }
  void note(const std::string& queue, const error& why) {
    const auto clause = "queue '" + queue + "': " + why.detail;
    partial += (partial.empty() ? "" : "; ") + clause;
    if (!failed) failed = error{why.code, clause};
  }
};

void write_counts(const ledger::selection_reply& sum, v1::HoldJobsResponse& out) {
  out.set_changed(sum.ids.size());
  out.set_running(sum.running);
}

void write_counts(const ledger::selection_reply& sum, v1::ReleaseJobsResponse& out) {
  out.set_changed(sum.ids.size());
}

/// Tells of the jobs that were named what became of them, and of those that were changed with them.
template <class Response>
void write_named(const joint_hold& joint, Response& out) {
  if (joint.named.empty()) return;
  absl::flat_hash_set<ulid> changed;
  for (const auto& id : joint.sum.ids)
    if (joint.named.contains(id))
      changed.insert(id);
    else if (std::cmp_less(out.gang_mates_size(), gang_mates_max))
      out.add_gang_mates(to_string(id));
  for (const auto& id : joint.named)
    if (!changed.contains(id)) out.add_left_alone(to_string(id));
}

/// The answer tells what was changed even if other queues failed.
template <class Response>
void answer(const call& caller, const joint_hold& joint) {
  if (joint.failed && joint.sum.ids.empty()) {
    caller.fail(*joint.failed);
    return;
  }
  Response response;
  write_counts(joint.sum, response);
  write_named(joint, response);
  auto with = told_of(joint.sum);
  if (joint.failed)
    set_text(with, bus::header::partial, "in some queues nothing was changed: " + joint.partial);
  caller.reply(response, with);
}

template <class Response>
void ask_queue(gateway_services& gateway, const call& caller, const std::string& queue,
               const native::hold_request& wanted, const std::shared_ptr<joint_hold>& joint) {
  const auto settled = [caller, joint] {
    if (--joint->missing == 0) answer<Response>(caller, *joint);
  };
  const auto failed = [joint, queue, settled](const error& why) {
    joint->note(queue, why);
    settled();
  };
  gateway.find_queue(
      caller, queue,
      [&gateway, wanted, joint, settled, failed](const queue_actor& handle) {
        gateway.self->request(handle, gateway.config.request_timeout, atom::hold_v, wanted)
            .then(
                [joint, settled](const ledger::selection_reply& reply) {
                  joint->add(reply);
                  settled();
                },
                [failed](const caf::error& err) { failed(from_caf(err)); });
      },
      failed);
}

/// Answers the call and returns true when the request does not say which jobs it means.
template <class Request>
bool refuse_selection(const call& caller, const Request& request) {
  if (request.job_ids_size() > 0) {
    if (!request.whole_queue()) return false;
    caller.fail(ec::invalid_argument, "a request names jobs by id, or all of a queue, not both");
    return true;
  }
  if (refuse_unnamed(caller, request.queue(), "queue")) return true;
  if (request.job_set().empty() == request.whole_queue()) return false;
  caller.fail(ec::invalid_argument,
              request.whole_queue()
                  ? "a request names a job set, or all jobs of a queue, not both"
                  : "the request names neither jobs nor a job set; all jobs of the queue are meant "
                    "only if whole_queue is true");
  return true;
}

template <class Request, class Response>
void change(gateway_services& gateway, const call& caller, const Request& request,
            native::hold_request wanted) {
  if (refuse_selection(caller, request)) return;
  const auto ids = read_ids(caller, request.job_ids(), {});
  if (!ids) return;
  wanted.requestor = caller.principal();
  wanted.operation = caller.operation();
  wanted.jobs.job_set = request.job_set();
  wanted.jobs.with_gangs = true;
  auto joint = std::make_shared<joint_hold>();
  if (ids->empty()) {
    wanted.jobs.whole = true;
    joint->missing = 1;
    ask_queue<Response>(gateway, caller, request.queue(), wanted, joint);
    return;
  }
  joint->named.insert(ids->begin(), ids->end());
  by_queue(
      gateway, caller, *ids, request.queue(),
      [&gateway, caller, joint, wanted](const std::map<std::string, std::vector<ulid>>& queues) {
        joint->missing = queues.size();
        for (const auto& [queue, selected] : queues) {
          auto part = wanted;
          part.jobs.ids = selected;
          ask_queue<Response>(gateway, caller, queue, part, joint);
        }
      });
}

void hold_jobs(gateway_services& gateway, const call& caller, const v1::HoldJobsRequest& request) {
  if (refuse_reason(gateway, caller, request.reason())) return;
  native::hold_request wanted;
  wanted.reason = request.reason();
  change<v1::HoldJobsRequest, v1::HoldJobsResponse>(gateway, caller, request, std::move(wanted));
}

void release_jobs(gateway_services& gateway, const call& caller,
                  const v1::ReleaseJobsRequest& request) {
  native::hold_request wanted;
  wanted.on = false;
  change<v1::ReleaseJobsRequest, v1::ReleaseJobsResponse>(gateway, caller, request,
                                                          std::move(wanted));
}

}  // namespace

void add_hold_service(method_table& table) {
  table["JobControl.HoldJobs"] = under_an_id(decoded<v1::HoldJobsRequest>(hold_jobs));
  table["JobControl.ReleaseJobs"] = under_an_id(decoded<v1::ReleaseJobsRequest>(release_jobs));
}

}  // namespace argosy::actors
