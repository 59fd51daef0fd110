// SPDX-License-Identifier: Apache-2.0
// The contract of runtime/backends/backend.hpp, which an EXECUTOR relies on, kept by each backend
// that needs nothing but this machine. The cases are the same for all; what differs is how a run is
// told what to do. Kubernetes' backend is held to it in tests/integration/kube, since it needs an
// API server.
#include <gmock/gmock.h>

#include <functional>
#include <future>
#include <set>
#include <thread>

#include "tests/integration/backend_contract/subjects.hpp"
#include "tests/support/run_events.hpp"

namespace argosy::backends {
namespace {

using namespace std::chrono_literals;
using model::run_phase;
using ::testing::ElementsAre;

struct subject_kind {
  const char* name;
  std::function<std::unique_ptr<subject>()> make;
};

class contract : public ::testing::TestWithParam<subject_kind> {
 protected:
  void SetUp() override {
    if (std::string{GetParam().name} == "container") {
      static const std::string lack = container_subject{}.lack();
      if (!lack.empty()) GTEST_SKIP() << lack;
    }
    subject_ = GetParam().make();
    open();
  }
  void TearDown() override {
    if (!backend_) return;
    backend_->stop_all("the test is over");
    for (const auto& run : started_) static_cast<void>(end_of(run));
    backend_->shutdown();
  }

  std::vector<run_event> open(const std::vector<model::recorded_run>& known = {},
                              std::chrono::nanoseconds lease = 60s) {
    auto made = subject_->make(events_.sink());
    EXPECT_TRUE(made) << made.error().detail;
    backend_ = std::move(*made);
    auto found = backend_->adopt(known);
    EXPECT_TRUE(found);
    backend_->renew({boot_now() + lease, 300ms});
    return *found;
  }

  run_launch launch(double seconds, int exit_code = 0) {
    run_launch out;
    subject_->describe(out, seconds, exit_code);
    out.order = order_of_new_job();
    return out;
  }

  model::run_key start(run_launch run) {
    const auto key = run.order->run;
    started_.push_back(key);
    backend_->start(std::move(run));
    return key;
  }

  run_event end_of(const model::run_key& run) { return events_.end_of(run); }
  void wait_until_running(const model::run_key& run) { static_cast<void>(events_.running(run)); }
  std::vector<run_event> events_of(const model::run_key& run) { return events_.of(run); }

  /// The phases of a run, each once in the order in which they were told first.
  std::vector<run_phase> phases_of(const model::run_key& run) {
    std::vector<run_phase> out;
    for (const auto& event : events_of(run))
      if (out.empty() || out.back() != event.phase) out.push_back(event.phase);
    return out;
  }

  void stop(const model::run_key& run, std::chrono::nanoseconds grace) {
    model::stop_run order;
    order.run = run;
    order.reason = "told by a test";
    backend_->stop(order, grace);
  }

  result<model::log_chunk> read(const model::run_key& run) {
    std::promise<result<model::log_chunk>> promise;
    model::log_request request;
    request.run = run;
    backend_->read_log(request, [&](auto chunk) { promise.set_value(std::move(chunk)); });
    return promise.get_future().get();
  }

