// SPDX-License-Identifier: Apache-2.0
// A backend whose nodes, and what it knows of its cluster, are changed by a test.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/backends/backend.hpp"

namespace argosy::actors {

/// A backend that has no runs, and whose nodes come and go.
struct changing_nodes final : backends::backend {
  model::plan_contents wanted_plan() const override { return model::plan_contents::annotations; }
  bool is_ready() const override { return ready; }
  bool has_left_runs() const override { return left; }
  model::backend_trouble trouble() const override {
    return ready ? model::backend_trouble{} : model::backend_trouble{"it does not answer", 7};
  }
  model::inherited_runs inherit(const std::vector<model::recorded_run>&,
                                const std::string& plane) override {
    inherits_of = plane;
    return {};
  }
  result<std::vector<model::run_event>> adopt(
      const std::vector<model::recorded_run>& known) override {
    EXPECT_TRUE(ready);
    adopted.push_back(known);
    return std::vector<model::run_event>{};
  }
  void start(backends::run_launch) override { ++started; }
  void stop(const model::stop_run&, std::chrono::nanoseconds) override {}
  void stop_all(const std::string&) override {}
  void renew(const model::run_lease&) override {}
  void forget(const model::run_key&) override {}
  std::vector<model::node_info> nodes() const override { return now; }
  void on_nodes_changed(std::function<void()> told) override { tell = std::move(told); }
  void read_log(const model::log_request&, backends::log_taker take) const override {
    readers.push_back(std::move(take));
  }
  void shutdown() override {}

  mutable std::vector<backends::log_taker> readers;
  std::vector<model::node_info> now{{"n-1", {}, {}, {}, {}, false}};
  bool ready = true;
  bool left = false;
  std::string inherits_of;
  std::vector<std::vector<model::recorded_run>> adopted;
  int started = 0;
  std::function<void()> tell;
};

/// Makes a backend that a test changes first, and to which `made` points from then on.
inline auto make_changing_nodes(changing_nodes*& made,
                                std::function<void(changing_nodes&)> change = {}) {
  return [&made, change = std::move(change)](
             backends::event_sink) -> result<std::unique_ptr<backends::backend>> {
    auto out = std::make_unique<changing_nodes>();
    made = out.get();
    if (change) change(*out);
    return std::unique_ptr<backends::backend>{std::move(out)};
  };
}

}  // namespace argosy::actors
