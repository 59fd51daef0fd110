// SPDX-License-Identifier: Apache-2.0
// Goal: this is the machinery of history_test.cpp. Method: see history_fixture.hpp.
#include "tests/unit/queue_ledger/history_fixture.hpp"

#include <algorithm>
#include <sstream>

#include "runtime/ledger/gang_core.hpp"
#include "runtime/ledger/queue/job_rules.hpp"
#include "tests/unit/queue_ledger/history_observer.hpp"
#include "tests/unit/queue_ledger/history_text.hpp"
#include "tests/unit/queue_ledger/queue_fixture.hpp"

namespace argosy::ledger {

using model::job_state;

history_counts& counts() {
  static history_counts all;
  return all;
}

namespace {

/// Plays one history: the core, the GANGs, a COORDINATOR's view and the CLUSTERs' bindings.
class player {
 public:
  explicit player(queue_config config) : config_(config), core_("q", config) {}

  std::string play(const std::vector<command>& commands) {
    settings(write_mode::create, 0);
    for (const auto& item : commands) {
      if (!seen_.complaint().empty()) break;
      step(item);
      seen_.check(core_);
      check_bindings();
      check_waits();
      if (std::get<3>(item) % 4 == 0) fold();
    }
    fold();
    check_copies();
    return !complaint_.empty() ? complaint_ : seen_.complaint();
  }

 private:
  void complain(const std::string& what) {
    if (complaint_.empty()) complaint_ = what;
  }

  template <class Reply>
  std::optional<Reply> run(decision<Reply> decided) {
    if (!decided.reply) {
      ++counts().refused;
      if (!decided.events.empty() || !decided.effects.empty())
        complain("a refused command has events: " + to_string(decided.reply.error()));
      return std::nullopt;
    }
    const auto illegal = core_.illegal_events();
    for (const auto& e : decided.events) {
      const auto fresh = core_.apply(e);
      if (core_.illegal_events() != illegal)
        complain("decided an illegal event: " + std::string{model::name_of(e.payload)} + " of " +
                 to_string(model::job_of(e)));
      seen_.see(e, fresh);
      for (const auto& change : fresh) changes_.push_back(describe(change));
      ++counts().events[std::string{model::name_of(e.payload)}];
      log_.push_back(e);
    }
    for (const auto& effect : decided.effects) follow(effect);
    return std::move(*decided.reply);
  }

  void tell(const gang_changed& what) {
    const auto& id = what.gang->id;
    if (what.joined.empty() && !gangs_.contains(id))
      return complain("an effect for a gang that is over");
    auto& gang = gangs_.try_emplace(id, what.gang).first->second;
    gang.change(what);
    if (what.last != (gang.live_count() == 0))
      complain("GANG and QUEUE disagree on the last member");
    if (const auto report = gang.take_report()) core_.gang_reported(*report);
    if (what.last) gangs_.erase(id);
  }

  void follow(const queue_effect& effect) {
    if (const auto* changed = std::get_if<gang_changed>(&effect)) {
      tell(*changed);
    } else if (const auto* over = std::get_if<run_over>(&effect)) {
      if (bound_.erase(over->run) != 1) complain("a run was over twice, or never began (I11)");
    }
  }

  void settings(write_mode mode, int value) {
    model::queue_settings settings;
    settings.name = "q";
    settings.priority_factor = 1 + value % 3;
    (void)run(core_.set(settings, mode, ++now_));
  }

  std::shared_ptr<const model::job_header> fresh_job(int kind, int which) {
    auto header = job_named(++last_job_, which % 2 ? "a" : "b");
    if (kind % 3 == 1)
      header.gang = gang_of("g" + std::to_string(which % 3), 2 + which % 3U, 1 + which % 2U);
    if (kind % 3 == 2) {
      header.client_id = "client-" + std::to_string(which % 7);
      header.body_hash = which % 5 == 0 ? 1U : 2U;
    }
    header.held = which % 13 == 7;
    if (which % 2 == 1) header.requeue_if_preempted = false;
    if (which % 5 == 2) {
      const auto when = static_cast<model::dependency_condition>(kind % 4);
      header.after = std::make_shared<const std::vector<model::job_dependency>>(
          std::vector<model::job_dependency>{{some_job(which), when}, {some_job(kind), when}});
      header.hold_if_unmet = which % 10 == 2;
    }
    return std::make_shared<const model::job_header>(std::move(header));
  }

