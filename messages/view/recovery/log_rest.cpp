// SPDX-License-Identifier: Apache-2.0
#include "messages/view/recovery/log_rest.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "messages/codec/log/log_codec.hpp"
#include "messages/view/recovery/log_reading.hpp"
#include "messages/view/recovery/log_state.hpp"
#include "messages/view/recovery/standing.hpp"

namespace argosy::view {

namespace {

/// So many jobs are named.
constexpr std::size_t named_max = 20;

class rest_of_log {
 public:
  rest_of_log(view_position end, model::log_position last, const codec::log_key& key)
      : end_(std::move(end)), last_(last), key_(key) {}

  void take(const eventlog::record& record) { take(record, "the log's", 1); }
  /// A batch of the tail that is not ours, or not of the chain, is not needed.
  void take_of_tail(const eventlog::record& record) {
    const auto judged = judge(record.data, end_, &key_);
    if (judged.as == standing::next || (judged.as == standing::broken && judged.authentic))
      take(record, "the tail's", 0);
  }

  void miss(model::log_position position) {
    begin_loss(position, unreadable_record(position));
    ++out_.lost_unreadable;
  }

  log_rest finish() && {
    out_.end = std::move(end_);
    return std::move(out_);
  }

 private:
  void take(const eventlog::record& record, const std::string& whose, std::uint64_t counted) {
    auto judged = judge(record.data, end_, &key_);
    if (judged.as == standing::next) {
      go_on(record, judged, counted);
      return;
    }
    const bool problem = judged.as == standing::broken || judged.as == standing::other_key ||
                         judged.as == standing::unreadable;
    if (!problem) {
      ++out_.foreign;
      return;
    }
    begin_loss(record.position, whose + " record " + to_string(record.position) + " " + judged.why);
    ++out_.lost_batches;
    for (const auto& event : judged.batch.events)
      if (const auto* job = std::get_if<model::job_submitted>(&event.payload))
        out_.lost_jobs.push_back(job->header->id);
  }

  void begin_loss(model::log_position position, std::string why) {
    if (!out_.problem.empty()) return;
    out_.problem = std::move(why);
    out_.lost_from = position;
    out_.lost = last_ - position + 1;
  }

  /// The chain goes on, so that what was between was foreign.
  void go_on(const eventlog::record& record, const judgement& judged, std::uint64_t counted) {
    const auto batches = out_.batches + counted;
    const auto foreign = out_.foreign;
    out_ = {};
    out_.batches = batches;
    out_.foreign = foreign;
    move_end(end_, record, judged, &key_);
  }

  view_position end_;
  model::log_position last_;
  const codec::log_key& key_;
  log_rest out_;
};

}  // namespace

std::string text_of_loss(const log_rest& rest) {
  auto out = "records " + to_string(rest.lost_from) + " to " +
             to_string(rest.lost_from + rest.lost - 1) + ", of which " +
             std::to_string(rest.lost_unreadable) + " cannot be read and " +
             std::to_string(rest.lost_batches) + " are batches of this control plane with " +
             std::to_string(rest.lost_jobs.size()) + " submitted jobs";
  for (std::size_t i = 0; i < rest.lost_jobs.size() && i < named_max; ++i)
    out += (i == 0 ? ": " : ", ") + to_string(rest.lost_jobs[i]);
  if (rest.lost_jobs.size() > named_max) out += " and more";
  return out;
}

result<log_rest> look_at_rest(store::database& database, eventlog::event_log& log,
                              view_position end, const eventlog::log_info& info,
                              const codec::log_key& key) {
  const auto begin = end.position + 1;
  const auto behind = read_tail(database, std::max(end.position, info.last_position));
  if (!behind) return fail(behind.error());
  rest_of_log rest{std::move(end), behind->empty() ? info.last_position : behind->back().position,
                   key};
  for (auto next = begin; next <= info.last_position;) {
    const auto piece = read_on(log, next, info.last_position);
    if (!piece) return fail(piece.error());
    for (const auto& record : piece->records) rest.take(record);
    if (piece->records.empty())
      for (; next < piece->next; ++next) {
        const auto kept = find_in_tail(database, next);
        if (!kept) return fail(kept.error());
        if (*kept)
          rest.take(**kept);
        else
          rest.miss(next);
      }
    next = piece->next;
  }
  for (const auto& record : *behind) rest.take_of_tail(record);
  return std::move(rest).finish();
}

}  // namespace argosy::view
