// SPDX-License-Identifier: Apache-2.0
// Goal: a view that repeats the steps of the COORDINATOR has the same snapshot, number by number,
// and gives the same answers. Method: random histories of jobs, nodes and rounds, large enough for
// the snapshot to be made compact; a fold and a history beside it are what the COORDINATOR had.
#include "messages/rounds/round_view.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "runtime/scheduling/tables.hpp"

namespace argosy::rounds {
namespace {

class view_history {
 public:
  explicit view_history(std::uint64_t seed) : random_(seed) {}

  void step() {
    switch (pick(6)) {
      case 0:
        return change_node();
      case 1:
        return leave();
      case 2:
        return decide();
      default:
        return change_queue();
    }
  }

  void check() {
    settle();
    const auto& a = fold.snapshot().data();
    const auto& b = view.fold().snapshot().data();
    ASSERT_EQ(a.jobs.size(), b.jobs.size());
    for (std::size_t i = 0; i < a.jobs.size(); ++i) {
      ASSERT_EQ(a.jobs[i].id, b.jobs[i].id);
      ASSERT_EQ(a.jobs[i].shape, b.jobs[i].shape);
      ASSERT_EQ(a.jobs[i].node, b.jobs[i].node);
      ASSERT_EQ(a.jobs[i].has_run(), b.jobs[i].has_run());
    }
    ASSERT_EQ(a.shapes.size(), b.shapes.size());
    ASSERT_EQ(a.nodes.size(), b.nodes.size());
    for (const auto& [id, item] : live_) {
      const auto mine = history.explain(fold, id);
      const auto told = view.history().explain(view.fold(), id);
      ASSERT_EQ(mine.reason, told.reason);
      ASSERT_EQ(mine.code, told.code);
      ASSERT_EQ(mine.place, told.place);
      if (pick(20) == 0) break;
    }
    const auto digest = scheduling::schedule(fold.snapshot(), *config, {}).digest;
    ASSERT_EQ(scheduling::schedule(view.fold().snapshot(), *config, {}).digest, digest);
  }

 private:
  int pick(int below) { return std::uniform_int_distribution<int>{0, below - 1}(random_); }

  void tell(view_step step) { view.take(step); }

  void change_node() {
    auto delta = std::make_shared<native::node_delta>();
    delta->cluster = "c";
    delta->pool = model::pool_name{pick(2) == 0 ? "default" : "other"};
    delta->info.name = model::node_name{"n" + std::to_string(pick(6))};
    delta->present = pick(4) > 0;
    delta->info.allocatable = {{"cpu", 1000 * (1 + pick(8))}};
    const bool held = pick(5) == 0;
    static_cast<void>(fold.fold(*delta, held));
    tell(node_folded{delta, held});
  }

  std::shared_ptr<const model::job_header> header() {
    auto shape = std::make_shared<model::job_shape>();
    shape->requests = {{"cpu", 10 * (1 + pick(400))}};
    shape->priority_class = pick(2) == 0 ? "armada-preemptible" : "armada-default";
    auto out = std::make_shared<model::job_header>();
    ++jobs_;
    for (int i = 0; i < 8; ++i) out->id.bytes[15 - i] = static_cast<std::uint8_t>(jobs_ >> 8 * i);
    out->queue = model::queue_name{"q" + std::to_string(pick(3))};
    out->shape = std::move(shape);
    return out;
  }

  void change_queue() {
    const model::queue_name queue{"q" + std::to_string(pick(3))};
    ledger::job_changes changes;
    const int count = pick(10) == 0 ? 4'000 : 20;
    for (int i = 0; i < count; ++i) {
      ledger::job_upsert item;
      item.header = header();
      if (item.header->queue != queue) continue;
      live_[item.header->id] = item;
      changes.set.push_back(item);
    }
    std::vector<ulid> ends;
    for (const auto& [id, item] : live_)
      if (item.header->queue == queue && pick(3) == 0) ends.push_back(id);
    for (const auto& id : ends) {
      changes.removed.push_back(id);
      live_.erase(id);
    }
    std::erase_if(changes.set, [&](const auto& item) { return !live_.contains(item.header->id); });
    auto delta = std::make_shared<native::queue_delta>();
    delta->queue = queue;
    delta->exists = true;
    delta->settings.name = queue;
    delta->jobs = std::make_shared<const ledger::job_changes>(std::move(changes));
    static_cast<void>(fold.fold(*delta));
    history.set_silent(queue, {});
    tell(native::queue_delta_ptr{delta});
  }

  void leave() {
    queue_left left{model::queue_name{"q" + std::to_string(pick(3))}, nullptr, "it is silent"};
    auto part = std::make_shared<ledger::place_request>();
    for (const auto& [id, item] : live_)
      if (item.header->queue == left.queue && pick(10) == 0)
        part->leases.push_back({id, model::cluster_name{"c"}, model::node_name{"n1"},
                                model::pool_name{"default"}, 20000});
    left.part = part;
    fold.set_aside(left.queue, *part);
    history.set_silent(left.queue, left.why);
    tell(left);
  }

  void settle() {
    for (const auto& numbers : fold.settle_for_round()) history.renumber(numbers);
    const auto pools = history.pools(fold);
    history.keep_only(pools);
    tell(cut_settled{pools});
  }

  void decide() {
    settle();
    for (const auto& pool : history.pools(fold)) {
      round_done done;
      done.params.pool = pool;
      done.number = ++rounds_;
      done.plan = std::make_shared<const scheduling::plan>(
          scheduling::schedule(fold.snapshot(), *config, done.params));
      history.decided(pool, *done.plan, fold.snapshot(), done.number, 0);
      static_cast<void>(fold.decided(pool));
      tell(done);
    }
  }

  std::shared_ptr<const scheduling::config> config =
      std::make_shared<const scheduling::config>(scheduling::default_config());
  delta_fold fold{config};
  round_history history{config, {}};
  round_view view{config, {}};
  std::mt19937_64 random_;
  std::map<ulid, ledger::job_upsert> live_;
  std::uint64_t jobs_ = 0;
  std::uint64_t rounds_ = 0;
};

TEST(round_view, repeats_every_step_of_the_coordinator) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    view_history history{seed};
    for (int i = 0; i < 60; ++i) {
      history.step();
      if (i % 10 == 9) history.check();
      ASSERT_FALSE(::testing::Test::HasFatalFailure()) << "seed " << seed << ", step " << i;
    }
  }
}

}  // namespace
}  // namespace argosy::rounds