  void submit(int kind, int which, int count) {
    std::vector<std::shared_ptr<const model::job_header>> jobs;
    for (int i = 0; i < 1 + count % 4; ++i) jobs.push_back(fresh_job(kind, which));
    if (const auto reply = run(core_.submit(jobs, ++now_)))
      for (std::size_t i = 0; i < jobs.size(); ++i) {
        if (jobs[i]->client_id.empty()) continue;
        const auto [at, fresh] = clients_.emplace(jobs[i]->client_id, reply->jobs[i].id);
        if (at->second != reply->jobs[i].id) complain("one client id, two jobs (I2)");
      }
  }

  ulid some_job(int which) const {
    std::vector<ulid> ids;
    core_.for_each([&](const model::job_record& record) { ids.push_back(record.header->id); });
    std::sort(ids.begin(), ids.end());
    return ids.empty() || which % 11 == 10 ? job_id(static_cast<std::uint64_t>(which))
                                           : ids[static_cast<std::size_t>(which) % ids.size()];
  }

  job_selection some_jobs(int kind, int which) const {
    job_selection out;
    if (kind % 4 == 0) {
      out.whole = true;
      out.job_set = which % 2 ? "a" : "b";
      out.queued = which % 3 != 0;
    } else {
      out.ids = {some_job(which), some_job(which + 1)};
    }
    return out;
  }

  void place(int kind, int which, int count) {
    place_request plan;
    plan.round = static_cast<std::uint64_t>(now_);
    const auto lease = [&](const ulid& job) {
      plan.leases.push_back({job, model::cluster_name{which % 2 ? "c" : "d"}, model::node_name{"n"},
                             model::pool_name{"default"}, 0});
    };
    if (kind % 3 == 0) {
      for (int i = 0; i < 1 + count % 4; ++i) lease(some_job(which + i));
    } else {
      const auto gangs = core_.gangs();
      if (!gangs.empty()) {
        const auto& gang = gangs[static_cast<std::size_t>(which) % gangs.size()];
        for (const auto& member : gang.members) lease(member.job);
        if (kind % 5 == 4 && !plan.leases.empty()) plan.leases.pop_back();
      }
      lease(some_job(count));
    }
    if (kind % 7 == 5) plan.preemptions.push_back({some_job(count), some_job(which), "room"});
    if (const auto reply = run(core_.place(plan, ++now_)))
      for (const auto& started : reply->started)
        if (!bound_.insert(started.run).second) complain("one run started twice (I5)");
  }

  void report(int kind, int which, int noise) {
    model::run_report report;
    report.run.job = some_job(which);
    report.phase = static_cast<model::run_phase>(kind % 8);
    model::cluster_name cluster{"c"};
    report.run.number = 1;
    if (const auto* record = core_.find(report.run.job); record && !record->runs.empty()) {
      report.run.number = record->runs.back().number;
      cluster = record->runs.back().cluster;
    }
    if (noise % 9 == 8) ++report.run.number;
    if (noise % 9 == 7) --report.run.number;
    if (noise % 9 == 6) cluster = model::cluster_name{"e"};
    if (noise % 9 == 5) report.outcome.reason = reason_lapsed;
    (void)run(core_.report(cluster, {report, report}, ++now_));
  }

  void expire(int which) {
    std::vector<model::run_key> runs;
    core_.for_each([&](const model::job_record& record) {
      if (const auto* live = record.live_run();
          live && live->cluster.str() == (which % 2 ? "c" : "d"))
        runs.push_back({record.header->id, live->number});
    });
    std::sort(runs.begin(), runs.end());
    (void)run(core_.lease_expired(runs, ++now_));
  }

