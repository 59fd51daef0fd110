// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/takeover/takeover_records.hpp"

#include <algorithm>
#include <utility>

namespace argosy::takeover {

record_book::record_book(plane_set first_planes) {
  records_.reserve(256);
  records_.emplace_back();
  records_[0].named = first_planes;
}

record_id record_book::add(record_id before, int epoch, int writer, record_kind kind) {
  return add(before, epoch, writer, kind, records_[before].named);
}

record_id record_book::add(record_id before, int epoch, int writer, record_kind kind,
                           plane_set named) {
  record out;
  out.before = before;
  out.kind = kind;
  out.writer = static_cast<std::uint8_t>(writer);
  out.epoch = epoch;
  out.position = records_[before].position + 1;
  out.named = named;
  records_.push_back(out);
  return static_cast<record_id>(records_.size() - 1);
}

record_id record_book::at(record_id end, int position) const {
  while (records_[end].position > position) end = records_[end].before;
  return end;
}

bool record_book::has(record_id end, record_id id) const {
  return at(end, records_[id].position) == id;
}

record_id record_book::fork(record_id one, record_id other) const {
  one = at(one, records_[other].position);
  other = at(other, records_[one].position);
  while (one != other) {
    one = records_[one].before;
    other = records_[other].before;
  }
  return one;
}

record_id record_book::after(record_id from, record_id end) const {
  return at(end, records_[from].position + 1);
}

std::string record_book::text(record_id id) const {
  const auto& it = records_[id];
  std::string out;
  switch (it.kind) {
    case record_kind::beginning:
      return "the beginning";
    case record_kind::elected:
      out = "elected";
      break;
    case record_kind::command:
      out = "command";
      break;
    case record_kind::planes:
      out = "planes";
      break;
  }
  if (it.named != records_[it.before].named) out += " " + text_of(it.named);
  return out + " #" + std::to_string(id) + " (epoch " + std::to_string(it.epoch) + ", position " +
         std::to_string(it.position) + ", by " + plane_name(it.writer) + ")";
}

std::string plane_name(int plane) {
  if (plane < 3) return std::string(1, static_cast<char>('A' + plane));
  return "P" + std::to_string(plane + 1);
}

std::string text_of(plane_set planes) {
  std::string out;
  for (int i = 0; i < most_planes; ++i) {
    if ((planes >> i & 1) != 0) out += (out.empty() ? "{" : " ") + plane_name(i);
  }
  return out + "}";
}

bool replicated_log::available() const {
  if (leader == nobody || !servers[leader].up) return false;
  const auto up = std::count_if(servers.begin(), servers.begin() + count,
                                [](const log_server& server) { return server.up; });
  return 2 * up > count;
}

log_chain replicated_log::read(const record_book& book, bool skips_lower_epochs) const {
  log_chain out;
  const auto& server = servers[leader];
  for (int i = 0; i < std::min(length, server.length); ++i) {
    const auto& entry = server.entries[i];
    if (entry.mark) {
      out = {entry.record, entry.epoch, entry.writer, entry.record};
      continue;
    }
    if (book[entry.record].before != out.end) continue;
    const bool same_leader = entry.epoch == out.epoch && entry.writer == out.writer;
    const bool next_leader =
        entry.epoch > out.epoch && book[entry.record].kind == record_kind::elected;
    if (!same_leader && !next_leader && skips_lower_epochs) continue;
    out.end = entry.record;
    out.epoch = entry.epoch;
    out.writer = entry.writer;
  }
  return out;
}

std::vector<int> replicated_log::helpers() const {
  if (count == 1) return {0};
  std::vector<int> out;
  for (int i = 0; i < count; ++i) {
    if (i != leader && servers[i].up) out.push_back(i);
  }
  return out;
}

bool replicated_log::full() const {
  return servers[leader].length >= longest_log;
}

void replicated_log::append(log_entry entry, int helper) {
  auto& server = servers[leader];
  entry.term = term;
  server.entries[server.length++] = entry;
  if (helper == nobody) return;
  copy(leader, helper);
  length = server.length;
}

void replicated_log::begin_generation(int generation, const log_entry& mark, int helper) {
  ++term;
  auto& server = servers[leader];
  server.generation = generation;
  server.length = 0;
  length = 0;
  append(mark, helper);
}

void replicated_log::restart(int server, int left) {
  auto& it = servers[server];
  it.length = std::min(it.length, left);
  if (it.length == 0) it.generation = 0;
  if (count == 1) {
    length = it.length;
    return;
  }
  it.up = false;
  if (leader == server) leader = nobody;
}

void replicated_log::copy(int from, int to) {
  if (from == to) return;
  const bool up = servers[to].up;
  servers[to] = servers[from];
  servers[to].up = up;
}

bool replicated_log::same(int one, int other) const {
  const auto& a = servers[one];
  const auto& b = servers[other];
  return a.generation == b.generation && a.length == b.length &&
         std::equal(a.entries.begin(), a.entries.begin() + a.length, b.entries.begin(),
                    [](const log_entry& x, const log_entry& y) {
                      return x.record == y.record && x.mark == y.mark && x.term == y.term;
                    });
}

bool replicated_log::may_elect(int candidate, int voter) const {
  const auto key = [&](int server) {
    const auto& it = servers[server];
    return std::pair(it.length > 0 ? it.entries[it.length - 1].term : 0, it.length);
  };
  return candidate != voter && servers[candidate].up && servers[voter].up &&
         key(voter) <= key(candidate);
}

void replicated_log::elect(int candidate, int voter) {
  leader = candidate;
  ++term;
  copy(candidate, voter);
  length = servers[candidate].length;
}

}  // namespace argosy::takeover
