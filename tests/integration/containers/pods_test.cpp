// SPDX-License-Identifier: Apache-2.0
// Goal: the containers of a pod get what the pod asks for, and nothing of the machine besides; they
// end with their run, and are found again while they live.
#include <signal.h>

#include "runtime/backends/run/cgroup.hpp"
#include "tests/integration/containers/containers_fixture.hpp"

namespace argosy::backends {
namespace {

TEST_F(containers, what_the_operator_does_not_allow_is_refused) {
  backend_->shutdown();
  config_.rules.registries = {"reg.example.com"};
  open();
  EXPECT_THAT(refusal(pod("busy:1")), HasSubstr("is not among container.registries"));
  auto secret = pod("reg.example.com/a");
  secret.plan.pull_secrets = {"mine"};
  EXPECT_THAT(refusal(std::move(secret)), HasSubstr("there is no secret 'mine'"));
  auto never = pod("reg.example.com/a");
  never.plan.containers[0].pull = model::pull_policy::never;
  EXPECT_THAT(refusal(std::move(never)), HasSubstr("imagePullPolicy Never"));
}

TEST_F(containers, of_other_queues_get_no_secrets) {
  const auto secrets = temp_.path() / "secrets" / "default";
  fs::create_directories(secrets);
  std::ofstream{secrets / "mine.json"} << "{}";
  backend_->shutdown();
  config_.rules.secrets_dir = temp_.path() / "secrets";
  open();
  const auto of_queue = [&](const char* queue) {
    auto run = pod("busy:1", shell("echo ran"));
    run.plan.pull_secrets = {"mine"};
    auto order = std::make_shared<model::start_run>(*run.order);
    order->queue = model::queue_name{queue};
    run.order = order;
    return run;
  };
  EXPECT_THAT(refusal(of_queue("team-a")), HasSubstr("the file default/queues in "));
  std::ofstream{secrets / "queues"} << "other\nteam-*\n";
  EXPECT_EQ(end_of(start(of_queue("team-a"))).phase, run_phase::succeeded);
  EXPECT_THAT(refusal(of_queue("a")), HasSubstr("jobs of queue 'a' may not use the secrets"));
}

TEST_F(containers, have_no_users_that_the_operator_does_not_allow) {
  if (::geteuid() != 0) GTEST_SKIP() << "a user namespace has their users";
  const auto shown = temp_.path() / "shown";
  fs::create_directories(shown);
  ASSERT_EQ(registry_->push("user", "--config.user 1000").code, 0);
  backend_->shutdown();
  processes_.users.any_allowed = false;
  processes_.users.allowed_users = {77};
  config_.rules.host_paths = {shown};
  open();
  const auto as = [&](std::optional<std::uint32_t> user, std::optional<std::uint32_t> group) {
    auto run = pod("busy:1", shell("id -u"));
    run.plan.containers[0].user = user;
    run.plan.containers[0].group = group;
    return run;
  };
  EXPECT_THAT(refusal(as(1000, {})), HasSubstr("'process.allowedUsers'"));
  EXPECT_EQ(end_of(start(as(1001, {}))).outcome.reason, reason::user_not_allowed);
  EXPECT_THAT(refusal(as({}, 1000)), HasSubstr("'process.allowedGroups'"));
  for (const std::uint32_t user : {0u, 77u})
    EXPECT_EQ(end_of(start(as(user, {}))).phase, run_phase::succeeded);
  auto image = pod("user:1", shell("id -u"));
  EXPECT_EQ(end_of(start(image)).phase, run_phase::succeeded);
  image = pod("user:1", shell("id -u"));
  image.plan.volumes = {{"v", shown.string(), false, 0}};
  image.plan.containers[0].mounts = {{"v", "/mnt", {}, true}};
  EXPECT_THAT(refusal(std::move(image)), HasSubstr("its image names user 1000"));
}

TEST_F(containers, see_nothing_of_the_machine_that_they_could_change) {
  EXPECT_EQ(said("ls /sys/fs/cgroup; touch /sys/new /proc/sys/new 2>/dev/null; cat "
                 "/proc/self/status | while read name value; do if [ $name = CapEff: -o $name = "
                 "Seccomp: -o $name = NoNewPrivs: ]; then echo $value; fi; done"),
            "0000000000000000\n1\n2\n");
}

TEST_F(containers, have_files_that_nobody_waits_for_the_disk_for) {
  EXPECT_THAT(said("/bin/busybox grep ' / / ' /proc/self/mountinfo"), HasSubstr("volatile"));
}

TEST_F(containers, share_a_sandbox_and_have_their_own_output) {
  auto run = pod("busy:1", shell("cat /data/first; hostname; until test -e /data/second; do sleep "
                                 "0.01; done; echo main; exit 0"));
  auto first = container("prepare", "busy:1", shell("echo one > /data/first; echo preparing"));
  first.init = true;
  auto second = container("beside", "busy:1",
                          shell("echo beside; echo err >&2; touch "
                                "/data/second; ls /cache"));
  run.plan.volumes = {{"data", {}, false, 0}, {"cache", {}, true, 1 << 20}};
  for (auto* each : {&first, &second, &run.plan.containers[0]})
    each->mounts = {{"data", "/data", {}, false}, {"cache", "/cache", {}, false}};
  run.plan.containers.insert(run.plan.containers.begin(), first);
  run.plan.containers.push_back(second);
  run.plan.hostname = "pod-1";
  const auto key = start(std::move(run));
  const auto end = end_of(key);
  EXPECT_EQ(end.phase, run_phase::succeeded) << end.outcome.message;
  EXPECT_EQ(output(key), "one\npod-1\nmain\n");
  EXPECT_EQ(output(key, "prepare"), "preparing\n");
  EXPECT_THAT(output(key, "beside"), HasSubstr("beside\n"));
}

TEST_F(containers, share_parts_of_their_volumes) {
  const auto with_part = [](const std::string& part, const std::string& script) {
    auto run = pod("busy:1", shell(script));
    auto first = container("prepare", "busy:1",
                           shell("/bin/busybox ln -s / /data/link; mkdir /data/made; echo one > "
                                 "/data/made/file; /bin/busybox ln -s made /data/other"));
    first.init = true;
    first.mounts = {{"data", "/data", {}, false}};
    run.plan.volumes = {{"data", {}, false, 0}};
    run.plan.containers[0].mounts = {{"data", "/part", part, false}, {"data", "/all", {}, false}};
    if (::geteuid() == 0) run.plan.containers[0].user = 1000;
    run.plan.containers.insert(run.plan.containers.begin(), first);
    return run;
  };
  const auto told = [&](run_launch run) {
    const auto key = start(std::move(run));
    return end_of(key).outcome.message + output(key);
  };
  EXPECT_EQ(told(with_part("made", "cat /part/file")), "one\n");
  EXPECT_EQ(told(with_part("made/file", "cat /part")), "one\n");
  EXPECT_EQ(told(with_part("new/deep", "echo two > /part/file; cat /all/new/deep/file")), "two\n");
  for (const char* part : {"link", "link/etc", "other", "made/file/below"})
    EXPECT_THAT(told(with_part(part, "ls /part")), HasSubstr("of a volume: ")) << part;
  for (const char* part : {"../c0", "/etc", "a/../../b"})
    EXPECT_THAT(refusal(with_part(part, "ls /part")), HasSubstr(".subPath '")) << part;
}

TEST_F(containers, a_failed_init_container_begins_no_other) {
  auto run = pod("busy:1", shell("echo never"));
  auto first = container("prepare", "busy:1", shell("exit 3"));
  first.init = true;
  run.plan.containers.insert(run.plan.containers.begin(), first);
  const auto key = start(std::move(run));
  const auto end = end_of(key);
  EXPECT_EQ(end.phase, run_phase::failed);
  EXPECT_EQ(end.outcome.message, "container 'prepare': exited with code 3");
  EXPECT_EQ(output(key), "");
}

TEST_F(containers, are_held_to_their_memory) {
  auto run = pod("busy:1", shell("cat /dev/zero > /dev/shm/full"));
  run.plan.containers[0].limits = {{"memory", 16 << 20}};
  auto other = container("beside", "busy:1", shell("sleep 0.1"));
  other.limits = {{"memory", 8 << 20}};
  run.plan.containers.push_back(other);
  auto order = std::make_shared<model::start_run>(*run.order);
  order->requests = {{"memory", 24 << 20}};
  run.order = order;
  const auto key = start(std::move(run));
  if (running(key).note.find("not limited") != std::string::npos) GTEST_SKIP() << running(key).note;
  const auto end = end_of(key);
  EXPECT_EQ(end.outcome.reason, shim_status::oom_killed) << end.outcome.message;
  EXPECT_EQ(end.outcome.message,
            "container 'main': used more memory than its limit of 16777216 bytes");
}

TEST_F(containers, are_shut_in_before_their_quota_of_cpu_holds) {
  backend_->shutdown();
  open_with_crun("i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; exec /usr/bin/crun \"$@\"");
  auto run = pod("busy:1", shell("echo ready; exec sleep 600"));
  run.plan.containers[0].limits = {{"cpu", 100}};
  auto order = std::make_shared<model::start_run>(*run.order);
  order->requests = {{"cpu", 100}};
  run.order = order;
  const auto key = start(std::move(run));
  if (running(key).note.find("not limited") != std::string::npos) GTEST_SKIP() << running(key).note;
  wait_for_output(key, "ready");
  const auto plan = read_record<shim_plan>(processes_.runs_dir / to_string(key) / run_file::plan);
  ASSERT_TRUE(plan);
  const bool old = !plan->cpu_group.empty();
  const auto group = old ? plan->cpu_group : plan->cgroup;
  const auto quota = [&](const std::string& of) {
    return read_file(of + (old ? "/cpu.cfs_quota_us" : "/cpu.max")).value_or("").substr(0, 5);
  };
  for (int i = 0; i < 2000 && quota(group) != "10000"; ++i) std::this_thread::sleep_for(5ms);
  EXPECT_EQ(quota(group), "10000");
  EXPECT_LE(read_counter(group + "/cpu.stat", "nr_throttled"), 1) << "its own first steps count";
}

TEST_F(containers, are_held_to_a_number_of_processes) {
  backend_->shutdown();
  processes_.limits.pids_max = 24;
  open();
  const auto run = start(
      pod("busy:1", shell("i=0; while [ $i -lt 40 ]; do sleep 60 & i=$((i+1)); done; echo all")));
  const auto end = end_of(run);
  const auto plan = read_record<shim_plan>(processes_.runs_dir / to_string(run) / run_file::plan);
  ASSERT_TRUE(plan);
  if (plan->pids_group.empty() && !fs::exists(fs::path{plan->cgroup}.parent_path() / "pids.max"))
    GTEST_SKIP() << "no cgroup counts processes here";
  EXPECT_EQ(end.phase, run_phase::failed);
  EXPECT_THAT(output(run), HasSubstr("can't fork"));
}

TEST_F(containers, end_with_a_sentence_where_crun_hangs) {
  backend_->shutdown();
  config_.crun_max = 1s;
  open_with_crun("exec sleep 600");
  const auto run = start(pod("busy:1", shell("echo never")));
  const auto end = end_of(run);
  EXPECT_EQ(end.phase, run_phase::failed);
  EXPECT_EQ(end.outcome.reason, shim_status::start_error);
  EXPECT_EQ(end.outcome.message, "cannot start it: crun has not ended after 1 s");
}

TEST_F(containers, get_time_to_end_and_then_none) {
  const auto run = start(
      pod("busy:1", shell("trap 'echo ending; exit 4' TERM; echo ready; while :; do sleep 0.02; "
                          "done")));
  wait_for_output(run, "ready");
  model::stop_run order;
  order.run = run;
  order.reason = "preempted";
  backend_->stop(order, 5s);
  EXPECT_EQ(end_of(run).phase, run_phase::stopped);
  EXPECT_THAT(output(run), HasSubstr("ending"));
}

TEST_F(containers, end_with_their_shim_and_are_lost) {
  const auto run = start(pod("busy:1", shell("echo ready; sleep 600")));
  wait_for_output(run, "ready");
  const auto shim = find_shim(fs::canonical(processes_.runs_dir) / to_string(run));
  ASSERT_TRUE(shim);
  const auto started = read_record<shim_started>(processes_.runs_dir / to_string(run) / "started");
  ::kill(shim->pid, SIGKILL);
  const auto end = end_of(run);
  EXPECT_EQ(end.outcome.reason, reason::lost);
  // What is left of it is at most its entry, until somebody has waited for it.
  const auto left = read_file("/proc/" + std::to_string(started->child_pid) + "/cmdline");
  EXPECT_TRUE(!left || left->empty()) << "its init has gone";
}

TEST_F(containers, are_found_again_by_the_next_agent) {
  const auto run = start(pod("busy:1", shell("echo ready; sleep 1; exit 6")));
  wait_for_output(run, "ready");
  backend_->shutdown();
  const auto found = open({run});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].phase, run_phase::running);
  const auto end = end_of(run);
  EXPECT_EQ(end.phase, run_phase::failed);
  EXPECT_EQ(end.outcome.exit_code, 6);
}

