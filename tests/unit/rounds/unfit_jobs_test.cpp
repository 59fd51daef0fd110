// SPDX-License-Identifier: Apache-2.0
// Goal: jobs and gangs that no pool could take are blocked and then rejected, in whatever order
// nodes, jobs and looks come, and nothing else is; whoever submits them is told. Method: deltas as
// values, folded; looks at times that the test names.
#include "messages/rounds/unfit_jobs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/scheduling/plan.hpp"

namespace argosy::rounds {
namespace {

using namespace std::chrono_literals;
using ledger::unfit_way;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using numbers = std::vector<std::uint32_t>;

ulid id_of(std::uint32_t number) {
  ulid id;
  for (std::size_t i = 0; i < 4; ++i) id.bytes[15 - i] = static_cast<std::uint8_t>(number >> 8 * i);
  return id;
}

std::uint32_t number_of(const ulid& id) {
  std::uint32_t out = 0;
  for (std::size_t i = 12; i < 16; ++i) out = out << 8 | id.bytes[i];
  return out;
}

class unfit_core : public ::testing::Test {
 protected:
  /// No cores stand for memory alone.
  static model::resource_list amounts_of(int cores) {
    if (cores == 0) return {{"memory", 1 << 20}};
    return {{"cpu", 1000 * cores}};
  }
  static constexpr ledger::unfit_rules rules_of(unfit_way way) { return {way, 1min}; }

  void add_node(const model::pool_name& pool, const std::string& name, int cores,
                bool present = true, bool open = true) {
    native::node_delta delta;
    delta.cluster = model::cluster_name{"of-" + pool};
    delta.pool = pool;
    delta.present = present;
    delta.info.name = model::node_name{name};
    delta.info.allocatable = amounts_of(cores);
    delta.info.unschedulable = !open;
    EXPECT_TRUE(fold.fold(delta).empty());
  }

  std::shared_ptr<const model::job_header> header_of(std::uint32_t number, int cores,
                                                     std::uint32_t gang_size) {
    auto& shape = shapes[cores];
    if (!shape) {
      shape = std::make_shared<model::job_shape>();
      shape->requests = amounts_of(cores);
      shape->priority_class = "armada-preemptible";
    }
    auto header = std::make_shared<model::job_header>();
    header->id = id_of(number);
    header->queue = "q";
    header->shape = shape;
    header->hold_if_unfit = holds_if_unfit;
    if (gang_size > 1)
      header->gang =
          std::make_shared<const model::gang_info>(model::gang_info{"g", gang_size, gang_size, {}});
    return header;
  }

  void change(std::vector<ledger::job_upsert> set, std::vector<ulid> removed = {}) {
    native::queue_delta delta;
    delta.queue = "q";
    delta.exists = true;
    delta.settings.name = "q";
    delta.jobs = std::make_shared<const ledger::job_changes>(
        ledger::job_changes{std::move(set), std::move(removed)});
    EXPECT_TRUE(fold.fold(delta).empty());
  }

  void add_job(std::uint32_t number, int cores, std::uint32_t gang_size = 1) {
    ledger::job_upsert item;
    item.header = header_of(number, cores, gang_size);
    item.gang = item.header->gang;
    jobs[number] = item;
    change({item});
  }

  /// One member stands for its gang, to which all jobs belong then.
  void set_blocked(std::uint32_t number, bool blocked) {
    const bool in_gang = jobs.at(number).gang != nullptr;
    const auto first = in_gang ? jobs.begin() : jobs.find(number);
    for (auto each = first; each != (in_gang ? jobs.end() : std::next(first)); ++each) {
      each->second.blocked_ns = blocked ? wall() : 0;
      change({each->second});
    }
  }

  [[nodiscard]] std::int64_t wall() const { return 1'700'000'000'000'000'000 + now.count(); }

  /// Looks once, after this time.
  void look(boot_time after) {
    now += after;
    auto found = core.look(fold, configs, wall(), now);
    last = std::move(found["q"]);
  }
  /// Lets the time pass with a look in each second, and what is found become true.
  void pass(boot_time time) {
    for (const auto end = now + time; now < end;) {
      fold.settle();
      look(1s);
      for (const auto& each : last.block) set_blocked(number_of(each.job), true);
      for (const auto& each : last.release) set_blocked(number_of(each), false);
      for (const auto& each : last.reject) {
        rejected.push_back(number_of(each.job));
        jobs.erase(rejected.back());
        change({}, {each.job});
      }
    }
  }
  numbers blocked() const {
    numbers out;
    for (const auto& [number, item] : jobs)
      if (item.blocked_ns != 0) out.push_back(number);
    return out;
  }

