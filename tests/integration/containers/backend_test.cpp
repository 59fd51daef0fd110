// SPDX-License-Identifier: Apache-2.0
// Goal: what a pod with images asks for is what its containers get, and whatever is wrong with
// image, registry or pod is told in one sentence and leaves nothing behind. Method: the backend on
// this machine, with images of busybox-static in a registry beside it.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <atomic>
#include <condition_variable>
#include <mutex>

#include "runtime/backends/container/container_backend.hpp"
#include "runtime/backends/container/image_store.hpp"
#include "runtime/backends/process/run_folder.hpp"
#include "tests/integration/containers/local_registry.hpp"
#include "tests/support/temp_folder.hpp"

namespace argosy::backends {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using model::run_phase;
using ::testing::HasSubstr;

class containers : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!testing::local_registry::lack().empty()) return;
    shared_ = new testing::temp_folder;
    registry_ = new testing::local_registry{shared_->path() / "registry"};
    const auto pushed = registry_->push("busy");
    EXPECT_EQ(pushed.code, 0) << pushed.err;
  }
  static void TearDownTestSuite() {
    delete registry_;
    delete shared_;
    registry_ = nullptr;
    shared_ = nullptr;
  }

  void SetUp() override {
    if (const auto lack = testing::local_registry::lack(); !lack.empty()) GTEST_SKIP() << lack;
    processes_.runs_dir = temp_.path() / "runs";
    processes_.shim = fs::path{ARGOSY_BIN_DIR} / "argosy-shim";
    processes_.limits = without_storage_limits();
    config_.images = temp_.path() / "images";
    config_.rules.registries_conf = registry_->conf();
    open();
    if (const auto why = backend_->trouble().lacks; why.find("runs no images") != why.npos)
      GTEST_SKIP() << why;
  }
  void TearDown() override {
    if (!backend_) return;
    backend_->stop_all("the test is over");
    for (const auto& run : started_) static_cast<void>(end_of(run));
    backend_->shutdown();
  }

  std::vector<run_event> open(const std::vector<model::recorded_run>& known = {}) {
    auto made = make_container_backend(processes_, config_, [this](auto events) {
      const std::lock_guard guard{mutex_};
      for (auto& event : events) events_.push_back(std::move(event));
      changed_.notify_all();
    });
    EXPECT_TRUE(made) << made.error().detail;
    backend_ = std::move(*made);
    auto found = backend_->adopt(known);
    EXPECT_TRUE(found);
    backend_->renew({boot_now() + 60s, 1s});
    return *found;
  }

  static run_launch pod(const std::string& image, std::vector<std::string> command = {}) {
    static std::uint8_t serial = 0;
    auto order = std::make_shared<model::start_run>();
    order->run.job.bytes[0] = 3;
    order->run.job.bytes[15] = ++serial;
    order->run.number = 1;
    order->grace_seconds = 1;
    order->name_space = "default";
    run_launch out;
    out.order = order;
    out.plan.containers.push_back(container("main", image, std::move(command)));
    return out;
  }
  static model::pod_container container(const std::string& name, const std::string& image,
                                        std::vector<std::string> command) {
    model::pod_container out;
    out.name = name;
    out.place = "podSpec.containers[0]";
    out.image = image;
    out.command = std::move(command);
    return out;
  }
  static std::vector<std::string> shell(const std::string& script) {
    return {"/bin/sh", "-c", script};
  }

  model::run_key start(run_launch run) {
    const auto key = run.order->run;
    started_.push_back(key);
    backend_->start(std::move(run));
    return key;
  }
  run_event wait_for(const model::run_key& run, bool end) {
    std::unique_lock guard{mutex_};
    run_event out;
    EXPECT_TRUE(changed_.wait_for(guard, 20s, [&] {
      for (const auto& event : events_)
        if (event.run == run && (end ? is_final(event.phase) : event.phase == run_phase::running)) {
          out = event;
          return true;
        }
      return false;
    }));
    return out;
  }
  run_event end_of(const model::run_key& run) { return wait_for(run, true); }
  run_event running(const model::run_key& run) { return wait_for(run, false); }

  std::string output(const model::run_key& run, const std::string& of = {}) {
    std::string out;
    model::log_request request;
    request.run = run;
    request.container = of;
    backend_->read_log(request, [&](auto chunk) { out = chunk ? chunk->data : "no output"; });
    return out;
  }
  void wait_for_output(const model::run_key& run, const std::string& text) {
    for (int i = 0; i < 2000 && output(run).find(text) == std::string::npos; ++i)
      std::this_thread::sleep_for(5ms);
    EXPECT_THAT(output(run), HasSubstr(text));
  }
  /// Runs a script in the image to its end and returns what it says.
  std::string said(const std::string& script, run_launch run = pod("busy:1")) {
    run.plan.containers[0].command = shell(script);
    const auto key = start(std::move(run));
    const auto end = end_of(key);
    EXPECT_EQ(end.phase, run_phase::succeeded) << end.outcome.message;
    return output(key);
  }
  /// The sentence with which a run ends that cannot be begun.
  std::string refusal(run_launch run, run_phase phase = run_phase::failed) {
    const auto key = start(std::move(run));
    const auto end = end_of(key);
    EXPECT_EQ(end.phase, phase) << end.outcome.message;
    EXPECT_FALSE(fs::exists(processes_.runs_dir / to_string(key))) << "nothing is left behind";
    return end.outcome.message;
  }
  [[nodiscard]] int images() const {
    int out = 0;
    for (const auto& entry : fs::directory_iterator{config_.images})
      out += fs::exists(entry.path() / "facts") ? 1 : 0;
    return out;
  }
  [[nodiscard]] int parts() const {
    int out = 0;
    for (const auto& entry : fs::directory_iterator{config_.images})
      out += entry.path().filename().string().starts_with(".part") ? 1 : 0;
    return out;
  }

  static inline testing::temp_folder* shared_ = nullptr;
  static inline testing::local_registry* registry_ = nullptr;
  testing::temp_folder temp_;
  process_config processes_;
  container_config config_;
  std::unique_ptr<backend> backend_;
  std::vector<model::run_key> started_;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<run_event> events_;
};

