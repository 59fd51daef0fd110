// SPDX-License-Identifier: Apache-2.0
// The part of pod_runs that knows where outputs are, and has them read before their pods go.
#include <algorithm>
#include <utility>

#include "runtime/backends/kubernetes/pod_runs.hpp"

namespace argosy::backends {

namespace {

/// So many outputs at a time are read until their containers end. Each holds a connection where the
/// server does not speak HTTP/2.
constexpr std::size_t followed_max = 8;
/// The lines that are read of a run that is told to stop, and what it writes within its grace.
constexpr int stopped_lines_max = 5'000;
/// The bytes that are read of these lines, from whose first the limit counts: all of a run that is
/// followed, and for each byte that is kept of another.
constexpr std::uint64_t followed_bytes_max = std::uint64_t{16} << 20;
constexpr std::uint64_t unfollowed_factor = 4;

}  // namespace

std::optional<pod_place> pod_runs::place(const model::run_key& key,
                                         const std::string& container) const {
  const auto* const found = runs_.peek(key);
  if (found == nullptr || !found->there) return std::nullopt;
  const auto& run = *found;
  pod_place out{run.name_space, run.name, container};
  if (!run.last) return out;
  out.queue = run.last->queue;
  if (container.empty()) out.container = run.last->container;
  // An init container ends long before its pod.
  out.ended = is_final(run.last->phase) ||
              std::ranges::find(run.last->ended, out.container, &ended_container::name) !=
                  run.last->ended.end();
  return out;
}

std::vector<pod_place> pod_runs::ended_places(const model::run_key& key) const {
  std::vector<pod_place> out;
  const auto* const run = runs_.peek(key);
  if (run == nullptr || !run->last) return out;
  for (const auto& each : run->last->ended)
    out.push_back({run->name_space, run->name, each.name, true, run->last->node});
  return out;
}

void pod_runs::ask_to_save(const model::run_key& key, pod_run& run) {
  if (rules_.save_output == 0 || std::exchange(run.save_asked, true)) return;
  run.saving = true;
  step_.ended.push_back(key);
}

void pod_runs::saved(const model::run_key& key, boot_time now) {
  auto* const run = runs_.find(key);
  if (run == nullptr || !std::exchange(run->saving, false)) return;
  run->due = now;
}

/// It is read until the container ends, since much is written last.
void pod_runs::ask_output(const model::run_key& key, pod_run& run) {
  const auto at = place(key);
  if (!at || rules_.save_output == 0 || std::exchange(run.save_asked, true)) return;
  pod_request out;
  out.what = pod_ask::output;
  out.run = key;
  out.followed = followed_ < followed_max;
  out.request = output_request(*at, out.followed ? std::max(followed_bytes_max, rules_.save_output)
                                                 : rules_.save_output * unfollowed_factor);
  // What it wrote last is wanted most, and there is no second look.
  out.request.path += "&tailLines=" + std::to_string(stopped_lines_max);
  if (out.followed) {
    ++followed_;
    out.request.path += "&follow=true";
    out.request.within = std::chrono::seconds{run.end->grace_seconds} + rules_.output_patience;
  }
  step_.requests.push_back(std::move(out));
}

}  // namespace argosy::backends
