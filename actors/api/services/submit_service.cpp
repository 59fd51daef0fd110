// SPDX-License-Identifier: Apache-2.0
// The service Submit takes in jobs, and cancels and reprioritises them.
#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "actors/api/gateway_services.hpp"
#include "actors/api/namespace_notes.hpp"
#include "actors/api/operation_calls.hpp"
#include "actors/api/selections.hpp"
#include "messages/native/job_trace.hpp"
#include "messages/proto/api/health.pb.h"
#include "messages/proto/api/submit.pb.h"
#include "runtime/bus/api_headers.hpp"
#include "runtime/ledger/queue/job_rules.hpp"

namespace argosy::actors {

namespace {

result<native::submit_purpose> purpose_of(const call& caller) {
  const auto mode = caller.header(bus::header::mode);
  if (mode.empty()) return native::submit_purpose::accept;
  if (mode == "check") return native::submit_purpose::check;
  return fail(ec::invalid_argument,
              "header argosy-mode is '" + mode.substr(0, 40) + "'; it may be 'check'");
}

/// The idempotency key of a request; empty if it has none.
result<std::string> key_of(const call& caller) {
  auto key = caller.header(bus::header::key);
  if (auto ok = model::validate_printable(key, "header argosy-idempotency-key",
                                          ledger::request_key_bytes_max);
      !ok)
    return fail(std::move(ok.error()));
  return key;
}

/// The jobs are durable when the EXPLAINER is asked, so that its answer is not waited for long.
constexpr std::chrono::milliseconds note_limit{1'000};

/// Answers a submission. The EXPLAINER is asked what there is to say of the jobs; when it does not
/// answer, the jobs are accepted all the same.
void answer_submission(gateway_services& gateway, const call& caller,
                       const native::submit_ptr& asked, const std::string& taken,
                       const native::submit_reply_ptr& reply) {
  const auto& request = *asked;
  api::JobSubmitResponse response;
  bus::headers with;
  if (request.purpose == native::submit_purpose::check)
    with.set(bus::header::jobs, static_cast<std::uint64_t>(std::ranges::count(
                                    reply->jobs, false, &ledger::submitted_job::duplicate)));
  else
    for (const auto& job : reply->jobs)
      response.add_job_response_items()->set_job_id(to_string(job.id));
  auto unserved = namespace_note(request, taken, *gateway.config.contacts);
  if (const auto note = process_note(request, *gateway.config.contacts); !note.empty())
    unserved += (unserved.empty() ? "" : "; ") + note;
  auto answer = [caller, response, with, unserved](const std::string& note) mutable {
    const auto both = unserved + (unserved.empty() || note.empty() ? "" : "; ") + note;
    if (!both.empty()) set_text(with, bus::header::note, both);
    caller.reply(response, with);
  };
  if (request.jobs.empty()) return answer({});
  const auto now = gateway.config.clock->boot();
  if (const auto known = gateway.notes().find(request.jobs, now)) return answer(*known);
  gateway.self->request(gateway.config.explainer, note_limit, atom::explain_v, asked)
      .then(
          [&gateway, answer, asked, now](const std::string& note) mutable {
            gateway.notes().add(asked->jobs, note, now);
            answer(note);
          },
          [answer](const caf::error&) mutable { answer({}); });
}

/// The jobs outside of the request for which jobs of it wait.
std::vector<ulid> awaited_jobs(const native::submit_request& request) {
  std::set<ulid> out;
  for (const auto& job : request.jobs)
    if (job->after)
      for (const auto& on : *job->after) out.insert(on.job);
  for (const auto& job : request.jobs) out.erase(job->id);
  return {out.begin(), out.end()};
}

/// Leaves out what was waited for and has happened. Whether the rest can be waited for is for the
/// QUEUE to say, which also knows whether it has the request already.
native::submit_ptr without_met(const native::submit_ptr& request, const native::job_page& known) {
  std::map<ulid, const model::job_record*> ended;
  for (const auto& job : known.jobs)
    if (model::is_terminal(job.state)) ended[job.header->id] = &job;
  if (ended.empty()) return request;
  auto out = std::make_shared<native::submit_request>(*request);
  for (auto& job : out->jobs) {
    if (!job->after) continue;
    auto rest = *job->after;
    std::erase_if(rest, [&](const model::job_dependency& on) {
      const auto found = ended.find(on.job);
      return found != ended.end() && found->second->header->queue == job->queue &&
             ledger::is_met(on.when, *found->second);
    });
    auto header = std::make_shared<model::job_header>(*job);
    header->after =
        rest.empty() ? nullptr : std::make_shared<const std::vector<model::job_dependency>>(rest);
    job = std::move(header);
  }
  return out;
}

void submit_jobs(gateway_services& gateway, const call& caller) {
  const auto purpose = purpose_of(caller);
  if (!purpose) {
    caller.fail(purpose.error());
    return;
  }
  auto key = key_of(caller);
  if (!key) return caller.fail(key.error());
  codec::submit_context context;
  context.has_key = !key->empty();
  context.owner = caller.principal();
  context.owner_groups = caller.who()->groups;
  context.now_ns = to_nanos(gateway.config.clock->wall());
  context.trace = native::to_model(trace::current());
  if (caller.header(bus::header::name_space) == "usual")
    context.name_space = native::usual_namespace(*gateway.config.contacts);
  auto decoded_request = gateway.decoder.decode(caller.frame().data, context);
  if (!decoded_request) {
    caller.fail(decoded_request.error());
    return;
  }
  // Whoever asks whether the server can check sends no jobs, for a queue that need not be there.
  if (decoded_request->jobs.empty() && *purpose == native::submit_purpose::check)
    return answer_submission(
        gateway, caller,
        std::make_shared<const native::submit_request>(native::submit_request{{}, *purpose, {}}),
        {}, std::make_shared<ledger::submit_reply>());
  auto filled = std::make_shared<native::submit_request>();
  filled->jobs = std::move(decoded_request->jobs);
  filled->purpose = *purpose;
  filled->key = {std::move(*key), decoded_request->content_hash};
  const native::submit_ptr request = std::move(filled);
  const auto answered = [&gateway, caller, request, taken = decoded_request->name_space_taken](
                            const native::submit_reply_ptr& reply) {
    answer_submission(gateway, caller, request, taken, reply);
  };
  gateway.with_queue(
      caller, decoded_request->queue,
      [&gateway, caller, request, answered](const queue_actor& queue) {
        if (request->jobs.empty()) return answered(std::make_shared<ledger::submit_reply>());
        auto awaited = awaited_jobs(*request);
        if (awaited.empty()) return gateway.ask(caller, queue, answered, atom::submit_v, request);
        gateway.ask(
            caller, gateway.config.reader,
            [&gateway, caller, queue, answered, request](const native::job_page_ptr& known) {
              gateway.ask(caller, queue, answered, atom::submit_v, without_met(request, *known));
            },
            atom::query_v, native::get_jobs{std::move(awaited), false});
      });
}

using cancelled = std::function<void(const result<ledger::selection_reply>&)>;

/// `done` is called with the jobs that are cancelled now, or with the reason why none are.
void cancel_selected(gateway_services& gateway, const call& caller, const std::string& queue,
                     native::cancel_request request, cancelled done) {
  request.requestor = caller.principal();
  gateway.find_queue(
      caller, queue,
      [&gateway, request = std::move(request), done](const queue_actor& handle) {
        gateway.self->request(handle, gateway.config.request_timeout, atom::cancel_v, request)
            .then([done](const ledger::selection_reply& reply) { done(reply); },
                  [done](const caf::error& err) { done(fail(from_caf(err))); });
      },
      [done](const error& why) { done(fail(why)); });
}

/// Cancels jobs of one job set by conditions; `answer` is the reply when that worked.
template <class Answer>
void cancel_or_fail(gateway_services& gateway, const call& caller, const std::string& queue,
                    native::cancel_request request, const Answer& answer) {
  request.requestor = caller.principal();
  request.operation = caller.operation();
  gateway.with_queue(
      caller, queue,
      [&gateway, caller, request = std::move(request), answer](const queue_actor& handle) {
        gateway.ask(
            caller, handle,
            [caller, answer](const ledger::selection_reply& reply) {
              caller.reply(answer, told_of(reply));
            },
            atom::cancel_v, request);
      });
}

/// Cancels jobs in several queues. Each queue is tried, whatever becomes of the others.
struct joint_cancel {
  api::CancellationResult response;
  std::size_t queues = 0;
  std::size_t missing = 0;
  std::size_t failed = 0;
  error first{ec::none, {}};
  std::string why;  ///< Why queues failed, one clause for each of them.

  void note(const std::string& queue, const result<ledger::selection_reply>& done) {
    --missing;
    if (done) {
      for (const auto& id : done->ids) response.add_cancelled_ids(to_string(id));
      return;
    }
    if (failed++ == 0) first = done.error();
    why += (why.empty() ? "" : "; ") + ("queue '" + queue + "': ") + done.error().detail;
  }
  /// The answer names the cancelled jobs even if other queues failed.
  void answer(const call& caller) const {
    if (failed == 0) {
      caller.reply(response);
      return;
    }
    const auto summary = "in " + std::to_string(failed) + " of " + std::to_string(queues) +
                         " queues nothing was cancelled: " + why;
    if (response.cancelled_ids_size() == 0) {
      caller.fail(first.code, queues == 1 ? first.detail : summary);
      return;
    }
    bus::headers with;
    set_text(with, bus::header::partial, summary);
    caller.reply(response, with);
  }
};

void cancel_jobs(gateway_services& gateway, const call& caller,
                 const api::JobCancelRequest& request) {
  if (refuse_reason(gateway, caller, request.reason())) return;
  auto ids = read_ids(caller, request.job_ids(), request.job_id());
  if (!ids) return;
  if (ids->empty()) {
    if (refuse_empty_set(caller, request.queue(), request.job_set_id())) return;
    native::cancel_request whole;
    whole.jobs.whole = true;
    whole.jobs.job_set = request.job_set_id();
    whole.reason = request.reason();
    api::CancellationResult result;
    result.add_cancelled_ids();
    cancel_or_fail(gateway, caller, request.queue(), std::move(whole), result);
    return;
  }
  by_queue(gateway, caller, *ids, request.queue(),
           [&gateway, caller, set = request.job_set_id(),
            reason = request.reason()](const std::map<std::string, std::vector<ulid>>& queues) {
             auto joined = std::make_shared<joint_cancel>();
             joined->queues = joined->missing = queues.size();
             if (queues.empty()) joined->answer(caller);
             for (const auto& [queue, selected] : queues) {
               native::cancel_request part;
               part.jobs.ids = selected;
               part.jobs.job_set = set;
               part.reason = reason;
               cancel_selected(gateway, caller, queue, std::move(part),
                               [caller, joined, name = queue](const auto& done) {
                                 joined->note(name, done);
                                 if (joined->missing == 0) joined->answer(caller);
                               });
             }
           });
}

void cancel_job_set(gateway_services& gateway, const call& caller,
                    const api::JobSetCancelRequest& request) {
  if (refuse_reason(gateway, caller, request.reason())) return;
  if (refuse_empty_set(caller, request.queue(), request.job_set_id())) return;
  native::cancel_request whole;
  whole.jobs.whole = true;
  whole.jobs.job_set = request.job_set_id();
  whole.reason = request.reason();
  if (auto known = select_states(request.filter(), whole.jobs); !known) {
    caller.fail(known.error());
    return;
  }
  cancel_or_fail(gateway, caller, request.queue(), std::move(whole), google::protobuf::Empty{});
}

constexpr const char* not_changed =
    "its priority was not changed: it does not exist in this job set, or it has ended";

void reprioritize_jobs(gateway_services& gateway, const call& caller,
                       const api::JobReprioritizeRequest& request) {
  if (refuse_empty_set(caller, request.queue(), request.job_set_id())) return;
  auto ids = read_ids(caller, request.job_ids(), {});
  if (!ids) return;
  native::reprioritize_request change;
  change.operation = caller.operation();
  change.jobs.ids = *ids;
  change.jobs.whole = ids->empty();
  change.jobs.job_set = request.job_set_id();
  change.priority = codec::to_priority(request.new_priority());
  change.requestor = caller.principal();
  gateway.with_queue(caller, request.queue(),
                     [&gateway, caller, change, request](const queue_actor& queue) {
                       gateway.ask(
                           caller, queue,
                           [caller, request](const ledger::selection_reply& reply) {
                             api::JobReprioritizeResponse response;
                             auto& results = *response.mutable_reprioritization_results();
                             std::set<ulid> done(reply.ids.begin(), reply.ids.end());
                             done.insert(reply.alike.begin(), reply.alike.end());
                             for (const auto& id : request.job_ids())
                               results[id] = done.contains(*parse_ulid(id)) ? "" : not_changed;
                             if (request.job_ids().empty())
                               results["all jobs in job set " + request.job_set_id()] = "";
                             caller.reply(response, told_of(reply));
                           },
                           atom::reprioritize_v, change);
                     });
}

void health(gateway_services&, const call& caller) {
  api::HealthCheckResponse response;
  response.set_status(api::HealthCheckResponse::SERVING);
  caller.reply(response);
}

}  // namespace

void add_submit_service(method_table& table) {
  table["Submit.SubmitJobs"] = submit_jobs;
  table["Submit.CancelJobs"] = under_an_id(decoded<api::JobCancelRequest>(cancel_jobs));
  table["Submit.CancelJobSet"] = under_an_id(decoded<api::JobSetCancelRequest>(cancel_job_set));
  table["Submit.ReprioritizeJobs"] =
      under_an_id(decoded<api::JobReprioritizeRequest>(reprioritize_jobs));
  table["Submit.Health"] = health;
  table["Event.Health"] = health;
}

}  // namespace argosy::actors
