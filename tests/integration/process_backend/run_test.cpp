// SPDX-License-Identifier: Apache-2.0
// Goal: a command runs as its plan says, and its end is reported once, as it was.
// Method: real shims and shells in a temporary folder; commands print what they see.
#include <atomic>

#include "runtime/backends/run/output.hpp"
#include "tests/integration/process_backend/process_fixture.hpp"

namespace argosy::backends {

namespace {

using model::run_phase;

std::vector<std::string> lines(const std::string& text) {
  std::istringstream in{text};
  std::vector<std::string> out;
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

}  // namespace

class process_run : public process_fixture {};

TEST_F(process_run, tells_pending_running_and_the_end) {
  open();
  const auto run = start(shell("echo hello; exit 0"));
  const auto end = end_of(run);
  EXPECT_EQ(end.phase, run_phase::succeeded);
  EXPECT_EQ(end.outcome.reason, "Completed");
  EXPECT_EQ(end.outcome.exit_code, 0);
  EXPECT_EQ(phases_of(run),
            (std::vector{run_phase::pending, run_phase::running, run_phase::succeeded}));
  EXPECT_EQ(output(run), "hello\n");
}

/// Whoever took it for ended would print nothing of its output.
TEST_F(process_run, is_not_taken_for_ended_while_its_folder_is_made) {
  open();
  std::atomic<const std::filesystem::path*> made{nullptr};
  std::atomic<bool> looks{false};
  std::atomic<int> taken_for_ended{0};
  std::jthread reader{[&](const std::stop_token& done) {
    while (!done.stop_requested()) {
      looks = true;
      if (const auto* at = made.load();
          at != nullptr && std::filesystem::exists(*at / run_file::lock) && !lives(*at))
        ++taken_for_ended;
      looks = false;
    }
  }};
  shim_plan plan;
  plan.argv = {"true"};
  plan.working_dir = "work";
  for (int i = 0; i < 300; ++i) {
    const auto run = config_.runs_dir / std::to_string(i);
    made = &run;
    const auto lock = make_run_folder(run, plan);
    made = nullptr;
    while (looks) std::this_thread::yield();
    ASSERT_TRUE(lock) << to_string(lock.error());
    ASSERT_EQ(taken_for_ended, 0) << "in folder " << i;
  }
}

TEST_F(process_run, reports_the_exit_code) {
  open();
  const auto end = run_to_end(shell("exit 3"));
  EXPECT_EQ(end.phase, run_phase::failed);
  EXPECT_EQ(end.outcome, (model::run_outcome{3, 0, "Error", "exited with code 3"}));
}

TEST_F(process_run, reports_the_signal) {
  open();
  const auto end = run_to_end(shell("kill -SEGV $$"));
  EXPECT_EQ(end.phase, run_phase::failed);
  EXPECT_EQ(end.outcome.signal, SIGSEGV);
  EXPECT_EQ(end.outcome.exit_code, 128 + SIGSEGV);
  EXPECT_EQ(end.outcome.reason, "Error");
}

TEST_F(process_run, passes_the_given_environment_and_nothing_else) {
  ::setenv("AGENT_SECRET", "not for jobs", 1);
  open();
  auto run = command({"env"});
  run.plan.env = {{"COLOUR", "a b\nc"}, {"ARGOSY_RUN", "forged"}, {"ARGOSY_RUN_DIR", "forged"}};
  const auto key = start(std::move(run));
  EXPECT_EQ(end_of(key).phase, run_phase::succeeded);
  auto seen = lines(output(key));
  std::sort(seen.begin(), seen.end());
  const std::vector<std::string> wanted{
      "ARGOSY_RUN=" + to_string(key),
      "ARGOSY_RUN_DIR=" + folder(key).string(),
      "COLOUR=a b",
      "HOME=" + (folder(key) / "work").string(),
      "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
      "c"};
  EXPECT_EQ(seen, wanted);
}

TEST_F(process_run, passes_arguments_without_a_shell) {
  open();
  const auto key = start(command({"printf", "%s|", "$(id)", "`id`; id", "a\nb", ""}));
  EXPECT_EQ(end_of(key).phase, run_phase::succeeded);
  EXPECT_EQ(output(key), "$(id)|`id`; id|a\nb||");
}

TEST_F(process_run, does_not_hand_a_script_without_interpreter_to_a_shell) {
  open();
  const auto script = dir_ / "script";
  std::ofstream{script} << "echo from a shell\n";
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  const auto end = run_to_end(command({script.string()}));
  EXPECT_EQ(end.outcome.reason, "StartError");
}

TEST_F(process_run, works_in_its_own_folder) {
  open();
  const auto key = start(shell("pwd; echo data > result; echo mine > status"));
  EXPECT_EQ(end_of(key).phase, run_phase::succeeded);
  EXPECT_EQ(output(key), (folder(key) / "work").string() + "\n");
  EXPECT_TRUE(std::filesystem::exists(folder(key) / "work" / "result"));
}

TEST_F(process_run, works_in_the_wanted_folder) {
  open();
  auto absolute = command({"pwd"});
  absolute.plan.working_dir = "/usr";
  auto relative = command({"pwd"});
  relative.plan.working_dir = "a/b";
  const auto first = start(std::move(absolute));
  const auto second = start(std::move(relative));
  EXPECT_EQ(end_of(first).phase, run_phase::succeeded);
  EXPECT_EQ(end_of(second).phase, run_phase::succeeded);
  EXPECT_EQ(output(first), "/usr\n");
  EXPECT_EQ(output(second), (folder(second) / "work/a/b").string() + "\n");
}

TEST_F(process_run, fails_what_cannot_be_executed_and_says_why) {
  open();
  const auto missing = run_to_end(command({"no-such-program"}));
  EXPECT_EQ(missing.phase, run_phase::failed);
  EXPECT_EQ(missing.outcome,
            (model::run_outcome{127, 0, "StartError",
                                "cannot execute 'no-such-program': No such file or directory"}));
  const auto folder = run_to_end(command({"/usr"}));
  EXPECT_EQ(folder.outcome.exit_code, 126);
  auto elsewhere = command({"true"});
  elsewhere.plan.working_dir = "/no/such/folder";
  const auto lost = run_to_end(std::move(elsewhere));
  EXPECT_EQ(lost.outcome.message,
            "cannot enter the working directory '/no/such/folder': No such file or directory");
}

TEST_F(process_run, refuses_what_it_cannot_carry_out_and_names_the_field) {
  open();
  auto volumes = command({"true"});
  volumes.plan.obstacle = "podSpec.volumes";
  const auto refused = run_to_end(std::move(volumes));
  EXPECT_EQ(refused.phase, run_phase::refused);
  EXPECT_EQ(refused.outcome.reason, reason::unsupported);
  EXPECT_NE(refused.outcome.message.find("podSpec.volumes"), std::string::npos);
  auto escaping = command({"true"});
  escaping.plan.working_dir = "a/../../..";
  EXPECT_NE(run_to_end(std::move(escaping)).outcome.message.find("workingDir"), std::string::npos);
  for (const auto& words : {std::vector<std::string>{"echo", {"a\0b", 3}}, {}}) {
    const auto failed = run_to_end(command(words));
    EXPECT_EQ(failed.phase, run_phase::failed) << "no other node could run it";
    EXPECT_EQ(failed.outcome.reason, reason::unsupported);
  }
}

TEST_F(process_run, does_not_start_a_run_twice) {
  open();
  auto run = shell("echo once");
  const auto again = run;
  const auto key = start(std::move(run));
  EXPECT_EQ(end_of(key).phase, run_phase::succeeded);
  backend_->start(again);
  const auto refused =
      wait_for(key, [](const auto& event) { return event.phase == run_phase::refused; });
  EXPECT_EQ(refused.outcome.reason, reason::backend_error);
  EXPECT_EQ(output(key), "once\n");
}

TEST_F(process_run, blames_the_machine_for_a_shim_that_dies_before_it_executes) {
  config_.shim = "/bin/false";
  open();
  const auto refused = run_to_end(command({"true"}));
  EXPECT_EQ(refused.phase, run_phase::refused);
  EXPECT_EQ(refused.outcome.reason, reason::backend_error);
}

TEST_F(process_run, leaks_no_descriptor_into_the_command) {
  open();
  const auto key = start(command({"ls", "-l", "/proc/self/fd"}));
  EXPECT_EQ(end_of(key).phase, run_phase::succeeded);
  int count = 0;
  for (const auto& line : lines(output(key)))
    if (line.find(" -> ") != std::string::npos) ++count;
  // These are the descriptors 0, 1, 2, and the folder that ls reads.
  EXPECT_EQ(count, 4) << output(key);
}

TEST_F(process_run, gives_no_privileges_and_default_signals) {
  open();
  const auto key = start(command({"grep", "-E", "NoNewPrivs|SigBlk|SigIgn", "/proc/self/status"}));
  EXPECT_EQ(end_of(key).phase, run_phase::succeeded);
  EXPECT_EQ(output(key), "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\nNoNewPrivs:\t1\n");
}

TEST_F(process_run, keeps_the_beginning_and_the_end_of_output) {
  config_.limits.output_max = {100'000};
  open();
  const auto key = start(shell("echo first; head -c 300000 /dev/zero; echo; echo last"));
  const auto end = end_of(key);
  EXPECT_EQ(end.phase, run_phase::succeeded);
  EXPECT_NE(end.note.find(" bytes of output were dropped: the limit is 100000 bytes"),
            std::string::npos)
      << end.note;
  const auto kept = output(key);
  EXPECT_TRUE(kept.starts_with("first\n"));
  EXPECT_TRUE(kept.ends_with("\nlast\n"));
  EXPECT_NE(kept.find(" bytes of output were not kept here]\n"), std::string::npos);
  EXPECT_GT(kept.size(), 80'000u);
  std::uint64_t stored = 0;
  for (const auto& part : output_parts(config_.runs_dir / to_string(key))) stored += part.size;
  EXPECT_LE(stored, 100'000u);
}

TEST_F(process_run, offsets_of_output_stay_true_behind_what_is_missing) {
  config_.limits.output_max = {1'000};
  open();
  const auto key = start(shell("head -c 5000 /dev/zero; printf end"));
  end_of(key);
  model::log_request request;
  request.run = key;
  request.offset = 5'000;
  const auto last = part(request);
  ASSERT_TRUE(last);
  EXPECT_EQ(last->data, "end");
  EXPECT_EQ(last->next_offset, 5'003u);
  EXPECT_TRUE(last->end);
  request.offset = 600;
  const auto gap = part(request);
  ASSERT_TRUE(gap);
  EXPECT_NE(gap->data.find(std::to_string(gap->next_offset - 600u) + " bytes"), std::string::npos);
}

TEST_F(process_run, reads_output_in_pieces_with_an_end) {
  open();
  const auto key = start(shell("printf 0123456789; printf oops >&2"));
  end_of(key);
  model::log_request request;
  request.run = key;
  request.size_max = 8;
  const auto first = part(request);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->data, "01234567");
  EXPECT_FALSE(first->end);
  request.offset = first->next_offset;
  const auto second = part(request);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->data, "89oops");
  EXPECT_EQ(second->turns, std::vector<std::uint32_t>{2});
  EXPECT_TRUE(second->end);
  request.run.number = 9;
  EXPECT_EQ(part(request).error().code, ec::not_found);
}

TEST_F(process_run, ends_only_when_all_its_processes_have) {
  open();
  const auto go = dir_ / "go";
  const auto key = start(shell("setsid sh -c 'echo $$; exec sleep 1000' & while [ ! -e " +
                               go.string() + " ]; do sleep 0.01; done; exit 0"));
  const auto left = told_process(key);
  ASSERT_GT(left, 1);
  std::ofstream{go} << "go";
  EXPECT_EQ(end_of(key).phase, run_phase::succeeded);
  EXPECT_FALSE(process_exists(left));
}

TEST_F(process_run, runs_as_the_wanted_user) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  config_.users.allowed_users = {65534};
  config_.users.allowed_groups = {65534};
  open();
  auto run = shell("id -u; id -g; touch made && echo writable");
  run.plan.user = 65534;
  run.plan.group = 65534;
  const auto key = start(std::move(run));
  EXPECT_EQ(end_of(key).phase, run_phase::succeeded);
  EXPECT_EQ(output(key), "65534\n65534\nwritable\n");
  auto root = command({"true"});
  root.plan.non_root = true;
  EXPECT_EQ(run_to_end(std::move(root)).phase, run_phase::refused);
}

TEST_F(process_run, removes_the_oldest_folders_over_the_limit) {
  config_.limits.keep_runs_max = 2;
  open();
  std::vector<model::run_key> runs;
  for (int i = 0; i < 4; ++i) {
    runs.push_back(start(command({"true"})));
    end_of(runs.back());
    backend_->forget(runs.back());
  }
  wait_until([&] { return !std::filesystem::exists(folder(runs[1])); }, "removal");
  EXPECT_FALSE(std::filesystem::exists(folder(runs[0])));
  EXPECT_TRUE(std::filesystem::exists(folder(runs[2])));
  EXPECT_TRUE(std::filesystem::exists(folder(runs[3])));
}

TEST_F(process_run, shows_the_machine_as_one_tainted_node) {
  config_.capacity = {{"cpu", 64'000}, {"nvidia.com/gpu", 2}};
  open();
  const auto nodes = backend_->nodes();
  ASSERT_EQ(nodes.size(), 1u);
  EXPECT_EQ(nodes[0].name, "here");
  EXPECT_EQ(nodes[0].taints,
            (std::vector<model::taint>{{model::process_backend_taint, "", "NoSchedule"}}));
  EXPECT_EQ(nodes[0].allocatable, nodes[0].total);
  ASSERT_EQ(nodes[0].total.size(), 4u);
  EXPECT_EQ(nodes[0].total[0], (std::pair<std::string, std::int64_t>{"cpu", 64'000}));
  EXPECT_EQ(nodes[0].total[2].first, "memory");
  EXPECT_GT(nodes[0].total[2].second, 1 << 20);
}

}  // namespace argosy::backends
