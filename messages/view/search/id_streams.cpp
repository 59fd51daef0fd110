// SPDX-License-Identifier: Apache-2.0
#include "messages/view/search/id_streams.hpp"

#include <algorithm>

#include "messages/view/job_walk.hpp"
#include "messages/view/view_keys.hpp"
#include "runtime/base/check.hpp"

namespace argosy::view {

namespace {

constexpr int steps_max = 6;

class table_stream final : public id_stream {
 public:
  table_stream(std::unique_ptr<store::cursor> cursor, std::string prefix, direction way,
               bool has_records)
      : cursor_(std::move(cursor)),
        prefix_(std::move(prefix)),
        way_(way),
        has_records_(has_records) {}

  result<std::optional<ulid>> leap_to(const ulid& from) override {
    if (over_) return std::optional<ulid>{};
    if (id_ && is_at_or_past(*id_, from, way_)) return id_;
    // Often one of the next entries is the one, and some steps cost less than a search.
    for (int step = 0; step < steps_max && id_; ++step) {
      auto done = take(way_ == direction::up ? cursor_->next() : cursor_->previous());
      if (!done) return fail(done.error());
      if (over_ || is_at_or_past(*id_, from, way_)) return id_;
    }
    auto done = take(search(from));
    if (!done) return fail(done.error());
    return id_;
  }

  std::optional<std::string_view> record() const override {
    return has_records_ && id_ ? std::optional{value_} : std::nullopt;
  }

 private:
  result<std::optional<store::entry>> search(const ulid& from) {
    const auto key = prefix_ + std::string{job_key(from)};
    auto at = cursor_->seek(key);
    if (!at || way_ == direction::up || (*at && (*at)->key == key)) return at;
    return cursor_->previous();
  }

  result<void> take(const result<std::optional<store::entry>>& at) {
    if (!at) return fail(at.error());
    over_ = !*at || !(*at)->key.starts_with(prefix_);
    id_ = over_ ? std::nullopt : std::optional{id_of((*at)->key.substr(prefix_.size()))};
    if (!over_) value_ = (*at)->value;
    return {};
  }

  std::unique_ptr<store::cursor> cursor_;
  std::string prefix_;
  direction way_;
  bool has_records_;
  std::optional<ulid> id_;
  std::string_view value_;
  bool over_ = false;
};

class list_stream final : public id_stream {
 public:
  list_stream(std::vector<ulid> ids, direction way) : ids_(std::move(ids)), way_(way) {
    std::sort(ids_.begin(), ids_.end());
    if (way_ == direction::down) std::reverse(ids_.begin(), ids_.end());
  }

  result<std::optional<ulid>> leap_to(const ulid& from) override {
    while (at_ < ids_.size() && !is_at_or_past(ids_[at_], from, way_)) ++at_;
    return at_ < ids_.size() ? std::optional{ids_[at_]} : std::nullopt;
  }

 private:
  std::vector<ulid> ids_;
  direction way_;
  std::size_t at_ = 0;
};

/// Keeps the streams in a heap by their ids, since those of states in all queues may be many.
class any_stream final : public id_stream {
 public:
  any_stream(std::vector<id_stream_ptr> streams, direction way)
      : streams_(std::move(streams)), way_(way) {}

  result<std::optional<ulid>> leap_to(const ulid& from) override {
    if (!begun_) {
      begun_ = true;
      for (const auto& stream : streams_)
        if (auto added = add(*stream, from); !added) return fail(added.error());
    }
    while (!heads_.empty() && !is_at_or_past(heads_.front().id, from, way_)) {
      std::pop_heap(heads_.begin(), heads_.end(), is_later{way_});
      auto& stream = *heads_.back().stream;
      heads_.pop_back();
      if (auto added = add(stream, from); !added) return fail(added.error());
    }
    return heads_.empty() ? std::optional<ulid>{} : std::optional{heads_.front().id};
  }

  std::optional<std::string_view> record() const override {
    return heads_.empty() ? std::nullopt : heads_.front().stream->record();
  }

 private:
  struct head_of {
    ulid id;
    id_stream* stream = nullptr;
  };

  /// Orders a heap so that what comes first in the direction is in front.
  struct is_later {
    direction way;
    bool operator()(const head_of& a, const head_of& b) const noexcept {
      return way == direction::up ? b.id < a.id : a.id < b.id;
    }
  };

  /// Adds the stream with its first id at or past `from`, if it has one.
  result<void> add(id_stream& stream, const ulid& from) {
    const auto at = stream.leap_to(from);
    if (!at) return fail(at.error());
    if (!*at) return {};
    heads_.push_back({**at, &stream});
    std::push_heap(heads_.begin(), heads_.end(), is_later{way_});
    return {};
  }

  std::vector<id_stream_ptr> streams_;
  std::vector<head_of> heads_;
  direction way_;
  bool begun_ = false;
};

class all_stream final : public id_stream {
 public:
  explicit all_stream(std::vector<id_stream_ptr> streams) : streams_(std::move(streams)) {}

  result<std::optional<ulid>> leap_to(const ulid& from) override {
    auto target = from;
    // Each stream in turn may move the target on; it is found when none does for a whole turn.
    for (std::size_t agreed = 0, i = 0; agreed < streams_.size(); i = (i + 1) % streams_.size()) {
      const auto at = streams_[i]->leap_to(target);
      if (!at || !*at) return at;
      agreed = **at == target && agreed > 0 ? agreed + 1 : 1;
      target = **at;
    }
    return std::optional{target};
  }

  std::optional<std::string_view> record() const override {
    for (const auto& stream : streams_)
      if (const auto found = stream->record()) return found;
    return std::nullopt;
  }

 private:
  std::vector<id_stream_ptr> streams_;
};

}  // namespace

std::optional<ulid> next_id(ulid id, direction way) noexcept {
  const bool up = way == direction::up;
  const std::uint8_t carries = up ? 0xff : 0x00;
  const auto byte = std::find_if(id.bytes.rbegin(), id.bytes.rend(),
                                 [&](std::uint8_t each) { return each != carries; });
  if (byte == id.bytes.rend()) return std::nullopt;
  *byte = static_cast<std::uint8_t>(up ? *byte + 1 : *byte - 1);
  std::fill(id.bytes.rbegin(), byte, up ? std::uint8_t{0} : std::uint8_t{0xff});
  return id;
}

result<id_stream_ptr> ids_in_table(store::read_txn& txn, store::table in, std::string prefix,
                                   direction way) {
  auto cursor = txn.open_cursor(in);
  if (!cursor) return fail(cursor.error());
  const bool has_records = in == store::table::jobs_live || in == store::table::jobs_done;
  return id_stream_ptr{
      std::make_unique<table_stream>(std::move(*cursor), std::move(prefix), way, has_records)};
}

id_stream_ptr ids_in_list(std::vector<ulid> ids, direction way) {
  return std::make_unique<list_stream>(std::move(ids), way);
}

id_stream_ptr any_of(std::vector<id_stream_ptr> streams, direction way) {
  if (streams.size() == 1) return std::move(streams.front());
  return std::make_unique<any_stream>(std::move(streams), way);
}

id_stream_ptr all_of(std::vector<id_stream_ptr> streams) {
  ARGOSY_CHECK(!streams.empty());
  if (streams.size() == 1) return std::move(streams.front());
  return std::make_unique<all_stream>(std::move(streams));
}

}  // namespace argosy::view
