// SPDX-License-Identifier: Apache-2.0
#include "runtime/eventlog/in_memory.hpp"

#include <algorithm>
#include <utility>

namespace argosy::eventlog {

namespace {

failure unknown_record(model::log_position position) {
  return fail(ec::not_found, "the log in memory has no record " + to_string(position));
}

}  // namespace

memory_log::memory_log(const clock_source& clock, const memory_log_options& options)
    : at_(new broker{clock, options}) {
  at_->streams[{1}].created_ns = creation_time();
}

memory_log::memory_log(const memory_log& same) : event_log(), generation_keeper(), at_(same.at_) {}

/// No two logs have the same.
std::int64_t memory_log::creation_time() {
  at_->newest_created_ns = std::max(to_nanos(at_->clock.wall()), at_->newest_created_ns + 1);
  return at_->newest_created_ns;
}

result<memory_log::stream*> memory_log::usable() {
  if (closed_) return fail(ec::cancelled, "the log in memory is closed");
  if (at_->broken) return fail(*at_->broken);
  const auto found = at_->streams.find(chosen_);
  if (found == at_->streams.end())
    return fail(ec::not_found, "there is no log in memory of generation " + to_string(chosen_));
  return &found->second;
}

std::optional<record>* memory_log::find(model::log_position position) {
  const auto found = at_->streams.find(chosen_);
  if (found == at_->streams.end() || position <= base_ || position > last_of(found->second))
    return nullptr;
  return &found->second.records[position - base_ - 1];
}

result<std::vector<model::log_generation>> memory_log::generations() {
  const std::lock_guard lock{at_->mutex};
  if (auto ok = usable(); !ok && ok.error().code != ec::not_found) return fail(ok.error());
  std::vector<model::log_generation> out;
  for (const auto& [generation, each] : at_->streams) out.push_back(generation);
  return out;
}

void memory_log::choose(model::log_generation generation, model::log_position base) {
  const std::lock_guard lock{at_->mutex};
  chosen_ = generation;
  base_ = base;
}

result<void> memory_log::create() {
  const std::lock_guard lock{at_->mutex};
  auto ok = usable();
  if (!ok && ok.error().code != ec::not_found) return fail(ok.error());
  if (!ok) at_->streams[chosen_].created_ns = creation_time();
  return {};
}

result<log_info> memory_log::info() {
  const std::lock_guard lock{at_->mutex};
  const auto in = usable();
  if (!in) return fail(in.error());
  const auto& records = (*in)->records;
  log_info out;
  out.created_ns = (*in)->created_ns;
  out.last_position = last_of(**in);
  out.bytes = (*in)->bytes;
  out.bytes_max = at_->options.max_bytes;
  const auto first = std::ranges::find_if(records, [](const auto& r) { return r.has_value(); });
  out.first_position = base_ + static_cast<std::uint64_t>(first - records.begin()) + 1;
  if (!records.empty() && records.back()) out.last_msg_id = records.back()->msg_id;
  return out;
}

result<model::log_position> memory_log::last_position() {
  const std::lock_guard lock{at_->mutex};
  const auto in = usable();
  if (!in) return fail(in.error());
  return last_of(**in);
}

result<model::log_position> memory_log::append(model::log_position expected_last_position,
                                               std::string_view msg_id, std::string_view data,
                                               const bus::headers&) {
  const std::lock_guard lock{at_->mutex};
  const auto in = usable();
  if (!in) return fail(in.error());
  auto& held = **in;
  if (data.size() > at_->options.max_record_bytes)
    return fail(ec::too_large, "a record of " + std::to_string(data.size()) +
                                   " bytes is over the log's limit of " +
                                   std::to_string(at_->options.max_record_bytes));
  const auto injection = std::exchange(at_->next_append, std::nullopt);
  if (injection && !injection->stored) return fail(injection->err);
  if (const auto known = held.by_msg_id.find(std::string{msg_id}); known != held.by_msg_id.end()) {
    const auto at = base_ + known->second;
    if (at != expected_last_position + 1)
      return fail(ec::conflict, "record '" + std::string{msg_id} + "' already stands at " +
                                    to_string(at) + ", not at " +
                                    to_string(expected_last_position + 1));
    const auto& there = held.records[known->second - 1];
    if (there && there->data == data) return at;
    return fail(ec::fenced, "record " + to_string(at) + " has the message id '" +
                                std::string{msg_id} +
                                "' and other bytes: another writer has "
                                "appended");
  }
  if (const auto last = last_of(held); expected_last_position != last) {
    const bool longer = last > expected_last_position;
    return fail(longer ? ec::fenced : ec::conflict,
                "the log ends at " + to_string(last) + ", expected " +
                    to_string(expected_last_position) +
                    (longer ? ": another writer has appended" : ": the log has regressed"));
  }
  if (held.bytes + data.size() > at_->options.max_bytes)
    return fail(ec::out_of_space, "the log is full: its limit is " +
                                      std::to_string(at_->options.max_bytes) + " bytes");
  const auto position = expected_last_position + 1;
  held.records.push_back(
      record{position, to_nanos(at_->clock.wall()), std::string{msg_id}, std::string{data}});
  held.by_msg_id.emplace(msg_id, position - base_);
  held.bytes += data.size();
  at_->changed.notify_all();
  if (injection) return fail(injection->err);
  return position;
}

result<std::vector<record>> memory_log::read(model::log_position from_position,
                                             std::size_t max_records, std::size_t max_bytes,
                                             std::chrono::milliseconds wait) {
  if (from_position.is_zero()) return fail(ec::invalid_argument, "records are numbered from 1");
  std::unique_lock lock{at_->mutex};
  const auto ready = [&] {
    const auto in = usable();
    return !in || last_of(**in) >= from_position;
  };
  if (!at_->options.never_wait) at_->changed.wait_for(lock, wait, ready);
  const auto in = usable();
  if (!in) return fail(in.error());
  const auto last = last_of(**in);
  if (from_position > last + 1)
    return fail(ec::conflict, "the log ends at " + to_string(last) + ", before record " +
                                  to_string(from_position) +
                                  " that was asked for: it has regressed");
  std::vector<record> out;
  std::size_t bytes = 0;
  for (auto position = from_position; position <= last && out.size() < max_records; ++position) {
    const auto* stored = find(position);
    if (stored == nullptr || !*stored)
      return fail(ec::corrupt, "record " + to_string(position) + " is missing from the log");
    if (!out.empty() && bytes >= max_bytes) break;
    bytes += (*stored)->data.size();
    out.push_back(**stored);
    out.back().position = position;
  }
  return out;
}

result<record> memory_log::get(model::log_position position) {
  const std::lock_guard lock{at_->mutex};
  if (const auto in = usable(); !in) return fail(in.error());
  const auto* stored = find(position);
  if (stored == nullptr || !*stored) return unknown_record(position);
  auto out = **stored;
  out.position = position;
  return out;
}

result<std::vector<generation_facts>> memory_log::look() {
  const std::lock_guard lock{at_->mutex};
  if (auto ok = usable(); !ok && ok.error().code != ec::not_found) return fail(ok.error());
  std::vector<generation_facts> out;
  for (const auto& [generation, each] : at_->streams) {
    const auto held =
        std::ranges::count_if(each.records, [](const auto& r) { return r.has_value(); });
    out.push_back({generation, each.created_ns, static_cast<std::uint64_t>(held), each.bytes,
                   at_->options.max_bytes, each.given_up});
  }
  return out;
}

result<void> memory_log::empty(model::log_generation generation) {
  const std::lock_guard lock{at_->mutex};
  if (auto ok = usable(); !ok && ok.error().code != ec::not_found) return fail(ok.error());
  const auto found = at_->streams.find(generation);
  if (found == at_->streams.end())
    return fail(ec::not_found, "there is no log in memory of generation " + to_string(generation));
  for (auto& each : found->second.records) each.reset();
  found->second.bytes = 0;
  found->second.given_up = true;
  return {};
}

void memory_log::close() {
  const std::lock_guard lock{at_->mutex};
  closed_ = true;
  at_->changed.notify_all();
}

void memory_log::fail_next_append(error err, bool stored) {
  const std::lock_guard lock{at_->mutex};
  at_->next_append = injected{std::move(err), stored};
}

void memory_log::set_broken(std::optional<error> err) {
  const std::lock_guard lock{at_->mutex};
  at_->broken = std::move(err);
  at_->changed.notify_all();
}

std::size_t memory_log::max_record_bytes() const {
  const std::lock_guard lock{at_->mutex};
  return at_->options.max_record_bytes;
}

void memory_log::set_max_record_bytes(std::size_t bytes) {
  const std::lock_guard lock{at_->mutex};
  at_->options.max_record_bytes = bytes;
}

void memory_log::lose_tail(std::uint64_t records) {
  const std::lock_guard lock{at_->mutex};
  auto& held = at_->streams[chosen_];
  for (; records > 0 && !held.records.empty(); --records) {
    if (held.records.back()) {
      held.bytes -= held.records.back()->data.size();
      held.by_msg_id.erase(held.records.back()->msg_id);
    }
    held.records.pop_back();
  }
}

void memory_log::remove() {
  const std::lock_guard lock{at_->mutex};
  at_->streams.erase(chosen_);
}

void memory_log::lose_record(model::log_position position) {
  const std::lock_guard lock{at_->mutex};
  if (auto* stored = find(position)) stored->reset();
}

void memory_log::damage(model::log_position position,
                        const std::function<void(std::string&)>& change) {
  const std::lock_guard lock{at_->mutex};
  if (auto* stored = find(position); stored != nullptr && *stored) change((*stored)->data);
}

}  // namespace argosy::eventlog
