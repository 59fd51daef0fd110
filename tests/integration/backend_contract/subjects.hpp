// SPDX-License-Identifier: Apache-2.0
// The backends that keep the contract of runtime/backends/backend.hpp, each with the way in which
// it is told what a run is to do.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "runtime/backends/container/container_backend.hpp"
#include "runtime/backends/container/image_facts.hpp"
#include "runtime/backends/platform.hpp"
#include "runtime/backends/process/process_backend.hpp"
#include "runtime/backends/run/file.hpp"
#include "runtime/backends/simulated/simulated_backend.hpp"
#include "runtime/model/sim_annotation.hpp"
#include "tests/support/temp_folder.hpp"

namespace argosy::backends {

/// One backend as the contract's test sees it.
class subject {
 public:
  virtual ~subject() = default;
  virtual result<std::unique_ptr<backend>> make(event_sink sink) = 0;
  /// Says in the launch that the run takes so long and then ends with the code.
  virtual void describe(run_launch& run, double seconds, int exit_code) const = 0;
  /// Whether a run that is alive can be found again by another agent of the same folder.
  [[nodiscard]] virtual bool keeps_runs() const { return true; }
};

inline std::string script_of(double seconds, int exit_code) {
  return "echo begun; sleep " + std::to_string(seconds) + "; exit " + std::to_string(exit_code);
}

class simulated_subject final : public subject {
 public:
  result<std::unique_ptr<backend>> make(event_sink sink) override {
    simulated_config config;
    config.nodes.push_back({"node", 2, {{"cpu", 4'000}}, {}, {}});
    config.runs.start_delay = std::chrono::milliseconds{1};
    return std::unique_ptr<backend>{std::make_unique<simulated_backend>(config, std::move(sink))};
  }
  void describe(run_launch& run, double seconds, int exit_code) const override {
    run.plan.annotations = {{model::sim_annotation::exit_code, std::to_string(exit_code)},
                            {model::sim_annotation::runtime, std::to_string(seconds)}};
  }
  [[nodiscard]] bool keeps_runs() const override { return false; }
};

class process_subject : public subject {
 public:
  result<std::unique_ptr<backend>> make(event_sink sink) override {
    return make_process_backend(config(), std::move(sink));
  }
  void describe(run_launch& run, double seconds, int exit_code) const override {
    run.plan.argv = {"/bin/sh", "-c", script_of(seconds, exit_code)};
    run.plan.env = {{"PATH", "/usr/bin:/bin"}};
  }

 protected:
  [[nodiscard]] process_config config() const {
    process_config out;
    out.runs_dir = temp_.path() / "runs";
    out.shim = std::filesystem::path{ARGOSY_BIN_DIR} / "argosy-shim";
    out.limits = without_storage_limits();
    return out;
  }
  testing::temp_folder temp_;
};

/// Its image is put where a pull would have put it, so that no registry is needed.
class container_subject final : public process_subject {
 public:
  /// What this machine lacks for containers; empty: nothing.
  [[nodiscard]] std::string lack() {
    const auto made = make([](auto) {});
    if (!made) return made.error().detail;
    const auto lacks = (*made)->trouble().lacks;
    return lacks.find("runs no images") == std::string::npos ? "" : lacks;
  }
  result<std::unique_ptr<backend>> make(event_sink sink) override {
    place_image();
    return make_container_backend(config(), {{}, temp_.path() / "images"}, std::move(sink));
  }
  void describe(run_launch& run, double seconds, int exit_code) const override {
    model::pod_container container;
    container.name = "main";
    container.place = "podSpec.containers[0]";
    container.image = "busy:1";
    container.command = {"/bin/busybox", "sh", "-c", script_of(seconds, exit_code)};
    run.plan.containers = {container};
  }

 private:
  void place_image() const {
    namespace fs = std::filesystem;
    const std::string digest = "sha256:" + std::string(64, 'b');
    const auto place = temp_.path() / "images" / ("sha256_3a" + std::string(64, 'b'));
    std::error_code code;
    fs::create_directories(place / "files" / "bin", code);
    fs::create_directories(temp_.path() / "images" / "names", code);
    fs::copy_file("/bin/busybox", place / "files" / "bin" / "busybox", code);
    for (const char* name : {"sh", "sleep"})
      fs::create_symlink("busybox", place / "files" / "bin" / name, code);
    image_facts facts;
    facts.digest = digest;
    facts.os = "linux";
    facts.architecture = own_architecture();
    static_cast<void>(write_file(place / "facts", encode(facts).value(), sync_mode::no));
    static_cast<void>(write_file(temp_.path() / "images" / "names" / "library_2fbusy_3a1", digest,
                                 sync_mode::no));
  }
};

}  // namespace argosy::backends
