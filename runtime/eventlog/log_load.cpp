// SPDX-License-Identifier: Apache-2.0
#include "runtime/eventlog/log_load.hpp"

namespace argosy::eventlog {

namespace {

/// A change stands in the tail and in the tables of its job, its events and its job set.
constexpr std::uint64_t store_bytes_per_log_byte = 4;
/// A commit writes copies of the pages above those that it changes.
constexpr std::uint64_t commit_bytes = 512 << 10;

tl::unexpected<error> no_room_on(const std::string& disk, std::size_t bytes) {
  return fail(ec::out_of_space, "the disk of " + disk + " has no room for a change of about " +
                                    std::to_string(bytes) +
                                    " bytes: change less at once, or make room on it");
}

tl::unexpected<error> refuse(const std::string& what, const fill& now, const std::string& setting) {
  return fail(ec::out_of_space, "the " + what + " is nearly full (" +
                                    std::to_string(now.percent_taken()) + " % of " +
                                    std::to_string(now.bytes_max) +
                                    " bytes), and the rest is kept for what was accepted before: "
                                    "raise " +
                                    setting + " of argosyd and start it again");
}

}  // namespace

fill log_load::log_account() const noexcept {
  const std::uint64_t all = log_account_bytes_;
  if (all == 0) return {};
  const auto own = log();
  const auto written = own.bytes - std::min<std::uint64_t>(own.bytes, log_account_since_);
  const std::uint64_t free = log_account_free_bytes_;
  const auto left = free - std::min(written, free);
  if (own.bytes_max == 0) return {all - std::min(all, left), all};
  const auto wanted = own.bytes_max - std::min(own.bytes, own.bytes_max);
  return left < wanted ? fill{own.bytes_max - left, own.bytes_max} : fill{};
}

result<void> log_load::answers(boot_time now) const {
  if (auto taken = intake_.takes_what_waits(); !taken) return taken;
  const boot_time since{silent_since_.load()};
  if (since == boot_time{} || now - since < log_patience) return {};
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - since).count();
  return fail(ec::unavailable,
              "the log on nats-server has taken no record and answered nothing for " +
                  std::to_string(seconds) + " s");
}

bool log_load::is_stuck(boot_time now, boot_time longest) const noexcept {
  const auto lasts = [&](const std::atomic<std::int64_t>& since) {
    const boot_time begun{since.load()};
    return begun != boot_time{} && now - begun > longest;
  };
  return lasts(silent_since_) || lasts(batch_since_);
}

result<void> log_load::admit(command_kind kind) const {
  if (auto taken = intake_.takes_records(); !taken) return taken;
  if (alone_)
    return fail(ec::overloaded,
                "no other plane of the control plane confirms what is accepted, so that nothing "
                "is: start the argosyd that 'argosyctl status' misses; try again in a second");
  if (kind == command_kind::growing) {
    if (safe_mode_)
      return fail(ec::out_of_space,
                  "argosyd is in safe mode, since it crashed several times in a row: it "
                  "answers and cancels, but accepts and starts nothing, until an operator starts "
                  "it with --leave-safe-mode");
    if (log().reaches(shed_percent)) return refuse("log", log(), "journal.logBytesMax");
    if (store().reaches(shed_percent)) return refuse_for_store();
    if (disk().counted.reaches(shed_percent))
      return fail(ec::out_of_space,
                  "the disk of argosyd's data directory is nearly full (" +
                      std::to_string(disk_free_bytes_) + " of " + std::to_string(disk_bytes_) +
                      " bytes are free), and the rest is kept for what was accepted before: "
                      "make room on it");
    if (log_disk().reaches(shed_percent))
      return fail(ec::out_of_space,
                  "the disk of the nats-server's log is nearly full (" +
                      std::to_string(log_disk_free_bytes_) + " of " +
                      std::to_string(log_disk_bytes_) +
                      " bytes are free), and the rest is kept for what was accepted before: "
                      "make room on it");
    if (log_account().reaches(shed_percent))
      return fail(ec::out_of_space,
                  "the room that the nats-server gives the streams of the log's account is "
                  "nearly used (" +
                      std::to_string(log_account_free_bytes_) + " of " +
                      std::to_string(log_account_bytes_) +
                      " bytes are free), and the rest is kept for what was accepted before: "
                      "raise that limit, or remove streams of others");
    if (tail_full_)
      return fail(ec::overloaded,
                  "more is accepted than the log writes to its disk in time, and the store has "
                  "no room to keep it meanwhile; try again in a minute");
  }
  if (bytes_ < bytes_max_) return {};
  return fail(ec::overloaded, "the log does not keep up: " + std::to_string(bytes_.load()) +
                                  " bytes wait for it; try again in a second");
}

result<void> log_load::fits(std::size_t bytes, command_kind kind) const {
  const auto refuse_size = [&](const char* what, const char* setting) {
    return fail(ec::out_of_space,
                std::string{"the "} + what + " has no room for a change of about " +
                    std::to_string(bytes) + " bytes: change less at once, or raise " + setting +
                    " of argosyd and start it again");
  };
  if (auto then = log(); then.reaches(warn_percent)) {
    then.bytes += bytes_ + bytes;
    if (then.reaches(last_percent)) return refuse_size("log", "journal.logBytesMax");
  }
  if (auto then = store(); then.reaches(warn_percent)) {
    then.bytes += store_bytes_per_log_byte * (bytes_ + bytes);
    if (then.reaches(last_percent)) return refuse_size("store", "store.mapSize");
  }
  if (auto then = disk().counted; then.reaches(warn_percent)) {
    const auto need = store_bytes_per_log_byte * (bytes_ + bytes);
    then.bytes += need;
    if (kind == command_kind::relieving ? need + commit_bytes > disk_writable_
                                        : then.reaches(last_percent))
      return no_room_on("argosyd's data directory", bytes);
  }
  if (auto then = log_disk(); then.reaches(warn_percent)) {
    then.bytes += bytes_ + bytes;
    if (kind == command_kind::relieving ? then.bytes > then.bytes_max : then.reaches(last_percent))
      return no_room_on("the nats-server's log", bytes);
  }
  if (auto then = log_account(); then.reaches(warn_percent)) {
    then.bytes += bytes_ + bytes;
    if (kind == command_kind::relieving ? then.bytes > then.bytes_max : then.reaches(last_percent))
      return fail(ec::out_of_space,
                  "the nats-server gives the streams of the log's account no room for a change "
                  "of about " +
                      std::to_string(bytes) + " bytes: change less at once, or raise that limit");
  }
  return {};
}

tl::unexpected<error> log_load::refuse_for_store() const {
  auto out = refuse("store", store(), "store.mapSize");
  // Room comes back by itself when the reader ends, and no setting need be raised.
  const auto held = std::min<std::uint64_t>(store_held_bytes_, store_bytes_);
  if (const fill own{store_bytes_ - held, store_bytes_max_}; !own.reaches(shed_percent))
    out.value().detail += ". A reader of the store keeps " + std::to_string(held) +
                          " bytes of it from being used again: argosyctl status names it";
  return out;
}

}  // namespace argosy::eventlog
