// SPDX-License-Identifier: Apache-2.0
#include "actors/log/feed.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "actors/caf_error.hpp"
#include "actors/log/feed_page.hpp"
#include "messages/probes/log/feed_probe.hpp"
#include "runtime/trace/caf/traced.hpp"

namespace argosy::actors {

namespace {

/// So many watchers are given what was read before other messages are taken, such as that all of
/// this ends: there may be thousands, and each is sent thousands of events.
constexpr std::size_t watchers_at_once = 16;

/// The last place before the event.
native::event_cursor before(const native::event_cursor& event) {
  if (event.index > 0) return {event.position, event.index - 1};
  return {event.position - 1, std::numeric_limits<std::uint32_t>::max()};
}

}  // namespace

struct feed_state {
  static inline const char* name = "argosy.feed";
  using pointer = traced_pointer<feed_actor, feed_state>;

  struct watcher {
    native::watch_request request;
    native::event_cursor at;  ///< The watcher has been sent everything up to this place.
    /// The newest event when the watch began; nothing before the first answer of the READER.
    std::optional<native::event_cursor> newest;
    unsent_messages unsent;
    bool reading = false;
    bool stale = true;  ///< There may be events behind `at`.
  };

  /// Identifies a read. Watchers that want the same events share one read, unless further events
  /// have come since it was begun.
  struct read_key {
    native::event_cursor after;
    bool newest_only = false;
    std::uint64_t changes = 0;
    std::optional<std::string> only_of;           ///< As watch_request has it.
    std::optional<native::event_cursor> resumes;  ///< As native::read_events has it.

    friend auto operator<=>(const read_key&, const read_key&) = default;
  };

  explicit feed_state(pointer self_) : self(self_) {}

  feed_actor::behavior_type make_behavior(feed_config cfg);
  void add(const native::watch_request& request);
  void pump_all();
  void pump(std::uint64_t id);
  void read(std::uint64_t id, watcher& who);
  void deliver_some();
  void take(std::uint64_t id, const encoded_page& read);
  static void tell_shown(const watcher& who, const native::indexed_event& event);
  void hand(watcher& who, unsent_messages messages);
  void take_events(watcher& who, const encoded_page& read);
  void fail_read(std::uint64_t id, const error& why);
  void drop(std::uint64_t id);
  [[nodiscard]] metrics::figure_list figures() const;
  /// Sends what waits. Returns false when the watcher has gone or has no credit.
  bool send_unsent(std::uint64_t id, watcher& who);

