// SPDX-License-Identifier: Apache-2.0
#include "messages/past/chain_reader.hpp"

#include <optional>
#include <string>
#include <utility>

#include "messages/codec/log/log_codec.hpp"
#include "messages/view/recovery/log_reading.hpp"
#include "messages/view/recovery/standing.hpp"

namespace argosy::past {

namespace {

/// The next generation, if a batch of this one is its seal.
struct next_generation {
  model::log_generation number{};
  model::log_position base{};
};

class chain_reader {
 public:
  chain_reader(eventlog::event_log& log, view::view_position end, const codec::log_key& key,
               const batch_visitor& visit)
      : log_(log), end_(std::move(end)), key_(key), visit_(visit) {}

  result<void> run() {
    auto base = end_.generation_base;
    for (auto generation = end_.generation;;) {
      log_.choose(generation, base);
      if (auto read = read_generation(); !read) return read;
      if (over_ || !next_) return {};
      generation = next_->number;
      base = next_->base;
      next_.reset();
    }
  }

 private:
  result<void> read_generation() {
    const auto info = log_.info();
    if (!info) return fail(info.error());
    if (end_.position + 1 < info->first_position)
      return fail(ec::not_found,
                  "the log has given up its records before " + to_string(info->first_position));
    for (auto at = end_.position + 1; at <= info->last_position && !over_ && !next_;) {
      auto piece = view::read_on(log_, at, info->last_position);
      if (!piece) return fail(piece.error());
      for (const auto& record : piece->records) {
        take(record);
        if (over_ || next_) break;
      }
      at = piece->next;
    }
    return {};
  }

  void take(const eventlog::record& record) {
    auto judged = view::judge(record.data, end_, &key_);
    if (judged.as != view::standing::next) return;
    view::move_end(end_, record, judged, &key_);
    for (const auto& event : judged.batch.events)
      if (const auto* begun = std::get_if<model::generation_begun>(&event.payload);
          begun != nullptr && begun->generation != judged.batch.generation)
        next_ = next_generation{begun->generation, begun->position};
    over_ = !visit_(record.position, judged.batch);
  }

  eventlog::event_log& log_;
  view::view_position end_;
  const codec::log_key& key_;
  const batch_visitor& visit_;
  std::optional<next_generation> next_;
  bool over_ = false;
};

}  // namespace

result<void> each_batch(eventlog::event_log& log, view::view_position end,
                        const codec::log_key& key, const batch_visitor& visit) {
  return chain_reader{log, std::move(end), key, visit}.run();
}

}  // namespace argosy::past
