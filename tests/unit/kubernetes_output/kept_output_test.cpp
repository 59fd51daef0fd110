// SPDX-License-Identifier: Apache-2.0
// Goal: the output of runs can be read after their pods are gone, its beginning and its end, within
// bounds, and no pod goes before it was read.
// Method: an API server in memory, and folders of the test.
#include "runtime/backends/kubernetes/output/kept_output.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temp_folder.hpp"
#include "tests/unit/kubernetes/kubernetes_fixture.hpp"

namespace argosy::backends {
namespace {

using ::testing::HasSubstr;

struct kept_output_test : kubernetes_fixture {
  kept_output_test() {
    config.state_dir = folder.path();
    config.rules.kept_output_per_run = {100};
  }
  ~kept_output_test() override { backend.reset(); }

  /// Has a run with this output stopped, and its pod go.
  model::run_key stopped(const std::string& output) {
    const auto run = start(1);
    kube->output[at(run)] = output;
    set_status(run, running);
    stop(run);
    set_status(run, failed_3);
    kube->remove(at(run));
    backend->advance();
    return run;
  }
  /// Has a run with this output end by itself.
  model::run_key ended(std::uint8_t serial, const std::string& output) {
    const auto run = start(serial);
    kube->output[at(run)] = output;
    set_status(run, running);
    set_status(run, failed_3);
    return run;
  }

