// SPDX-License-Identifier: Apache-2.0
// Goal: images come whole from where they are allowed to come, or it is told in one sentence why
// not; they are kept within their bound, and nothing else is left behind.
#include <sys/socket.h>
#include <sys/stat.h>

#include <atomic>

#include "tests/integration/containers/containers_fixture.hpp"

namespace argosy::backends {
namespace {

/// A store of images in `folder`, for which this script does what skopeo does otherwise.
image_store_config store_by(const fs::path& skopeo, const std::string& script,
                            const std::string& folder) {
  std::ofstream{skopeo} << "#!/bin/sh\n" << script << "\n";
  fs::permissions(skopeo, fs::perms::owner_all);
  image_store_config out;
  out.folder = folder;
  out.skopeo = skopeo;
  out.lack_of_room = [] { return std::string{}; };
  out.in_use = [](const std::string&) { return false; };
  return out;
}

TEST_F(containers, an_image_is_pulled_once_and_its_digest_is_told) {
  remove_images();
  const auto run = start(pod("busy:1", shell("echo here; ls /bin | head -n 1; exit 5")));
  EXPECT_THAT(running(run).note, HasSubstr("is " + registry_->digest("busy")));
  const auto end = end_of(run);
  EXPECT_EQ(end.outcome.exit_code, 5);
  EXPECT_EQ(end.outcome.message, "exited with code 5");
  EXPECT_THAT(output(run), HasSubstr("here\nbusybox\n"));
  registry_->stop();
  EXPECT_EQ(said("echo again"), "again\n") << "the image is here";
  EXPECT_THAT(refusal(pod("busy"), run_phase::refused), HasSubstr("cannot pull image 'busy': "))
      << "another one may be latest now";
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
  remove_images();
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
  const auto got = store.get({parse_image("busy:1").value(), "busy:1", {}, {}, {}});
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, ec::out_of_space);
  EXPECT_EQ(got.error().detail, "cannot pull image 'busy:1': the disk is full");
  EXPECT_EQ(parts(), 0);
}

TEST_F(containers, that_want_the_same_ask_a_registry_once) {
  const auto told = temp_.path() / "told";
  const auto digest = registry_->digest("busy");
  EXPECT_EQ(said("echo here"), "here\n");
  image_store store{store_by(temp_.path() / "skopeo",
                             "echo asked >> " + told.string() + "\nsleep 0.1\necho " + digest,
                             config_.images)};
  image_wish wish{parse_image("busy").value(), "busy", model::pull_policy::always, {}, boot_now()};
  std::vector<std::thread> all;
  for (int i = 0; i < 8; ++i)
    all.emplace_back(
        [&] { EXPECT_EQ(store.get(wish).value_or(stored_image{}).facts.digest, digest); });
  for (auto& each : all) each.join();
  EXPECT_EQ(read_file(told).value_or(""), "asked\n");
  wish.wanted = boot_now();
  EXPECT_TRUE(store.get(wish));
  EXPECT_EQ(read_file(told).value_or(""), "asked\nasked\n") << "it was wanted later";
}

TEST_F(containers, are_not_given_the_rights_of_the_agents_user) {
  remove_images();
  const auto told = temp_.path() / "told";
  image_store store{store_by(temp_.path() / "skopeo",
                             "echo \"$@\" >> " + told.string() + "\nexit 1", config_.images)};
  image_wish wish{parse_image("busy:1").value(), "busy:1", {}, {}, boot_now()};
  EXPECT_FALSE(store.get(wish));
  EXPECT_THAT(read_file(told).value_or(""), HasSubstr(" --no-creds docker://library/busy:1\n"));
  wish.secrets = {"/mine.json"};
  EXPECT_FALSE(store.get(wish));
  EXPECT_THAT(read_file(told).value_or(""),
              HasSubstr(" --authfile=/mine.json docker://library/busy:1\n"));
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

TEST_F(containers, images_that_are_damaged_come_anew) {
  EXPECT_EQ(said("echo first"), "first\n");
  fs::path place;
  for (const auto& entry : fs::directory_iterator{config_.images})
    if (fs::exists(entry.path() / "facts")) place = entry.path();
  std::ofstream{place / "facts"} << "";
  EXPECT_EQ(said("echo second"), "second\n");
  fs::rename(place / "files", place / "elsewhere");
  EXPECT_EQ(said("echo third"), "third\n");
  EXPECT_EQ(images(), 1);
  EXPECT_EQ(parts(), 0);
  EXPECT_FALSE(fs::exists(place / "elsewhere"));
  // Names of images that are gone go with the next start.
  backend_->shutdown();
  remove_tree(place);
  open();
  EXPECT_TRUE(fs::is_empty(config_.images / "names"));
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