TEST_F(containers, leave_no_layers_where_agent_and_shim_were_killed) {
  const auto run = start(pod("busy:1", shell("echo much > /file; echo ready; sleep 600")));
  wait_for_output(run, "ready");
  backend_->shutdown();
  const auto folder = fs::canonical(processes_.runs_dir) / to_string(run);
  const auto shim = find_shim(folder);
  ASSERT_TRUE(shim);
  ::kill(shim->pid, SIGKILL);
  EXPECT_TRUE(fs::exists(folder / work_folder / "c0" / "file"));
  for (int i = 0; i < 2000 && shim_alive(folder).value_or(true); ++i)
    std::this_thread::sleep_for(5ms);
  const auto found = open({run});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].outcome.reason, reason::lost);
  backend_->forget(run);
  for (int i = 0; i < 2000 && fs::exists(folder / work_folder); ++i)
    std::this_thread::sleep_for(5ms);
  EXPECT_FALSE(fs::exists(folder / work_folder));
  EXPECT_EQ(output(run), "ready\n");
  started_.clear();
}

TEST_F(containers, see_of_the_machine_what_the_operator_shows) {
  const auto shown = temp_.path() / "shown";
  fs::create_directories(shown);
  std::ofstream{shown / "file"} << "shown\n";
  fs::create_symlink("/etc", shown / "link");
  backend_->shutdown();
  config_.rules.host_paths = {shown};
  open();
  const auto mounting = [&](const std::string& path) {
    auto run = pod("busy:1");
    run.plan.volumes = {{"v", path, false, 0}};
    run.plan.containers[0].mounts = {{"v", "/mnt/v", {}, true}};
    return run;
  };
  EXPECT_EQ(
      said("cat /mnt/v/file; touch /mnt/v/new 2>/dev/null || echo kept", mounting(shown.string())),
      "shown\nkept\n");
  EXPECT_THAT(refusal(mounting("/etc")), HasSubstr("is not within container.hostPaths"));
  EXPECT_THAT(refusal(mounting((shown / "link").string())),
              HasSubstr("is not within container.hostPaths"));
  EXPECT_THAT(refusal(mounting((shown / "absent").string())), HasSubstr("is not on this machine"));
}

