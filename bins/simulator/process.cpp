// SPDX-License-Identifier: Apache-2.0
#include "bins/simulator/process.hpp"

#include <algorithm>
#include <caf/actor_registry.hpp>
#include <caf/scheduled_actor.hpp>
#include <caf/send.hpp>

#include "runtime/base/check.hpp"
#include "runtime/trace/caf/live_actors.hpp"

namespace argosy::sim {

process::deterministic_config::deterministic_config() {
  config_file_path.clear();
  set("scheduler.policy", caf::atom("testing"));
}

process::process(fiber_pool& fibers, std::size_t owner, boot_time now)
    : fibers_(fibers),
      owner_(owner),
      began_(now),
      system_(config_),
      scheduler_(dynamic_cast<caf::scheduler::test_coordinator&>(system_.scheduler())),
      timers_(std::make_shared<bus::timer_queue>(true)) {
  follow(now);
}

process::~process() {
  ARGOSY_CHECK(!*life_);
  timers_->stop();
}

std::optional<boot_time> process::due() const {
  std::optional<boot_time> out;
  const auto& schedule = scheduler_.clock().schedule();
  if (!schedule.empty()) out = schedule.begin()->first.time_since_epoch();
  if (const auto next = timers_->next_due(); next && (!out || *next + began_ < *out))
    out = *next + began_;
  return out;
}

void process::follow(boot_time now) {
  timers_->advance(now - began_ - timers_->now());
  const auto to = caf::actor_clock::time_point{now};
  const auto at = scheduler_.clock().now();
  if (to >= at) scheduler_.advance_time(to - at);
}

void process::work(dice& order, const std::function<void(const std::string&)>& tell) {
  auto& jobs = scheduler_.jobs;
  const auto pick = static_cast<std::ptrdiff_t>(order.below(jobs.size()));
  std::rotate(jobs.begin(), jobs.begin() + pick, jobs.begin() + pick + 1);
  if (auto* actor = dynamic_cast<caf::scheduled_actor*>(jobs.front())) {
    std::string line = actor->name();
    line += "#" + std::to_string(actor->id());
    if (auto* head = actor->mailbox().peek(); head != nullptr && head->content().size() > 0) {
      auto& content = head->content();
      const auto what = content.match_element<caf::atom_value>(0)
                            ? static_cast<std::uint64_t>(content.get_as<caf::atom_value>(0))
                            : std::uint64_t{content.type(0).first};
      line += " " + std::to_string(what) + "/" + std::to_string(content.size());
    }
    tell(line);
  }
  fibers_.run(owner_, [this] { scheduler_.try_run_once(); });
}

void process::kill(const std::function<void()>& let_go) {
  ARGOSY_CHECK(!fibers_.is_inside());
  *life_ = false;
  // CAF would print what ends the handlers that are parked.
  for (const auto& actor : trace::live_actors(system_))
    if (auto* one = dynamic_cast<caf::scheduled_actor*>(actor.handle->get()))
      one->set_exception_handler(
          [](const std::exception_ptr&) { return caf::make_error(caf::exit_reason::kill); });
  fibers_.end_all(owner_);
  let_go();
  constexpr int rounds_max = 50;
  for (int i = 0; i < rounds_max && system_.registry().running() > 0; ++i) {
    for (const auto& actor : trace::live_actors(system_))
      caf::anon_send_exit(actor.handle, caf::exit_reason::kill);
    fibers_.run(owner_, [this] {
      while (scheduler_.try_run_once()) {
      }
    });
  }
  ARGOSY_CHECK(system_.registry().running() == 0);
}

}  // namespace argosy::sim
