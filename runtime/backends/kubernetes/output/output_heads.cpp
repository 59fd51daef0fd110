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

}  // namespace

void output_saver::set_due(const head_key& key, head& one, boot_time due) {
  heads_due_.erase({one.due, key});
  one.due = due;
  if (due != boot_time::max()) heads_due_.emplace(due, key);
}

void output_saver::restore(output_head known) {
  auto& one = heads_[{known.run, std::move(known.container)}];
  one.time_ns = known.time_ns;
  one.bytes = std::move(known.bytes);
}

void output_saver::began(const model::run_key& run, const std::vector<pod_place>& running,
                         boot_time now) {
  for (const auto& each : running) {
    const head_key key{run, each.container};
    const auto [at, is_new] = heads_.try_emplace(key);
    if (!is_new) continue;
    at->second.place = each;
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
    if (at->second.time_ns != 0) step_.heads_of_no_use.push_back(at->first);
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
  if (const auto time = kube::read_rfc3339(body.substr(0, body.find(' ')))) {
    log_lines lines{{}};
    lines.begin_answer();
    lines.take(body);
    one.time_ns = to_nanos(*time);
    one.bytes = lines.give(std::min<std::uint64_t>(head_bytes, rules_.run_bytes_max / 4)).data;
    step_.heads.push_back({key.first, key.second, one.time_ns, one.bytes});
  } else if (++one.tries < looks_max && !left_.contains(key.first)) {
    set_due(key, one, now + first_look * (1 << (2 * one.tries)));
  }
}

std::int64_t output_saver::first_line(const model::run_key& run,
                                      const std::string& container) const {
  const auto found = heads_.find({run, container});
  return found == heads_.end() ? 0 : found->second.time_ns;
}

saved_output output_saver::with_head(saved_output read) const {
  const auto found = heads_.find({read.run, read.container});
  if (found == heads_.end() || read.bytes.starts_with(found->second.bytes)) return read;
  read.bytes.insert(0, found->second.bytes + output_gap);
  read.cut = true;
  return ends_of(std::move(read), rules_.run_bytes_max);
}

}  // namespace argosy::backends