  argosy::testing::temp_folder folder;
};

TEST_F(kept_output_test, the_output_of_a_stopped_run_outlives_its_pod_and_its_agent) {
  open();
  const auto run = stopped("hello world");
  EXPECT_THAT(kube->last("GET"), HasSubstr("/log?limitBytes=16777216&container=main&follow=true"));
  EXPECT_EQ(read({run, 6, 100})->data, "world");
  EXPECT_TRUE(read({run, 6, 100})->end);
  backend.reset();
  open();
  EXPECT_EQ(read({run, 0, 5})->data, "hello");
  EXPECT_FALSE(read({run, 0, 5})->end);
}

TEST_F(kept_output_test, the_last_words_of_a_stopped_run_with_long_lines_are_kept) {
  open();
  const auto run = stopped("first\n" + std::string(5'000, 'x') + "\nlast words\n");
  const auto kept = read({run});
  EXPECT_TRUE(kept->data.starts_with("first\nxxx"));
  EXPECT_TRUE(kept->data.ends_with("xxx\nlast words\n")) << kept->data;
  EXPECT_LE(kept->data.size(), 150U);
  EXPECT_NE(kept->lost, "");
}

TEST_F(kept_output_test, the_output_of_a_run_that_ended_is_there_a_day_later) {
  open();
  const auto run = ended(1, "last words\n");
  kube->remove(at(run));
  pass(24h);
  EXPECT_EQ(read({run})->data, "last words\n");
  backend.reset();
  open();
  EXPECT_EQ(read({run})->data, "last words\n");
  model::log_request main{run};
  main.container = "main";
  EXPECT_EQ(read(main)->data, "last words\n");
  EXPECT_EQ(read(main)->position, "kept");
  main.since_ns = 1;
  EXPECT_EQ(read(main).error().code, ec::invalid_argument);
  main.container = "other";
  EXPECT_EQ(read(main).error().code, ec::not_found);
}

TEST_F(kept_output_test, has_the_beginning_and_the_end_of_a_long_one) {
  open();
  std::string output = "first\n";
  for (int i = 0; i < 100; ++i) output += "line\n";
  const auto run = ended(1, output + "last\n");
  kube->remove(at(run));
  backend->advance();
  const auto kept = read({run})->data;
  EXPECT_TRUE(kept.starts_with("first\nline\n"));
  EXPECT_TRUE(kept.ends_with("line\nlast\n"));
  EXPECT_THAT(kept, HasSubstr("[some of the output was not kept here]"));
  EXPECT_LE(kept.size(), 150u);
  EXPECT_THAT(read({run})->lost, HasSubstr("only the beginning and the end"));
  EXPECT_EQ(read({run, 5, 10})->lost, "") << "it is said once";
  backend.reset();
  open();
  EXPECT_THAT(read({run})->lost, HasSubstr("only the beginning and the end"));
}

TEST_F(kept_output_test, has_the_first_lines_of_one_that_was_rotated) {
  for (const bool is_stopped : {false, true}) {
    open();
    const auto run = start(is_stopped ? 2 : 1);
    kube->output[at(run)] = "first\nmore\n";
    set_status(run, main_runs);
    pass(2s);
    kube->output[at(run)] += "much\nlast\n";
    kube->rotated[at(run)] = 3;
    if (is_stopped) stop(run);
    set_status(run, failed_3);
    kube->remove(at(run));
    backend->advance();
    const auto kept = read({run});
    EXPECT_EQ(kept->data, "first\nmore\n\n[some of the output was not kept here]\nlast\n");
    EXPECT_THAT(kept->lost, HasSubstr("only the beginning and the end"));
    backend.reset();
  }
}

TEST_F(kept_output_test, has_the_first_lines_that_an_earlier_agent_has_read) {
  open();
  const auto run = start(1);
  kube->output[at(run)] = "first\n";
  set_status(run, main_runs);
  pass(2s);
  const auto gone = start(2);
  kube->output[at(gone)] = "of another\n";
  set_status(gone, main_runs);
  pass(2s);
  kube->output[at(run)] += "much\nlast\n";
  kube->rotated[at(run)] = 2;
  backend.reset();
  kube->remove(at(gone));
  open({run, gone});
  pass(2s);
  const auto seen = read({run});
  EXPECT_EQ(seen->data, "last\n");
  EXPECT_THAT(seen->lost, HasSubstr("is missing"));
  set_status(run, failed_3);
  kube->remove(at(run));
  backend->advance();
  EXPECT_THAT(read({run})->data, ::testing::StartsWith("first\n\n[some of the output"));
  backend->forget(run);
  pass(1h);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path() / "output" / "heads"));
}

TEST_F(kept_output_test, no_pod_is_deleted_before_its_output_was_read) {
  config.rules.keep_pods = 0s;
  open();
  const auto run = start(1);
  kube->output[at(run)] = "words\n";
  set_status(run, running);
  kube->faults.push_back({"GET", fail(ec::unreachable, "refused")});
  set_status(run, failed_3);
  backend->forget(run);
  backend->advance();
  EXPECT_EQ(kube->count("DELETE"), 0U);
  pass(5s);
  EXPECT_EQ(kube->count("DELETE"), 1U);
  EXPECT_EQ(read({run})->data, "words\n");
}

TEST_F(kept_output_test, an_output_that_cannot_be_read_delays_no_deletion) {
  open();
  const auto run = start(1);
  set_status(run, running);
  kube->faults.push_back({"GET", fail(ec::unreachable, "refused")});
  stop(run, 7s);
  EXPECT_EQ(kube->count("DELETE"), 1U);
  EXPECT_EQ(read({run, 0, 5})->data, "") << "the pod is still there";
}

TEST_F(kept_output_test, only_so_many_outputs_are_followed_at_a_time) {
  open();
  std::vector<model::run_key> runs;
  for (std::uint8_t i = 1; i <= 9; ++i) {
    runs.push_back(start(i));
    set_status(runs.back(), R"({"phase":"Running",
      "containerStatuses":[{"name":"main","state":{"running":{}}}]})");
  }
  kube->silent = true;
  for (const auto& run : runs) stop(run);
  std::size_t followed = 0;
  for (const auto& each : kube->requests)
    if (each.path.find("follow=true") != std::string::npos) ++followed;
  EXPECT_EQ(followed, 8U);
  EXPECT_EQ(kube->count("GET"), 9U) << "the others are read as they are now";
}

TEST_F(kept_output_test, only_so_many_outputs_are_saved_at_a_time) {
  open();
  std::vector<model::run_key> runs;
  for (std::uint8_t i = 1; i <= 20; ++i) {
    runs.push_back(start(i));
    set_status(runs.back(), running);
  }
  kube->silent = true;
  for (const auto& run : runs) set_status(run, failed_3);
  EXPECT_EQ(kube->held.size(), 8U);
}

TEST(kept_outputs, the_oldest_go_first) {
  const argosy::testing::temp_folder folder;
  const auto run_of = [](std::uint8_t serial) { return kubernetes_fixture::run_of(serial); };
  const auto path = folder.path() / "output";
  auto outputs = kept_output::open(path, 3 * 4096);
  outputs.keep({run_of(1), "main", true, "one"});
  outputs.keep({run_of(2), "main", true, "two"});
  outputs.keep({run_of(2), "side", false, "aside"});
  outputs.keep({run_of(3), "main", true, "three"});
  EXPECT_FALSE(outputs.has(run_of(1)));
  EXPECT_EQ(outputs.read({run_of(2)})->data, "two");
  outputs.keep({run_of(3), "main", true, "again"});
  EXPECT_EQ(outputs.read({run_of(3)})->data, "again");
  EXPECT_TRUE(outputs.has(run_of(2)));
  const auto later = kept_output::open(path, 3 * 4096);
  model::log_request side{run_of(2)};
  side.container = "side";
  EXPECT_EQ(later.read(side)->data, "aside");
  EXPECT_EQ(later.read({run_of(3)})->data, "again");
}

TEST(kept_outputs, are_found_again_whatever_their_containers_are_called) {
  const argosy::testing::temp_folder folder;
  const auto run = kubernetes_fixture::run_of(1);
  auto outputs = kept_output::open(folder.path(), 1u << 20);
  outputs.keep({run, "main", true, "main"});
  const std::vector<std::string> others{"first", "a", "x-first", "0"};
  for (const auto& each : others) outputs.keep({run, each, false, each});
  std::ofstream{folder.path() / (to_string(run) + ".odd.file")} << "of nobody";
  std::ofstream{folder.path() / (to_string(run) + ".a.new")} << "of nobody";
  const auto later = kept_output::open(folder.path(), 1u << 20);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / (to_string(run) + ".a.new")));
  EXPECT_EQ(later.read({run})->data, "main");
  for (const auto& each : others) {
    model::log_request one{run};
    one.container = each;
    EXPECT_EQ(later.read(one)->data, each);
  }
}

