// SPDX-License-Identifier: Apache-2.0
#include "messages/view/job_walk.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "messages/view/view_keys.hpp"
#include "runtime/store/scan.hpp"

namespace argosy::view {

namespace {

constexpr std::size_t id_text_size = 26;

/// Job ids from `first` to `last`, both included.
struct id_range {
  ulid first;
  ulid last;
};

constexpr id_range every_id() {
  id_range all{};
  all.last.bytes.fill(0xff);
  return all;
}

/// The ids that begin with any of these, ascending and disjoint; every id if there are none.
std::vector<id_range> ranges_of(const std::vector<std::string>& prefixes) {
  if (prefixes.empty()) return {every_id()};
  std::vector<id_range> all;
  for (const auto& prefix : prefixes) {
    if (prefix.empty()) return {every_id()};
    if (prefix.size() > id_text_size) continue;
    const auto fill = id_text_size - prefix.size();
    const auto first = parse_ulid(prefix + std::string(fill, '0'));
    const auto last = parse_ulid(prefix + std::string(fill, 'z'));
    if (first && last) all.push_back({*first, *last});
  }
  std::sort(all.begin(), all.end(), [](const id_range& a, const id_range& b) {
    return a.first != b.first ? a.first < b.first : b.last < a.last;
  });
  // Two prefixes have no id in common, unless one of them begins with the other.
  std::vector<id_range> out;
  for (const auto& each : all)
    if (out.empty() || out.back().last < each.first) out.push_back(each);
  return out;
}

/// Walks the jobs of the view in the order of ids.
class job_walk {
 public:
  static result<job_walk> open(store::read_txn& txn, const std::vector<store::table>& tables) {
    job_walk walk;
    for (const auto in : tables) {
      auto cursor = txn.open_cursor(in);
      if (!cursor) return fail(cursor.error());
      walk.cursors_.push_back(std::move(*cursor));
    }
    walk.heads_.resize(walk.cursors_.size());
    return walk;
  }

  /// Calls visit with every record of the range behind `after`, until it returns false. Returns
  /// false if it did.
  result<bool> visit(const id_range& range, const std::optional<ulid>& after,
                     const job_visitor& visitor) {
    if (after && range.last <= *after) return true;
    const auto from = after ? std::max(range.first, *after) : range.first;
    for (std::size_t i = 0; i < cursors_.size(); ++i) {
      auto head = cursors_[i]->seek(view::job_key(from));
      if (head && *head && after && (*head)->key == view::job_key(*after))
        head = cursors_[i]->next();
      if (!head) return fail(head.error());
      heads_[i] = *head;
    }
    while (true) {
      std::size_t best = heads_.size();
      for (std::size_t i = 0; i < heads_.size(); ++i)
        if (heads_[i] && (best == heads_.size() || heads_[i]->key < heads_[best]->key)) best = i;
      if (best == heads_.size() || heads_[best]->key > view::job_key(range.last)) return true;
      auto more = visitor(id_of(heads_[best]->key), heads_[best]->value);
      if (!more) return fail(more.error());
      if (!*more) return false;
      auto next = cursors_[best]->next();
      if (!next) return fail(next.error());
      heads_[best] = *next;
    }
  }

 private:
  std::vector<std::unique_ptr<store::cursor>> cursors_;
  std::vector<std::optional<store::entry>> heads_;
};

}  // namespace

ulid id_of(std::string_view key) {
  ulid id;
  std::memcpy(id.bytes.data(), key.data(), std::min(key.size(), id.bytes.size()));
  return id;
}

result<void> visit_jobs(store::read_txn& txn, const std::vector<store::table>& tables,
                        const std::optional<ulid>& after, const std::vector<std::string>& prefixes,
                        const job_visitor& visitor) {
  auto walk = job_walk::open(txn, tables);
  if (!walk) return fail(walk.error());
  for (const auto& range : ranges_of(prefixes)) {
    const auto more = walk->visit(range, after, visitor);
    if (!more) return fail(more.error());
    if (!*more) return {};
  }
  return {};
}

result<void> visit_index(store::read_txn& txn, store::table index, const std::string& prefix,
                         const std::optional<ulid>& after, const job_visitor& visitor) {
  result<void> outcome;
  const auto visit = [&](const store::entry& entry) -> result<bool> {
    const auto id = id_of(entry.key.substr(prefix.size()));
    if (after && id <= *after) return true;
    for (const auto in : {store::table::jobs_live, store::table::jobs_done}) {
      auto record = txn.get(in, job_key(id));
      if (!record) return fail(record.error());
      if (*record) return visitor(id, **record);
    }
    return true;
  };
  auto scanned = store::scan(
      txn, index, prefix,
      [&](const store::entry& entry) {
        const auto more = visit(entry);
        if (!more) outcome = fail(more.error());
        return more && *more;
      },
      after ? prefix + std::string{job_key(*after)} : std::string{});
  return scanned ? outcome : scanned;
}

}  // namespace argosy::view
