// SPDX-License-Identifier: Apache-2.0
// A process backend on a folder of its own, which keeps all events and can be restarted as an
// agent would be.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "runtime/backends/process/process_backend.hpp"
#include "runtime/backends/process/run_folder.hpp"
#include "tests/support/run_events.hpp"
#include "tests/support/temp_folder.hpp"

namespace argosy::backends {

using namespace std::chrono_literals;

class process_fixture : public ::testing::Test {
 protected:
  process_fixture() {
    config_.runs_dir = dir_ / "runs";
    config_.shim = std::filesystem::path{ARGOSY_BIN_DIR} / "argosy-shim";
    config_.node_name = "here";
    config_.limits = without_storage_limits();
  }

  ~process_fixture() override {
    if (backend_) {
      backend_->stop_all("the test is over");
      for (const auto& run : started_)
        if (std::filesystem::exists(folder(run)))
          wait_until([&] { return !lives(folder(run)); }, "the end of the shims");
      backend_->shutdown();
    }
    backend_.reset();
  }

  /// Opens the backend as an agent that knows these runs does, and returns what it found.
  std::vector<run_event> open(const std::vector<model::recorded_run>& known = {},
                              std::chrono::nanoseconds lease = 60s) {
    auto made = make_process_backend(config_, events_.sink());
    EXPECT_TRUE(made) << made.error().detail;
    backend_ = std::move(*made);
    auto found = backend_->adopt(known);
    EXPECT_TRUE(found);
    if (lease > 0s) backend_->renew({boot_now() + lease});
    return *found;
  }

  /// Closes the backend as an agent that goes does; the runs stay.
  void close() {
    backend_->shutdown();
    backend_.reset();
  }

  static run_launch command(std::vector<std::string> argv) {
    run_launch out;
    out.order = order_of_new_job();
    out.plan.argv = std::move(argv);
    return out;
  }

  static run_launch shell(const std::string& script) { return command({"/bin/sh", "-c", script}); }

  model::run_key start(run_launch run) {
    const auto key = run.order->run;
    started_.push_back(key);
    backend_->start(std::move(run));
    return key;
  }

  run_event wait_for(const model::run_key& run,
                     const std::function<bool(const run_event&)>& wanted) {
    return events_.wait_for(run, wanted);
  }
  run_event end_of(const model::run_key& run) { return events_.end_of(run); }
  run_event running(const model::run_key& run) { return events_.running(run); }

  run_event run_to_end(run_launch run) { return end_of(start(std::move(run))); }

  std::vector<model::run_phase> phases_of(const model::run_key& run) {
    std::vector<model::run_phase> out;
    for (const auto& event : events_.of(run)) out.push_back(event.phase);
    return out;
  }

  std::filesystem::path folder(const model::run_key& run) {
    return std::filesystem::canonical(config_.runs_dir) / to_string(run);
  }

  std::string output(const model::run_key& run) {
    model::log_request request;
    request.run = run;
    request.size_max = 1u << 20;
    std::string out;
    for (;;) {
      const auto chunk = part(request);
      if (!chunk || chunk->data.empty()) return out;
      out += chunk->data;
      if (chunk->end) return out;
      request.offset = chunk->next_offset;
    }
  }

  result<model::log_chunk> part(const model::log_request& request) {
    result<model::log_chunk> out;
    backend_->read_log(request, [&](result<model::log_chunk> chunk) { out = std::move(chunk); });
    return out;
  }

  /// Waits until the output has the text; for commands that say that they are ready.
  void wait_for_output(const model::run_key& run, const std::string& text) {
    wait_until([&] { return output(run).find(text) != std::string::npos; }, "output " + text);
  }

  static void wait_until(const std::function<bool()>& condition, const std::string& what) {
    for (int i = 0; i < 4000; ++i) {
      if (condition()) return;
      std::this_thread::sleep_for(5ms);
    }
    FAIL() << "waited in vain for " << what;
  }

  /// Whether the process can still do anything. One that is exiting gives its memory up first, and
  /// with it the text that is read here; it may stand in /proc for a while yet.
  static bool process_exists(pid_t pid) {
    const auto command = read_file("/proc/" + std::to_string(pid) + "/cmdline");
    return command && !command->empty();
  }

  /// The process of a run that has the id `inner` within the run; 0 if there is none.
  pid_t process_of(const model::run_key& run, pid_t inner) {
    const auto mark = "ARGOSY_RUN_DIR=" + folder(run).string() + std::string(1, '\0');
    std::error_code code;
    for (std::filesystem::directory_iterator it{"/proc", code}, end; it != end;
         it.increment(code)) {
      const auto status = read_file(it->path() / "status");
      const auto at = status ? status->find("NSpid:") : std::string::npos;
      if (at == std::string::npos) continue;
      std::istringstream ids{status->substr(at + 6, status->find('\n', at) - at - 6)};
      pid_t last = 0;
      while (ids >> last) {
      }
      const auto env = last == inner ? read_file(it->path() / "environ") : std::string{};
      if (env && env->find(mark) != std::string::npos)
        return std::stoi(it->path().filename().string());
    }
    return 0;
  }

  /// Waits for the first line of the output, the id of a process, and finds that process.
  pid_t told_process(const model::run_key& run) {
    wait_for_output(run, "\n");
    return process_of(run, std::stoi(output(run)));
  }

  /// Whether a shim lives in the folder.
  static bool lives(const std::filesystem::path& folder) { return shim_alive(folder).value(); }

  pid_t shim_of(const model::run_key& run) { return find_shim(folder(run)).value().pid; }

  void stop(const model::run_key& run, std::chrono::nanoseconds grace = 1s) {
    model::stop_run order;
    order.run = run;
    order.cause = model::stop_cause::cancel;
    order.reason = "cancelled by a test";
    backend_->stop(order, grace);
  }

  testing::temp_folder temp_;
  std::filesystem::path dir_ = temp_.path();
  process_config config_;
  run_events events_;
  std::unique_ptr<backend> backend_;

 private:
  std::vector<model::run_key> started_;
};

}  // namespace argosy::backends