TEST(kept_outputs, without_a_folder_nothing_is_kept) {
  auto outputs = kept_output::open({}, 1u << 20);
  outputs.keep({kubernetes_fixture::run_of(1), "main", true, "one"});
  EXPECT_EQ(outputs.read({kubernetes_fixture::run_of(1), 0, 1}).error().code, ec::not_found);
}

/// The run with this serial has ended on this node.
void add_to(output_saver& saver, std::uint8_t serial, const std::string& node, boot_time now) {
  saver.add(kubernetes_fixture::run_of(serial),
            {{"jobs", "p" + std::to_string(serial), "main", true, node}}, "main", now);
}

TEST(output_savers, let_a_node_that_fails_have_one_place) {
  output_saver saver{{.run_bytes_max = 100, .at_a_time_max = 2, .patience = 10min}};
  boot_time now{1min};
  for (std::uint8_t i = 1; i <= 5; ++i) add_to(saver, i, "dead", now);
  add_to(saver, 6, "sound", now);
  auto first = saver.take(now).requests;
  ASSERT_EQ(first.size(), 2U);
  for (const auto& each : first) saver.answered(each.number, fail(ec::timeout, "no answer"), now);
  const auto next = saver.take(now).requests;
  ASSERT_EQ(next.size(), 1U);
  EXPECT_THAT(next[0].request.path, HasSubstr("/p6/"));
  EXPECT_EQ(saver.next_due(), now + 5s) << "the node is left alone for a while";
  saver.answered(next[0].number, kube::answer{200, "words"}, now);
  const auto then = saver.take(now);
  EXPECT_EQ(then.outputs.size(), 1U);
  EXPECT_TRUE(then.requests.empty());
  now += 5s;
  EXPECT_EQ(saver.take(now).requests.size(), 1U);
  EXPECT_EQ(saver.next_due(), boot_time::max()) << "the node's one place is taken";
}

TEST(output_savers, try_for_as_long_as_the_pod_stays) {
  output_saver saver{{.run_bytes_max = 100, .patience = 10min}};
  boot_time now{1min};
  add_to(saver, 1, "slow", now);
  std::size_t tries = 0;
  for (; now < 11min; now += 5s)
    for (const auto& each : saver.take(now).requests) {
      saver.answered(each.number, fail(ec::timeout, "none"), now);
      ++tries;
    }
  EXPECT_EQ(tries, 13U) << "after 5, 10, 20 and 40 s, and then each minute";
  EXPECT_EQ(saver.next_due(), now);
  EXPECT_EQ(saver.take(now).done.size(), 1U);
  EXPECT_EQ(saver.next_due(), boot_time::max());
}

TEST(output_savers, ask_a_namespace_that_denies_for_one_output_at_a_time) {
  output_saver saver{{.run_bytes_max = 100, .patience = 10min}};
  boot_time now{1min};
  for (std::uint8_t i = 1; i <= 5; ++i) add_to(saver, i, "node-" + std::to_string(i), now);
  const auto are_denied = [&] {
    const auto asked = saver.take(now).requests;
    for (const auto& each : asked) saver.answered(each.number, kube::answer{403, "no"}, now);
    return asked.size();
  };
  EXPECT_EQ(are_denied(), 5U);
  std::size_t tries = 0;
  for (int i = 0; i < 60; ++i, now += 1s) tries += are_denied();
  EXPECT_EQ(tries, 3U) << "after 5, 10 and 20 s";
  saver.hurry(kubernetes_fixture::run_of(2), now);
  EXPECT_EQ(saver.take(now).done, std::vector{kubernetes_fixture::run_of(2)})
      << "no pod stays in excess for an output that nobody may read";
  now += 1min;
  const auto allowed = saver.take(now).requests;
  ASSERT_EQ(allowed.size(), 1U);
  saver.answered(allowed[0].number, kube::answer{200, "words"}, now);
  EXPECT_EQ(saver.take(now).requests.size(), 3U);
}

}  // namespace
}  // namespace argosy::backends
