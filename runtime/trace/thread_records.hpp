// SPDX-License-Identifier: Apache-2.0
// This file declares what one thread records: counters for each kind of message, and a ring of
// finished spans. One thread writes, without locks or locked instructions; others read at any time.
// Belongs to the recorder, which hands the records of an ended thread to the next that starts.
#pragma once

#include <readerwriterqueue.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

#include "runtime/trace/recorder.hpp"

namespace argosy::trace::detail {

constexpr std::size_t ring_size = 4096;
constexpr std::size_t cell_slots = 4096;
constexpr std::size_t cells_max = cell_slots * 3 / 4;

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

struct thread_records {
  std::array<std::atomic<edge_cell*>, cell_slots> cells{};
  std::size_t cell_count = 0;
  moodycamel::ReaderWriterQueue<span_record> ring{ring_size};

  ~thread_records() { clear(); }

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

}  // namespace argosy::trace::detail