  run_events events_;
  std::unique_ptr<subject> subject_;
  std::unique_ptr<backend> backend_;
  std::vector<model::run_key> started_;
};

TEST_P(contract, has_nodes_that_say_what_they_are) {
  const auto nodes = backend_->nodes();
  ASSERT_FALSE(nodes.empty());
  std::set<std::string> names;
  for (const auto& node : nodes) {
    EXPECT_TRUE(names.insert(node.name).second) << node.name;
    EXPECT_FALSE(node.total.empty());
    EXPECT_TRUE(std::ranges::is_sorted(node.labels));
    for (const auto* label : {"kubernetes.io/arch", "kubernetes.io/hostname", "kubernetes.io/os"})
      EXPECT_THAT(node.labels, ::testing::Contains(::testing::Key(std::string{label})));
  }
  EXPECT_TRUE(backend_->is_ready());
  EXPECT_EQ(backend_->trouble().why, "");
}

TEST_P(contract, tells_a_run_from_its_start_to_its_end) {
  const auto run = start(launch(0.05));
  const auto end = end_of(run);
  EXPECT_THAT(phases_of(run),
              ElementsAre(run_phase::pending, run_phase::running, run_phase::succeeded));
  EXPECT_EQ(end.outcome.exit_code, 0);
  EXPECT_EQ(end.outcome.reason, shim_status::completed);
  std::int64_t before = 0;
  for (const auto& event : events_of(run)) {
    EXPECT_GE(event.time_ns, before);
    before = event.time_ns;
  }
}

TEST_P(contract, tells_how_a_run_failed) {
  const auto end = end_of(start(launch(0.01, 7)));
  EXPECT_EQ(end.phase, run_phase::failed);
  EXPECT_EQ(end.outcome.exit_code, 7);
  EXPECT_EQ(end.outcome.reason, shim_status::failed);
  EXPECT_EQ(end.outcome.message, "exited with code 7");
}

TEST_P(contract, stops_a_run_once_whatever_is_told_afterwards) {
  const auto run = start(launch(600));
  wait_until_running(run);
  stop(run, 100ms);
  stop(run, 10s);
  const auto end = end_of(run);
  EXPECT_EQ(end.phase, run_phase::stopped);
  EXPECT_EQ(end.outcome.reason, shim_status::stopped);
  EXPECT_EQ(end.outcome.message, "told by a test");
  stop(run, 1s);
  // Another run's end is told after whatever the calls above could have led to.
  static_cast<void>(end_of(start(launch(0.01))));
  EXPECT_THAT(phases_of(run),
              ElementsAre(run_phase::pending, run_phase::running, run_phase::stopped));
}

TEST_P(contract, a_stop_behind_the_start_ends_the_run) {
  const auto run = start(launch(600));
  stop(run, 50ms);
  EXPECT_TRUE(is_final(end_of(run).phase));
}

TEST_P(contract, stops_all_runs) {
  const auto one = start(launch(600));
  const auto two = start(launch(600));
  for (const auto& run : {one, two}) wait_until_running(run);
  backend_->stop_all("all end");
  for (const auto& run : {one, two}) {
    EXPECT_EQ(end_of(run).phase, run_phase::stopped);
    EXPECT_EQ(end_of(run).outcome.message, "all end");
  }
}

TEST_P(contract, a_deadline_ends_a_run) {
  auto run = launch(600);
  auto order = std::make_shared<model::start_run>(*run.order);
  order->deadline_seconds = 1;
  run.order = order;
  const auto end = end_of(start(std::move(run)));
  EXPECT_EQ(end.phase, run_phase::failed);
  EXPECT_EQ(end.outcome.reason, shim_status::deadline_exceeded);
}

TEST_P(contract, a_lease_that_lapses_ends_runs_but_those_that_keep_on) {
  // No lease is shorter than the one before it, so that this one is the first.
  backend_->shutdown();
  subject_ = GetParam().make();
  open({}, 1200ms);
  auto keeps = launch(1.6);
  auto order = std::make_shared<model::start_run>(*keeps.order);
  order->keep_on_disconnect = true;
  keeps.order = order;
  const auto run = start(launch(600));
  const auto lasting = start(std::move(keeps));
  const auto end = end_of(run);
  EXPECT_EQ(end.phase, run_phase::stopped);
  EXPECT_EQ(end.outcome.reason, shim_status::lease_expired);
  EXPECT_EQ(end_of(lasting).phase, run_phase::succeeded);
}

TEST_P(contract, knows_that_a_run_was_never_begun) {
  // The end of a run comes behind the lease, without which the machine may have been restarted.
  static_cast<void>(end_of(start(launch(0.01))));
  backend_->shutdown();
  const auto never = launch(1).order->run;
  const auto found = open({never});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].run, never);
  EXPECT_EQ(found[0].phase, run_phase::refused);
  EXPECT_EQ(found[0].outcome.reason, reason::not_started);
}

TEST_P(contract, one_event_for_each_known_run_and_one_end) {
  const auto ended = start(launch(0.01, 3));
  static_cast<void>(end_of(ended));
  const auto alive = start(launch(600));
  wait_until_running(alive);
  backend_->shutdown();
  const auto before = events_of(alive).size();
  const auto found = open({ended, alive});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].run, ended);
  EXPECT_TRUE(is_final(found[0].phase));
  EXPECT_EQ(found[1].run, alive);
  EXPECT_EQ(is_final(found[1].phase), !subject_->keeps_runs());
  EXPECT_EQ(events_of(alive).size(), before) << "what adopt() returns is not told again";
  if (!subject_->keeps_runs()) return started_.clear();
  EXPECT_EQ(found[0].outcome.exit_code, 3);
  stop(alive, 50ms);
  EXPECT_EQ(end_of(alive).phase, run_phase::stopped);
}

TEST_P(contract, output_can_be_read_until_its_end) {
  const auto run = start(launch(0.01));
  static_cast<void>(end_of(run));
  const auto chunk = read(run);
  ASSERT_TRUE(chunk) << chunk.error().detail;
  EXPECT_TRUE(chunk->end);
  if (subject_->keeps_runs()) EXPECT_EQ(chunk->data, "begun\n");
  backend_->forget(run);
}

TEST_P(contract, tells_nothing_after_its_shutdown) {
  const auto run = start(launch(0.3));
  wait_until_running(run);
  backend_->shutdown();
  backend_->shutdown();
  const auto told = events_of(run).size();
  std::this_thread::sleep_for(400ms);
  EXPECT_EQ(events_of(run).size(), told);
  started_.clear();
}

INSTANTIATE_TEST_SUITE_P(
    of, contract,
    ::testing::Values(
        subject_kind{"process", [] { return std::make_unique<process_subject>(); }},
        subject_kind{"container", [] { return std::make_unique<container_subject>(); }},
        subject_kind{"simulated", [] { return std::make_unique<simulated_subject>(); }}),
    [](const auto& each) { return std::string{each.param.name}; });

}  // namespace
}  // namespace argosy::backends
