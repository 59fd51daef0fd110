// SPDX-License-Identifier: Apache-2.0
#include "runtime/trace/export/exporter.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace argosy::trace::otlp {

namespace {

using std::chrono::milliseconds;

constexpr int tries_max = 5;
constexpr milliseconds first_pause{500};

/// The collector asks to be left alone for a while.
bool may_pass(int status) {
  return status == 429 || status == 502 || status == 503 || status == 504;
}

/// A number from 0 to 1 that follows from the trace's id, whose last bytes are random.
double place_of(const trace_id& trace) noexcept {
  constexpr double steps = 9'007'199'254'740'992.0;  // 2 to the power of 53
  return static_cast<double>(trace.low >> 11) / steps;
}

/// The part of the spans like this one that is exported. A rule for the queue of its job goes
/// before one for its name, since it is meant to show whole jobs.
double part_of(const finished_span& span, const export_rules& rules) noexcept {
  if (!rules.queues.empty())
    for (const auto& [key, value] : span.attributes)
      if (key == "queue")
        if (const auto found = rules.queues.find(value); found != rules.queues.end())
          return found->second;
  const auto special = rules.ratios.find(span.name);
  return special == rules.ratios.end() ? rules.ratio : special->second;
}

}  // namespace

bool is_exported(const finished_span& span, const export_rules& rules) noexcept {
  if (rules.always_from.count() > 0 &&
      (span.failed || std::max(span.duration_nanos, span.wait_nanos) >= rules.always_from.count()))
    return true;
  return place_of(span.trace) < part_of(span, rules);
}

exporter::exporter(export_settings settings, resource of, export_rules rules, sender send)
    : settings_(std::move(settings)),
      resource_(std::move(of)),
      rules_(std::move(rules)),
      send_(std::move(send)),
      thread_([this] { run(); }) {}

exporter::~exporter() {
  {
    const std::lock_guard lock{mutex_};
    ending_ = true;
  }
  woken_.notify_all();
  thread_.join();
}

void exporter::offer(const std::vector<finished_span>& spans) {
  bool enough = false;
  {
    const std::lock_guard lock{mutex_};
    for (const auto& span : spans) {
      if (!is_exported(span, rules_))
        ++counts_->left_out;
      else if (waiting_.size() >= settings_.queue_max)
        ++counts_->dropped;
      else
        waiting_.push_back(span);
    }
    enough = waiting_.size() >= settings_.batch_max;
  }
  if (enough) woken_.notify_one();
}

std::vector<finished_span> exporter::take_batch() {
  std::unique_lock lock{mutex_};
  woken_.wait_for(lock, settings_.delay,
                  [&] { return ending_ || waiting_.size() >= settings_.batch_max; });
  const auto count = std::min(waiting_.size(), settings_.batch_max);
  const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(count);
  std::vector<finished_span> batch{std::make_move_iterator(waiting_.begin()),
                                   std::make_move_iterator(end)};
  waiting_.erase(waiting_.begin(), end);
  return batch;
}

void exporter::run() {
  while (true) {
    const auto batch = take_batch();
    if (!batch.empty()) send_batch(batch);
    const std::lock_guard lock{mutex_};
    if (ending_) return;
  }
}

bool exporter::pause(milliseconds time) {
  std::unique_lock lock{mutex_};
  return !woken_.wait_for(lock, time, [&] { return ending_; });
}

void exporter::send_batch(const std::vector<finished_span>& batch) {
  const auto body = encode(batch, resource_);
  auto wait = first_pause;
  for (int tried = 1;; ++tried, wait *= 2) {
    const auto status = send_(body);
    if (status && *status >= 200 && *status < 300) {
      counts_->exported += batch.size();
      return;
    }
    const bool passing = !status || may_pass(*status);
    if (!passing || tried == tries_max || !pause(wait)) break;
  }
  counts_->failed += batch.size();
}

}  // namespace argosy::trace::otlp
