// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/kubernetes/output/output_saver.hpp"

#include <algorithm>
#include <utility>

namespace argosy::backends {

namespace {

constexpr std::size_t containers_max = 16;
/// Beyond what a kubelet has before it rotates.
constexpr std::uint64_t tail_bytes_max = std::uint64_t{16} << 20;

/// Kubernetes gives the end of an output by lines only: as many are asked for as the beginning has,
/// of which only half of the bytes are wanted.
std::uint64_t lines_in(std::string_view beginning) {
  const auto lines = std::ranges::count(beginning, '\n');
  return static_cast<std::uint64_t>(lines) + 1;
}

/// The namespace and the node of a pod, as failing_ has them; a node that is not known is left out.
std::vector<std::string> sources_of(const pod_place& place) {
  std::vector<std::string> out{"namespace " + place.name_space};
  if (!place.node.empty()) out.push_back("node " + place.node);
  return out;
}

/// Leaves the first bytes, and says that what followed is missing.
void cut_down(saved_output& of, std::uint64_t bytes) {
  of.cut = true;
  of.bytes.resize(bytes);
  of.bytes += output_gap;
}

}  // namespace

saved_output ends_of(saved_output whole, std::uint64_t bytes_max) {
  auto& bytes = whole.bytes;
  if (bytes.size() <= bytes_max) return whole;
  const auto half = bytes_max / 2;
  bytes.replace(half, bytes.size() - 2 * half, output_gap);
  whole.cut = true;
  return whole;
}

void output_saver::add(const model::run_key& run, const std::vector<pod_place>& containers,
                       const std::string& first, boot_time now) {
  if (left_.contains(run)) return;
  for (auto at = heads_.lower_bound({run, {}}); at != heads_.end() && at->first.first == run; ++at)
    set_due(at->first, at->second, boot_time::max());
  if (containers.empty()) {
    step_.done.push_back(run);
    return;
  }
  const auto count = std::min(containers.size(), containers_max);
  left_[run] = count;
  for (std::size_t i = 0; i < count; ++i) {
    const auto& each = containers[i];
    task one{{run, each.container, each.container == first, {}}, each, sources_of(each)};
    one.until = now + rules_.patience;
    waiting_.push_back(std::move(one));
  }
}

bool output_saver::goes_on_failing(const task& one) const {
  if (failing_.empty()) return false;
  return std::ranges::any_of(one.sources, [&](const auto& source) {
    const auto failing = failing_.find(source);
    return failing != failing_.end() && failing->second.pause > rules_.pause;
  });
}

boot_time output_saver::may_go(const task& one) const {
  auto out = one.due;
  if (failing_.empty()) return out;
  for (const auto& source : one.sources) {
    const auto failing = failing_.find(source);
    if (failing == failing_.end()) continue;
    const bool is_asked = std::ranges::any_of(under_way_, [&](const auto& each) {
      const auto& others = each.second.sources;
      return std::ranges::find(others, source) != others.end();
    });
    if (is_asked) return boot_time::max();
    out = std::max(out, failing->second.due);
  }
  return out;
}

boot_time output_saver::next_due(const task& one) const {
  const auto out = may_go(one);
  return goes_on_failing(one) ? std::min(out, one.until) : out;
}

bool output_saver::note_failure(const task& one, bool denied, boot_time now) {
  if (!denied && one.sources.size() == 1) return false;
  const auto [at, is_new] = failing_.try_emplace(denied ? one.sources.front() : one.sources.back());
  auto& source = at->second;
  if (is_new)
    source.pause = rules_.pause;
  else if (now >= source.due)
    source.pause = std::min(2 * source.pause, rules_.pause_max);
  source.due = std::max(source.due, now + source.pause);
  return !is_new;
}

void output_saver::hurry(const model::run_key& run, boot_time now) {
  const auto press = [&](task& one) {
    if (one.saved.run == run) one.until = std::min(one.until, now);
  };
  for (auto& each : waiting_) press(each);
  for (auto& [number, each] : under_way_) press(each);
}

saver_step output_saver::take(boot_time now) {
  for (auto left = waiting_.size(); left > 0; --left) {
    auto one = std::move(waiting_.front());
    waiting_.pop_front();
    if (now >= one.until && goes_on_failing(one) && may_go(one) > now) {
      give_up(std::move(one));
      continue;
    }
    if (under_way_.size() >= rules_.at_a_time_max || may_go(one) > now) {
      waiting_.push_back(std::move(one));
      continue;
    }
    auto what = output_request(one.place, rules_.run_bytes_max);
    if (one.end) {
      // The limit of bytes would count from the first of these lines.
      what = output_request(one.place, tail_bytes_max);
      what.path += "&tailLines=" + std::to_string(lines_in(one.saved.bytes));
    }
    const auto number = ++last_number_;
    step_.requests.push_back({number, std::move(what)});
    under_way_.emplace(number, std::move(one));
  }
  take_heads(now);
  return std::exchange(step_, {});
}

void output_saver::answered(std::uint64_t number, const result<kube::answer>& answer,
                            boot_time now) {
  if (const auto head = heads_asked_.extract(number))
    return head_answered(head.mapped(), answer, now);
  auto node = under_way_.extract(number);
  if (node.empty()) return;
  auto one = std::move(node.mapped());
  const bool gone = answer && (answer->status == output_gone || answer->status == output_not_yet);
  if (gone) return give_up(std::move(one));
  if (!answer || !answer->ok()) {
    const bool failed_before = note_failure(one, answer && answer->status == output_denied, now);
    // Where others fail as well, a pod does not stay longer for more tries of its own.
    ++one.tries;
    if (now >= one.until && (failed_before || one.tries >= rules_.tries_max))
      return give_up(std::move(one));
    one.due = now + rules_.pause;
    waiting_.push_back(std::move(one));
    return;
  }
  for (const auto& source : one.sources) failing_.erase(source);
  if (one.end) {
    const std::string_view body = answer->body;
    const auto half = rules_.run_bytes_max / 2;
    cut_down(one.saved, half);
    one.saved.bytes += body.substr(body.size() - std::min<std::size_t>(body.size(), half));
    return finish(one);
  }
  one.saved.bytes = answer->body;
  if (answer->body.size() < rules_.run_bytes_max) return finish(one);
  one.end = true;
  one.tries = 0;
  one.due = now;
  waiting_.push_front(std::move(one));
}

void output_saver::give_up(task one) {
  if (one.end) cut_down(one.saved, rules_.run_bytes_max / 2);
  finish(one);
}

void output_saver::finish(const task& one) {
  if (waiting_.empty() && under_way_.empty()) failing_.clear();
  if (auto all = with_head(one.saved); !all.bytes.empty()) step_.outputs.push_back(std::move(all));
  const auto left = left_.find(one.saved.run);
  if (left == left_.end() || --left->second > 0) return;
  left_.erase(left);
  if (dropped_.erase(one.saved.run) > 0) drop(one.saved.run);
  step_.done.push_back(one.saved.run);
}

boot_time output_saver::next_due() const {
  if (!step_.requests.empty() || !step_.outputs.empty() || !step_.done.empty()) return {};
  auto out = boot_time::max();
  if (heads_asked_.size() < heads_max && !heads_due_.empty()) out = heads_due_.begin()->first;
  if (under_way_.size() >= rules_.at_a_time_max) return out;
  for (const auto& each : waiting_) out = std::min(out, next_due(each));
  return out;
}

}  // namespace argosy::backends
