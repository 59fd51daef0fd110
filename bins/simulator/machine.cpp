// SPDX-License-Identifier: Apache-2.0
#include "bins/simulator/machine.hpp"

#include <utility>

namespace argosy::sim {

using namespace std::chrono_literals;

namespace {

constexpr auto restart_pause = 500ms;

}  // namespace

machine::machine(std::string name, std::size_t number, surroundings& around)
    : around_(around),
      name_(std::move(name)),
      number_(number),
      clock_(around.time, 100s * (number + 1)),
      port_(around.net) {}

void machine::start() {
  if (is_up() || health_.kept_away) return;
  process_ = std::make_unique<process>(around_.fibers, number_, clock_.boot());
  tell("starts");
  around_.fibers.run(number_, [this] { launch(); });
}

void machine::kill() {
  if (!is_up()) return;
  tell("is killed");
  awake_at_.reset();
  waiting_.clear();
  health_.aims.clear();
  doomed_ = false;
  process_->kill([this] {
    let_go();
    port_.use(nullptr);
  });
  process_.reset();
}

void machine::crash(virtual_time::duration away) {
  if (!is_up()) return;
  kill();
  around_.time.after(away, [this] { start(); });
}

void machine::doom() {
  if (!is_up() || doomed_) return;
  tell("does nothing any more");
  doomed_ = true;
  // The rest of the handler that runs now sends nothing.
  port_.end_link();
}

void machine::ended(std::string_view why) {
  tell("ends: " + std::string{why});
  around_.time.after(1ms, [this, life = present_life()] {
    if (*life) crash(restart_pause);
  });
}

void machine::pause(virtual_time::duration time) {
  if (is_paused()) return;
  const auto end = around_.time.now() + time;
  awake_at_ = end;
  around_.time.at(end, [this, end] {
    // A kill ends a pause, and the next process may have one of its own.
    if (awake_at_ != end) return;
    awake_at_.reset();
    tell("goes on");
    follow_time();
    while (!is_paused() && !waiting_.empty()) {
      const auto next = std::move(waiting_.front());
      waiting_.pop_front();
      next();
    }
  });
}

void machine::when_awake(std::function<void()> what) {
  if (doomed_) return;
  if (is_paused())
    waiting_.push_back(std::move(what));
  else
    what();
}

std::shared_ptr<bus::connection> machine::connect() {
  network::owner own_calls;
  own_calls.arrive = [this](std::function<void()> what) { when_awake(std::move(what)); };
  own_calls.reached = [this](crash_point point) { health_.aims.reach(point); };
  auto [connection, own] = around_.net.connect(process_->timers(), std::move(own_calls));
  port_.use(std::move(own));
  return connection;
}

std::optional<virtual_time::duration> machine::due() {
  if (!is_running()) return {};
  const auto next = process_->due();
  return next ? std::optional{clock_.world_time(*next)} : std::nullopt;
}

void machine::follow_time() {
  if (is_running()) process_->follow(clock_.boot());
}

void machine::work() {
  process_->work(around_.order, [this](const std::string& what) { tell(what); });
}

void machine::wait(virtual_time::duration time, const process::life& of) {
  if (!*of) throw machine_killed{};
  if (!around_.fibers.is_inside() || time <= virtual_time::duration{}) return;
  // What kills the process ends the wait.
  if (doomed_) around_.fibers.park([](fiber_pool::ticket) {});
  around_.fibers.park([&](fiber_pool::ticket own) {
    const auto resume = [this, own, of] {
      if (*of) around_.fibers.resume(own);
    };
    around_.time.after(time, [this, resume, of] {
      if (*of) when_awake(resume);
    });
  });
  if (!*of) throw machine_killed{};
}

void machine::wait_for_disk(virtual_time::duration mean, const process::life& of) {
  const auto slow = virtual_time::duration{
      static_cast<std::int64_t>(static_cast<double>(mean.count()) * health_.slowness)};
  wait(slow / 4 + around_.disk_chances.around(slow * 3 / 4), of);
}

}  // namespace argosy::sim
