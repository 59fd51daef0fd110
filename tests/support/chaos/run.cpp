// SPDX-License-Identifier: Apache-2.0
#include "tests/support/chaos/run.hpp"

#include <signal.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <sstream>
#include <thread>

#include "tests/support/signals.hpp"
#include "tests/support/witness/remote_log.hpp"

namespace argosy::chaos {

namespace {

using namespace std::chrono_literals;
using std::chrono::duration_cast;
using std::chrono::milliseconds;
using clock = std::chrono::steady_clock;

class chaos {
 public:
  chaos(const run_settings& settings, secured_world& world, bool loud)
      : settings_(settings), world_(world), loud_(loud) {
    for (std::size_t i = 0; i < settings.load.callers; ++i)
      callers_.emplace_back(world, "caller" + std::to_string(i), settings.seed * 1'000 + i, false,
                            settings.load);
    if (settings.load.bulk_count > 0)
      callers_.emplace_back(world, "bulk", settings.seed * 1'000 + 999, true, settings.load);
    for (const auto how : act_names)
      for (const auto what : target_names)
        out_.faults.push_back({std::string{how} + " " + std::string{what}});
  }

  run_result run() {
    begun_ = clock::now();
    const auto plan = make_plan(settings_.seed, settings_.plan);
    auto next = plan.begin();
    while (clock::now() - begun_ < settings_.plan.length) {
      for (; next != plan.end() && clock::now() - begun_ >= next->at; ++next) begin(*next);
      turn(false);
    }
    while (!mends_.empty()) turn(false);
    const auto quiet = clock::now();
    if (!wait([&] { return std::ranges::all_of(callers_, &caller::done); }, true))
      out_.problem = "callers were never answered";
    else if (!wait([&] { return nothing_is_left(); }, true))
      out_.problem = "jobs have not ended: " + world_.ctl({"get", "jobs", "--active"}).out;
    out_.rested = duration_cast<milliseconds>(clock::now() - quiet);
    judge();
    return std::move(out_);
  }

 private:
  /// A process that is to be started again or continued at its time.
  struct mend {
    clock::time_point at;
    std::size_t count;  ///< The place in run_result::faults.
    std::function<void()> does;
  };
  struct recovery {
    clock::time_point since;
    std::size_t count;
  };

  bool wait(const std::function<bool()>& holds, bool ending) {
    const auto end = clock::now() + settings_.rest_max;
    while (!holds()) {
      if (clock::now() > end) return false;
      turn(ending);
    }
    return true;
  }

  /// Looks after everything once.
  void turn(bool ending) {
    for (std::size_t i = 0; i < mends_.size();) {
      if (clock::now() < mends_[i].at) {
        ++i;
        continue;
      }
      mends_[i].does();
      recoveries_.push_back({clock::now(), mends_[i].count});
      mends_.erase(mends_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    restart_what_ended();
    const auto before = out_.load.submissions;
    for (auto& one : callers_) one.poll(ending, told_, out_.load);
    if (out_.load.submissions > before) {
      for (const auto& open : recoveries_)
        out_.faults[open.count].recoveries.push_back(
            duration_cast<milliseconds>(clock::now() - open.since));
      recoveries_.clear();
    }
    std::this_thread::sleep_for(5ms);
  }

  void restart_what_ended() {
    if (!argosyd_down_ && !world_.argosyd().running()) {
      ++out_.argosyd_ended;
      world_.start_argosyd();
    }
    for (std::size_t i = 0; i < settings_.world.agents; ++i) {
      if (agents_down_.contains(i) || world_.agent(i).running()) continue;
      ++out_.agents_ended;
      world_.start_agent(i);
    }
  }

  void begin(const fault& one) {
    switch (one.what) {
      case target::argosyd:
        if (!argosyd_down_)
          hit(one, world_.argosyd(), argosyd_down_, [this] { world_.start_argosyd(); });
        break;
      case target::nats_server:
        if (!nats_down_) hit(one, world_.nats(), nats_down_, [this] { world_.start_nats(); });
        break;
      case target::agent: {
        const auto which = one.which % settings_.world.agents;
        if (agents_down_.contains(which)) break;
        agents_down_.insert(which);
        hit(
            one, world_.agent(which), ignored_, [this, which] { world_.start_agent(which); },
            [this, which] { agents_down_.erase(which); });
        break;
      }
      case target::shim:
        hit_shim(one);
        break;
    }
  }

  void hit(
      const fault& one, testing::child& process, bool& down, std::function<void()> start,
      std::function<void()> after = [] {}) {
    const auto count = counted(one);
    down = true;
    if (one.how == act::kill) {
      process.kill();
      mends_.push_back({clock::now() + one.away, count, [&down, start, after] {
                          start();
                          down = false;
                          after();
                        }});
    } else {
      process.signal(SIGSTOP);
      mends_.push_back({clock::now() + one.away, count, [&down, &process, after] {
                          process.signal(SIGCONT);
                          down = false;
                          after();
                        }});
    }
  }

  void hit_shim(const fault& one) {
    const auto all = world_.shims();
    if (all.empty()) return;
    const auto pid = all[one.which % all.size()];
    const auto count = counted(one);
    testing::send_signal(pid, one.how == act::kill ? SIGKILL : SIGSTOP);
    if (one.how == act::stop)
      mends_.push_back({clock::now() + one.away, count, [pid] {
                          if (testing::command_of(pid).find("argosy-shim") != std::string::npos)
                            testing::send_signal(pid, SIGCONT);
                        }});
  }

  std::size_t counted(const fault& one) {
    if (loud_) std::cout << to_text(one) << "\n" << std::flush;
    const auto at = static_cast<std::size_t>(one.how) * target_names.size() +
                    static_cast<std::size_t>(one.what);
    ++out_.faults[at].times;
    return at;
  }

  /// Asks at most twice a second.
  bool nothing_is_left() {
    if (clock::now() < ask_again_) return false;
    ask_again_ = clock::now() + 500ms;
    const auto got =
        world_.ctl({"get", "jobs", "-q", "q", "--active", "-o", "name", "--timeout", "5s"});
    return got.code == 0 && got.out.empty();
  }

  void judge() {
    world_.deployment().write("acknowledged", witness::print_acknowledged(told_));
    auto judged = judge_at_rest(world_, told_, &out_.log);
    if (judged)
      out_.verdict = std::move(*judged);
    else
      out_.problem += "; the log cannot be read: " + argosy::to_string(judged.error());
  }

  const run_settings& settings_;
  secured_world& world_;
  bool loud_;
  run_result out_;
  std::vector<caller> callers_;
  std::vector<witness::acknowledged> told_;
  std::vector<mend> mends_;
  std::vector<recovery> recoveries_;  ///< Those that wait for the next good answer.
  bool argosyd_down_ = false;
  bool nats_down_ = false;
  bool ignored_ = false;
  std::set<std::size_t> agents_down_;
  clock::time_point begun_;
  clock::time_point ask_again_{};
};

}  // namespace

result<witness::verdict> judge_at_rest(secured_world& world,
                                       const std::vector<witness::acknowledged>& told,
                                       witness::log_counts* counts) {
  world.argosyd().signal(SIGTERM);
  static_cast<void>(world.argosyd().wait(20s));
  witness::log_story story;
  const auto read = witness::read_log_of(world.url(), world.credentials("argosyd"), story);
  if (!read) return fail(read.error());
  if (counts != nullptr) *counts = *read;
  return witness::judge(story, witness::read_traces(world.traces_folder()), told);
}

run_result run_chaos(const run_settings& settings, secured_world& world, bool loud) {
  return chaos{settings, world, loud}.run();
}

std::string to_text(const run_result& of) {
  std::ostringstream out;
  out << "fault                 times  next answer after it: median, longest\n";
  std::size_t all = 0;
  for (const auto& one : of.faults) {
    auto times = one.recoveries;
    std::ranges::sort(times);
    all += one.times;
    out << one.name << std::string(22 - std::min<std::size_t>(22, one.name.size()), ' ')
        << one.times;
    if (!times.empty())
      out << "  " << times[times.size() / 2].count() << " ms, " << times.back().count() << " ms";
    out << "\n";
  }
  out << "faults in all         " << all << "\n"
      << "argosyd, agents that ended by themselves: " << of.argosyd_ended << ", " << of.agents_ended
      << "\nsubmissions " << of.load.submissions << ", sent again " << of.load.repeated
      << ", failed attempts " << of.load.failed << ", cancelled job sets " << of.load.cancels
      << ", longest wait " << of.load.longest.count() << " ms\nlog: " << of.log.records
      << " records, " << of.log.foreign << " foreign, " << of.log.generations
      << " generations\nat rest after " << of.rested.count() << " ms\n"
      << witness::to_text(of.verdict);
  if (!of.problem.empty()) out << "PROBLEM: " << of.problem << "\n";
  return out.str();
}

}  // namespace argosy::chaos
