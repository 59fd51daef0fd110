// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/kubernetes/trouble/pod_event.hpp"

#include <algorithm>
#include <utility>

#include "runtime/backends/kubernetes/object.hpp"
#include "runtime/base/text.hpp"

namespace argosy::backends {

namespace {

constexpr std::size_t event_message_max = 1000;
constexpr std::size_t events_max = 10;

}  // namespace

std::optional<pod_event> read_event(const nlohmann::json& event) {
  const auto& about = object::part(event, "involvedObject");
  if (object::text(about, "kind") != "Pod") return std::nullopt;
  pod_event out;
  out.name_space = object::text(about, "namespace");
  out.pod = object::text(about, "name");
  out.uid = object::text(about, "uid");
  out.is_warning = object::text(event, "type") != "Normal";
  out.reason = object::text(event, "reason");
  out.message = cut_to_size(object::text(event, "message"), event_message_max);
  if (out.pod.empty() || out.reason.empty()) return std::nullopt;
  return out;
}

bool pod_events::add(pod_event event) {
  const auto same = std::ranges::find(events_, event.reason, &pod_event::reason);
  if (same != events_.end()) {
    same->seen = event.seen;
    if (*same == event) return false;
    events_.erase(same);
  } else if (events_.size() == events_max) {
    events_.erase(events_.begin());
  }
  events_.push_back(std::move(event));
  return true;
}

const pod_event* pod_events::last_warning() const noexcept {
  const auto last = std::find_if(events_.rbegin(), events_.rend(), [](const pod_event& each) {
    // What finds no place says so in its status.
    return each.is_warning && each.reason != "FailedScheduling";
  });
  return last == events_.rend() ? nullptr : &*last;
}

}  // namespace argosy::backends
