// SPDX-License-Identifier: Apache-2.0
// A backend `kubernetes` on an API server in memory, with a clock that is set by hand.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "runtime/backends/kubernetes/kubernetes_backend.hpp"
#include "tests/unit/kubernetes/fake_kube.hpp"

namespace argosy::backends {

using namespace std::chrono_literals;
using model::run_phase;
using nlohmann::json;

struct kubernetes_fixture : ::testing::Test {
  kubernetes_fixture() {
    kube->add_node(json::parse(R"({"metadata":{"name":"n1","labels":{
      "kubernetes.io/hostname":"host-1","zone":"z1"}},
      "status":{"allocatable":{"cpu":"4"},"conditions":[{"type":"Ready","status":"True"}]}})"));
    config.cluster = "east";
    config.control_plane = "cp1";
    config.rules.namespaces = {"jobs"};
    config.rules.kept_output_per_run = {};
    config.manual_clock = &clock;
  }

  /// Makes the backend, which adopts these runs. Returns what it says of them.
  std::vector<run_event> open(const std::vector<model::recorded_run>& known = {}) {
    auto made = make_kubernetes_backend(config, kube, [this](std::vector<run_event> more) {
      for (auto& each : more) events.push_back(std::move(each));
    });
    EXPECT_TRUE(made) << made.error().detail;
    backend = std::move(*made);
    backend->advance();
    EXPECT_TRUE(backend->is_ready()) << backend->trouble().why;
    auto found = backend->adopt(known);
    EXPECT_TRUE(found);
    backend->advance();
    return *found;
  }

  static model::run_key run_of(std::uint8_t serial, std::uint32_t number = 1) {
    model::run_key out;
    out.job.bytes[15] = serial;
    out.number = number;
    return out;
  }

  static std::string name_of(const model::run_key& run) {
    return "armada-" + to_string(run.job) + "-" + std::to_string(run.number - 1);
  }

  static json manifest(const model::run_key& run, const std::string& name_space = "jobs") {
    return {
        {"apiVersion", "v1"},
        {"kind", "Pod"},
        {"metadata",
         {{"name", name_of(run)},
          {"namespace", name_space},
          {"labels", {{"argosy.io/run", to_string(run)}}},
          {"annotations", json::object()}}},
        {"spec", {{"containers", {{{"name", "main"}}}}, {"terminationGracePeriodSeconds", 20}}}};
  }

  /// The pod of a run as an earlier agent has made it.
  json pod_of(const model::run_key& run, const json& status) const {
    auto out = manifest(run);
    out["metadata"]["labels"]["argosy.io/cluster"] = "east";
    out["metadata"]["labels"]["argosy.io/control-plane"] = "cp1";
    out["status"] = status;
    return out;
  }

  static run_launch launch_of(const model::run_key& run, const std::string& name_space = "jobs") {
    auto order = std::make_shared<model::start_run>();
    order->run = run;
    order->node = "n1";
    order->name_space = name_space;
    order->grace_seconds = 20;
    run_launch out;
    out.order = order;
    out.pod = manifest(run, name_space).dump();
    out.control_plane = "cp1";
    return out;
  }

  model::run_key start(std::uint8_t serial) {
    const auto run = run_of(serial);
    backend->start(launch_of(run));
    backend->advance();
    return run;
  }

  model::run_key start_lapsing(std::uint8_t serial, bool keep = false) {
    auto launch = launch_of(run_of(serial));
    auto order = *launch.order;
    order.lapses = true;
    order.keep_on_disconnect = keep;
    launch.order = std::make_shared<const model::start_run>(order);
    backend->start(std::move(launch));
    backend->advance();
    return run_of(serial);
  }

  static fake_kube::key at(const model::run_key& run) { return {"jobs", name_of(run)}; }

  void set_status(const model::run_key& run, const char* status) {
    kube->set_status(at(run), json::parse(status));
    backend->advance();
  }

  void stop(const model::run_key& run, std::chrono::nanoseconds grace = 20s) {
    backend->stop({run, model::stop_cause::cancel, "cancelled by alice", {}}, grace);
    backend->advance();
  }

  result<model::log_chunk> read(const model::log_request& wanted) {
    result<model::log_chunk> out = fail(ec::internal, "nobody has answered");
    backend->read_log(wanted, [&](result<model::log_chunk> got) { out = std::move(got); });
    backend->advance();
    return out;
  }

  void pass(std::chrono::nanoseconds span) {
    clock.advance(span);
    backend->advance();
  }

  void renew(std::chrono::nanoseconds length, std::chrono::nanoseconds kill_grace = 30s) {
    backend->renew({clock.boot() + length, kill_grace, {}, {}});
    backend->advance();
  }

  /// The phases that were told so far, oldest first, and forgets them. Notes are in notes.
  std::vector<run_phase> take_phases() {
    std::vector<run_phase> out;
    for (const auto& each : events)
      if (each.note.empty())
        out.push_back(each.phase);
      else
        notes.push_back(each.note);
    if (!events.empty()) last = events.back();
    events.clear();
    return out;
  }
  /// The notes that were told since the last call, oldest first.
  std::vector<std::string> take_notes() {
    take_phases();
    return std::exchange(notes, {});
  }

  static constexpr const char* running = R"({"phase":"Running"})";
  static constexpr const char* main_runs = R"({"phase":"Running","containerStatuses":[{
    "name":"main","state":{"running":{}}}]})";
  static constexpr const char* succeeded = R"({"phase":"Succeeded"})";
  static constexpr const char* failed_3 = R"({"phase":"Failed","containerStatuses":[{"name":"main",
    "state":{"terminated":{"exitCode":3,"reason":"Error"}}}]})";
  static constexpr const char* without_image = R"({"phase":"Pending","containerStatuses":[{
    "name":"main","state":{"waiting":{"reason":"ErrImagePull","message":"not found"}}}]})";
  static constexpr const char* without_place = R"({"phase":"Pending","conditions":[{
    "type":"PodScheduled","status":"False","reason":"Unschedulable",
    "message":"0/1 nodes are available: 1 Insufficient cpu."}]})";

  manual_clock clock;
  std::shared_ptr<fake_kube> kube = std::make_shared<fake_kube>();
  kubernetes_config config;
  std::vector<run_event> events;
  run_event last;
  std::vector<std::string> notes;
  std::unique_ptr<kubernetes_backend> backend;
};

}  // namespace argosy::backends
