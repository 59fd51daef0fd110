// SPDX-License-Identifier: Apache-2.0
#include "actors/log/log_watch.hpp"

#include "actors/log/room_lines.hpp"

namespace argosy::actors {

namespace {

constexpr std::chrono::seconds look_pause{60};
/// The pause while the log sheds commands, so that they are soon taken again.
constexpr std::chrono::seconds look_pause_when_short{5};
/// The shortest time between two lines that the log took no batch.
constexpr std::chrono::seconds complaint_pause{10};
/// A log needs about so many bytes for a record besides those of its data.
constexpr std::size_t record_overhead = 200;

}  // namespace

void log_watch::took(std::size_t bytes) {
  set_full(false);
  load_->intake().set_too_long(0);
  load_->answered();
  next_complaint_ = {};
  load_->add_to_log(bytes + record_overhead);
}

void log_watch::refused_as_too_long(std::size_t bytes) {
  load_->intake().set_record_bytes_max(log_->max_record_bytes());
  load_->intake().set_too_long(bytes);
  complain(load_->intake().takes_what_waits().error());
}

void log_watch::refused(const error& why) {
  // Another error does not say that there is room again.
  if (why.code == ec::out_of_space) set_full(true);
  complain(why);
}

void log_watch::complain(const error& why) {
  const auto now = clock_->boot();
  if (now < next_complaint_) return;
  next_complaint_ = now + complaint_pause;
  logger.warning("the log did not take a batch; trying on", logging::kv("error", to_string(why)));
}

void log_watch::set_full(bool full) {
  const bool was = load_->intake().is_full();
  load_->intake().set_full(full);
  if (full && !was) logger.error("the log is full: nothing new is accepted until it has more room");
  if (!full && was) logger.warning("the log has room again and takes what waited");
}

void log_watch::look() {
  load_->intake().set_record_bytes_max(log_->max_record_bytes());
  const auto now = clock_->boot();
  if (now >= next_look_) {
    if (const auto info = log_->info())
      load_->set_log({info->bytes, info->bytes_max}, info->last_position + 1 - info->first_position,
                     info->older_bytes);
    next_look_ =
        now + (load_->log().reaches(eventlog::shed_percent) ? look_pause_when_short : look_pause);
  }
  // A full log stops everything, so that operators are warned in time.
  const auto how_full = load_->log();
  tell_of_room(logger, room_.look(how_full, now), "log", how_full, "journal.logBytesMax");
}

}  // namespace argosy::actors
