// SPDX-License-Identifier: Apache-2.0
// The service Event gives the streams of job sets. One FEED serves all who watch a job set.
#include <mutex>
#include <optional>

#include "actors/api/gateway_services.hpp"
#include "actors/log/feed.hpp"
#include "messages/codec/api/environment_mask.hpp"
#include "messages/codec/api/event_codec.hpp"
#include "messages/codec/api/event_id.hpp"
#include "messages/codec/api/resume_token.hpp"
#include "messages/proto/api/event.pb.h"
#include "runtime/base/planted.hpp"

namespace argosy::actors {

namespace {

std::vector<std::string> encode_event(const native::indexed_event& event,
                                      const std::optional<std::string>& shows_only_of,
                                      const model::lineage& history) {
  auto messages =
      codec::to_wire(event.event, event.header.get(), event.run ? &*event.run : nullptr);
  std::vector<std::string> out;
  if (!messages) return out;
  const auto place = history.place_at(event.cursor.position);
  for (std::size_t i = 0; i < messages->size(); ++i) {
    api::EventStreamMessage message;
    message.set_id(codec::to_text(codec::event_id{
        place, event.cursor.index, static_cast<std::uint32_t>(i), i + 1 == messages->size()}));
    auto& one = (*messages)[i];
    if (shows_only_of && one.has_submitted() && one.submitted().job().owner() != *shows_only_of)
      codec::hide_environment(*one.mutable_submitted()->mutable_job());
    message.mutable_message()->Swap(&one);
    out.push_back(message.SerializeAsString());
  }
  return out;
}

/// Encodes a message that has nothing but an id. It says where the stream begins, so that a reader
/// who has seen no event yet can resume from there.
std::string encode_place(const native::event_cursor& cursor, const model::lineage& history) {
  api::EventStreamMessage message;
  message.set_id(
      codec::to_text(codec::event_id{history.place_at(cursor.position), cursor.index, 0, true}));
  return message.SerializeAsString();
}

/// Where credit and the end of one watch are reported: to the FEED that has the watch. That may be
/// a second FEED if the first one was just ending. The stream shares this object and may report on
/// any thread.
struct open_watch {
  open_watch(gateway_services& gateway, border::shares::place held)
      : place(std::move(held)), probe(gateway.probe), counted(probe->watches) {
    counted.set(1);
  }

  const border::shares::place place;  ///< Counts the watch for its user as long as it is open.
  std::shared_ptr<probes::gateway_probe> probe;
  metrics::portion counted;  ///< Does the same for the metrics.
  std::mutex guard;          ///< Guards the members below.
  feed_actor feed;
  bool cancelled = false;

