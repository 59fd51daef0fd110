// SPDX-License-Identifier: Apache-2.0
#include "runtime/store/in_memory.hpp"

#include <array>
#include <map>
#include <mutex>
#include <utility>

#include "runtime/base/check.hpp"

namespace argosy::store {

namespace {

using rows = std::map<std::string, std::string, std::less<>>;
using snapshot = std::array<std::shared_ptr<rows>, table_names.size()>;
/// What a write transaction has changed: a value, or nothing where the key was erased.
using changes = std::map<std::string, std::optional<std::string>, std::less<>>;

const changes no_changes;

constexpr std::size_t index(table in) {
  return static_cast<std::size_t>(in);
}

result<void> check_key(std::string_view key) {
  if (!key.empty() && key.size() <= max_key_bytes) return {};
  return fail(ec::invalid_argument, "a key must have 1 to " + std::to_string(max_key_bytes) +
                                        " bytes, this one has " + std::to_string(key.size()));
}

/// Walks the committed rows as the changes of the transaction alter them. It remembers its place by
/// key, so that it survives changes to the transaction.
class memory_cursor final : public cursor {
 public:
  memory_cursor(const rows& base, const changes& over) : base_(base), over_(over) {}

  result<std::optional<entry>> first() override { return forward({}, true); }
  result<std::optional<entry>> last() override { return backward(base_.end(), over_.end()); }
  result<std::optional<entry>> seek(std::string_view from) override { return forward(from, true); }
  result<std::optional<entry>> next() override {
    if (place_ == place::fresh || place_ == place::before) return first();
    if (place_ == place::after) return std::nullopt;
    return forward(std::string{at_}, false);
  }
  result<std::optional<entry>> previous() override {
    if (place_ == place::fresh || place_ == place::after) return last();
    if (place_ == place::before) return std::nullopt;
    const std::string here = at_;
    return backward(base_.lower_bound(here), over_.lower_bound(here));
  }

 private:
  enum class place : std::uint8_t { fresh, before, on, after };

  std::optional<entry> arrive(std::string_view key, std::string_view value) {
    place_ = place::on;
    at_ = key;
    return entry{key, value};
  }

  std::optional<entry> forward(std::string_view from, bool inclusive) {
    auto base = inclusive ? base_.lower_bound(from) : base_.upper_bound(from);
    auto over = inclusive ? over_.lower_bound(from) : over_.upper_bound(from);
    while (base != base_.end() || over != over_.end()) {
      if (over == over_.end() || (base != base_.end() && base->first < over->first))
        return arrive(base->first, base->second);
      if (base != base_.end() && base->first == over->first) ++base;
      if (over->second) return arrive(over->first, *over->second);
      ++over;
    }
    place_ = place::after;
    return std::nullopt;
  }

  /// The greatest entry before both positions.
  std::optional<entry> backward(rows::const_iterator base, changes::const_iterator over) {
    while (base != base_.begin() || over != over_.begin()) {
      const bool has_base = base != base_.begin();
      const bool has_over = over != over_.begin();
      if (!has_over || (has_base && std::prev(over)->first < std::prev(base)->first)) {
        --base;
        return arrive(base->first, base->second);
      }
      --over;
      if (has_base && std::prev(base)->first == over->first) --base;
      if (over->second) return arrive(over->first, *over->second);
    }
    place_ = place::before;
    return std::nullopt;
  }

  const rows& base_;
  const changes& over_;
  std::string at_;
  place place_ = place::fresh;
};

std::uint64_t size_of(std::string_view key, std::string_view value) {
  return key.size() + value.size();
}

}  // namespace

struct memory_database::state {
  std::mutex mutex;
  snapshot committed;
  std::uint64_t used = 0;
  std::uint64_t limit = 0;
  std::uint64_t held = 0;
  std::uint64_t reserved = 0;
  std::uint64_t disk_free = 0;
  std::uint64_t disk = 0;
  bool writing = false;
  std::optional<error> next_commit;

  result<void> apply(std::array<changes, table_names.size()>& all);
};

result<void> memory_database::state::apply(std::array<changes, table_names.size()>& all) {
  const std::lock_guard lock{mutex};
  if (auto injected = std::exchange(next_commit, std::nullopt)) return fail(std::move(*injected));
  std::uint64_t added = 0;
  std::uint64_t removed = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const auto& [key, value] : all[i]) {
      if (const auto old = committed[i]->find(key); old != committed[i]->end())
        removed += size_of(key, old->second);
      if (value) added += size_of(key, *value);
    }
  }
  if (used + added > limit + removed)
    return fail(ec::out_of_space,
                "the database in memory is full: its limit is " + std::to_string(limit) + " bytes");
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].empty()) continue;
    // A count above one means that some reader still holds this version.
    if (committed[i].use_count() > 1) committed[i] = std::make_shared<rows>(*committed[i]);
    for (auto& [key, value] : all[i]) {
      if (value)
        committed[i]->insert_or_assign(key, std::move(*value));
      else
        committed[i]->erase(key);
    }
  }
  used = used + added - removed;
  return {};
}

namespace {

class memory_read final : public read_txn {
 public:
  explicit memory_read(snapshot seen) : seen_(std::move(seen)) {}

