// SPDX-License-Identifier: Apache-2.0
// The service QueueService keeps the queues. Its methods are also under Submit, where older clients
// look for them.
#include <deque>

#include "actors/api/fan_out.hpp"
#include "actors/api/operation_calls.hpp"
#include "actors/api/selections.hpp"
#include "messages/codec/api/queue_codec.hpp"
#include "messages/proto/api/submit.pb.h"
#include "runtime/bus/paced_stream.hpp"

namespace argosy::actors {

namespace {

/// In Armada's API both create and update replace or create the queue. A caller who wants to be
/// refused instead says so in a header.
result<ledger::write_mode> mode_of(const call& caller) {
  const auto mode = caller.header(bus::header::mode);
  if (mode.empty()) return ledger::write_mode::upsert;
  if (mode == "create") return ledger::write_mode::create;
  if (mode == "update") return ledger::write_mode::update;
  return fail(ec::invalid_argument,
              "header argosy-mode is '" + mode.substr(0, 40) + "'; it may be 'create' or 'update'");
}

result<codec::owner_form> owner_form_of(const call& caller) {
  const auto form = caller.header(bus::header::owners);
  if (form.empty()) return codec::owner_form::permission;
  if (form == "separate") return codec::owner_form::fields;
  return fail(ec::invalid_argument,
              "header argosy-owners is '" + form.substr(0, 40) + "'; it may be 'separate'");
}

/// Returns the user who becomes the owner of a queue that is created without one; empty: nobody. A
/// user of NATS has the same rights in every queue by his role, so that he need not own one.
std::string creator_of(const call& caller) {
  const auto& who = *caller.who();
  const bool by_role = who.role_checked && who.by == access::scheme::nats;
  return by_role || who.name == access::anonymous ? "" : who.name;
}

/// The settings of a queue that a request wishes for, with all of its names known.
result<model::queue_settings> wished(const api::Queue& queue, const codec::submit_limits& limits) {
  auto out = codec::from_wire(queue);
  if (!out || !limits.limits_of_queues) return out;
  if (auto valid = codec::check_limit_names(*out, *limits.limits_of_queues); !valid)
    return fail(valid.error());
  return out;
}

/// Writes the settings; `done` is called with the outcome.
void write_queue(gateway_services& gateway, const api::Queue& queue, const std::string& creator,
                 ledger::write_mode mode, const std::string& expected,
                 std::function<void(const error&)> done) {
  auto settings = wished(queue, gateway.config.limits);
  if (!settings) {
    done(settings.error());
    return;
  }
  if (settings->owners.empty() && !creator.empty()) settings->owners = {creator};
  auto write = [&gateway, done,
                request = native::settings_request{std::move(*settings), mode, expected}](
                   const queue_actor& handle) {
    gateway.self->request(handle, gateway.config.request_timeout, atom::settings_v, request)
        .then(
            [done](atom::ok) {
              done({ec::none, {}});
            },
            [done](const caf::error& err) { done(from_caf(err)); });
  };
  // A request that cannot create the queue must not leave a new QUEUE behind.
  if (mode == ledger::write_mode::update || !expected.empty())
    gateway.actors.find_queue(gateway.self, queue.name(), std::move(write), done);
  else
    gateway.actors.ensure_queue(gateway.self, queue.name(), std::move(write), done);
}

template <bool creates>
void set_queue(gateway_services& gateway, const call& caller, const api::Queue& queue) {
  const auto mode = mode_of(caller);
  if (!mode) {
    caller.fail(mode.error());
    return;
  }
  write_queue(gateway, queue, creates ? creator_of(caller) : "", *mode,
              caller.header(bus::header::expect), [caller](const error& outcome) {
                if (outcome.code == ec::none)
                  caller.reply(google::protobuf::Empty{});
                else
                  caller.fail(outcome);
              });
}

/// Writes every queue on its own; those that failed are listed with their errors.
template <class Response>
void set_queues(gateway_services& gateway, const call& caller, const api::QueueList& list) {
  const auto mode = mode_of(caller);
  if (!mode) {
    caller.fail(mode.error());
    return;
  }
  constexpr bool creates = std::is_same_v<Response, api::BatchQueueCreateResponse>;
  const auto creator = creates ? creator_of(caller) : "";
  auto response = std::make_shared<Response>();
  auto missing = std::make_shared<int>(list.queues_size());
  const auto answer = [caller, response, all = *missing] {
    bus::headers with;
    if (const auto failed = response->failed_queues_size(); failed > 0)
      set_text(with, bus::header::partial,
               std::to_string(failed) + " of " + std::to_string(all) +
                   " queues were not written: " + response->failed_queues(0).error());
    caller.reply(*response, with);
  };
  if (*missing == 0) answer();
  for (const auto& queue : list.queues())
    write_queue(gateway, queue, creator, *mode, {},
                [queue, response, missing, answer](const error& outcome) {
                  if (outcome.code != ec::none) {
                    auto& failed = *response->add_failed_queues();
                    *failed.mutable_queue() = queue;
                    failed.set_error(outcome.detail);
                  }
                  if (--*missing == 0) answer();
                });
}

/// Armada answers OK whether the queue is there, busy or deleted. Here a queue that keeps its jobs
/// is not reported as deleted, unless the caller asks for that.
void delete_queue(gateway_services& gateway, const call& caller,
                  const api::QueueDeleteRequest& request) {
  const auto mode = caller.header(bus::header::mode);
  if (!mode.empty() && mode != "strict" && mode != "lenient") {
    caller.fail(ec::invalid_argument, "header argosy-mode is '" + mode.substr(0, 40) +
                                          "'; it may be 'strict' or 'lenient'");
    return;
  }
  const auto failed = [caller, mode](const error& why) {
    if (mode != "strict" && why.code == ec::not_found)
      caller.reply(google::protobuf::Empty{});
    else
      caller.fail(why);
  };
  gateway.actors.find_queue(
      gateway.self, request.name(),
      [&gateway, caller, mode, failed](const queue_actor& queue) {
        gateway.self
            ->request(queue, gateway.config.request_timeout, atom::erase_v,
                      mode == "lenient" ? ledger::erase_mode::lenient : ledger::erase_mode::strict)
            .then([caller](atom::ok) { caller.reply(google::protobuf::Empty{}); },
                  [failed](const caf::error& err) { failed(from_caf(err)); });
      },
      failed);
}

void get_queue(gateway_services& gateway, const call& caller, const api::QueueGetRequest& request) {
  if (refuse_unnamed(caller, request.name(), "queue")) return;
  const auto owners = owner_form_of(caller);
  if (!owners) {
    caller.fail(owners.error());
    return;
  }
  gateway.with_queue(caller, request.name(),
                     [&gateway, caller, owners = *owners](const queue_actor& queue) {
                       gateway.ask(
                           caller, queue,
                           [caller, owners](const native::queue_status_ptr& status) {
                             api::Queue out;
                             codec::to_wire(status->settings, out, owners);
                             bus::headers with;
                             with.set(bus::header::version, status->version);
                             caller.reply(out, with);
                           },
                           atom::status_v);
                     });
}

void get_queues(gateway_services& gateway, const call& caller,
                const api::StreamingQueueGetRequest& request) {
  const auto owners = owner_form_of(caller);
  if (!owners) {
    caller.fail(owners.error());
    return;
  }
  auto queues = std::make_shared<std::map<std::string, model::queue_settings>>();
  each_queue<native::queue_status_ptr>(
      gateway, caller,
      [queues](const native::queue_status_ptr& status) {
        (*queues)[status->settings.name] = status->settings;
      },
      [&gateway, caller, queues, limit = request.num(), owners = *owners] {
        std::deque<std::string> messages;
        for (const auto& [name, settings] : *queues) {
          if (limit > 0 && messages.size() == limit) break;
          api::StreamingQueueMessage message;
          codec::to_wire(settings, *message.mutable_queue(), owners);
          messages.push_back(message.SerializeAsString());
        }
        api::StreamingQueueMessage end;
        end.mutable_end();
        messages.push_back(end.SerializeAsString());
        const auto begun = bus::paced_stream::begin(*gateway.config.connection, caller.frame(),
                                                    std::move(messages));
        if (begun)
          caller.streams();
        else
          caller.fail(begun.error());
      },
      atom::status_v);
}

void set_cordon(gateway_services& gateway, const call& caller, const std::string& queue, bool on) {
  if (refuse_unnamed(caller, queue, "queue")) return;
  gateway.with_queue(caller, queue, [&gateway, caller, on](const queue_actor& handle) {
    gateway.ask(
        caller, handle, [caller](atom::ok) { caller.reply(google::protobuf::Empty{}); },
        atom::cordon_v, on);
  });
}

/// Sets which states are selected; without any, nothing is.
result<void> select_states(const api::QueueCancelRequest& request, ledger::job_selection& jobs) {
  jobs.queued = jobs.leased = jobs.pending = jobs.running = false;
  for (const auto state : request.jobstates()) {
    switch (state) {
      case api::QUEUED:
        jobs.queued = true;
        break;
      case api::LEASED:
        jobs.leased = true;
        break;
      case api::PENDING:
        jobs.pending = true;
        break;
      case api::RUNNING:
        jobs.running = true;
        break;
      default:
        return fail(ec::invalid_argument,
                    "jobStates may name QUEUED, LEASED, PENDING and RUNNING, not " +
                        (api::JobState_IsValid(state) ? api::JobState_Name(state)
                                                      : std::to_string(static_cast<int>(state))));
    }
  }
  return {};
}

void cancel_on_queue(gateway_services& gateway, const call& caller,
                     const api::QueueCancelRequest& request) {
  if (refuse_unnamed(caller, request.name(), "queue")) return;
  native::cancel_request wanted;
  wanted.requestor = caller.principal();
  wanted.operation = caller.operation();
  wanted.jobs.whole = true;
  wanted.jobs.classes.assign(request.priorityclasses().begin(), request.priorityclasses().end());
  for (const auto& pool : request.pools()) wanted.jobs.pools.emplace_back(pool);
  if (auto states = select_states(request, wanted.jobs); !states) {
    caller.fail(states.error());
    return;
  }
  gateway.with_queue(
      caller, request.name(),
      [&gateway, caller, wanted, classes = request.priorityclasses()](const queue_actor& queue) {
        gateway.ask(
            caller, queue,
            [&gateway, caller, classes](const ledger::selection_reply& reply) {
              reply_ended(gateway, caller, classes, reply, told_of(reply));
            },
            atom::cancel_v, wanted);
      });
}

}  // namespace

void add_queue_service(method_table& table) {
  for (const std::string service : {"Submit.", "QueueService."}) {
    table[service + "CreateQueue"] = decoded<api::Queue>(set_queue<true>);
    table[service + "UpdateQueue"] = decoded<api::Queue>(set_queue<false>);
    table[service + "CreateQueues"] =
        decoded<api::QueueList>(set_queues<api::BatchQueueCreateResponse>);
    table[service + "UpdateQueues"] =
        decoded<api::QueueList>(set_queues<api::BatchQueueUpdateResponse>);
    table[service + "DeleteQueue"] = decoded<api::QueueDeleteRequest>(delete_queue);
    table[service + "GetQueue"] = decoded<api::QueueGetRequest>(get_queue);
    table[service + "GetQueues"] = decoded<api::StreamingQueueGetRequest>(get_queues);
  }
  table["QueueService.CordonQueue"] = decoded<api::QueueCordonRequest>(
      [](gateway_services& gateway, const call& caller, const api::QueueCordonRequest& request) {
        set_cordon(gateway, caller, request.name(), true);
      });
  table["QueueService.UncordonQueue"] = decoded<api::QueueUncordonRequest>(
      [](gateway_services& gateway, const call& caller, const api::QueueUncordonRequest& request) {
        set_cordon(gateway, caller, request.name(), false);
      });
  table["QueueService.CancelOnQueue"] =
      under_an_id(decoded<api::QueueCancelRequest>(cancel_on_queue));
}

}  // namespace argosy::actors
