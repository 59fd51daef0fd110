// SPDX-License-Identifier: Apache-2.0
#include "messages/batches/batch_core.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "messages/codec/log/event_size.hpp"
#include "messages/codec/log/log_codec.hpp"
#include "messages/view/recovery/roll_over.hpp"
#include "runtime/base/check.hpp"

namespace argosy::batches {

batch_core::batch_core(view::view_position end, std::size_t batch_bytes_max,
                       std::shared_ptr<const codec::log_key> key, std::string plane)
    : end_(std::move(end)),
      written_epoch_(end_.epoch),
      written_number_(end_.batch_number),
      batch_bytes_max_(batch_bytes_max),
      key_(std::move(key)),
      plane_(std::move(plane)) {}

view::view_position batch_core::written_end() const {
  auto out = end_;
  out.epoch = written_epoch_;
  out.batch_number = written_number_;
  return out;
}

native::append_ptr batch_core::claim(model::leader_elected who, std::int64_t now_ns) {
  // The log may begin a generation with an epoch that was granted before it is claimed.
  if (who.epoch != end_.epoch) {
    who.epoch = std::max(who.epoch, end_.epoch.next());
    end_.epoch = who.epoch;
    end_.batch_number = 0;
  }
  end_.holder = who.holder;
  nonce_ = who.nonce;
  auto request = std::make_shared<native::append_request>();
  request->changes.push_back(ledger::put_epoch{who.epoch, who.holder, who.control_plane});
  request->events.push_back({now_ns, {}, std::move(who)});
  return request;
}

ticket batch_core::add(native::append_ptr request) {
  ARGOSY_CHECK(!is_stopped());
  const auto bytes = request->bytes > 0 ? request->bytes : codec::size_hint(request->events);
  waiting_.push_back({std::move(request), bytes, ++last_ticket_});
  return last_ticket_;
}

const open_batch* batch_core::begin(std::size_t bytes_max) {
  if (open_ || waiting_.empty() || is_stopped()) return nullptr;
  const auto most = std::min(bytes_max, batch_bytes_max_);
  std::vector<append> taken;
  std::size_t bytes = 0;
  while (!waiting_.empty() && (taken.empty() || bytes + waiting_.front().bytes <= most)) {
    bytes += waiting_.front().bytes;
    taken.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
  return &open_with(std::move(taken));
}

void batch_core::put_back() {
  ARGOSY_CHECK(open_ && !open_->in_log && !open_->in_tail);
  waiting_.insert(waiting_.begin(), std::make_move_iterator(open_->appends.begin()),
                  std::make_move_iterator(open_->appends.end()));
  open_.reset();
}

const open_batch& batch_core::begin_alone(native::append_ptr request) {
  ARGOSY_CHECK(!open_ && !is_stopped());
  std::vector<append> alone;
  alone.push_back({std::move(request), 0, ++last_ticket_});
  return open_with(std::move(alone));
}

void batch_core::turn_to(model::log_generation generation, std::int64_t stream_created_ns) {
  ARGOSY_CHECK(!open_ && generation > end_.generation);
  end_.generation = generation;
  end_.generation_base = end_.position;
  end_.stream_created_ns = stream_created_ns;
}

const open_batch& batch_core::open_with(std::vector<append> appends) {
  auto& made = open_.emplace(flight{});
  made.appends = std::move(appends);
  model::log_batch contents;
  contents.generation = end_.generation;
  contents.epoch = end_.epoch;
  contents.number = end_.batch_number + 1;
  contents.previous_hash = end_.hash;
  for (const auto& each : made.appends)
    contents.events.insert(contents.events.end(), each.request->events.begin(),
                           each.request->events.end());
  for (const auto& event : contents.events)
    if (const auto* planes = std::get_if<model::planes_changed>(&event.payload)) {
      made.planes = planes->planes;
      made.batch.tail_first = true;
    }
  made.epoch = contents.epoch;
  made.number = contents.number;
  made.batch.position = end_.position + 1;
  made.batch.message_id = to_string(end_.generation) + "." + to_string(end_.epoch) + "." +
                          to_string(nonce_) + "." + std::to_string(contents.number);
  auto encoded = codec::encode_batch(contents);
  if (key_) key_->sign(encoded);
  made.hash = codec::batch_hash(encoded);
  made.batch.bytes = std::make_shared<const std::string>(std::move(encoded));
  return made.batch;
}

std::optional<finished_batch> batch_core::written_to_log() {
  if (!open_) return std::nullopt;
  open_->in_log = true;
  return finish();
}

std::optional<finished_batch> batch_core::written_to_tail(model::log_position position) {
  if (!open_ || open_->batch.position != position) return std::nullopt;
  open_->in_tail = true;
  return finish();
}

std::optional<finished_batch> batch_core::confirmed(const ledger::confirmation& by) {
  if (!open_) return std::nullopt;
  const model::record_name open{open_->epoch, open_->batch.position, open_->hash};
  if (by.record != open) return std::nullopt;
  open_->confirmed_by.insert(by.plane);
  return finish();
}

void batch_core::step_over() {
  ARGOSY_CHECK(!in_log());
  ++end_.position;
  if (!open_) return;
  ++open_->batch.position;
  open_->in_tail = false;
  open_->confirmed_by.clear();
}

std::vector<ledger::plane_set> batch_core::sets_that_count() const {
  auto out = is_alone_ ? std::vector<ledger::plane_set>{} : end_.plane_sets();
  if (open_->planes) out.push_back(*open_->planes);
  return out;
}

std::optional<finished_batch> batch_core::finish() {
  if (!open_->in_log || !open_->in_tail ||
      !ledger::is_confirmed(sets_that_count(), plane_, open_->confirmed_by))
    return std::nullopt;
  const auto done = std::move(*open_);
  open_.reset();
  end_.position = done.batch.position;
  if (done.epoch == end_.epoch) end_.batch_number = done.number;
  written_epoch_ = done.epoch;
  written_number_ = done.number;
  end_.hash = done.hash;
  end_.planes_before.clear();
  is_alone_ = false;
  if (done.planes) end_.planes = *done.planes;
  end_.key_print = key_ ? key_->print() : 0;
  auto committed = std::make_shared<native::committed_batch>();
  committed->position = end_.position;
  committed->generation = end_.generation;
  committed->epoch = done.epoch;
  committed->number = done.number;
  committed->hash = end_.hash;
  committed->stream_created_ns = end_.stream_created_ns;
  committed->key_print = end_.key_print;
  committed->generation_base = end_.generation_base;
  finished_batch out;
  for (const auto& each : done.appends) {
    for (const auto& event : each.request->events)
      committed->seals = committed->seals || view::is_seal(event, end_.generation);
    committed->entries.push_back(each.request);
    out.tickets.push_back(each.number);
  }
  out.committed = std::move(committed);
  return out;
}

std::vector<ticket> batch_core::stop(error why) {
  ARGOSY_CHECK(why.code != ec::none);
  std::vector<ticket> out;
  if (is_stopped()) return out;
  stopped_ = std::move(why);
  if (open_)
    for (const auto& each : open_->appends) out.push_back(each.number);
  for (const auto& each : waiting_) out.push_back(each.number);
  open_.reset();
  waiting_.clear();
  return out;
}

}  // namespace argosy::batches
