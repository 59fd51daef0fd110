// SPDX-License-Identifier: Apache-2.0
#include "runtime/trace/recorder.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "runtime/trace/span_store.hpp"
#include "runtime/trace/thread_records.hpp"

namespace argosy::trace {

namespace detail {

std::atomic<bool> switched_on{true};

}  // namespace detail

namespace {

using detail::bump;
using detail::span_record;
using detail::thread_records;

constexpr std::size_t names_max = 65'000;

struct name_table {
  std::shared_mutex mutex;
  std::unordered_map<std::string, name_id> ids{{"", 0}, {"other", 1}};
  std::deque<std::string> names{"", "other"};
};

struct recorder_state {
  /// Guards the list of threads and the free list.
  std::mutex threads_mutex;
  std::vector<std::unique_ptr<thread_records>> threads;
  std::vector<thread_records*> free_threads;
  /// Guards the store, and makes its holder the one reader of all rings.
  std::mutex store_mutex;
  span_store store{{}};
  std::string process;
  std::atomic<std::uint64_t> lost{0};
  name_table names;
};

/// Never destroyed: threads may record while the process ends.
recorder_state& state() {
  static auto* const instance = new recorder_state;
  return *instance;
}

constinit thread_local thread_records* own_records = nullptr;
constinit thread_local bool thread_ended = false;

/// Gives the thread's state back when the thread ends.
struct records_holder {
  ~records_holder() {
    thread_ended = true;
    auto& all = state();
    const std::lock_guard lock{all.threads_mutex};
    if (own_records != nullptr) all.free_threads.push_back(std::exchange(own_records, nullptr));
  }
};

thread_records* acquire_records() {
  if (thread_ended) return nullptr;
  thread_local const records_holder holder;
  static_cast<void>(&holder);
  auto& all = state();
  const std::lock_guard lock{all.threads_mutex};
  if (all.free_threads.empty()) {
    all.threads.push_back(std::make_unique<thread_records>());
    own_records = all.threads.back().get();
  } else {
    own_records = all.free_threads.back();
    all.free_threads.pop_back();
  }
  return own_records;
}

thread_records* here() {
  return own_records != nullptr ? own_records : acquire_records();
}

/// The store's mutex is held.
void move_to_store(recorder_state& all, const span_record& record, std::int64_t offset) {
  finished_span span;
  span.trace = record.ctx.trace;
  span.span = record.ctx.span;
  span.parent = record.parent;
  span.name = name_of(record.kind.message);
  span.actor = name_of(record.kind.to);
  span.instance = record.instance;
  span.process = all.process;
  span.start_nanos = record.begun_nanos + offset;
  span.wait_nanos = record.wait_nanos;
  span.duration_nanos = record.duration_nanos;
  span.failed = record.failed;
  all.store.add(std::move(span));
}

/// The store's mutex is held.
void drain_locked(recorder_state& all) {
  std::vector<thread_records*> threads;
  {
    const std::lock_guard lock{all.threads_mutex};
    threads.reserve(all.threads.size());
    for (const auto& thread : all.threads) threads.push_back(thread.get());
  }
  const auto offset = to_wall_nanos(0);
  for (auto* thread : threads) {
    span_record record;
    while (thread->ring.try_dequeue(record)) move_to_store(all, record, offset);
  }
}

void push_span(thread_records& thread, const span_record& record) {
  if (thread.ring.try_enqueue(record)) return;
  auto& all = state();
  if (std::unique_lock lock{all.store_mutex, std::try_to_lock}; lock.owns_lock()) drain_locked(all);
  if (!thread.ring.try_enqueue(record)) all.lost.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

name_id intern(std::string_view name) {
  auto& table = state().names;
  std::string key{name};
  {
    const std::shared_lock lock{table.mutex};
    if (const auto found = table.ids.find(key); found != table.ids.end()) return found->second;
  }
  const std::unique_lock lock{table.mutex};
  if (table.names.size() >= names_max) return table.ids.at("other");
  const auto [entry, fresh] =
      table.ids.try_emplace(std::move(key), static_cast<name_id>(table.names.size()));
  if (fresh) table.names.push_back(entry->first);
  return entry->second;
}

std::string name_of(name_id id) {
  auto& table = state().names;
  const std::shared_lock lock{table.mutex};
  return id < table.names.size() ? table.names[id] : std::string{};
}

void set_enabled(bool on) noexcept {
  detail::switched_on.store(on, std::memory_order_relaxed);
}

void set_process_name(std::string name) {
  auto& all = state();
  const std::lock_guard lock{all.store_mutex};
  all.process = std::move(name);
}

void set_span_capacity(std::size_t spans, std::size_t bytes) {
  auto& all = state();
  const std::lock_guard lock{all.store_mutex};
  all.store.set_limits({spans, bytes});
}

void note_sent(const edge& kind) noexcept {
  if (auto* thread = here()) bump(thread->cell(kind).sent);
}

void note_dropped(const edge& kind) noexcept {
  if (auto* thread = here()) bump(thread->cell(kind).dropped);
}

void note_handled(const handled_message& message) {
  auto* thread = here();
  if (thread == nullptr) return;
  auto& cell = thread->cell(message.kind);
  const auto wait = message.begun_nanos - message.enqueued_nanos;
  const auto duration = message.ended_nanos - message.begun_nanos;
  bump(cell.handled);
  if (message.failed) bump(cell.failed);
  if (message.depth > cell.depth_max.load(std::memory_order_relaxed))
    cell.depth_max.store(message.depth, std::memory_order_relaxed);
  auto& times = cell.own_times();
  times.wait.add(wait);
  times.processing.add(duration);
  if (message.ctx.sampled && message.ctx.valid())
    push_span(*thread, {message.ctx, message.parent, message.instance, message.begun_nanos, wait,
                        duration, message.kind, message.failed});
}

void add_span(finished_span span) {
  auto& all = state();
  const std::lock_guard lock{all.store_mutex};
  if (span.process.empty()) span.process = all.process;
  all.store.add(std::move(span));
}

void drain() {
  auto& all = state();
  const std::lock_guard lock{all.store_mutex};
  drain_locked(all);
}

std::vector<finished_span> spans_of(const trace_id& trace) {
  auto& all = state();
  const std::lock_guard lock{all.store_mutex};
  drain_locked(all);
  return all.store.of_trace(trace);
}

std::vector<finished_span> spans_after(std::uint64_t& cursor, std::size_t limit) {
  auto& all = state();
  const std::lock_guard lock{all.store_mutex};
  drain_locked(all);
  return all.store.after(cursor, limit);
}

std::vector<finished_span> recent_spans(std::chrono::nanoseconds last) {
  std::uint64_t from_the_first = 0;
  auto recent = spans_after(from_the_first, std::numeric_limits<std::uint32_t>::max());
  const auto begin = to_wall_nanos(now_nanos()) - last.count();
  std::erase_if(recent, [&](const auto& span) { return span.end_nanos() < begin; });
  return recent;
}

std::vector<flow_edge> flow() {
  auto& all = state();
  std::map<std::tuple<std::string, std::string, std::string>, flow_edge> merged;
  const std::lock_guard lock{all.threads_mutex};
  for (const auto& thread : all.threads) {
    for (const auto& slot : thread->cells) {
      const auto* cell = slot.load(std::memory_order_acquire);
      if (cell == nullptr) continue;
      auto from = name_of(cell->kind.from);
      auto to = name_of(cell->kind.to);
      auto message = name_of(cell->kind.message);
      auto& total = merged[{from, to, message}];
      total.from = std::move(from);
      total.to = std::move(to);
      total.message = std::move(message);
      total.sent += cell->sent.load(std::memory_order_relaxed);
      total.handled += cell->handled.load(std::memory_order_relaxed);
      total.dropped += cell->dropped.load(std::memory_order_relaxed);
      total.failed += cell->failed.load(std::memory_order_relaxed);
      total.depth_max = std::max(total.depth_max, cell->depth_max.load(std::memory_order_relaxed));
      if (const auto* times = cell->times.load(std::memory_order_acquire)) {
        times->wait.merge_into(total.wait);
        times->processing.merge_into(total.processing);
      }
    }
  }
  std::vector<flow_edge> edges;
  edges.reserve(merged.size());
  for (auto& entry : merged) edges.push_back(std::move(entry.second));
  return edges;
}

std::size_t spans_kept() {
  auto& all = state();
  const std::lock_guard lock{all.store_mutex};
  return all.store.size();
}

std::size_t span_bytes_kept() {
  auto& all = state();
  const std::lock_guard lock{all.store_mutex};
  return all.store.bytes();
}

std::uint64_t spans_dropped() {
  auto& all = state();
  const std::lock_guard lock{all.store_mutex};
  return all.store.dropped();
}

std::uint64_t spans_lost() noexcept {
  return state().lost.load(std::memory_order_relaxed);
}

void reset() {
  auto& all = state();
  const std::scoped_lock lock{all.store_mutex, all.threads_mutex};
  for (auto& thread : all.threads) thread->clear();
  all.store.clear();
  all.lost = 0;
}

}  // namespace argosy::trace
