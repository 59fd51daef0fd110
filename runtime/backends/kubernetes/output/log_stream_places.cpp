// SPDX-License-Identifier: Apache-2.0
// The part of log_streams that frees their places: of those that nobody reads any more, and of
// those whose queue has more than its share.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "runtime/backends/kubernetes/output/log_stream.hpp"

namespace argosy::backends {

log_streams::stream_ptr log_streams::take_place_for(const std::string& queue) {
  std::map<std::string, std::size_t> places;
  for (const auto& [id, each] : all_) ++places[each->queue];
  const auto most = std::ranges::max_element(places, {}, &decltype(places)::value_type::second);
  if (most == places.end() || most->second <= places[queue] + 1) return nullptr;
  auto out = all_.end();
  for (auto at = all_.begin(); at != all_.end(); ++at)
    if (at->second->queue == most->first &&
        (out == all_.end() || at->second->used < out->second->used))
      out = at;
  return all_.extract(out).mapped();
}

void log_streams::end(stream& which, const error& why) {
  which.reading.reset();
  if (which.waits) which.waits->take(fail(why));
}

void log_streams::expire() {
  answer_late();
  look_after_quiet();
  drop_idle(rules_.idle_max);
}

void log_streams::look_after_quiet() {
  std::vector<stream_ptr> quiet;
  {
    const std::lock_guard guard{mutex_};
    const auto now = now_();
    for (const auto& [id, each] : all_) {
      if (!each->open || !each->first.follow || now < each->heard + rules_.quiet_max) continue;
      if (each->asked_at && now >= *each->asked_at + rules_.quiet_max && !each->silence)
        each->silence = kubelet_late(each->node, rules_.quiet_max);
      if (each->asked_at) continue;
      each->asked_at = now;
      quiet.push_back(each);
    }
  }
  for (const auto& each : quiet) {
    auto what = output_request(each->place);
    what.path += "&tailLines=1&limitBytes=1";
    each->looking.reset();
    each->looking = api_->read(std::move(what), each->look);
  }
}

void log_streams::looked(stream& of, const result<kube::answer>& how) {
  const std::lock_guard guard{mutex_};
  of.asked_at.reset();
  of.heard = now_();
  of.silence = output_trouble(how, false);
  // What is gone or denied the output itself says as it ends.
  if (of.silence && of.silence->code != ec::unavailable) of.silence.reset();
  if (of.silence && !of.node.empty())
    of.silence->detail =
        "the kubelet of node '" + of.node + "' gives no output: " + of.silence->detail;
}

/// A kubelet that is silent holds the answer up, and an API server that waits for it says nothing
/// of it.
void log_streams::answer_late() {
  std::vector<stream_ptr> late;
  std::vector<std::pair<stream::waiting, model::log_chunk>> given;
  {
    const std::lock_guard guard{mutex_};
    const auto now = now_();
    for (auto at = all_.begin(); at != all_.end();) {
      const auto each = at->second;
      const bool is_late = each->waits && each->used + rules_.answer_max <= now;
      if (is_late && each->lines.waiting() > 0) {
        auto waits = *std::exchange(each->waits, std::nullopt);
        auto chunk = give(*each, waits.wanted);
        given.emplace_back(std::move(waits), std::move(chunk));
      } else if (is_late) {
        late.push_back(each);
        at = all_.erase(at);
        continue;
      }
      ++at;
    }
  }
  for (auto& [waits, chunk] : given) waits.take(std::move(chunk));
  for (const auto& each : late) end(*each, kubelet_late(each->node));
}

void log_streams::drop_idle(boot_time idle_for) {
  std::vector<stream_ptr> idle;
  {
    const std::lock_guard guard{mutex_};
    const auto now = now_();
    for (auto at = all_.begin(); at != all_.end();) {
      if (!at->second->waits && at->second->used + idle_for <= now) {
        idle.push_back(at->second);
        at = all_.erase(at);
      } else {
        ++at;
      }
    }
  }
}

boot_time log_streams::next_due() const {
  const std::lock_guard guard{mutex_};
  auto out = boot_time::max();
  for (const auto& [id, each] : all_) {
    out = std::min(out, each->used + (each->waits ? rules_.answer_max : rules_.idle_max));
    if (each->open && each->first.follow && !(each->asked_at && each->silence))
      out = std::min(out, each->asked_at.value_or(each->heard) + rules_.quiet_max);
  }
  return out;
}

void log_streams::close() {
  std::map<std::string, stream_ptr> all;
  {
    const std::lock_guard guard{mutex_};
    all.swap(all_);
  }
  for (const auto& [id, each] : all) end(*each, {ec::cancelled, "the agent ends"});
}

}  // namespace argosy::backends