TEST_F(containers, an_image_is_pulled_once_and_its_digest_is_told) {
  const auto run = start(pod("busy:1", shell("echo here; ls /bin | head -n 1; exit 5")));
  EXPECT_THAT(running(run).note, HasSubstr("is " + registry_->digest("busy")));
  const auto end = end_of(run);
  EXPECT_EQ(end.outcome.exit_code, 5);
  EXPECT_EQ(end.outcome.message, "exited with code 5");
  EXPECT_THAT(output(run), HasSubstr("here\nbusybox\n"));
  registry_->stop();
  EXPECT_EQ(said("echo again"), "again\n") << "the image is here";
  auto latest = pod("busy");
  latest.plan.containers[0].pull = model::pull_policy::always;
  EXPECT_THAT(refusal(std::move(latest), run_phase::refused),
              HasSubstr("cannot pull image 'busy': "));
  registry_->start();
  EXPECT_EQ(said("echo digest", pod("busy@" + registry_->digest("busy"))), "digest\n");
}

TEST_F(containers, an_image_says_what_is_run) {
  ASSERT_EQ(registry_
                ->push("says",
                       "--config.entrypoint /bin/echo --config.cmd well --config.env "
                       "LANG=C --config.workingdir /bin --config.user 12:34")
                .code,
            0);
  const auto run = start(pod("says:1"));
  EXPECT_EQ(end_of(run).phase, run_phase::succeeded);
  EXPECT_EQ(output(run), "well\n");
  auto with = pod("says:1");
  with.plan.containers[0].env = {{"X", "1"}};
  EXPECT_EQ(said("pwd; id -u; id -g; echo $LANG $X", std::move(with)), "/bin\n12\n34\nC 1\n");
}