  std::string note(const std::vector<std::shared_ptr<const model::job_header>>& of,
                   unfit_way way = unfit_way::reject) {
    fold.settle();
    return unfit_note(fold, configs, rules_of(way), of);
  }

  std::shared_ptr<const scheduling::config> config =
      std::make_shared<const scheduling::config>(scheduling::default_config());
  delta_fold fold{config};
  pool_configs configs{config, {}};
  unfit_jobs core{rules_of(unfit_way::reject)};
  boot_time now = 1h;
  bool holds_if_unfit = false;
  std::map<int, std::shared_ptr<model::job_shape>> shapes;
  std::map<std::uint32_t, ledger::job_upsert> jobs;
  ledger::unfit_findings last;
  numbers rejected;
};

TEST_F(unfit_core, blocks_and_then_rejects_what_no_node_could_take) {
  add_node("default", "n", 8);
  add_job(1, 64);
  add_job(2, 8);
  pass(3s);
  EXPECT_EQ(blocked(), numbers{1});
  pass(50s);
  EXPECT_THAT(rejected, IsEmpty());
  pass(20s);
  EXPECT_EQ(rejected, numbers{1});
  EXPECT_THAT(last.reject, IsEmpty());
  EXPECT_FALSE(core.has_candidates()) << "nobody has to look any more";
}

TEST_F(unfit_core, says_that_it_has_to_look_again_if_a_look_came_too_early) {
  add_node("default", "n", 8);
  fold.settle();
  look(1s);
  EXPECT_FALSE(core.has_candidates());
  add_job(1, 64);
  fold.settle();
  look(1ms);
  EXPECT_TRUE(core.has_candidates());
}

TEST_F(unfit_core, lets_a_node_save_a_job_that_comes_before_the_end) {
  add_node("default", "n", 8);
  add_job(1, 64);
  pass(59s);
  EXPECT_EQ(blocked(), numbers{1});
  add_node("late", "m", 64);
  // The node is known, but nobody has settled what could run on it.
  look(1min);
  EXPECT_THAT(last.reject, IsEmpty());
  pass(2s);
  EXPECT_THAT(blocked(), IsEmpty());
  pass(10min);
  EXPECT_THAT(rejected, IsEmpty());
}

TEST_F(unfit_core, counts_closed_nodes) {
  add_node("default", "n", 8);
  add_node("default", "m", 64, true, false);
  add_job(1, 64);
  pass(10min);
  EXPECT_THAT(blocked(), IsEmpty());
  add_node("default", "m", 64, false);
  pass(2s);
  EXPECT_EQ(blocked(), numbers{1}) << "the node is gone";
}

TEST_F(unfit_core, judges_nobody_while_no_node_is_known) {
  add_job(1, 64);
  pass(10min);
  EXPECT_THAT(blocked(), IsEmpty());
  add_node("default", "n", 8);
  pass(2s);
  EXPECT_EQ(blocked(), numbers{1});
  add_node("default", "n", 8, false);
  pass(10min);
  EXPECT_THAT(rejected, IsEmpty());
}

TEST_F(unfit_core, looks_at_all_pools) {
  add_node("small", "n", 8);
  add_node("large", "m", 64);
  add_job(1, 64);
  pass(10min);
  EXPECT_THAT(blocked(), IsEmpty());
}

TEST_F(unfit_core, takes_gangs_as_a_whole) {
  add_node("default", "n", 8);
  for (const auto number : {1, 2, 3}) add_job(number, 4, 3);
  pass(10s);
  EXPECT_THAT(blocked(), SizeIs(3));
  add_node("default", "m", 4);
  pass(2s);
  EXPECT_THAT(blocked(), IsEmpty());
  pass(10min);
  EXPECT_THAT(rejected, IsEmpty());
  add_node("default", "m", 4, false);
  pass(62s);
  EXPECT_THAT(rejected, SizeIs(1)) << "one member stands for all";
}

TEST_F(unfit_core, finds_gangs_whose_members_fit_only_in_different_pools) {
  add_node("default", "n", 8);
  add_node("other", "m", 0);
  add_job(1, 8, 2);
  add_job(2, 0, 2);
  pass(3s);
  EXPECT_THAT(blocked(), SizeIs(2));
}

TEST_F(unfit_core, holds_for_as_long_as_it_takes) {
  core = unfit_jobs{rules_of(unfit_way::hold)};
  add_node("default", "n", 8);
  add_job(1, 64);
  pass(10min);
  EXPECT_EQ(blocked(), numbers{1});
  EXPECT_FALSE(core.has_candidates());
  add_node("default", "m", 64);
  pass(1s);
  EXPECT_THAT(blocked(), IsEmpty());
}

TEST_F(unfit_core, releases_a_job_whose_block_became_durable_after_its_node_came) {
  core = unfit_jobs{rules_of(unfit_way::hold)};
  add_node("default", "n", 8);
  add_job(1, 64);
  fold.settle();
  look(1s);
  look(1s);
  ASSERT_THAT(last.block, SizeIs(1));
  add_node("default", "m", 64);
  fold.settle();
  look(1s);
  set_blocked(1, true);
  pass(1s);
  EXPECT_THAT(blocked(), IsEmpty());
}

TEST_F(unfit_core, keeps_jobs_that_ask_for_it) {
  holds_if_unfit = true;
  add_node("default", "n", 8);
  add_job(1, 64);
  pass(10min);
  EXPECT_EQ(blocked(), numbers{1});
  EXPECT_THAT(rejected, IsEmpty());
}

TEST_F(unfit_core, blocks_nothing_where_jobs_are_to_wait) {
  add_node("default", "n", 8);
  add_job(1, 64);
  pass(3s);
  EXPECT_EQ(blocked(), numbers{1});
  core = unfit_jobs{rules_of(unfit_way::wait)};
  pass(10min);
  EXPECT_THAT(blocked(), IsEmpty());
  EXPECT_THAT(rejected, IsEmpty());
}

TEST_F(unfit_core, takes_many_in_turns) {
  add_node("default", "n", 8);
  constexpr std::uint32_t count = 10'001;
  for (std::uint32_t number = 1; number <= count; ++number) add_job(number, 64);
  fold.settle();
  look(1s);
  look(1s);
  EXPECT_THAT(last.block, SizeIs(count - 1));
  pass(3s);
  EXPECT_THAT(blocked(), SizeIs(count));
  pass(1min + 2s);
  EXPECT_THAT(rejected, SizeIs(count));
}

TEST_F(unfit_core, tells_whoever_submits_it) {
  EXPECT_EQ(note({header_of(1, 64, 1)}), "") << "no node is known";
  add_node("default", "n", 8);
  const std::string too_large =
      "it can never run as it is: it needs 64 cores, and no node that it may use has more than 8 "
      "cores; ask for less, or have a larger node added; ";
  EXPECT_EQ(note({header_of(1, 64, 1), header_of(2, 64, 1), header_of(3, 8, 1)}),
            too_large +
                "unless such a node comes within 1 min, the job is rejected, or held if it "
                "has the annotation argosy.io/onNeverFits: hold");
  EXPECT_EQ(note({header_of(1, 64, 1)}, unfit_way::hold),
            too_large + "the job is held until such a node comes");
  EXPECT_EQ(note({header_of(1, 64, 1)}, unfit_way::wait),
            too_large + "the job waits until such a node comes");
  EXPECT_EQ(note({header_of(1, 8, 1)}), "");
  EXPECT_THAT(note({header_of(1, 4, 3), header_of(2, 4, 3), header_of(3, 4, 3)}),
              HasSubstr("at most 2 of the 3 members"));
  EXPECT_EQ(note({header_of(1, 4, 3)}), "") << "the others may come with another submission";
}

TEST_F(unfit_core, tells_whoever_submits_a_gang_above_a_burst) {
  auto changed = *config;
  changed.queue_rate = changed.queue_burst = 2;
  config = std::make_shared<const scheduling::config>(changed);
  configs = pool_configs{config, {}};
  add_node("default", "n", 8);
  const std::string barred{scheduling::sentence(scheduling::reason::gang_exceeds_queue_burst)};
  EXPECT_EQ(note({header_of(1, 1, 3), header_of(2, 1, 3), header_of(3, 1, 3)}), barred);
  EXPECT_EQ(note({header_of(1, 1, 3)}), barred) << "the others do not matter";
  EXPECT_EQ(note({header_of(1, 1, 2), header_of(2, 1, 2)}), "");
  // A gang that is too large as well is rejected, and told why.
  EXPECT_THAT(note({header_of(1, 8, 3), header_of(2, 8, 3), header_of(3, 8, 3)}),
              AllOf(HasSubstr("at most 1 of the 3 members"), Not(HasSubstr("Burst"))));
}

}  // namespace
}  // namespace argosy::rounds
