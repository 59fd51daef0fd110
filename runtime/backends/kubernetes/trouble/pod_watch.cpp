// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/kubernetes/trouble/pod_watch.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

namespace argosy::backends {

namespace {

using model::run_phase;

constexpr std::int64_t nanos_per_second = 1'000'000'000;
constexpr std::int64_t seconds_per_day = 86'400;
constexpr std::int64_t minute = 60;

}  // namespace

void pod_watch::see(const pod_view& pod, boot_time waited, boot_time now) {
  const bool first = phase_ == run_phase::accepted;
  if (first) facts_.pending_since = now - waited;
  if (first || pod.wait != wait_) facts_.wait_since = first ? now - waited : now;
  // What an operator's rules grant begins anew once the init containers have ended.
  if (!first && init_open_ && !pod.init_open) facts_.pending_since = now;
  if (pod.phase == run_phase::running && phase_ != run_phase::running) facts_.running_since = now;
  phase_ = pod.phase;
  wait_ = pod.wait;
  init_open_ = pod.init_open;
}

void pod_watch::see_node(const node_state* node, boot_time now) {
  if (const bool bad = node != nullptr; std::exchange(bad_node_, bad) != bad)
    facts_.node_since = now;
  due_ = now;
}

void pod_watch::end(boot_time grace, boot_time now) {
  facts_.ending_since = now;
  facts_.ending_grace = grace;
  due_ = now;
}

void pod_watch::go_on(boot_time now) {
  facts_.ending_since.reset();
  due_ = now;
}

void pod_watch::pause(boot_time since) {
  paused_ = std::min(since, paused_.value_or(since));
  rest();
}

void pod_watch::resume(boot_time now) {
  if (!paused_) return;
  for (auto* since : {&facts_.node_since, &facts_.pending_since, &facts_.wait_since})
    *since += now - std::max(*paused_, *since);
  if (facts_.ending_since) *facts_.ending_since += now - std::max(*paused_, *facts_.ending_since);
  paused_.reset();
  due_ = now;
}

pod_trouble pod_watch::check(const pod_view& pod, const node_state* node, const own_objects& own,
                             const trouble_rules& rules, boot_time now) {
  if (const bool bad = node != nullptr; std::exchange(bad_node_, bad) != bad)
    facts_.node_since = now;
  facts_.pod = &pod;
  facts_.node = node;
  facts_.own = &own;
  facts_.events = &events_;
  auto found = check_pod(facts_, rules, now);
  facts_.pod = nullptr;
  facts_.node = nullptr;
  facts_.own = nullptr;
  facts_.events = nullptr;
  due_ = found.again;
  return found;
}

std::optional<std::string> pod_watch::tell(const std::string& kind, const std::string& text) {
  if (kind == told_) return std::nullopt;
  const auto before = std::exchange(told_, kind);
  if (!kind.empty()) return text;
  // The news that it runs says that it waits no more.
  if (phase_ != run_phase::pending && before != "node" && before != "server") return std::nullopt;
  auto over = trouble_over(before);
  if (over.empty()) return std::nullopt;
  return over;
}

std::string note_text(const std::string& text, std::int64_t wall_ns) {
  const auto second = wall_ns / nanos_per_second % seconds_per_day;
  std::array<char, 32> clock{};
  std::snprintf(clock.data(), clock.size(),
                "at %02d:%02d:%02d UTC: ", static_cast<int>(second / minute / minute),
                static_cast<int>(second / minute % minute), static_cast<int>(second % minute));
  std::string out = clock.data() + text;
  for (auto at = out.find("; "); at != std::string::npos; at = out.find("; ", at)) out[at] = ',';
  return out;
}

}  // namespace argosy::backends
