// SPDX-License-Identifier: Apache-2.0
#include "runtime/eventlog/in_memory.hpp"

#include <algorithm>
#include <utility>

namespace argosy::eventlog {

namespace {

failure unknown_record(std::uint64_t position) {
  return fail(ec::not_found, "the log in memory has no record " + std::to_string(position));
}

}  // namespace

memory_log::memory_log(const clock_source& clock, const memory_log_options& options)
    : clock_(clock), options_(options), created_ns_(to_nanos(clock.wall())) {}

result<void> memory_log::usable() const {
  if (closed_) return fail(ec::cancelled, "the log in memory is closed");
  if (broken_) return fail(*broken_);
  return {};
}

result<log_info> memory_log::info() {
  const std::lock_guard lock{mutex_};
  if (auto ok = usable(); !ok) return fail(std::move(ok.error()));
  log_info out;
  out.created_ns = created_ns_;
  out.last_position = records_.size();
  out.bytes = bytes_;
  out.bytes_max = options_.max_bytes;
  const auto first = std::ranges::find_if(records_, [](const auto& r) { return r.has_value(); });
  out.first_position = static_cast<std::uint64_t>(first - records_.begin()) + 1;
  if (!records_.empty() && records_.back()) out.last_msg_id = records_.back()->msg_id;
  return out;
}

result<std::uint64_t> memory_log::last_position() {
  const std::lock_guard lock{mutex_};
  if (auto ok = usable(); !ok) return fail(std::move(ok.error()));
  return records_.size();
}

result<std::uint64_t> memory_log::append(std::uint64_t expected_last_position,
                                         std::string_view msg_id, std::string_view data,
                                         const bus::headers&) {
  const std::lock_guard lock{mutex_};
  if (auto ok = usable(); !ok) return fail(std::move(ok.error()));
  if (data.size() > options_.max_record_bytes)
    return fail(ec::too_large, "a record of " + std::to_string(data.size()) +
                                   " bytes is over the log's limit of " +
                                   std::to_string(options_.max_record_bytes));
  const auto injection = std::exchange(next_append_, std::nullopt);
  if (injection && !injection->stored) return fail(injection->err);
  if (const auto known = by_msg_id_.find(std::string{msg_id}); known != by_msg_id_.end()) {
    if (known->second == expected_last_position + 1) return known->second;
    return fail(ec::conflict, "record '" + std::string{msg_id} + "' already stands at " +
                                  std::to_string(known->second) + ", not at " +
                                  std::to_string(expected_last_position + 1));
  }
  if (expected_last_position != records_.size()) {
    const bool longer = records_.size() > expected_last_position;
    return fail(longer ? ec::fenced : ec::conflict,
                "the log ends at " + std::to_string(records_.size()) + ", expected " +
                    std::to_string(expected_last_position) +
                    (longer ? ": another writer has appended" : ": the log has regressed"));
  }
  if (bytes_ + data.size() > options_.max_bytes)
    return fail(ec::out_of_space,
                "the log is full: its limit is " + std::to_string(options_.max_bytes) + " bytes");
  const auto position = expected_last_position + 1;
  records_.push_back(
      record{position, to_nanos(clock_.wall()), std::string{msg_id}, std::string{data}});
  by_msg_id_.emplace(msg_id, position);
  bytes_ += data.size();
  changed_.notify_all();
  if (injection) return fail(injection->err);
  return position;
}

result<std::vector<record>> memory_log::read(std::uint64_t from_position, std::size_t max_records,
                                             std::size_t max_bytes,
                                             std::chrono::milliseconds wait) {
  if (from_position == 0) return fail(ec::invalid_argument, "records are numbered from 1");
  std::unique_lock lock{mutex_};
  const auto ready = [&] { return closed_ || broken_ || records_.size() >= from_position; };
  if (!options_.never_wait) changed_.wait_for(lock, wait, ready);
  if (auto ok = usable(); !ok) return fail(std::move(ok.error()));
  if (from_position > records_.size() + 1)
    return fail(ec::conflict, "the log ends at " + std::to_string(records_.size()) +
                                  ", before record " + std::to_string(from_position) +
                                  " that was asked for: it has regressed");
  std::vector<record> out;
  std::size_t bytes = 0;
  for (auto position = from_position; position <= records_.size() && out.size() < max_records;
       ++position) {
    const auto& stored = records_[position - 1];
    if (!stored)
      return fail(ec::corrupt, "record " + std::to_string(position) + " is missing from the log");
    if (!out.empty() && bytes >= max_bytes) break;
    bytes += stored->data.size();
    out.push_back(*stored);
  }
  return out;
}

result<record> memory_log::get(std::uint64_t position) {
  const std::lock_guard lock{mutex_};
  if (auto ok = usable(); !ok) return fail(std::move(ok.error()));
  if (position == 0 || position > records_.size() || !records_[position - 1])
    return unknown_record(position);
  return *records_[position - 1];
}

void memory_log::close() {
  const std::lock_guard lock{mutex_};
  closed_ = true;
  changed_.notify_all();
}

void memory_log::fail_next_append(error err, bool stored) {
  const std::lock_guard lock{mutex_};
  next_append_ = injected{std::move(err), stored};
}

void memory_log::set_broken(std::optional<error> err) {
  const std::lock_guard lock{mutex_};
  broken_ = std::move(err);
  changed_.notify_all();
}

void memory_log::lose_tail(std::uint64_t records) {
  const std::lock_guard lock{mutex_};
  for (; records > 0 && !records_.empty(); --records) {
    if (records_.back()) {
      bytes_ -= records_.back()->data.size();
      by_msg_id_.erase(records_.back()->msg_id);
    }
    records_.pop_back();
  }
}

void memory_log::recreate() {
  const std::lock_guard lock{mutex_};
  records_.clear();
  by_msg_id_.clear();
  bytes_ = 0;
  created_ns_ = std::max(to_nanos(clock_.wall()), created_ns_ + 1);
}

void memory_log::lose_record(std::uint64_t position) {
  const std::lock_guard lock{mutex_};
  if (position >= 1 && position <= records_.size()) records_[position - 1].reset();
}

void memory_log::damage(std::uint64_t position, const std::function<void(std::string&)>& change) {
  const std::lock_guard lock{mutex_};
  if (position >= 1 && position <= records_.size() && records_[position - 1])
    change(records_[position - 1]->data);
}

}  // namespace argosy::eventlog