  void credit(std::uint64_t id) {
    const std::scoped_lock lock{guard};
    if (feed) caf::anon_send(feed, atom::ready_v, id);
  }
  void cancel(std::uint64_t id) {
    const std::scoped_lock lock{guard};
    cancelled = true;
    if (feed) caf::anon_send(feed, atom::unwatch_v, id);
  }
};
using open_watch_ptr = std::shared_ptr<open_watch>;

feed_actor feed_for(gateway_services& gateway, const native::job_set_key& key) {
  auto& feed = gateway.feeds[key];
  if (feed) return feed;
  feed_config config;
  config.job_set = key;
  config.reader = gateway.config.event_reader;
  config.store = gateway.config.store;
  config.probes = gateway.config.probes;
  config.encode = [history = gateway.config.lineage](
                      const native::indexed_event& event,
                      const std::optional<std::string>& shows_only_of) {
    return encode_event(event, shows_only_of, *history->all());
  };
  config.mark = [history = gateway.config.lineage](const native::event_cursor& cursor) {
    return encode_place(cursor, *history->all());
  };
  feed = spawn_feed(gateway.self->system(), std::move(config));
  gateway.self->monitor(feed);
  return feed;
}

/// Hands the watch to the FEED of the job set. A FEED may end just then; the next one takes it.
void hand_over(gateway_services& gateway, const native::job_set_key& key,
               const native::watch_ptr& request, const open_watch_ptr& open, int tries) {
  // The lock is held until the watch is sent, so that its end cannot be sent before it.
  const std::scoped_lock lock{open->guard};
  if (open->cancelled) return;
  const auto feed = open->feed = feed_for(gateway, key);
  gateway.self->request(feed, gateway.config.request_timeout, atom::watch_v, request)
      .then([](atom::ok) {},
            [&gateway, key, request, open, tries, feed](const caf::error& err) {
              if (const auto found = gateway.feeds.find(key);
                  found != gateway.feeds.end() && found->second == feed)
                gateway.feeds.erase(found);
              if (tries > 1)
                hand_over(gateway, key, request, open, tries - 1);
              else
                request->writer->finish(from_caf(err));
            });
}

void refuse_watch(gateway_services& gateway, const call& caller, border::share_core::answer why) {
  if (why == border::share_core::answer::own_share_full)
    caller.fail(ec::overloaded,
                "user " + caller.principal() + " has " +
                    std::to_string(gateway.watches->places_of(caller.share())) +
                    " event streams open, as many as one user may have; close some");
  else
    caller.fail(ec::overloaded, std::to_string(gateway.watches->places()) +
                                    " event streams are open, as many as are allowed; close some");
}

/// Opens the stream behind `after`, or at the present end if that is empty.
void open_feed(gateway_services& gateway, const call& caller, const native::job_set_key& key,
               const std::optional<codec::event_id>& after, bool follow, bool error_if_missing,
               bool hides) {
  auto taken = gateway.watches->take(caller.share());
  if (!taken.held) {
    refuse_watch(gateway, caller, taken.answer);
    return;
  }
  const auto open = std::make_shared<open_watch>(gateway, std::move(taken.held));
  const auto id = gateway.next_watch++;
  bus::stream_writer_events events;
  events.on_credit = [open, id] { open->credit(id); };
  events.on_cancel = [open, id](const error&) { open->cancel(id); };
  auto accepted = gateway.config.connection->accept_stream(caller.frame(), std::move(events));
  if (!accepted) {
    caller.fail(accepted.error());
    return;
  }
  caller.streams();
  auto request = std::make_shared<native::watch_request>();
  request->id = id;
  request->writer = std::move(*accepted);
  request->follow = follow;
  request->error_if_missing = error_if_missing;
  request->from_now = !after;
  if (hides)
    request->shows_only_of = access::sees_jobs_of(*caller.who());
  else
    request->on_shown = gateway.shown_noter(caller, model::queue_name{key.first}, key.second);
  if (after) {
    request->after = {after->place.position,
                      after->index + (is_planted(planted_fault::skips_events) ? 1 : 0)};
    if (is_planted(planted_fault::repeats_events)) request->after = {after->place.position - 1, 0};
    request->resumes = true;
    request->resume_part = after->last_part ? 0 : after->part + 1;
  }
  hand_over(gateway, key, request, open, 3);
}

/// Where the stream begins; nothing stands for the present end.
result<std::optional<codec::event_id>> start_of(const call& caller, const model::lineage& history,
                                                const std::string& after) {
  const auto header = caller.header(bus::header::from);
  if (!header.empty() && header != "now")
    return fail(ec::invalid_argument,
                "header argosy-from is '" + header.substr(0, 40) + "'; it may be 'now'");
  if (!header.empty() && !after.empty())
    return fail(ec::invalid_argument,
                "give either an event id to go on from, or header argosy-from");
  if (!header.empty()) return std::optional<codec::event_id>{};
  if (after.empty()) return std::optional{codec::event_id{}};
  auto parsed = codec::parse_event_id(after);
  if (!parsed) return fail(parsed.error());
  if (!history.has(parsed->place)) return fail(codec::of_another_history("the event id"));
  return std::optional{*parsed};
}

void watch(gateway_services& gateway, const call& caller, const std::string& queue,
           const std::string& job_set, const std::string& after, bool follow,
           bool error_if_missing) {
  auto start = start_of(caller, *gateway.config.lineage->all(), after);
  if (!start) {
    caller.fail(start.error());
    return;
  }
  gateway.with_queue(caller, queue, [=, &gateway, start = *start](const queue_actor&) {
    gateway.find_hidden(caller, queue, [=, &gateway](bool hides) {
      open_feed(gateway, caller, {queue, job_set}, start, follow, error_if_missing, hides);
    });
  });
}

}  // namespace

void add_event_service(method_table& table) {
  table["Event.GetJobSetEvents"] = decoded<api::JobSetRequest>(
      [](gateway_services& gateway, const call& caller, const api::JobSetRequest& request) {
        watch(gateway, caller, request.queue(), request.id(), request.from_message_id(),
              request.watch(), request.errorifmissing());
      });
  table["Event.Watch"] = decoded<api::WatchRequest>(
      [](gateway_services& gateway, const call& caller, const api::WatchRequest& request) {
        watch(gateway, caller, request.queue(), request.job_set_id(), request.from_id(), true,
              true);
      });
}

}  // namespace argosy::actors
