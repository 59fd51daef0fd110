// SPDX-License-Identifier: Apache-2.0
// QueueService, and the same methods under Submit, where older clients look for them.
#include <deque>

#include "actors/api/fan_out.hpp"
#include "actors/api/services.hpp"
#include "messages/codec/api/queue_codec.hpp"
#include "messages/proto/api/submit.pb.h"
#include "runtime/bus/paced_stream.hpp"

namespace argosy::actors {

namespace {

/// Armada's create and update are both upserts. A caller that wants to be refused says so in a
/// header.
result<ledger::write_mode> mode_of(const call& from) {
  const auto mode = from.header(bus::header::mode);
  if (mode.empty()) return ledger::write_mode::upsert;
  if (mode == "create") return ledger::write_mode::create;
  if (mode == "update") return ledger::write_mode::update;
  return fail(ec::invalid_argument,
              "header argosy-mode is '" + mode.substr(0, 40) + "'; it may be 'create' or 'update'");
}

result<codec::owner_form> owner_form_of(const call& from) {
  const auto form = from.header(bus::header::owners);
  if (form.empty()) return codec::owner_form::permission;
  if (form == "separate") return codec::owner_form::fields;
  return fail(ec::invalid_argument,
              "header argosy-owners is '" + form.substr(0, 40) + "'; it may be 'separate'");
}

/// Writes the settings; `done` hears the outcome.
void write_queue(services& all, const api::Queue& queue, ledger::write_mode mode,
                 const std::string& expected, std::function<void(const error&)> done) {
  auto settings = codec::from_wire(queue);
  if (!settings) {
    done(settings.error());
    return;
  }
  const auto failed = [done](const caf::error& err) { done(from_caf(err)); };
  const auto write = [&all, done, failed,
                      request = native::settings_request{std::move(*settings), mode, expected}](
                         const queue_actor& handle) {
    all.self->request(handle, all.config.request_timeout, atom::settings_v, request)
        .then(
            [done](atom::ok) {
              done({ec::none, {}});
            },
            failed);
  };
  // What cannot create a queue must not leave a QUEUE.
  if (mode == ledger::write_mode::update || !expected.empty())
    all.self->request(all.config.root, all.config.request_timeout, atom::find_v, queue.name())
        .then(write, failed);
  else
    all.self->request(all.config.root, all.config.request_timeout, atom::ensure_v, queue.name())
        .then(write, failed);
}

void set_queue(services& all, const call& from, const api::Queue& queue) {
  const auto mode = mode_of(from);
  if (!mode) {
    from.fail(mode.error());
    return;
  }
  write_queue(all, queue, *mode, from.header(bus::header::expect), [from](const error& outcome) {
    if (outcome.code == ec::none)
      from.reply(google::protobuf::Empty{});
    else
      from.fail(outcome);
  });
}

/// Every queue on its own; the failed ones are listed with their errors.
template <class Response>
void set_queues(services& all, const call& from, const api::QueueList& list) {
  const auto mode = mode_of(from);
  if (!mode) {
    from.fail(mode.error());
    return;
  }
  auto response = std::make_shared<Response>();
  auto missing = std::make_shared<int>(list.queues_size());
  if (*missing == 0) from.reply(*response);
  for (const auto& queue : list.queues())
    write_queue(all, queue, *mode, {}, [from, queue, response, missing](const error& outcome) {
      if (outcome.code != ec::none) {
        auto& failed = *response->add_failed_queues();
        *failed.mutable_queue() = queue;
        failed.set_error(outcome.detail);
      }
      if (--*missing == 0) from.reply(*response);
    });
}

/// Armada answers OK whether the queue is there, busy or deleted. Here a queue that keeps its jobs
/// is not called deleted, unless the caller says that he does not mind.
void delete_queue(services& all, const call& from, const api::QueueDeleteRequest& request) {
  const auto mode = from.header(bus::header::mode);
  if (!mode.empty() && mode != "strict" && mode != "lenient") {
    from.fail(ec::invalid_argument, "header argosy-mode is '" + mode.substr(0, 40) +
                                        "'; it may be 'strict' or 'lenient'");
    return;
  }
  const auto failed = [from, mode](const caf::error& err) {
    if (mode != "strict" && from_caf(err).code == ec::not_found)
      from.reply(google::protobuf::Empty{});
    else
      from.fail_with(err);
  };
  all.self->request(all.config.root, all.config.request_timeout, atom::find_v, request.name())
      .then(
          [&all, from, mode, failed](const queue_actor& queue) {
            all.self->request(queue, all.config.request_timeout, atom::erase_v, mode == "lenient")
                .then([from](atom::ok) { from.reply(google::protobuf::Empty{}); }, failed);
          },
          failed);
}

void get_queue(services& all, const call& from, const api::QueueGetRequest& request) {
  const auto owners = owner_form_of(from);
  if (!owners) {
    from.fail(owners.error());
    return;
  }
  all.with_queue(from, request.name(), [&all, from, owners = *owners](const queue_actor& queue) {
    all.ask(
        from, queue,
        [from, owners](const native::queue_status_ptr& status) {
          api::Queue out;
          codec::to_wire(status->settings, out, owners);
          bus::headers with;
          with.set(bus::header::version, status->version);
          from.reply(out, with);
        },
        atom::status_v);
  });
}

void get_queues(services& all, const call& from, const api::StreamingQueueGetRequest& request) {
  const auto owners = owner_form_of(from);
  if (!owners) {
    from.fail(owners.error());
    return;
  }
  auto queues = std::make_shared<std::map<std::string, model::queue_settings>>();
  each_queue<native::queue_status_ptr>(
      all, from,
      [queues](const native::queue_status_ptr& status) {
        (*queues)[status->settings.name] = status->settings;
      },
      [&all, from, queues, limit = request.num(), owners = *owners] {
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
        const auto begun =
            bus::paced_stream::begin(*all.config.connection, from.frame(), std::move(messages));
        if (!begun) from.fail(begun.error());
      },
      atom::status_v);
}

void set_cordon(services& all, const call& from, const std::string& queue, bool on) {
  all.with_queue(from, queue, [&all, from, on](const queue_actor& handle) {
    all.ask(
        from, handle, [from](atom::ok) { from.reply(google::protobuf::Empty{}); }, atom::cordon_v,
        on);
  });
}

}  // namespace

void add_queue_service(method_table& table) {
  for (const std::string service : {"Submit.", "QueueService."}) {
    table[service + "CreateQueue"] = decoded<api::Queue>(set_queue);
    table[service + "UpdateQueue"] = decoded<api::Queue>(set_queue);
    table[service + "CreateQueues"] =
        decoded<api::QueueList>(set_queues<api::BatchQueueCreateResponse>);
    table[service + "UpdateQueues"] =
        decoded<api::QueueList>(set_queues<api::BatchQueueUpdateResponse>);
    table[service + "DeleteQueue"] = decoded<api::QueueDeleteRequest>(delete_queue);
    table[service + "GetQueue"] = decoded<api::QueueGetRequest>(get_queue);
    table[service + "GetQueues"] = decoded<api::StreamingQueueGetRequest>(get_queues);
  }
  table["QueueService.CordonQueue"] = decoded<api::QueueCordonRequest>(
      [](services& all, const call& from, const api::QueueCordonRequest& request) {
        set_cordon(all, from, request.name(), true);
      });
  table["QueueService.UncordonQueue"] = decoded<api::QueueUncordonRequest>(
      [](services& all, const call& from, const api::QueueUncordonRequest& request) {
        set_cordon(all, from, request.name(), false);
      });
}

}  // namespace argosy::actors
