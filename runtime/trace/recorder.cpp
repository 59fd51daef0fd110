// SPDX-License-Identifier: Apache-2.0
#include "runtime/trace/recorder.hpp"

#include <readerwriterqueue.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "runtime/trace/span_store.hpp"

namespace argosy::trace {

namespace detail {

std::atomic<bool> switched_on{true};

}  // namespace detail

namespace {

constexpr std::size_t ring_size = 4096;
constexpr std::size_t cell_slots = 4096;
constexpr std::size_t cells_max = cell_slots * 3 / 4;
constexpr std::size_t names_max = 65'000;
constexpr std::size_t default_spans = 65'536;

/// Adds without a locked instruction: each counter has one writer, readers only look.
template <class T>
void bump(std::atomic<T>& counter, T by = 1) noexcept {
  counter.store(counter.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
}

/// A histogram with one writing thread.
struct live_histogram {
  std::array<std::atomic<std::uint64_t>, histogram::bucket_count> counts{};
  std::atomic<std::int64_t> sum{0};

  void add(std::int64_t nanos) noexcept {
    bump(counts[histogram::bucket_of(nanos)]);
    bump(sum, std::max<std::int64_t>(nanos, 0));
  }
  void merge_into(histogram& total) const noexcept {
    for (std::size_t i = 0; i < counts.size(); ++i)
      if (const auto n = counts[i].load(std::memory_order_relaxed); n != 0) total.add_bucket(i, n);
    total.add_sum(sum.load(std::memory_order_relaxed));
  }
};

struct times_cell {
  live_histogram wait;
  live_histogram processing;
};

struct edge_cell {
  explicit edge_cell(const edge& k) : kind(k) {}
  ~edge_cell() { delete times.load(); }
  edge_cell(const edge_cell&) = delete;
  edge_cell& operator=(const edge_cell&) = delete;

  const edge kind;
  std::atomic<std::uint64_t> sent{0};
  std::atomic<std::uint64_t> handled{0};
  std::atomic<std::uint64_t> dropped{0};
  std::atomic<std::uint64_t> failed{0};
  std::atomic<std::uint64_t> depth_max{0};
  std::atomic<times_cell*> times{nullptr};

  times_cell& own_times() {
    auto* cell = times.load(std::memory_order_relaxed);
    if (cell == nullptr) {
      cell = new times_cell;
      times.store(cell, std::memory_order_release);
    }
    return *cell;
  }
};

struct span_record {
  context ctx;
  span_id parent;
  std::uint64_t instance;
  std::int64_t begun_nanos;
  std::int64_t wait_nanos;
  std::int64_t duration_nanos;
  edge kind;
  bool failed;
};

/// What one thread writes. It outlives its thread and is handed to the next that starts.
struct thread_state {
  std::array<std::atomic<edge_cell*>, cell_slots> cells{};
  std::size_t cell_count = 0;
  moodycamel::ReaderWriterQueue<span_record> ring{ring_size};

  ~thread_state() { clear(); }

  /// The cell of a kind of message; with very many kinds the last ones share that of the empty.
  edge_cell& cell(const edge& kind) {
    auto slot = slot_of(kind);
    for (;; slot = (slot + 1) % cell_slots) {
      auto* found = cells[slot].load(std::memory_order_relaxed);
      if (found == nullptr) break;
      if (found->kind.from == kind.from && found->kind.to == kind.to &&
          found->kind.message == kind.message)
        return *found;
    }
    if (cell_count >= cells_max && (kind.from | kind.to | kind.message) != 0) return cell({});
    auto* fresh = new edge_cell(kind);
    cells[slot].store(fresh, std::memory_order_release);
    ++cell_count;
    return *fresh;
  }

  void clear() {
    for (auto& slot : cells) delete slot.exchange(nullptr);
    cell_count = 0;
    while (ring.pop()) {
    }
  }

  static std::size_t slot_of(const edge& kind) noexcept {
    const auto key = (static_cast<std::uint64_t>(kind.from) << 32) |
                     (static_cast<std::uint64_t>(kind.to) << 16) | kind.message;
    return static_cast<std::size_t>((key * 0x9e3779b97f4a7c15ULL) >> 52);
  }
};

static_assert(cell_slots == std::size_t{1} << 12, "slot_of() takes 12 bits");

struct name_table {
  std::shared_mutex mutex;
  std::unordered_map<std::string, name_id> ids{{"", 0}, {"other", 1}};
  std::deque<std::string> names{"", "other"};
};

struct recorder_state {
  /// Guards the list of threads and the free list.
  std::mutex threads_mutex;
  std::vector<std::unique_ptr<thread_state>> threads;
  std::vector<thread_state*> free_threads;
  /// Guards the store, and makes its holder the one reader of all rings.
  std::mutex store_mutex;
  span_store store{default_spans};
  std::string process;
  std::atomic<std::uint64_t> lost{0};
  name_table names;
};

/// Never destroyed: threads may record while the process ends.
recorder_state& state() {
  static auto* const instance = new recorder_state;
  return *instance;
}

constinit thread_local thread_state* own_state = nullptr;
constinit thread_local bool thread_ended = false;

/// Gives the thread's state back when the thread ends.
struct state_holder {
  ~state_holder() {
    thread_ended = true;
    auto& all = state();
    const std::lock_guard lock{all.threads_mutex};
    if (own_state != nullptr) all.free_threads.push_back(std::exchange(own_state, nullptr));
  }
};

thread_state* acquire_state() {
  if (thread_ended) return nullptr;
  thread_local const state_holder holder;
  static_cast<void>(&holder);
  auto& all = state();
  const std::lock_guard lock{all.threads_mutex};
  if (all.free_threads.empty()) {
    all.threads.push_back(std::make_unique<thread_state>());
    own_state = all.threads.back().get();
  } else {
    own_state = all.free_threads.back();
    all.free_threads.pop_back();
  }
  return own_state;
}

thread_state* here() {
  return own_state != nullptr ? own_state : acquire_state();
}

std::atomic<std::int64_t (*)() noexcept> time_source{nullptr};

std::int64_t monotonic_nanos() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// What to add to now_nanos() to get nanoseconds since the Unix epoch.
std::int64_t wall_offset() noexcept {
  if (time_source.load(std::memory_order_relaxed) != nullptr) return 0;
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
             .count() -
         monotonic_nanos();
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
  std::vector<thread_state*> threads;
  {
    const std::lock_guard lock{all.threads_mutex};
    threads.reserve(all.threads.size());
    for (const auto& thread : all.threads) threads.push_back(thread.get());
  }
  const auto offset = wall_offset();
  for (auto* thread : threads) {
    span_record record;
    while (thread->ring.try_dequeue(record)) move_to_store(all, record, offset);
  }
}

void push_span(thread_state& thread, const span_record& record) {
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

void set_span_capacity(std::size_t spans) {
  auto& all = state();
  const std::lock_guard lock{all.store_mutex};
  all.store.set_capacity(spans);
}

std::int64_t now_nanos() noexcept {
  const auto source = time_source.load(std::memory_order_relaxed);
  return source != nullptr ? source() : monotonic_nanos();
}

void set_time_source(std::int64_t (*source)() noexcept) noexcept {
  time_source.store(source, std::memory_order_relaxed);
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
