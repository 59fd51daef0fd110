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
/// The bytes that are read of each: more than a kubelet has before it rotates.
constexpr std::uint64_t followed_bytes_max = std::uint64_t{16} << 20;
/// How long beyond the grace period the output of a run that ends may take.
constexpr std::chrono::seconds output_patience{30};

}  // namespace

std::optional<pod_place> pod_runs::place(const model::run_key& key,
                                         const std::string& container) const {
  const auto* const found = runs_.peek(key);
  if (found == nullptr || !found->there) return std::nullopt;
  const auto& run = *found;
  pod_place out{run.name_space, run.name, container};
  if (!run.last) return out;
  out.queue = run.last->queue;
  out.node = run.last->node;
  if (const auto* node = node_of(run)) out.silence = silence_of(out.node, *node);
  if (container.empty()) out.container = run.last->container;
  // An init container ends long before its pod.
  out.ended = is_final(run.last->phase) ||
              std::ranges::find(run.last->ended, out.container, &ended_container::name) !=
                  run.last->ended.end();
  return out;
}

std::vector<pod_place> pod_runs::places(const model::run_key& key, bool or_run) const {
  std::vector<pod_place> out;
  const auto* const run = runs_.peek(key);
  if (run == nullptr || !run->last) return out;
  for (const auto& each : run->last->ended)
    out.push_back({run->name_space, run->name, each.name, true, run->last->node});
  if (!or_run) return out;
  for (const auto& each : run->last->running)
    out.push_back({.name_space = run->name_space,
                   .name = run->name,
                   .container = each.name,
                   .node = run->last->node,
                   .began_ns = each.began_ns});
  return out;
}

void pod_runs::ask_to_save(const model::run_key& key, pod_run& run) {
  if (rules_.set.kept_output_per_run.bytes == 0 || std::exchange(run.save_asked, true)) return;
  run.saving = true;
  step_.ended.push_back(key);
}

void pod_runs::saved(const model::run_key& key, boot_time now) {
  auto* const run = runs_.find(key);
  if (run == nullptr || !std::exchange(run->saving, false)) return;
  run->due = now;
}

/// The first container's is read until it ends, since much is written last. Where too many are read
/// so, and of other containers, there is what was written so far.
void pod_runs::ask_output(const model::run_key& key, pod_run& run) {
  const auto at = place(key);
  if (!at || rules_.set.kept_output_per_run.bytes == 0 || std::exchange(run.save_asked, true))
    return;
  const bool follows = followed_ < followed_max;
  step_.stopping.emplace_back(key, follows ? at->container : std::string{});
  if (!follows) return;
  ++followed_;
  pod_request out;
  out.what = pod_ask::output;
  out.run = key;
  out.followed = true;
  out.request =
      output_request(*at, std::max(followed_bytes_max, rules_.set.kept_output_per_run.bytes));
  out.request.path += "&follow=true";
  out.request.within = std::chrono::seconds{run.end->grace_seconds} + output_patience;
  step_.requests.push_back(std::move(out));
}

void pod_runs::output_read(const model::run_key& key, const result<kube::answer>& answer) {
  const auto bytes = answer && answer->ok() ? answer->body : std::string{};
  const auto* const run = runs_.peek(key);
  const auto name = run != nullptr && run->last ? run->last->container : std::string{};
  step_.outputs.push_back(ends_of({key, name, true, bytes}, rules_.set.kept_output_per_run.bytes));
}

}  // namespace argosy::backends
