// SPDX-License-Identifier: Apache-2.0
// Backend container on this machine, with images of busybox-static in a registry beside it.
#pragma once

#include <gmock/gmock.h>

#include <thread>

#include "runtime/backends/container/container_backend.hpp"
#include "runtime/backends/container/image_store.hpp"
#include "runtime/backends/process/retention.hpp"
#include "runtime/backends/process/run_folder.hpp"
#include "tests/integration/containers/local_registry.hpp"
#include "tests/support/run_events.hpp"
#include "tests/support/temp_folder.hpp"

namespace argosy::backends {

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
    image_store_config config;
    config.folder = shared_->path() / "images";
    config.skopeo = "/usr/bin/skopeo";
    config.umoci = "/usr/bin/umoci";
    config.registries_conf = registry_->conf();
    config.lack_of_room = [] { return std::string{}; };
    config.in_use = [](const std::string&) { return false; };
    // A machine that runs no images may be unable to unpack them as well.
    static_cast<void>(
        image_store{config}.get({parse_image("busy:1").value(), "busy:1", {}, {}, {}}));
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
    processes_.users.any_allowed = true;
    config_.images = temp_.path() / "images";
    // "busy:1" is here already; remove_images() is for those who need its pull.
    fs::copy(shared_->path() / "images", config_.images,
             fs::copy_options::recursive | fs::copy_options::copy_symlinks);
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
    auto made = make_container_backend(processes_, config_, events_.sink());
    EXPECT_TRUE(made) << made.error().detail;
    backend_ = std::move(*made);
    auto found = backend_->adopt(known);
    EXPECT_TRUE(found);
    backend_->renew({boot_now() + 60s, 1s});
    return *found;
  }

  /// Opens with a script in the place of crun, of which the trial at the start knows nothing.
  void open_with_crun(const std::string& script) {
    const auto bin = temp_.path() / "bin";
    fs::create_directories(bin);
    std::ofstream{bin / "crun"}
        << "#!/bin/sh\ncase \"$*\" in *trial*) exec /usr/bin/crun \"$@\";; esac\n" + script + "\n";
    fs::permissions(bin / "crun", fs::perms::owner_all);
    const std::string path = std::getenv("PATH");
    ::setenv("PATH", (bin.string() + ":" + path).c_str(), 1);
    open();
    ::setenv("PATH", path.c_str(), 1);
  }

  void remove_images() const {
    for (const auto& entry : fs::directory_iterator{config_.images}) remove_tree(entry.path());
    fs::create_directories(config_.images / "names");
  }

  static run_launch pod(const std::string& image, std::vector<std::string> command = {}) {
    auto order = order_of_new_job();
    order->name_space = "default";
    order->grace_seconds = 0;
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
  run_event end_of(const model::run_key& run) { return events_.end_of(run); }
  run_event running(const model::run_key& run) { return events_.running(run); }

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
  /// How many images are unpacked, and how many only in part.
  [[nodiscard]] int images() const {
    return count([](const fs::path& entry) { return fs::exists(entry / "facts"); });
  }
  [[nodiscard]] int parts() const {
    return count(
        [](const fs::path& entry) { return entry.filename().string().starts_with(".part"); });
  }

  static inline testing::temp_folder* shared_ = nullptr;
  static inline testing::local_registry* registry_ = nullptr;
  testing::temp_folder temp_;
  process_config processes_;
  container_config config_;
  run_events events_;
  std::unique_ptr<backend> backend_;
  std::vector<model::run_key> started_;

 private:
  template <class Counts>
  [[nodiscard]] int count(Counts counts) const {
    int out = 0;
    for (const auto& entry : fs::directory_iterator{config_.images})
      out += counts(entry.path()) ? 1 : 0;
    return out;
  }
};

}  // namespace argosy::backends