  result<std::optional<std::string_view>> get(table in, std::string_view key) override {
    const auto& base = *seen_[index(in)];
    const auto found = base.find(key);
    if (found == base.end()) return std::optional<std::string_view>{};
    return std::optional<std::string_view>{found->second};
  }
  result<std::unique_ptr<cursor>> open_cursor(table in) override {
    return std::make_unique<memory_cursor>(*seen_[index(in)], no_changes);
  }
  result<std::uint64_t> count(table in) override { return seen_[index(in)]->size(); }

 private:
  snapshot seen_;
};

class memory_write final : public write_txn {
 public:
  explicit memory_write(std::shared_ptr<memory_database::state> db) : db_(std::move(db)) {}
  ~memory_write() override { end(); }

  result<std::optional<std::string_view>> get(table in, std::string_view key) override {
    if (const auto own = changes_[index(in)].find(key); own != changes_[index(in)].end()) {
      if (!own->second) return std::optional<std::string_view>{};
      return std::optional<std::string_view>{*own->second};
    }
    const auto found = base(in).find(key);
    if (found == base(in).end()) return std::optional<std::string_view>{};
    return std::optional<std::string_view>{found->second};
  }

  result<std::unique_ptr<cursor>> open_cursor(table in) override {
    return std::make_unique<memory_cursor>(base(in), changes_[index(in)]);
  }

  result<std::uint64_t> count(table in) override {
    std::uint64_t out = base(in).size();
    for (const auto& [key, value] : changes_[index(in)]) {
      const bool before = base(in).contains(key);
      if (value && !before) ++out;
      if (!value && before) --out;
    }
    return out;
  }

  result<void> put(table in, std::string_view key, std::string_view value) override {
    ARGOSY_CHECK(!ended_);
    if (auto ok = check_key(key); !ok) return ok;
    changes_[index(in)].insert_or_assign(std::string{key}, std::string{value});
    return {};
  }

  result<void> append(table in, std::string_view key, std::string_view value) override {
    const auto tail = memory_cursor{base(in), changes_[index(in)]}.last();
    if (tail && *tail && (*tail)->key >= key)
      return fail(ec::conflict, "append to table '" + std::string{to_string(in)} +
                                    "': the key is not behind the last one");
    return put(in, key, value);
  }

  result<bool> erase(table in, std::string_view key) override {
    ARGOSY_CHECK(!ended_);
    if (auto ok = check_key(key); !ok) return fail(std::move(ok.error()));
    const auto known = get(in, key);
    if (!known || !*known) return false;
    changes_[index(in)].insert_or_assign(std::string{key}, std::nullopt);
    return true;
  }

  result<void> commit() override {
    ARGOSY_CHECK(!ended_);
    auto done = db_->apply(changes_);
    end();
    return done;
  }

 private:
  /// Only this transaction changes the committed rows while it lives.
  const rows& base(table in) const { return *db_->committed[index(in)]; }

  void end() {
    if (std::exchange(ended_, true)) return;
    const std::lock_guard lock{db_->mutex};
    db_->writing = false;
  }

  std::shared_ptr<memory_database::state> db_;
  std::array<changes, table_names.size()> changes_;
  bool ended_ = false;
};

}  // namespace

memory_database::memory_database(std::uint64_t limit_bytes) : state_(std::make_shared<state>()) {
  state_->limit = limit_bytes;
  for (auto& in : state_->committed) in = std::make_shared<rows>();
}

memory_database::~memory_database() = default;

result<std::unique_ptr<read_txn>> memory_database::begin_read() {
  const std::lock_guard lock{state_->mutex};
  return std::make_unique<memory_read>(state_->committed);
}

result<std::unique_ptr<write_txn>> memory_database::begin_write() {
  const std::lock_guard lock{state_->mutex};
  ARGOSY_CHECK(!state_->writing);
  state_->writing = true;
  return std::make_unique<memory_write>(state_);
}

result<database_usage> memory_database::usage() {
  const std::lock_guard lock{state_->mutex};
  return database_usage{state_->used,      state_->limit, state_->used,    state_->held,
                        state_->disk_free, state_->disk,  state_->reserved};
}

result<void> memory_database::backup(const std::string&) {
  return fail(ec::invalid_argument, "a database in memory cannot be copied to a folder");
}

void memory_database::fail_next_commit(error err) {
  const std::lock_guard lock{state_->mutex};
  state_->next_commit = std::move(err);
}

void memory_database::set_room(std::uint64_t disk_free, std::uint64_t disk, std::uint64_t held,
                               std::uint64_t reserved) {
  const std::lock_guard lock{state_->mutex};
  state_->disk_free = disk_free;
  state_->disk = disk;
  state_->held = held;
  state_->reserved = reserved;
}

std::unique_ptr<memory_database> memory_database::clone() const {
  const std::lock_guard lock{state_->mutex};
  auto out = std::make_unique<memory_database>(state_->limit);
  for (std::size_t i = 0; i < table_names.size(); ++i)
    out->state_->committed[i] = std::make_shared<rows>(*state_->committed[i]);
  out->state_->used = state_->used;
  return out;
}

}  // namespace argosy::store