TEST_F(containers, make_no_other_folder_of_what_the_operator_shows) {
  const auto shown = temp_.path() / "shown";
  const auto secret = temp_.path() / "secret";
  for (const auto& folder : {shown / "inner", secret}) fs::create_directories(folder);
  std::ofstream{shown / "inner" / "file"} << "shown\n";
  std::ofstream{shown / "single"} << "single\n";
  std::ofstream{secret / "file"} << "secret\n";
  backend_->shutdown();
  config_.rules.host_paths = {shown};
  open();
  auto run = pod("busy:1", shell("cat /mnt/inner/file /mnt/single"));
  auto first =
      container("prepare", "busy:1",
                shell("b=/bin/busybox; $b mv /mnt/inner /mnt/was && $b ln -s " + secret.string() +
                      " /mnt/inner && $b mv /mnt/single /mnt/old && $b ln -s " + secret.string() +
                      "/file /mnt/single"));
  first.init = true;
  run.plan.volumes = {{"all", shown.string(), false, 0}};
  first.mounts = {{"all", "/mnt", {}, false}};
  run.plan.containers[0].mounts = {{"all", "/mnt/inner", "inner", true},
                                   {"all", "/mnt/single", "single", true}};
  run.plan.containers.insert(run.plan.containers.begin(), first);
  const auto key = start(std::move(run));
  const auto end = end_of(key);
  EXPECT_EQ(end.phase, run_phase::succeeded) << end.outcome.message;
  EXPECT_TRUE(fs::is_symlink(shown / "inner")) << "the first container did what it could";
  EXPECT_EQ(output(key), "shown\nsingle\n");
}

TEST_F(containers, may_have_a_network_with_nothing_in_it) {
  backend_->shutdown();
  config_.rules.own_network = true;
  open();
  const auto run = start(pod("busy:1", shell("ls /sys/class/net")));
  EXPECT_THAT(running(run).note, HasSubstr("a loopback interface and no other network"));
  EXPECT_EQ(end_of(run).phase, run_phase::succeeded);
  EXPECT_EQ(output(run), "lo\n");
}

}  // namespace
}  // namespace argosy::backends
