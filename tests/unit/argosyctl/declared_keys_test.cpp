// SPDX-License-Identifier: Apache-2.0
// Goal: what was set of pools and settings is declared in a file as queues are: applied twice it is
// once, exported it is the same, it is one change, and all mistakes are told before anything
// changes. Method: the whole command line against a scripted server that keeps keys.
#include <gmock/gmock.h>

#include "messages/proto/argosy/settings.pb.h"
#include "tests/support/cli/cli_fixture.hpp"

namespace argosy::ctl {

using namespace argosy::v1;
using ::testing::AllOf;
using ::testing::HasSubstr;

class declared_keys : public cli_fixture {
 protected:
  declared_keys() {
    server->always("Query.ListQueues", ListQueuesResponse{});
    server->always("RetryPolicyService.GetRetryPolicies", api::RetryPolicyList{});
    server->on<GetSettingsRequest, GetSettingsResponse>(
        "Settings.Get", [this](const auto&) -> result<GetSettingsResponse> {
          GetSettingsResponse out;
          out.set_change(change);
          out.add_settings()->set_name("scheduling.maxQueueLookback");  // The file says it.
          for (const auto& [name, value] : keys) {
            auto& to = *out.add_settings();
            to.set_name(name);
            to.set_value(value == "null" ? "" : value);
            to.set_overridden(true);
          }
          return out;
        });
    server->on<UpdateSettingsRequest, ChangeSettingsResponse>(
        "Settings.Update",
        [this](const UpdateSettingsRequest& request) -> result<ChangeSettingsResponse> {
          if (request.expected_change() != change) return fail(ec::conflict, "somebody else");
          if (!has_gpu && !request.new_pools()) return fail(ec::not_found, "no such pool");
          ChangeSettingsResponse warned;
          warned.add_warnings("nobody has the pool 'cpu'");
          if (request.dry_run()) return warned;
          for (const auto& name : request.unset()) keys.erase(name);
          for (const auto& set : request.set()) keys[set.name()] = set.value();
          ++change;
          return ChangeSettingsResponse{};
        });
  }

  std::map<std::string, std::string> keys;
  std::uint64_t change = 4;
  bool has_gpu = true;

