// SPDX-License-Identifier: Apache-2.0
#include "runtime/eventlog/jetstream/tail_reader.hpp"

#include <algorithm>
#include <memory>
#include <thread>
#include <utility>

namespace argosy::eventlog {

namespace {

using std::chrono::milliseconds;
using clock = std::chrono::steady_clock;

/// The number never changes, since the library miscounts when it changes between calls.
constexpr int fetch_batch = 64;
constexpr milliseconds slice_min{10};
constexpr milliseconds slice_max{500};
constexpr milliseconds pause{2};

}  // namespace

tail_reader::~tail_reader() {
  stop();
  if (leaving_.joinable()) leaving_.join();
  for (auto* const consumer : given_up_) natsSubscription_Destroy(consumer);
}

void tail_reader::stop() {
  ready_.clear();
  if (consumer_ == nullptr) return;
  auto* const consumer = std::exchange(consumer_, nullptr);
  given_up_.push_back(consumer);
  // The library waits for the answer of the server that had the consumer, which may be gone.
  leaving_ = std::jthread{[consumer] { natsSubscription_Unsubscribe(consumer); }};
}

result<void> tail_reader::start_at(model::log_position from_position) {
  stop();
  const auto info = stream_.info();
  if (!info) return fail(info.error());
  if (from_position > info->last_position + 1)
    return fail(ec::conflict, stream_.place() + " ends at " + to_string(info->last_position) +
                                  ", before record " + to_string(from_position) +
                                  " that was asked for: it has regressed");
  if (from_position < info->first_position)
    return fail(ec::corrupt, "record " + to_string(from_position) + " is missing from " +
                                 stream_.place() + ", which begins at " +
                                 to_string(info->first_position));
  auto consumer = stream_.subscribe(from_position);
  if (!consumer) return fail(std::move(consumer.error()));
  consumer_ = *consumer;
  next_position_ = from_position;
  return {};
}

result<std::vector<record>> tail_reader::read(model::log_position from_position,
                                              std::size_t max_records, std::size_t max_bytes,
                                              milliseconds wait) {
  if (from_position.is_zero()) return fail(ec::invalid_argument, "records are numbered from 1");
  const auto until = clock::now() + wait;
  const auto position = ready_.empty() ? next_position_ : ready_.front().position;
  if (position != from_position) stop();
  while (ready_.empty()) {
    if (consumer_ == nullptr)
      if (auto ok = start_at(from_position); !ok) return fail(std::move(ok.error()));
    const auto left = std::chrono::duration_cast<milliseconds>(until - clock::now());
    if (auto ok = fetch(std::clamp(left, slice_min, slice_max)); !ok) {
      stop();
      return fail(std::move(ok.error()));
    }
    if (!ready_.empty()) break;
    const auto more = has_more();
    if (!more) return fail(more.error());
    const bool late = clock::now() >= until;
    if (*more) {
      // There are records and none came. Mostly a restarted server has forgotten the consumer,
      // which is then made anew.
      stop();
      // If none came in all the time, the server may count a record that it cannot read.
      if (late)
        if (auto ok = take_missing(from_position + 1); !ok) return fail(std::move(ok.error()));
    } else if (late) {
      return std::vector<record>{};
    }
    if (!ready_.empty()) break;
    std::this_thread::sleep_for(pause);
  }
  std::vector<record> out;
  std::size_t bytes = 0;
  while (!ready_.empty() && out.size() < max_records && (out.empty() || bytes < max_bytes)) {
    bytes += ready_.front().data.size();
    out.push_back(std::move(ready_.front()));
    ready_.pop_front();
  }
  return out;
}

result<void> tail_reader::fetch(milliseconds limit) {
  natsMsgList list{};
  jsErrCode code{};
  natsSubscription_Fetch(&list, consumer_, fetch_batch, limit.count(), &code);
  // A failure shows as nothing fetched; whether something is there is asked next.
  result<void> outcome;
  for (int i = 0; i < list.Count && outcome; ++i) outcome = take(list.Msgs[i]);
  natsMsgList_Destroy(&list);
  return outcome;
}

result<void> tail_reader::take(natsMsg* message) {
  jsMsgMetaData* raw = nullptr;
  if (const auto status = natsMsg_GetMetaData(&raw, message); status != NATS_OK)
    return fail(stream_.explain({status, {}, natsStatus_GetText(status)}, "read"));
  const std::unique_ptr<jsMsgMetaData, decltype(&jsMsgMetaData_Destroy)> meta{
      raw, &jsMsgMetaData_Destroy};
  const model::log_position position{meta->Sequence.Stream};
  if (position < next_position_)
    return fail(ec::conflict, stream_.place() + " gave record " + to_string(position) +
                                  " instead of " + to_string(next_position_) +
                                  ": it has regressed");
  if (auto ok = take_missing(position); !ok) return ok;
  auto taken = to_record(message);
  taken.position = position;
  taken.time_ns = meta->Timestamp;
  ready_.push_back(std::move(taken));
  next_position_ = position + 1;
  return {};
}

result<void> tail_reader::take_missing(model::log_position until_position) {
  for (; next_position_ < until_position; ++next_position_) {
    auto missing = stream_.get(next_position_);
    if (!missing && missing.error().code == ec::not_found)
      return fail(ec::corrupt,
                  "record " + to_string(next_position_) + " is missing from " + stream_.place());
    if (!missing) return fail(std::move(missing.error()));
    ready_.push_back(std::move(*missing));
  }
  return {};
}

result<bool> tail_reader::has_more() {
  const auto info = stream_.info();
  if (!info) return fail(info.error());
  if (info->last_position + 1 < next_position_)
    return fail(ec::conflict, stream_.place() + " ends at " + to_string(info->last_position) +
                                  ", before record " + to_string(next_position_) +
                                  " that was asked for: it has regressed");
  return info->last_position >= next_position_;
}

}  // namespace argosy::eventlog
