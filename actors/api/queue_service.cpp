// SPDX-License-Identifier: Apache-2.0
// QueueService, and the same methods under Submit, where older clients look for them.
#include "actors/api/fan_out.hpp"
#include "actors/api/services.hpp"
#include "messages/codec/api/queue_codec.hpp"
#include "messages/proto/api/submit.pb.h"

namespace argosy::actors {

namespace {

/// Armada's create and update are both upserts. A caller that wants to be refused says so in a
/// header.
constexpr std::string_view mode_header = "argosy-mode";

ledger::write_mode mode_of(const call& from) {
  const auto mode = from.frame().headers.get(mode_header);
  if (mode == "create") return ledger::write_mode::create;
  if (mode == "update") return ledger::write_mode::update;
  return ledger::write_mode::upsert;
}

/// Writes the settings; `done` hears the outcome.
void write_queue(services& all, const api::Queue& queue, ledger::write_mode mode,
                 std::function<void(const error&)> done) {
  auto settings = codec::from_wire(queue);
  if (!settings) {
    done(settings.error());
    return;
  }
  const auto failed = [done](const caf::error& err) { done(from_caf(err)); };
  const auto write =
      [&all, done, failed,
       request = native::settings_request{std::move(*settings), mode}](const queue_actor& handle) {
        all.self->request(handle, all.config.request_timeout, atom::settings_v, request)
            .then(
                [done](atom::ok) {
                  done({ec::none, {}});
                },
                failed);
      };
  // What cannot create a queue must not leave a QUEUE.
  if (mode == ledger::write_mode::update)
    all.self->request(all.config.root, all.config.request_timeout, atom::find_v, queue.name())
        .then(write, failed);
  else
    all.self->request(all.config.root, all.config.request_timeout, atom::ensure_v, queue.name())
        .then(write, failed);
}

void set_queue(services& all, const call& from, const api::Queue& queue) {
  write_queue(all, queue, mode_of(from), [from](const error& outcome) {
    if (outcome.code == ec::none)
      from.reply(google::protobuf::Empty{});
    else
      from.fail(outcome);
  });
}

/// Every queue on its own; the failed ones are listed with their errors.
template <class Response>
void set_queues(services& all, const call& from, const api::QueueList& list) {
  auto response = std::make_shared<Response>();
  auto missing = std::make_shared<int>(list.queues_size());
  if (*missing == 0) from.reply(*response);
  for (const auto& queue : list.queues())
    write_queue(all, queue, mode_of(from), [from, queue, response, missing](const error& outcome) {
      if (outcome.code != ec::none) {
        auto& failed = *response->add_failed_queues();
        *failed.mutable_queue() = queue;
        failed.set_error(outcome.detail);
      }
      if (--*missing == 0) from.reply(*response);
    });
}

void delete_queue(services& all, const call& from, const api::QueueDeleteRequest& request) {
  const bool strict = from.frame().headers.get(mode_header) == "strict";
  all.self->request(all.config.root, all.config.request_timeout, atom::find_v, request.name())
      .then(
          [&all, from, strict](const queue_actor& queue) {
            all.ask(
                from, queue, [from](atom::ok) { from.reply(google::protobuf::Empty{}); },
                atom::erase_v, !strict);
          },
          [from, strict](const caf::error& err) {
            if (strict || from_caf(err).code != ec::not_found)
              from.fail_with(err);
            else
              from.reply(google::protobuf::Empty{});
          });
}

void get_queue(services& all, const call& from, const api::QueueGetRequest& request) {
  all.with_queue(from, request.name(), [&all, from](const queue_actor& queue) {
    all.ask(
        from, queue,
        [from](const native::queue_status_ptr& status) {
          api::Queue out;
          codec::to_wire(status->settings, out);
          from.reply(out);
        },
        atom::status_v);
  });
}

void get_queues(services& all, const call& from, const api::StreamingQueueGetRequest& request) {
  auto accepted = all.config.connection->accept_stream(from.frame(), {});
  if (!accepted) {
    from.fail(accepted.error());
    return;
  }
  auto queues = std::make_shared<std::map<std::string, model::queue_settings>>();
  each_queue<native::queue_status_ptr>(
      all, from, atom::status_v,
      [queues](const native::queue_status_ptr& status) {
        (*queues)[status->settings.name] = status->settings;
      },
      [queues, limit = request.num(), writer = std::move(*accepted)] {
        std::uint32_t sent = 0;
        for (const auto& [name, settings] : *queues) {
          if (limit > 0 && sent++ == limit) break;
          api::StreamingQueueMessage message;
          codec::to_wire(settings, *message.mutable_queue());
          const auto state = writer->send(message.SerializeAsString());
          if (!state || *state != bus::send_state::sent) {
            writer->finish(error{ec::overloaded, "ask for queues with more credit"});
            return;
          }
        }
        api::StreamingQueueMessage end;
        end.mutable_end();
        if (auto state = writer->send(end.SerializeAsString()); state) writer->finish();
      });
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