  pointer self;
  feed_config config;
  std::map<std::uint64_t, watcher> watchers;
  /// The ids of the watchers that wait for each read that is under way.
  std::map<read_key, std::vector<std::uint64_t>> reads;
  page_deliveries deliveries;
  std::uint64_t changes = 0;  ///< How often the STORE told of new events.
  std::shared_ptr<probes::feed_probe> probe;
  // These are the parts that this FEED has in the sums over all FEEDs.
  std::optional<metrics::portion> watching;
  std::optional<metrics::portion> unsent;
  /// The STORE tells this FEED of new events; a read is complete only from then on.
  bool listening = false;
};

feed_actor::behavior_type feed_state::make_behavior(feed_config cfg) {
  config = std::move(cfg);
  probe = config.probes->get<probes::feed_probe>();
  watching.emplace(probe->watchers);
  unsent.emplace(probe->unsent);
  self->request(config.store, config.read_timeout, atom::watch_v, config.job_set,
                caf::actor_cast<store_listener_actor>(self))
      .then(
          [this](atom::ok) {
            listening = true;
            pump_all();
          },
          [this](const caf::error& err) { self->quit(err); });
  return {
      [this](atom::changed, model::log_position) {
        ++changes;
        for (auto& [id, who] : watchers) who.stale = true;
        pump_all();
      },
      [this](atom::watch, const native::watch_ptr& request) {
        add(*request);
        return atom::ok_v;
      },
      [this](atom::ready, std::uint64_t id) { pump(id); },
      [this](atom::unwatch, std::uint64_t id) { drop(id); },
      [this](atom::flush) { deliver_some(); },
      [this](atom::status, atom::figures) { return figures(); },
  };
}

void feed_state::add(const native::watch_request& request) {
  auto& who = watchers[request.id];
  watching->set(static_cast<std::int64_t>(watchers.size()));
  who.request = request;
  who.at = request.after;
  if (request.resume_part > 0) who.at = before(request.after);
  pump(request.id);
}

void feed_state::pump_all() {
  std::vector<std::uint64_t> ids;
  for (const auto& [id, who] : watchers) ids.push_back(id);
  for (const auto id : ids) pump(id);
}

void feed_state::pump(std::uint64_t id) {
  const auto found = watchers.find(id);
  if (found == watchers.end() || !listening) return;
  auto& who = found->second;
  if (!send_unsent(id, who) || who.reading || !who.stale) return;
  read(id, who);
}

bool feed_state::send_unsent(std::uint64_t id, watcher& who) {
  while (who.unsent.size() > 0) {
    const auto sent = who.request.writer->send(who.unsent.front());
    if (sent && *sent == bus::send_state::blocked) return false;
    if (!sent || *sent == bus::send_state::closed) {
      if (!sent) who.request.writer->finish(sent.error());
      drop(id);
      return false;
    }
    who.unsent.pop();
    unsent->set(unsent->value() - 1);
    ++probe->sent;
  }
  return true;
}

void feed_state::read(std::uint64_t id, watcher& who) {
  who.reading = true;
  who.stale = false;
  const read_key key{
      who.at, who.request.from_now && !who.newest, changes, who.request.shows_only_of,
      who.request.resumes && !who.newest ? std::optional{who.request.after} : std::nullopt};
  auto& sharing = reads[key];
  sharing.push_back(id);
  if (sharing.size() > 1) return;
  const auto page = page_size(config.page, watchers.size());
  native::read_events query{model::queue_name{config.job_set.first}, config.job_set.second,
                            key.after, page};
  query.newest_only = key.newest_only;
  query.resumes = key.resumes;
  self->request(config.reader, config.read_timeout, atom::query_v, query)
      .then(
          [this, key](const native::event_page_ptr& page) {
            const auto encode = [&](const native::indexed_event& event) {
              return config.encode(event, key.only_of);
            };
            const bool begins = deliveries.empty();
            deliveries.add(encode_page(page, encode), reads.extract(key).mapped());
            if (begins) deliver_some();
          },
          [this, key](const caf::error& err) {
            const auto waiting = std::move(reads.extract(key).mapped());
            for (const auto each : waiting) fail_read(each, from_caf(err));
          });
}

void feed_state::deliver_some() {
  deliveries.give_some(watchers_at_once,
                       [this](std::uint64_t id, const encoded_page& read) { take(id, read); });
  if (!deliveries.empty()) self->send(self, atom::flush_v);
}

void feed_state::fail_read(std::uint64_t id, const error& why) {
  const auto found = watchers.find(id);
  if (found == watchers.end()) return;
  found->second.request.writer->finish(why);
  drop(id);
}

void feed_state::take(std::uint64_t id, const encoded_page& read) {
  const auto& page = *read.page;
  const auto found = watchers.find(id);
  if (found == watchers.end()) return;
  auto& who = found->second;
  who.reading = false;
  if (!page.exists && who.request.error_if_missing) {
    who.request.writer->finish(error{ec::not_found, "job set '" + config.job_set.second +
                                                        "' of queue '" + config.job_set.first +
                                                        "' has no events"});
    drop(id);
    return;
  }
  who.request.error_if_missing = false;
  const bool first = !who.newest;
  if (first) who.newest = page.newest;
  if (first && who.request.from_now) {
    who.at = page.newest;
    hand(who,
         {std::make_shared<const std::vector<std::string>>(1, config.mark(page.newest)), 0, 1});
  } else {
    take_events(who, read);
  }
  if (page.more) who.stale = true;
  // Events that come meanwhile do not belong to a stream that ends, since it would never end.
  if (!who.request.follow && (!page.more || who.at >= *who.newest)) {
    if (send_unsent(id, who)) {
      who.request.writer->finish();
      drop(id);
    } else if (watchers.contains(id)) {
      // The rest goes out when there is credit, and then an empty page ends the stream.
      who.stale = true;
    }
    return;
  }
  pump(id);
}

void feed_state::tell_shown(const watcher& who, const native::indexed_event& event) {
  if (who.request.on_shown && !who.request.shows_only_of && event.header &&
      std::holds_alternative<model::job_submitted>(event.event.payload))
    who.request.on_shown(event.header->owner);
}

void feed_state::hand(watcher& who, unsent_messages messages) {
  who.unsent = std::move(messages);
  unsent->set(unsent->value() + static_cast<std::int64_t>(who.unsent.size()));
}

/// A watcher has nothing unsent when something is read for him.
void feed_state::take_events(watcher& who, const encoded_page& read) {
  std::size_t first = 0;
  std::size_t events = 0;
  for (const auto& event : read.page->events) {
    if (!who.request.follow && event.cursor > *who.newest) break;
    // The watch may go on within its first event.
    const bool resumed = event.cursor == who.request.after && who.request.resume_part > 0;
    if (resumed)
      first = std::min(read.begins[events] + who.request.resume_part, read.begins[events + 1]);
    else
      tell_shown(who, event);
    who.at = event.cursor;
    ++events;
  }
  hand(who, {read.messages, first, read.begins[events]});
}

void feed_state::drop(std::uint64_t id) {
  if (const auto gone = watchers.extract(id))
    unsent->set(unsent->value() - static_cast<std::int64_t>(gone.mapped().unsent.size()));
  watching->set(static_cast<std::int64_t>(watchers.size()));
  if (!watchers.empty()) return;
  self->send(config.store, atom::unwatch_v, config.job_set,
             caf::actor_cast<store_listener_actor>(self));
  self->quit();
}

/// The figures of this FEED alone.
metrics::figure_list feed_state::figures() const {
  return {{"queue", config.job_set.first},
          {"job_set", config.job_set.second},
          {"watchers", static_cast<double>(watching->value())},
          {"unsent", static_cast<double>(unsent->value())}};
}

namespace {

feed_actor::behavior_type feed_behavior(traced_pointer<feed_actor, feed_state> self,
                                        feed_config config) {
  return self->state.make_behavior(std::move(config));
}

}  // namespace

feed_actor spawn_feed(caf::actor_system& system, feed_config config) {
  return spawn_actor(system, run_on::pool, feed_behavior, std::move(config));
}

}  // namespace argosy::actors
