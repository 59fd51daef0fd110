// SPDX-License-Identifier: Apache-2.0
// This file defines the part of the stream_client that is about all generations: how the room of
// the log is shared between them, and how one is given up.
#include <algorithm>
#include <memory>

#include "runtime/eventlog/jetstream/stream_client.hpp"

namespace argosy::eventlog {

namespace {

/// The age at which the records of a generation that was given up go.
constexpr std::int64_t age_max_ns = 1'000'000'000;

using list_ptr = std::unique_ptr<jsStreamInfoList, decltype(&jsStreamInfoList_Destroy)>;

}  // namespace

stream_limits limits_of(const jsStreamConfig& config) {
  const auto bytes = [](std::int64_t limit) {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(0, limit));
  };
  return {bytes(config.MaxBytes), bytes(config.MaxMsgSize)};
}

result<std::vector<generation_facts>> stream_client::look_at_all() {
  jsStreamInfoList* raw = nullptr;
  jsErrCode code{};
  const auto status = js_Streams(&raw, js_, nullptr, &code);
  const list_ptr all{raw, &jsStreamInfoList_Destroy};
  std::vector<generation_facts> out;
  if (status == NATS_NOT_FOUND) return out;
  if (status != NATS_OK) return fail(explain(failure_of(status, code), "look at the streams of"));
  for (int i = 0; i < all->Count; ++i) {
    const auto& each = *all->List[i];
    if (const auto generation = generation_of(each.Config->Name))
      out.push_back({*generation, each.Created, each.State.Msgs, each.State.Bytes,
                     limits_of(*each.Config).bytes_max, each.Config->MaxAge > 0});
  }
  std::ranges::sort(out, {}, &generation_facts::generation);
  return out;
}

std::uint64_t stream_client::shrink(jsStreamConfig config, std::uint64_t bytes) {
  const auto was = limits_of(config).bytes_max;
  if (was != 0 && was <= bytes) return was;
  config.MaxBytes = static_cast<std::int64_t>(bytes);
  jsErrCode code{};
  return js_UpdateStream(nullptr, js_, &config, nullptr, &code) == NATS_OK ? bytes : was;
}

/// Servers reserve the limit of each stream, so that only the chosen one may have more than it
/// needs. A newer one that has records belongs to whoever leads and stays as it is.
result<std::uint64_t> stream_client::take_room() {
  jsStreamInfoList* raw = nullptr;
  jsErrCode code{};
  const auto status = js_Streams(&raw, js_, nullptr, &code);
  const list_ptr all{raw, &jsStreamInfoList_Destroy};
  if (status != NATS_OK && status != NATS_NOT_FOUND)
    return fail(explain(failure_of(status, code), "look at the streams of"));
  std::uint64_t out = 0;
  for (int i = 0; all != nullptr && i < all->Count; ++i) {
    const auto& each = *all->List[i];
    const auto generation = generation_of(each.Config->Name);
    if (!generation || *generation == chosen_) continue;
    const bool unused = *generation < chosen_ || each.State.Msgs == 0;
    out += unused ? shrink(*each.Config, each.State.Bytes + room_min) : each.State.Bytes;
  }
  return out;
}

result<void> stream_client::apply_limits() {
  const auto found = look();
  if (!found) return fail(found.error());
  auto config = *(*found)->Config;
  if (auto ok = check_settings(config); !ok) return ok;
  const auto now = limits_of(config);
  const auto held = (*found)->State.Bytes;
  const auto others = take_room();
  if (!others) return fail(others.error());
  const stream_limits asked{settings_.max_bytes, settings_.max_message_bytes};
  if (const auto possible = limits_to_set(now, held, asked); !possible)
    return fail(possible.error());
  const stream_limits wanted{limit_of_written(asked.bytes_max, *others, now.bytes_max, held),
                             asked.message_bytes_max};
  if (now == wanted) return {};
  config.MaxBytes = static_cast<std::int64_t>(wanted.bytes_max);
  config.MaxMsgSize = static_cast<std::int32_t>(wanted.message_bytes_max);
  jsErrCode code{};
  const auto status = js_UpdateStream(nullptr, js_, &config, nullptr, &code);
  if (status == NATS_OK) {
    bytes_max_ = wanted.bytes_max;
    return {};
  }
  const auto failed = failure_of(status, code);
  auto why = explain(failed, "change the limits of");
  if (why.code == ec::out_of_space)
    why.detail = "cannot change the limits of " + place() + ": " + failed.text + "; " +
                 advice_without_room(wanted.bytes_max, room_of_server());
  return fail(std::move(why));
}

result<void> stream_client::give_up(model::log_generation generation) {
  const auto name = numbered(settings_.stream_prefix, generation);
  jsStreamInfo* raw = nullptr;
  jsErrCode code{};
  auto status = js_GetStreamInfo(&raw, js_, name.c_str(), nullptr, &code);
  const info_ptr found{raw, &jsStreamInfo_Destroy};
  if (status != NATS_OK) return fail(explain(failure_of(status, code), "look at " + name + " of"));
  auto config = *found->Config;
  config.MaxBytes = static_cast<std::int64_t>(room_min);
  config.MaxAge = age_max_ns;
  // The server wants this to be no longer than the age.
  config.Duplicates = age_max_ns;
  status = js_UpdateStream(nullptr, js_, &config, nullptr, &code);
  if (status != NATS_OK) return fail(explain(failure_of(status, code), "empty " + name + " of"));
  return {};
}

}  // namespace argosy::eventlog