  const std::string file =
      "kind: Pool\n"
      "name: gpu\n"
      "awayPools: [ cpu ]\n"
      "disableAway: null\n"
      "tolerations: [{key: gpu, operator: Exists}]\n"
      "---\n"
      "apiVersion: v1\n"
      "kind: Settings\n"
      "scheduling:\n"
      "  maxNewDecisions: 5\n"
      "  eviction: {probability: 0.5, enabled: true}\n"
      "store:\n"
      "  jobRetention: 48h\n";
};

TEST_F(declared_keys, a_file_applied_twice_changes_nothing_the_second_time) {
  auto done = run({"apply", "-f", "-", "--dry-run"}, file);
  EXPECT_EQ(done.out, "settings created (dry run)\npool/gpu created (dry run)\n") << done.err;
  EXPECT_TRUE(keys.empty());
  done = run({"apply", "-f", "-"}, file);
  EXPECT_EQ(done.code, exit_code::success) << done.err;
  EXPECT_EQ(done.out, "settings created\npool/gpu created\n");
  EXPECT_EQ(change, 5U) << "all keys are one change";
  EXPECT_EQ(keys["scheduling.pools.gpu.awayPools"], "[cpu]");
  EXPECT_EQ(keys["scheduling.pools.gpu.disableAway"], "null");
  EXPECT_EQ(keys["store.jobRetention"], "2d");
  EXPECT_EQ(keys.size(), 7u);
  done = run({"apply", "-f", "-"}, file);
  EXPECT_EQ(done.out, "settings unchanged\npool/gpu unchanged\n") << done.err;
  EXPECT_EQ(change, 5U);
  EXPECT_EQ(run({"diff", "-f", "-"}, file).code, exit_code::success);
}

TEST_F(declared_keys, a_pool_that_nobody_has_is_a_mistake_unless_it_is_new) {
  has_gpu = false;
  auto done = run({"apply", "-f", "-"}, file);
  EXPECT_EQ(done.code, exit_code::not_found);
  EXPECT_THAT(done.err, HasSubstr("no such pool"));
  EXPECT_TRUE(keys.empty());
  done = run({"apply", "-f", "-", "--new"}, file);
  EXPECT_EQ(done.code, exit_code::success) << done.err;
  EXPECT_EQ(done.err, "warning: nobody has the pool 'cpu'\n");
  EXPECT_EQ(keys.size(), 7u);
}

TEST_F(declared_keys, what_is_exported_is_what_is_there) {
  run({"apply", "-f", "-"}, file);
  const auto text = run({"export"});
  EXPECT_EQ(text.code, exit_code::success) << text.err;
  EXPECT_THAT(text.out, AllOf(HasSubstr("kind: Settings\n"
                                        "scheduling:\n"
                                        "  eviction:\n"
                                        "    enabled: true\n"
                                        "    probability: 0.5\n"
                                        "  maxNewDecisions: 5\n"
                                        "store:\n"
                                        "  jobRetention: 2d\n"),
                              HasSubstr("kind: Pool\nname: gpu\nawayPools: [cpu]\n")));
  const auto same = run({"diff", "-f", "-", "--prune"}, text.out);
  EXPECT_EQ(same.code, exit_code::success) << same.out << same.err;
  keys.clear();
  EXPECT_EQ(run({"apply", "-f", "-"}, text.out).code, exit_code::success);
  EXPECT_EQ(run({"export"}).out, text.out);
}

TEST_F(declared_keys, what_a_document_lacks_the_file_of_argosyd_says_again) {
  run({"apply", "-f", "-"}, file);
  const std::string other = "kind: Pool\nname: gpu\nawayPools: [big]\n";
  const auto shown = run({"diff", "-f", "-"}, other);
  EXPECT_EQ(static_cast<int>(shown.code), 1);
  EXPECT_THAT(shown.out, AllOf(HasSubstr("pool/gpu would be changed\n  awayPools: [cpu] -> [big]\n"
                                         "  disableAway: null -> (not set)\n"),
                               Not(HasSubstr("settings"))));
  EXPECT_EQ(run({"apply", "-f", "-"}, other).out, "pool/gpu changed\n");
  EXPECT_EQ(keys.size(), 5u) << "other pools and settings stay";
  const auto asked = run({"apply", "-f", "-", "--prune"}, other);
  EXPECT_EQ(asked.code, exit_code::usage);
  EXPECT_THAT(asked.err, HasSubstr("--prune would delete settings"));
  EXPECT_EQ(run({"apply", "-f", "-", "--prune", "--yes"}, other).out,
            "pool/gpu unchanged\nsettings deleted\n");
  EXPECT_EQ(keys.size(), 1u);
}

TEST_F(declared_keys, prune_of_a_file_of_queues_alone_leaves_them) {
  keys["scheduling.maxNewDecisions"] = "4";
  server->always("QueueService.CreateQueue", api::Queue{});
  const auto done = run({"apply", "-f", "-", "--prune", "--yes"}, "kind: Queue\nname: a\n");
  EXPECT_EQ(done.out, "queue/a created\n") << done.err;
  EXPECT_EQ(server->calls("Settings.Get"), 0u) << "an older server does not have it";
}

TEST_F(declared_keys, all_mistakes_are_told_before_anything_is_sent) {
  const std::string wrong =
      "kind: Pool\nname: gpu\ndisableAway: maybe\ndisableAwy: true\n"
      "---\nkind: Pool\nname: gpu\n---\nkind: Pool\nname: gpu\n"
      "---\nkind: Pool\nawayPools: 3\n"
      "---\nkind: Settings\nscheduling: {pools: [{name: x}], preset: current, maxNewDecisions: "
      "no}\n"
      "cycle: {period: 2s}\n"
      "---\nkind: Settings\n---\nkind: Settings\n"
      "---\nkind: Queue\nname: a\npriorityFactor: many\n"
      "---\nkind: Poool\nname: x\n";
  const auto done = run({"apply", "-f", "-"}, wrong);
  EXPECT_EQ(done.code, exit_code::usage);
  for (const auto* expected :
       {"error: stdin:3:14: disableAway: 'maybe' is not",
        "error: stdin:4:1: unknown key 'disableAwy'",
        "error: stdin:10:7: the pool 'gpu' stands at stdin:7:7 already",
        "error: stdin:13:12: awayPools: must be", "error: stdin:12:1: the pool needs a name",
        "stdin:16:21: write a document of kind Pool", "scheduling.preset: cannot change while",
        "scheduling.maxNewDecisions: 'no' is not",
        "stdin:17:17: cycle.period: cannot change while argosyd runs",
        "the document of kind 'Settings' stands at", "error: stdin:25:17: ",
        "kind 'Poool' is neither Queue nor RetryPolicy, Pool nor Settings; did you mean 'Pool'?"})
    EXPECT_THAT(done.err, HasSubstr(expected));
  EXPECT_TRUE(server->requests.empty());
}

TEST_F(declared_keys, what_the_server_refuses_is_told_by_line_before_queues_are_made) {
  server->refuse("Settings.Update", {ec::invalid_argument, "stdin:3:12: a\nstdin:4:1: b"});
  const auto done = run({"apply", "-f", "-"},
                        "kind: Pool\nname: gpu\nawayPools: [a]\n---\nkind: Queue\nname: q\n");
  EXPECT_EQ(done.code, exit_code::usage);
  EXPECT_EQ(done.err, "error: stdin:3:12: a\nerror: stdin:4:1: b\n");
  EXPECT_EQ(server->calls("QueueService.CreateQueue"), 0u);
  EXPECT_EQ(server->nth<UpdateSettingsRequest>("Settings.Update").set(0).where(), "stdin:3:12");
}

TEST_F(declared_keys, somebody_elses_change_meanwhile_is_a_conflict) {
  server->before = [this](std::string_view method) {
    if (method == "Settings.Update") ++change;
  };
  const auto done = run({"apply", "-f", "-"}, file);
  EXPECT_EQ(done.code, exit_code::conflict);
  EXPECT_TRUE(keys.empty());
}

}  // namespace argosy::ctl
