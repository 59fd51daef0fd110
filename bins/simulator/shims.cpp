// SPDX-License-Identifier: Apache-2.0
#include "bins/simulator/shims.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace argosy::sim {

namespace {

/// Some commands go on when they are asked to end.
bool ignores_sigterm(const model::run_key& run) {
  return run.job.bytes.back() % 4 == 1;
}

model::run_event lost(const model::run_key& run, std::int64_t when) {
  return {run,
          model::run_phase::failed,
          {std::nullopt, 0, backends::reason::lost, "its shim is gone"},
          {},
          when};
}

}  // namespace

/// What an agent holds of the shims.
class shims::attached final : public backends::backend {
 public:
  explicit attached(shims& of) : of_(of) {}

  model::plan_contents wanted_plan() const override { return of_.runs_->wanted_plan(); }
  result<std::vector<model::run_event>> adopt(
      const std::vector<model::recorded_run>& known) override {
    return of_.adopt(known);
  }
  void start(backends::run_launch run) override { of_.runs_->start(std::move(run)); }
  void stop(const model::stop_run& order, std::chrono::nanoseconds grace) override {
    of_.stop(order, grace);
  }
  void stop_all(const std::string& reason) override { of_.runs_->stop_all(reason); }
  /// Commands use all the time that the lease leaves them.
  void renew(const model::run_lease& lease) override {
    auto longest = lease;
    longest.until = lease.dead_by();
    of_.runs_->renew(longest);
  }
  void forget(const model::run_key& run) override { of_.ended_.erase(run); }
  std::vector<model::node_info> nodes() const override { return of_.runs_->nodes(); }
  void read_log(const model::log_request& request, backends::log_taker take) const override {
    of_.runs_->read_log(request, std::move(take));
  }
  void shutdown() override { of_.detach(); }

 private:
  shims& of_;
};

shims::shims(backends::simulated_config config, backends::event_sink told, later after)
    : config_(std::move(config)), told_(std::move(told)), after_(std::move(after)) {
  make();
}

void shims::make() {
  runs_ = std::make_unique<backends::simulated_backend>(
      config_, [this](std::vector<model::run_event> events) { take(std::move(events)); });
}

std::unique_ptr<backends::backend> shims::attach(backends::event_sink sink) {
  sink_ = std::move(sink);
  return std::make_unique<attached>(*this);
}

void shims::advance(boot_time now) {
  now_ = now;
  runs_->advance(now);
}

void shims::take(std::vector<model::run_event> events) {
  for (auto& event : events) {
    if (killed_.erase(event.run) > 0) event = lost(event.run, event.time_ns);
    if (model::is_final(event.phase)) {
      alive_.erase(event.run);
      stopping_.erase(event.run);
      ended_.insert_or_assign(event.run, event);
    } else {
      alive_.insert_or_assign(event.run, event);
    }
  }
  told_(events);
  if (sink_) sink_(std::move(events));
}

std::vector<model::run_event> shims::adopt(const std::vector<model::recorded_run>& known) {
  std::vector<model::run_event> out;
  std::set<model::run_key> wanted;
  for (const auto& each : known) {
    wanted.insert(each.run);
    if (const auto at = alive_.find(each.run); at != alive_.end()) {
      out.push_back(at->second);
    } else if (const auto end = ended_.find(each.run); end != ended_.end()) {
      out.push_back(end->second);
    } else {
      model::run_event never{
          each.run, model::run_phase::refused, {}, {}, config_.wall_offset_ns + now_.count()};
      never.outcome.reason = backends::reason::not_started;
      never.outcome.message = "no shim has begun it";
      out.push_back(std::move(never));
    }
  }
  for (const auto& [run, event] : alive_)
    if (!wanted.contains(run)) kill(run, "the agent does not know it");
  return out;
}

void shims::stop(const model::stop_run& order, std::chrono::nanoseconds grace) {
  if (!ignores_sigterm(order.run)) return runs_->stop(order, grace);
  if (!stopping_.insert(order.run).second) return;
  after_(grace, [this, order, boot = boot_, then = *boot_] {
    if (*boot == then) runs_->stop(order, {});
  });
}

void shims::kill_one(std::uint64_t which) {
  if (alive_.empty()) return;
  const auto at = std::next(alive_.begin(), static_cast<std::ptrdiff_t>(which % alive_.size()));
  const auto run = at->first;
  killed_.insert(run);
  kill(run, "its shim is gone");
}

void shims::kill(const model::run_key& run, std::string why) {
  model::stop_run order;
  order.run = run;
  order.reason = std::move(why);
  runs_->stop(order, {});
}

void shims::restart(boot_time now, std::int64_t wall_offset_ns, bool leave_traces) {
  ++*boot_;
  config_.start = now;
  config_.wall_offset_ns = wall_offset_ns;
  make();
  const auto when = wall_offset_ns + now.count();
  std::vector<model::run_event> events;
  for (const auto& [run, event] : std::exchange(alive_, {})) {
    events.push_back(lost(run, when));
    ended_.insert_or_assign(run, events.back());
  }
  killed_.clear();
  stopping_.clear();
  if (!leave_traces) ended_.clear();
  if (!events.empty()) told_(events);
}

}  // namespace argosy::sim
