// SPDX-License-Identifier: Apache-2.0
// The part of output_saver that knows the first lines of outputs, and sees by them whether what was
// read later lacks its beginning.
#include <algorithm>
#include <utility>

#include "runtime/backends/kubernetes/output/log_lines.hpp"
#include "runtime/backends/kubernetes/output/output_saver.hpp"
#include "runtime/kube/rfc3339.hpp"

namespace argosy::backends {

namespace {

constexpr std::uint64_t head_bytes = 4096;
/// A container that ends before has nothing rotated.
constexpr boot_time first_look = std::chrono::seconds{1};
/// An output that is still empty is looked at so often, each time after four times as long.
constexpr std::uint32_t looks_max = 6;
/// How long a request for first lines may take.
constexpr std::chrono::seconds within{10};
/// An answer that comes so soon after its container began shows where the output began, since a
/// kubelet looks for outputs to rotate only every 10 s.
constexpr boot_time look_max = std::chrono::seconds{5};
/// An output that is still empty so long after is that of a program which prints nothing.
constexpr boot_time quiet_min = std::chrono::minutes{1};
/// An output of which less was written is not rotated: a tenth of what is usual.
constexpr std::int64_t rotated_bytes_min = 1 << 20;

/// Whether so much may have been written before these lines that it was rotated away, if it was
/// written as fast as they were.
bool may_follow_more(std::string_view lines, std::int64_t first_ns, std::int64_t began_ns) {
  if (lines.size() < head_bytes) return false;
  std::int64_t last_ns = first_ns;
  for (std::size_t at = 0; (at = lines.find('\n', at)) != std::string_view::npos;) {
    const auto line = lines.substr(++at);
    if (const auto time = kube::read_rfc3339(line.substr(0, line.find(' '))))
      last_ns = to_nanos(*time);
  }
  return (last_ns - first_ns) <
         (first_ns - began_ns) / (rotated_bytes_min / static_cast<std::int64_t>(head_bytes));
}

}  // namespace

bool output_saver::head::is_unseen_while_empty(boot_time now) const {
  return is_late(now) && now < in_time + quiet_min;
}

void output_saver::set_due(const head_key& key, head& one, boot_time due) {
  heads_due_.erase({one.due, key});
  one.due = due;
  if (due != boot_time::max()) heads_due_.emplace(due, key);
}

void output_saver::restore(output_head known) {
  auto& one = heads_[{known.run, std::move(known.container)}];
  one.looked = true;
  one.beginning = known.beginning;
  one.bytes = std::move(known.bytes);
}

void output_saver::began(const model::run_key& run, const std::vector<pod_place>& running,
                         std::int64_t wall_ns, boot_time now) {
  for (const auto& each : running) {
    const head_key key{run, each.container};
    const auto [at, is_new] = heads_.try_emplace(key);
    if (!is_new && !at->second.place.name.empty()) continue;
    at->second.place = each;
    if (at->second.beginning.first_ns != 0) continue;
    if (each.began_ns != 0)
      at->second.in_time =
          now + look_max -
          std::chrono::nanoseconds{std::max<std::int64_t>(wall_ns - each.began_ns, 0)};
    set_due(key, at->second, now + first_look);
  }
}

void output_saver::keep_only(const std::set<model::run_key>& runs) {
  std::set<model::run_key> others;
  for (const auto& [key, head] : heads_)
    if (!runs.contains(key.first)) others.insert(key.first);
  for (const auto& run : others) drop(run);
}

void output_saver::drop(const model::run_key& run) {
  if (left_.contains(run)) {
    dropped_.insert(run);
    return;
  }
  for (auto at = heads_.lower_bound({run, {}}); at != heads_.end() && at->first.first == run;) {
    heads_due_.erase({at->second.due, at->first});
    if (at->second.looked || at->second.beginning.first_ns != 0)
      step_.heads_of_no_use.push_back(at->first);
    at = heads_.erase(at);
  }
}

void output_saver::take_heads(boot_time now) {
  while (heads_asked_.size() < heads_max && !heads_due_.empty() &&
         heads_due_.begin()->first <= now) {
    const auto key = heads_due_.begin()->second;
    auto& one = heads_.at(key);
    set_due(key, one, boot_time::max());
    auto what = output_request(one.place, head_bytes);
    what.path += "&timestamps=true";
    what.within = within;
    const auto number = ++last_number_;
    heads_asked_.emplace(number, key);
    step_.requests.push_back({number, std::move(what)});
  }
}

void output_saver::head_answered(const head_key& key, const result<kube::answer>& answer,
                                 boot_time now) {
  const auto found = heads_.find(key);
  if (found == heads_.end()) return;
  auto& one = found->second;
  const auto body = answer && answer->ok() ? std::string_view{answer->body} : std::string_view{};
  const bool is_late = one.is_late(now);
  const bool is_looked_at = !one.looked && !is_late && answer && answer->ok();
  if (is_looked_at) one.looked = true;
  const auto began_ns = one.place.began_ns;
  if (const auto time = kube::read_rfc3339(body.substr(0, body.find(' ')))) {
    const auto first_ns = to_nanos(*time);
    const bool is_first = first_ns <= began_ns + std::chrono::nanoseconds{beginning_max}.count();
    if (is_late && !is_first && may_follow_more(body, first_ns, began_ns)) {
      one.beginning = {began_ns, true};
    } else {
      log_lines lines{{}};
      lines.begin_answer();
      lines.take(body);
      one.beginning = {first_ns};
      one.bytes = lines.give(std::min<std::uint64_t>(head_bytes, rules_.run_bytes_max / 4)).data;
    }
  } else if (answer && answer->ok() && one.is_unseen_while_empty(now)) {
    one.beginning = {began_ns, true};
  } else if (++one.tries < looks_max && !left_.contains(key.first)) {
    set_due(key, one, now + first_look * (1 << (2 * one.tries)));
  }
  if (one.beginning.first_ns != 0 || is_looked_at)
    step_.heads.push_back({key.first, key.second, one.beginning, one.bytes});
}

log_beginning output_saver::beginning(const model::run_key& run, const std::string& container,
                                      boot_time now) const {
  const auto found = heads_.find({run, container});
  if (found == heads_.end()) return {};
  const auto& one = found->second;
  if (one.beginning.first_ns == 0 && one.is_unseen_while_empty(now))
    return {one.place.began_ns, true};
  return one.beginning;
}

saved_output output_saver::with_head(saved_output read) const {
  const auto found = heads_.find({read.run, read.container});
  if (found == heads_.end() ||
      (!found->second.beginning.unseen && read.bytes.starts_with(found->second.bytes)))
    return read;
  read.bytes.insert(0, found->second.bytes + output_gap);
  read.cut = true;
  return ends_of(std::move(read), rules_.run_bytes_max);
}

}  // namespace argosy::backends
