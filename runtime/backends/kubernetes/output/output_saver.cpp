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
    task one{{run, each.container, each.container == first, {}}, each};
    one.until = now + rules_.patience;
    waiting_.push_back(std::move(one));
  }
}

bool output_saver::has_to_wait(const task& one) const {
  if (!failing_.contains(one.place.node)) return false;
  return std::ranges::any_of(
      under_way_, [&](const auto& each) { return each.second.place.node == one.place.node; });
}

/// Where the node fails others as well, its pods do not stay longer for more tries of their own.
bool output_saver::gives_up(const task& one, boot_time now) {
  const auto& node = one.place.node;
  const bool failed_before = !node.empty() && !failing_.insert(node).second;
  return now >= one.until && (failed_before || one.tries >= rules_.tries_max);
}

saver_step output_saver::take(boot_time now) {
  for (auto left = waiting_.size(); left > 0 && under_way_.size() < rules_.at_a_time_max; --left) {
    auto one = std::move(waiting_.front());
    waiting_.pop_front();
    if (one.due > now || has_to_wait(one)) {
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
  const bool failed = !gone && (!answer || !answer->ok());
  if (failed) ++one.tries;
  if (failed && !gives_up(one, now)) {
    one.due = now + rules_.pause;
    waiting_.push_back(std::move(one));
    return;
  }
  if (!failed) failing_.erase(one.place.node);
  const bool good = answer && answer->ok();
  const auto half = rules_.run_bytes_max / 2;
  if (good && !one.end) {
    one.saved.bytes = answer->body;
    if (answer->body.size() >= rules_.run_bytes_max) {
      one.end = true;
      one.tries = 0;
      one.due = now;
      waiting_.push_front(std::move(one));
      return;
    }
  } else if (one.end) {
    one.saved.cut = true;
    one.saved.bytes.resize(half);
    one.saved.bytes += output_gap;
    if (good) {
      const std::string_view body = answer->body;
      one.saved.bytes += body.substr(body.size() - std::min<std::size_t>(body.size(), half));
    }
  }
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
  for (const auto& each : waiting_)
    if (!has_to_wait(each)) out = std::min(out, each.due);
  return out;
}

}  // namespace argosy::backends
