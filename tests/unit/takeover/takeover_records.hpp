// SPDX-License-Identifier: Apache-2.0
// Records, and the log that carries them, of the model of taking over (takeover_model.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace argosy::takeover {

/// Names a record, and with it everything before it: a store is described by its last record.
using record_id = std::uint16_t;

/// A bit for each plane.
using plane_set = std::uint16_t;

constexpr int most_planes = 14;

enum class record_kind : std::uint8_t { beginning, elected, command, planes };

struct record {
  record_id before = 0;
  record_kind kind = record_kind::beginning;
  std::uint8_t writer = 0;
  int epoch = 0;
  int position = 0;
  /// The planes that are named once this record counts.
  plane_set named = 0;
};

/// Every record that was ever written in one walk.
class record_book {
 public:
  explicit record_book(plane_set first_planes);

  record_id add(record_id before, int epoch, int writer, record_kind kind);
  record_id add(record_id before, int epoch, int writer, record_kind kind, plane_set named);

  const record& operator[](record_id id) const { return records_[id]; }

  /// Whether a store that ends with `end` has `id`.
  bool has(record_id end, record_id id) const;
  /// The last record that both have.
  record_id fork(record_id one, record_id other) const;
  /// The record that follows `from` on the way to `end`.
  record_id after(record_id from, record_id end) const;
  /// The record at a position of a store, or its last one.
  record_id at(record_id end, int position) const;
  std::string text(record_id id) const;
  std::size_t size() const { return records_.size(); }

 private:
  std::vector<record> records_;
};

std::string plane_name(int plane);
std::string text_of(plane_set planes);

/// A list that forgets its oldest member when it is full, as a network loses messages.
template <class T, std::size_t Most>
struct short_list {
  std::array<T, Most> members{};
  std::size_t count = 0;

  void push(const T& member) {
    if (count == Most) erase(0);
    members[count++] = member;
  }

  void erase(std::size_t index) {
    for (; index + 1 < count; ++index) members[index] = members[index + 1];
    --count;
  }
};

/// What is published: a batch, or the mark with which a generation begins.
struct log_entry {
  record_id record = 0;
  std::uint8_t writer = 0;
  bool mark = false;
  int epoch = 0;
  /// The term of the servers' leader who took it.
  int term = 0;
};

constexpr int longest_log = 24;

struct log_server {
  bool up = true;
  int generation = 1;
  int length = 0;
  std::array<log_entry, longest_log> entries{};
};

/// Where a reader of the log arrives.
struct log_chain {
  record_id end = 0;
  int epoch = 0;
  int writer = -1;
  /// The record from which the generation begins: who is behind it cannot read on.
  record_id begin = 0;
};

/// The newest generation of the log, on one server or on three with Raft.
struct replicated_log {
  static constexpr int nobody = -1;

  int count = 1;
  std::array<log_server, 3> servers{};
  int leader = 0;
  int term = 0;
  /// How much of the leader's entries a majority has.
  int length = 0;

  bool available() const;
  int generation() const { return servers[leader].generation; }
  log_chain read(const record_book& book, bool skips_lower_epochs) const;

  /// The servers by which the leader can reach a majority; of a single server, itself.
  std::vector<int> helpers() const;
  /// Takes an entry with the help of one more server, or with nobody's.
  void append(log_entry entry, int helper);
  void begin_generation(int generation, const log_entry& mark, int helper);
  bool full() const;

  /// A server stops, or a single one restarts, and has only its first entries left.
  void restart(int server, int left);
  void copy(int from, int to);
  bool same(int one, int other) const;
  bool may_elect(int candidate, int voter) const;
  void elect(int candidate, int voter);
};

}  // namespace argosy::takeover
