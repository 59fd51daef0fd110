// SPDX-License-Identifier: Apache-2.0
#include "runtime/trace/caf/live_actors.hpp"

#include <algorithm>
#include <caf/actor_cast.hpp>
#include <caf/local_actor.hpp>
#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "runtime/trace/actor_counts.hpp"

namespace argosy::trace {

namespace {

struct entry {
  const caf::actor_system* system = nullptr;
  caf::weak_actor_ptr handle;
  name_id type = 0;
  std::uint64_t id = 0;
  const actor_gauges* gauges = nullptr;  ///< A part of the actor.
};

struct registry {
  std::mutex mutex;
  /// The actors by running number, so that listing keeps the order of starting.
  std::map<std::uint64_t, entry> actors;
  std::unordered_map<const caf::abstract_actor*, std::uint64_t> numbers;
  std::uint64_t next = 0;
};

/// Never destroyed: actors may end while the process does.
registry& all() {
  static auto* const instance = new registry;
  return *instance;
}

/// What an actor shows whose handler began at `begun`.
actor_reading reading_of(const entry& item, std::int64_t begun) {
  const auto& shown = *item.gauges;
  actor_reading out;
  out.type = name_of(item.type);
  out.id = item.id;
  out.depth = shown.depth.load(std::memory_order_acquire);
  const auto oldest = shown.oldest_nanos.load(std::memory_order_relaxed);
  out.handled = shown.handled.load(std::memory_order_relaxed);
  out.processing_nanos = shown.processing_nanos.load(std::memory_order_relaxed);
  out.wait_nanos = shown.wait_nanos.load(std::memory_order_relaxed);
  if (begun != 0) out.message = name_of(shown.message.load(std::memory_order_relaxed));
  // The clock is read last, so that no time lies ahead of it.
  const auto now = now_nanos();
  if (out.depth > 0) out.oldest_nanos = std::max<std::int64_t>(now - oldest, 0);
  if (begun != 0) out.busy_nanos = std::max<std::int64_t>(now - begun, 1);
  return out;
}

}  // namespace

name_id actor_started(caf::local_actor& actor, const char* type, const actor_gauges& gauges) {
  const auto id = intern(type);
  note_actor_started(id);
  auto& actors = all();
  const std::lock_guard lock{actors.mutex};
  const auto number = actors.next++;
  actors.numbers[&actor] = number;
  actors.actors[number] = {&actor.system(), caf::weak_actor_ptr{actor.ctrl()}, id, actor.id(),
                           &gauges};
  return id;
}

void actor_ended(caf::local_actor& actor) noexcept {
  auto& actors = all();
  // This is released after the lock, since the last weak reference frees the actor's memory.
  caf::weak_actor_ptr last;
  const std::lock_guard lock{actors.mutex};
  const auto number = actors.numbers.find(&actor);
  if (number == actors.numbers.end()) return;
  const auto found = actors.actors.find(number->second);
  note_actor_ended(found->second.type);
  last = std::move(found->second.handle);
  actors.actors.erase(found);
  actors.numbers.erase(number);
}

actor_readings read_actors(std::chrono::nanoseconds busy_from) {
  auto& actors = all();
  actor_readings out;
  const std::lock_guard lock{actors.mutex};
  const auto latest = now_nanos() - busy_from.count();
  for (const auto& [number, item] : actors.actors) {
    const auto begun = item.gauges->begun_nanos.load(std::memory_order_acquire);
    if (busy_from.count() > 0 && (begun == 0 || begun > latest)) continue;
    out.push_back(reading_of(item, begun));
  }
  return out;
}

std::vector<live_actor> live_actors(const caf::actor_system& system) {
  auto& actors = all();
  std::vector<live_actor> found;
  const std::lock_guard lock{actors.mutex};
  for (const auto& [number, item] : actors.actors) {
    if (item.system != &system) continue;
    if (auto handle = item.handle.lock()) found.push_back({std::move(handle), name_of(item.type)});
  }
  return found;
}

}  // namespace argosy::trace
