// SPDX-License-Identifier: Apache-2.0
#include "runtime/kube/follow/follow_core.hpp"

#include <algorithm>
#include <utility>

#include "runtime/kube/json_field.hpp"
#include "runtime/kube/query.hpp"

namespace argosy::kube {

namespace {

constexpr int gone = 410;
constexpr std::chrono::milliseconds no_time{0};

/// Whether the same version, or the same place in a list, would be refused again. 504 is the answer
/// to a version that the server does not have yet, as after a restore of its store.
bool version_is_bad(int status) {
  const bool other_reason = status == 401 || status == 403 || status == 429;
  return status == 504 || (status >= 400 && status < 500 && !other_reason);
}

error why_not(const std::string& collection, const std::string& verb, const follow_end& end) {
  const auto what = "'" + collection + "' cannot be " + verb + ": ";
  if (end.why) return {end.why->code, what + end.why->detail};
  const auto code = end.status == 401 || end.status == 403 ? ec::denied
                    : end.status == 404                    ? ec::not_found
                                                           : ec::unreachable;
  const auto* const hint =
      end.status == 401 ? "; it knows no such token or client certificate, or that has expired"
                        : "";
  return {code, what + "the API server answers " + std::to_string(end.status) +
                    status_message(std::string_view{end.body}) + hint};
}

}  // namespace

follow_core::follow_core(std::string collection, const follow_rules& rules, random_source& random)
    : collection_(std::move(collection)),
      rules_(rules),
      random_(random),
      lines_(rules.line_bytes_max) {}

follow_step follow_core::begin() {
  return list_step(no_time);
}

follow_effects follow_core::begin_anew(error why) {
  follow_effects out;
  interrupted_ = false;
  interrupt(out, std::move(why));
  out.next = list_anew(no_time);
  return out;
}

follow_effects follow_core::page(std::string_view body) {
  auto read = read_list_page(body);
  if (!read)
    return list_is_wrong(
        {ec::unreachable, "the API server answers with something that is no list"});
  if (objects_.size() + read->objects.size() > rules_.objects_max)
    return list_is_wrong({ec::too_large, "there are more than " +
                                             std::to_string(rules_.objects_max) +
                                             " objects; follow fewer by a selector"});
  std::ranges::move(read->objects, std::back_inserter(objects_));
  version_ = std::move(read->version);
  continue_from_ = std::move(read->continue_from);
  follow_effects out;
  if (!continue_from_.empty()) {
    out.next = list_step(no_time);
    return out;
  }
  resume(out);
  out.tell.emplace_back(told_list{std::exchange(objects_, {})});
  list_failures_ = 0;
  interrupted_ = false;
  out.next = watch_step(no_time);
  return out;
}

follow_effects follow_core::list_is_wrong(error why) {
  objects_.clear();
  continue_from_.clear();
  return list_failed({.status = 200, .why = std::move(why)});
}

follow_effects follow_core::list_failed(const follow_end& end) {
  follow_effects out;
  // The rest of the list is no longer there as it was when it began. That is usual for a slow list.
  const bool expired = end.status == gone && !continue_from_.empty();
  if (expired && list_failures_ == 0) {
    ++list_failures_;
    out.next = list_anew(no_time);
    return out;
  }
  interrupt(out, why_not(collection_, "listed", end));
  const auto delay = std::max(wait(list_failures_, end), end.retry_after.value_or(no_time));
  // Else the same page is asked for again; what was read before it still holds.
  out.next = version_is_bad(end.status) ? list_anew(delay) : list_step(delay);
  return out;
}

follow_effects follow_core::watch_opened() {
  follow_effects out;
  resume(out);
  return out;
}

follow_effects follow_core::watched(std::string_view bytes) {
  follow_effects out;
  const bool short_enough =
      lines_.feed(bytes, [&](std::string_view line) { return take_line(line, out); });
  if (!short_enough && !out.next)
    return lines_are_wrong(
        std::move(out), "a line has more than " + std::to_string(rules_.line_bytes_max) + " bytes");
  return out;
}

bool follow_core::take_line(std::string_view line, follow_effects& into) {
  if (line.find_first_not_of(" \r\t") == std::string_view::npos) return true;
  auto event = read_watch_event(line);
  const bool has_version = event && !event->version.empty();
  const bool needs_version = event && (event->what == watch_event::kind::object ||
                                       event->what == watch_event::kind::bookmark);
  if (!event || (needs_version && !has_version)) {
    into = lines_are_wrong(std::move(into), "a line is no event");
    return false;
  }
  if (event->what == watch_event::kind::failed) {
    const int code = number_field(event->object, "code");
    auto delay = no_time;
    into.failed = code;
    if (code != gone) {
      interrupt(into, {ec::unreachable, "the watch of '" + collection_ + "' failed with code " +
                                            std::to_string(code) + status_message(event->object)});
      delay = wait(watch_failures_);
    } else if (watch_failures_++ > 0) {
      delay = backoff(rules_.waits, watch_failures_, random_);
    }
    into.next = list_anew(delay);
    return false;
  }
  // A kind of event that is not known yet moves nothing.
  if (event->what == watch_event::kind::unknown) return true;
  heard_ = true;
  all_is_well();
  version_ = std::move(event->version);
  if (event->what == watch_event::kind::object)
    into.tell.emplace_back(told_change{event->how, std::move(event->object)});
  return true;
}

follow_effects follow_core::lines_are_wrong(follow_effects so_far, const std::string& why) {
  interrupt(so_far, {ec::unreachable, "the watch of '" + collection_ + "' is broken: " + why});
  so_far.next = list_anew(wait(watch_failures_));
  return so_far;
}

follow_effects follow_core::watch_ended(const follow_end& end) {
  follow_effects out;
  const bool opened = end.status == 200;
  if (opened && (heard_ || end.lasted >= rules_.watch_min)) {
    all_is_well();
    // A connection that was cut, or fell silent, is a failure all the same: it may be the first of
    // many.
    out.next = watch_step(end.why ? wait(watch_failures_) : no_time);
    return out;
  }
  if (end.status == gone) {
    out.next = list_anew(watch_failures_++ == 0 ? no_time
                                                : backoff(rules_.waits, watch_failures_, random_));
    return out;
  }
  follow_end told = end;
  if (opened && !end.why) told.why = error{ec::unreachable, "the watch ended as soon as it began"};
  interrupt(out, why_not(collection_, "watched", told));
  const auto delay = std::max(wait(watch_failures_, end), end.retry_after.value_or(no_time));
  out.next = version_is_bad(end.status) ? list_anew(delay) : watch_step(delay);
  return out;
}

std::chrono::milliseconds follow_core::wait(unsigned& failures, const follow_end& after) const {
  auto rules = rules_.waits;
  if (after.is_away()) rules.most = std::min(rules.most, rules_.away_most);
  return backoff(rules, ++failures, random_);
}

void follow_core::interrupt(follow_effects& into, error why) {
  if (std::exchange(interrupted_, true)) return;
  resumed_ = false;
  into.tell.emplace_back(std::move(why));
}

void follow_core::resume(follow_effects& into) {
  if (!std::exchange(resumed_, true)) into.tell.emplace_back(told_resumption{});
}

void follow_core::all_is_well() {
  watch_failures_ = 0;
  interrupted_ = false;
}

std::string follow_core::path(const std::string& query) const {
  return collection_ + (collection_.find('?') == std::string::npos ? '?' : '&') + query;
}

follow_step follow_core::list_step(std::chrono::milliseconds after) {
  auto query = "limit=" + std::to_string(rules_.page_objects);
  if (!continue_from_.empty()) query += "&continue=" + query_value(continue_from_);
  return {follow_step::kind::list, path(query), after};
}

follow_step follow_core::list_anew(std::chrono::milliseconds after) {
  objects_.clear();
  continue_from_.clear();
  version_.clear();
  lines_.clear();
  return list_step(after);
}

follow_step follow_core::watch_step(std::chrono::milliseconds after) {
  lines_.clear();
  heard_ = false;
  const auto half = static_cast<std::uint64_t>(rules_.watch_for.count() / 2) + 1;
  const auto seconds = static_cast<std::uint64_t>(rules_.watch_for.count()) + random_.next() % half;
  return {follow_step::kind::watch,
          path("watch=1&allowWatchBookmarks=true&resourceVersion=" + query_value(version_) +
               "&timeoutSeconds=" + std::to_string(seconds)),
          after};
}

}  // namespace argosy::kube