TEST_F(containers, what_is_wrong_with_an_image_is_one_sentence) {
  EXPECT_THAT(refusal(pod("absent:1")), HasSubstr("manifest unknown"));
  EXPECT_THAT(refusal(pod("No Name")), HasSubstr("is no name of an image"));
  ASSERT_EQ(registry_->push("arm", "--architecture arm64").code, 0);
  EXPECT_EQ(refusal(pod("arm:1")),
            "cannot pull image 'arm:1': it is for linux/arm64, and this machine is linux/amd64");
  auto zero = pod("busy:1");
  zero.plan.hostname = std::string{"a\0b", 3};
  EXPECT_EQ(refusal(std::move(zero)), "podSpec: a name holds a zero byte");
  ASSERT_EQ(registry_->push("who", "--config.user nobody").code, 0);
  EXPECT_THAT(refusal(pod("who:1")), HasSubstr("user 'nobody' is not in its /etc/passwd"));
  const auto without = start(pod("busy:1", {"/bin/bash", "-c", "true"}));
  const auto end = end_of(without);
  EXPECT_EQ(end.outcome.reason, shim_status::start_error);
  EXPECT_THAT(end.outcome.message, HasSubstr("/bin/bash"));
  EXPECT_EQ(parts(), 0);
}

TEST_F(containers, a_registry_that_lies_is_not_believed) {
  ASSERT_EQ(registry_->push("lies", "--config.env A=1").code, 0);
  // Another byte in each blob that has the layer.
  ASSERT_EQ(registry_
                ->sh("f=$(ls -S $(find blobs -name data -newer lies/layer.tar) | head -1); cp "
                     "$f kept; echo $f > where; printf x | dd of=$f bs=1 seek=100 conv=notrunc")
                .code,
            0);
  EXPECT_THAT(refusal(pod("lies:1")), HasSubstr("cannot pull image 'lies:1': "));
  registry_->sh("cp kept $(cat where)");
  EXPECT_EQ(parts(), 0);
}

TEST_F(containers, a_layer_does_not_lead_out_of_its_root) {
  const auto pushed = registry_->push(
      "evil", {},
      "mkdir -p r/etc ../outside && ln -s / r/up && mkdir r/s && cp /bin/busybox "
      "r/s/id && "
      "chmod 4755 r/s/id && { mknod r/zero c 1 5 || true; } && tar -C r -cf layer.tar . "
      "&& "
      "echo bad > evil.txt && tar -P --transform 's,^evil.txt$,../../../../../../tmp/argosy-evil,' "
      "-rf layer.tar evil.txt && tar -P --transform 's,^evil.txt$,up/tmp/argosy-evil,' -rf "
      "layer.tar evil.txt");
  ASSERT_EQ(pushed.code, 0) << pushed.err;
  fs::remove("/tmp/argosy-evil");
  auto run = pod("evil:1", shell("id -u; /s/id; head -c 1 /zero && echo read; exit 0"));
  run.plan.containers[0].user = 1000;
  const auto key = start(std::move(run));
  const auto end = end_of(key);
  EXPECT_FALSE(fs::exists("/tmp/argosy-evil"));
  EXPECT_EQ(end.phase, run_phase::succeeded) << end.outcome.message;
  EXPECT_EQ(output(key).find("\nread"), std::string::npos) << output(key);
  EXPECT_EQ(output(key).find("euid=0"), std::string::npos) << output(key);
}

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

TEST_F(containers, a_registry_that_does_not_answer_gives_the_run_back) {
  backend_->shutdown();
  config_.rules.pull_timeout = 300ms;
  fs::create_directories(config_.images / ".part-left" / "oci");
  open();
  EXPECT_EQ(parts(), 0) << "what a killed agent left goes with the next start";
  const unique_fd silent{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  const auto port = testing::bind_to_free_port(silent.get());
  ASSERT_EQ(::listen(silent.get(), 8), 0);
  const auto image = "127.0.0.1:" + std::to_string(port) + "/a:1";
  EXPECT_THAT(refusal(pod(image), run_phase::refused), HasSubstr("it took longer than"));
  // Nobody waits for it who does not need it, and a stop is told at once.
  backend_->shutdown();
  config_.rules.pull_timeout = 600s;
  open();
  const auto waiting = start(pod(image));
  EXPECT_EQ(said("echo beside"), "beside\n");
  model::stop_run order;
  order.run = waiting;
  order.reason = "no longer wanted";
  backend_->stop(order, 1s);
  EXPECT_EQ(end_of(waiting).phase, run_phase::stopped);
  EXPECT_EQ(end_of(waiting).outcome.message, "no longer wanted");
}

TEST_F(containers, a_disk_that_fills_up_ends_a_pull) {
  std::atomic<int> looks = 0;
  image_store_config config;
  config.folder = config_.images;
  config.skopeo = "/usr/bin/skopeo";
  config.umoci = "/usr/bin/umoci";
  config.registries_conf = registry_->conf();
  // There is room while the digest is asked for, and none once files come.
  config.lack_of_room = [&] { return ++looks > 1 ? std::string{"the disk is full"} : ""; };
  config.in_use = [](const std::string&) { return false; };
  image_store store{config};
  const auto got = store.get({parse_image("busy:1").value(), "busy:1", {}, {}});
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, ec::out_of_space);
  EXPECT_EQ(got.error().detail, "cannot pull image 'busy:1': the disk is full");
  EXPECT_EQ(parts(), 0);
}

