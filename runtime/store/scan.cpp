// SPDX-License-Identifier: Apache-2.0
#include "runtime/store/scan.hpp"

#include <vector>

namespace argosy::store {

namespace {

/// The first key that sorts behind every key with the prefix; empty if there is none.
std::string prefix_end(std::string_view prefix) {
  std::string out{prefix};
  while (!out.empty() && static_cast<unsigned char>(out.back()) == 0xff) out.pop_back();
  if (!out.empty()) out.back() = static_cast<char>(static_cast<unsigned char>(out.back()) + 1);
  return out;
}

/// Places the cursor on the last entry before `end`; an empty `end` is the end of the table.
result<std::optional<entry>> seek_before(cursor& walk, std::string_view end) {
  if (end.empty()) return walk.last();
  auto at = walk.seek(end);
  if (!at) return at;
  return at->has_value() ? walk.previous() : walk.last();
}

}  // namespace

result<void> scan(read_txn& txn, table in, std::string_view prefix, const scan_visitor& visit,
                  std::string_view from) {
  auto walk = txn.open_cursor(in);
  if (!walk) return fail(std::move(walk.error()));
  const auto start = from.empty() ? prefix : from;
  auto at = start.empty() ? (*walk)->first() : (*walk)->seek(start);
  while (true) {
    if (!at) return fail(std::move(at.error()));
    if (!*at || !(*at)->key.starts_with(prefix) || !visit(**at)) return {};
    at = (*walk)->next();
  }
}

result<void> scan_reverse(read_txn& txn, table in, std::string_view prefix,
                          const scan_visitor& visit, std::string_view before) {
  auto walk = txn.open_cursor(in);
  if (!walk) return fail(std::move(walk.error()));
  auto at = seek_before(**walk, before.empty() ? prefix_end(prefix) : std::string{before});
  while (true) {
    if (!at) return fail(std::move(at.error()));
    if (!*at || !(*at)->key.starts_with(prefix) || !visit(**at)) return {};
    at = (*walk)->previous();
  }
}

result<std::optional<entry>> last(read_txn& txn, table in, std::string_view prefix) {
  std::optional<entry> found;
  const auto take = [&found](const entry& e) {
    found = e;
    return false;
  };
  if (auto ok = scan_reverse(txn, in, prefix, take); !ok) return fail(std::move(ok.error()));
  return found;
}

result<std::size_t> erase_range(write_txn& txn, table in, std::string_view from,
                                std::string_view to, std::size_t limit) {
  std::vector<std::string> doomed;
  const auto collect = [&](const entry& e) {
    if (doomed.size() == limit || (!to.empty() && e.key >= to)) return false;
    doomed.emplace_back(e.key);
    return true;
  };
  if (auto ok = scan(txn, in, {}, collect, from); !ok) return fail(std::move(ok.error()));
  for (const auto& key : doomed)
    if (auto ok = txn.erase(in, key); !ok) return fail(std::move(ok.error()));
  return doomed.size();
}

}  // namespace argosy::store
