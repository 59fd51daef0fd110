// SPDX-License-Identifier: Apache-2.0
#include "runtime/ledger/audit_core.hpp"

#include <utility>

#include "runtime/base/text.hpp"

namespace argosy::ledger {

std::string plain_text(std::string_view text, std::size_t size_max) {
  const auto whole = text.size();
  std::string out;
  text = cut_to_size(text, size_max);
  const bool cut = text.size() < whole;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto next = first_character(text);
    if (!next.valid || is_control(next.code))
      out += '?';
    else
      out += text.substr(0, next.size);
    text.remove_prefix(next.size);
  }
  return cut ? out + "..." : out;
}

bool audit_core::record(model::call_recorded call, std::int64_t now_ns, bool with_refusals) {
  if (window_end_ns_ && now_ns >= *window_end_ns_) end_window(now_ns);
  const auto clean = [this](auto&... texts) {
    ((texts = std::remove_cvref_t<decltype(texts)>{plain_text(texts, limits_.text_bytes_max)}),
     ...);
  };
  clean(call.user, call.via, call.peer, call.method, call.outcome, call.detail, call.queue,
        call.job_set, call.cluster, call.node, call.summary);
  const bool refused = call.outcome != model::call_outcome::ok;
  if (refused && !has_room(call, now_ns, with_refusals)) return false;
  if (waiting_.size() >= limits_.waiting_max) {
    leave_out(caller_of(call), now_ns);
    return false;
  }
  keep(std::move(call), now_ns);
  return true;
}

void audit_core::record_shown(model::call_recorded call, std::int64_t now_ns, bool with_refusals) {
  if (now_ns >= shown_until_ns_ || shown_.size() >= limits_.shown_max) {
    shown_.clear();
    shown_until_ns_ = now_ns + limits_.shown_window.count();
  }
  std::string key;
  for (const auto* text : {&call.user, &call.via, &call.method, &call.outcome, &call.summary})
    key += plain_text(*text, limits_.text_bytes_max) + '\n';
  if (shown_.contains(key)) return;
  // What was only counted has no record yet that could stand for it.
  if (record(std::move(call), now_ns, with_refusals)) shown_.insert(std::move(key));
}

audit_core::caller audit_core::caller_of(const model::call_recorded& call) {
  if (call.method != log_in_method) return {call.user, call.via, {}, false};
  // The port of the other end is another one for each connection.
  return {call.user, call.via, call.peer.substr(0, call.peer.rfind(':')), true};
}

bool audit_core::has_room(const model::call_recorded& call, std::int64_t now_ns,
                          bool with_refusals) {
  auto who = caller_of(call);
  const auto found = refused_.find(who);
  const auto before = found == refused_.end() ? 0 : found->second.recorded;
  const auto most = who.log_in ? limits_.log_ins_per_name : limits_.refusals_per_caller;
  const bool address_is_full = who.log_in && log_ins_.contains(who.address) &&
                               log_ins_.find(who.address)->second >= limits_.log_ins_per_address;
  if (!with_refusals || before >= most || address_is_full || recorded_ >= limits_.refusals_in_all) {
    // Whoever tries many names is counted as one.
    if (address_is_full && before == 0) who.user.clear();
    leave_out(who, now_ns);
    return false;
  }
  if (!window_end_ns_) window_end_ns_ = now_ns + limits_.window.count();
  if (who.log_in) ++log_ins_[who.address];
  ++refused_[std::move(who)].recorded;
  ++recorded_;
  return true;
}

/// Names of callers may be invented, so that there are only as many entries as refusals may be
/// recorded.
void audit_core::leave_out(const caller& who, std::int64_t now_ns) {
  if (!window_end_ns_) window_end_ns_ = now_ns + limits_.window.count();
  ++left_out_;
  auto found = refused_.find(who);
  if (found == refused_.end() && refused_.size() < limits_.refusals_in_all)
    found = refused_.try_emplace(who).first;
  ++(found == refused_.end() ? refused_[caller{}] : found->second).left_out;
}

void audit_core::end_window(std::int64_t now_ns) {
  for (const auto& [who, counted] : refused_) {
    if (counted.left_out == 0) continue;
    model::call_recorded rest;
    rest.user = who.user;
    rest.via = who.via;
    rest.peer = who.address;
    if (who.log_in) rest.method = log_in_method;
    rest.outcome = model::call_outcome::left_out;
    rest.left_out = counted.left_out;
    rest.summary =
        std::to_string(counted.left_out) +
        (counted.left_out == 1 ? " more call was" : " more calls were") +
        (who.log_in ? " refused in the same minute" : " answered than are recorded in a minute");
    keep(std::move(rest), now_ns);
  }
  refused_.clear();
  log_ins_.clear();
  recorded_ = 0;
  window_end_ns_.reset();
}

void audit_core::keep(model::call_recorded call, std::int64_t now_ns) {
  call.number = ++last_;
  waiting_.push_back({now_ns, {}, std::move(call)});
}

std::vector<model::event> audit_core::take(std::int64_t now_ns, bool last) {
  if (window_end_ns_ && (last || now_ns >= *window_end_ns_)) end_window(now_ns);
  return std::exchange(waiting_, {});
}

std::optional<std::int64_t> audit_core::due_ns() const {
  if (!waiting_.empty()) return waiting_.front().time_ns;
  return window_end_ns_;
}

}  // namespace argosy::ledger