TEST_F(containers, are_not_given_the_rights_of_the_agents_user) {
  const auto told = temp_.path() / "told";
  const auto skopeo = temp_.path() / "skopeo";
  std::ofstream{skopeo} << "#!/bin/sh\necho \"$@\" >> " << told.string() << "\nexit 1\n";
  fs::permissions(skopeo, fs::perms::owner_all);
  image_store_config config;
  config.folder = config_.images;
  config.skopeo = skopeo;
  config.lack_of_room = [] { return std::string{}; };
  config.in_use = [](const std::string&) { return false; };
  image_store store{config};
  image_wish wish{parse_image("busy:1").value(), "busy:1", {}, {}};
  EXPECT_FALSE(store.get(wish));
  EXPECT_THAT(read_file(told).value_or(""), HasSubstr(" --no-creds docker://library/busy:1\n"));
  wish.secrets = {"/mine.json"};
  EXPECT_FALSE(store.get(wish));
  EXPECT_THAT(read_file(told).value_or(""),
              HasSubstr(" --authfile=/mine.json docker://library/busy:1\n"));
}

TEST_F(containers, see_nothing_of_the_machine_that_they_could_change) {
  EXPECT_EQ(said("ls /sys/fs/cgroup; touch /sys/new /proc/sys/new 2>/dev/null; cat "
                 "/proc/self/status | while read name value; do if [ $name = CapEff: -o $name = "
                 "Seccomp: -o $name = NoNewPrivs: ]; then echo $value; fi; done"),
            "0000000000000000\n1\n2\n");
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

TEST_F(containers, images_give_way_to_others_within_the_bound) {
  backend_->shutdown();
  config_.rules.images_max = {1};
  open();
  const auto holding = start(pod("busy:1", shell("echo ready; sleep 600")));
  wait_for_output(holding, "ready");
  ASSERT_EQ(registry_->push("other", "--config.env A=2").code, 0);
  EXPECT_EQ(said("echo other", pod("other:1")), "other\n");
  ASSERT_EQ(registry_->push("third", "--config.env A=3").code, 0);
  EXPECT_EQ(said("echo third", pod("third:1")), "third\n");
  EXPECT_EQ(images(), 2) << "the one in use and the last one";
}

TEST_F(containers, images_give_way_on_a_disk_without_room) {
  const auto holding = start(pod("busy:1", shell("echo ready; sleep 600")));
  wait_for_output(holding, "ready");
  ASSERT_EQ(registry_->push("idle", "--config.env A=4").code, 0);
  EXPECT_EQ(said("echo idle", pod("idle:1")), "idle\n");
  EXPECT_EQ(images(), 2);
  backend_->shutdown();
  // No disk has so much, so that no run is ended for it either.
  processes_.limits.disk_reserve = {std::uint64_t{1} << 62};
  processes_.storage_period = 20ms;
  open({holding});
  for (int i = 0; i < 2000 && images() + parts() > 1; ++i) std::this_thread::sleep_for(5ms);
  EXPECT_EQ(images(), 1) << "the one in use";
  EXPECT_EQ(parts(), 0);
  EXPECT_EQ(output(holding), "ready\n");
}

}  // namespace
}  // namespace argosy::backends