  void step(const command& item) {
    const auto& [op, a, b, c] = item;
    switch (op % 16) {
      case 0:
        if (a % 4 == 0)
          return void(
              run(core_.erase(b % 2 == 0 ? erase_mode::lenient : erase_mode::strict, ++now_)));
        return settings(static_cast<write_mode>(a % 3), b);
      case 1:
        if (a % 2 == 0)
          return void(run(core_.hold(some_jobs(b, c), a % 4 == 0, "bob", "not yet", ++now_)));
        return void(run(core_.cordon(a % 8 == 1, ++now_)));
      case 2:
      case 3:
      case 4:
        return submit(a, b, c);
      case 5:
        if (a % 3 == 0) return void(run(core_.cancel(some_jobs(b, c), "bob", "why", ++now_)));
        return void(run(core_.reprioritize(some_jobs(a, b), c, "bob", ++now_)));
      case 6:
        return a % 5 == 0 ? expire(b) : report(a, b, c);
      case 7:
      case 8:
      case 9:
      case 10:
        return place(a, b, c);
      default:
        return report(a, b, c);
    }
  }

  void check_waits() {
    core_.for_each([&](const model::job_record& record) {
      if (!record.header->after || record.state != job_state::queued) return;
      const bool is_open = std::ranges::any_of(*record.header->after, [&](const auto& on) {
        const auto* other = core_.find(on.job);
        return other != nullptr &&
               (on.when != model::dependency_condition::started || !has_started(*other));
      });
      if (is_open && !record.hold) complain("a job does not wait for another one");
      if (!is_open && record.hold && record.hold->waits && !record.header->gang)
        complain("a job waits for nothing");
    });
  }

  void check_bindings() {
    std::size_t live = 0;
    core_.for_each([&](const model::job_record& record) {
      if (const auto* run = record.live_run()) {
        ++live;
        if (!bound_.contains({record.header->id, run->number})) complain("unbound run (I11)");
      }
    });
    if (live != bound_.size()) complain("a binding outlived its run (I11)");
    if (gangs_.size() != core_.gangs().size()) complain("GANGs and gangs differ");
  }

  static std::string describe_item(const job_upsert& item) {
    std::ostringstream out;
    out << item.priority << item.stopping << (item.run ? item.run->number : 0)
        << (item.run ? to_string(item.run->state) : "");
    if (item.gang) out << item.gang->id << item.gang->cardinality << item.gang->minimum_cardinality;
    return out.str();
  }

  void fold() {
    auto delta = core_.take_dirty();
    for (const auto& id : delta.jobs.removed) view_.erase(id);
    for (const auto& item : delta.jobs.set) view_[item.header->id] = describe_item(item);
  }

  /// Checks that the log replayed, and the stored view, give the same core, and that the folded
  /// deltas are what a new COORDINATOR would be told.
  void check_copies() {
    queue_core replayed{"q", config_};
    std::vector<std::string> changes;
    for (const auto& e : log_)
      for (const auto& change : replayed.apply(e)) changes.push_back(ledger::describe(change));
    if (changes != changes_) complain("replay stores something else (I21)");
    if (ledger::describe(replayed) != ledger::describe(core_)) complain("replay differs (I21)");
    if (replayed.illegal_events() != 0) complain("replay found illegal events");
    auto restored = seen_.restored(config_);
    if (ledger::describe(*restored) != ledger::describe(core_))
      complain("the stored view differs (I21):\n" + ledger::describe(*restored) + "\n" +
               ledger::describe(core_));
    for (const auto& gang : restored->gangs()) {
      gang_core again{gang.gang};
      for (const auto& member : gang.members) again.restore(member);
      if (const auto report = again.take_report()) restored->gang_reported(*report);
    }
    std::map<ulid, std::string> fresh;
    for (const auto& item : restored->take_dirty().jobs.set)
      fresh[item.header->id] = describe_item(item);
    if (fresh != view_) complain("folded deltas are not the state");
  }

  queue_config config_;
  queue_core core_;
  observer seen_;
  std::map<std::string, gang_core> gangs_;
  std::set<model::run_key> bound_;
  std::map<std::string, ulid> clients_;
  std::map<ulid, std::string> view_;
  std::vector<model::event> log_;
  std::vector<std::string> changes_;
  std::int64_t now_ = 1000;
  std::uint64_t last_job_ = 0;
  std::string complaint_;
};

}  // namespace

std::string play(const std::vector<command>& commands, const queue_config& config) {
  return player{config}.play(commands);
}

}  // namespace argosy::ledger
