// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/agent/agent_fixture.hpp"

#include <cstdlib>
#include <fstream>

#include "messages/proto/argosy/log.pb.h"
#include "runtime/backends/process/run_folder.hpp"
#include "tests/support/signals.hpp"

namespace argosy {

std::uint16_t agent_fixture::health_port() const {
  std::ifstream ready{ready_file()};
  std::string url;
  std::getline(ready, url);
  std::getline(ready, url);
  return static_cast<std::uint16_t>(std::atoi(url.substr(url.rfind(':') + 1).c_str()));
}

model::start_run agent_fixture::shell(const std::string& script) {
  static std::uint8_t serial = 0;
  log::v1::JobSpec spec;
  auto& container = *spec.mutable_pod_spec()->add_containers();
  container.set_name("main");
  for (const auto* word : {"/bin/sh", "-c"}) container.add_command(word);
  container.add_args(script);
  model::start_run out;
  out.run.job.bytes[0] = 2;
  out.run.job.bytes[15] = ++serial;
  out.run.number = 1;
  out.queue = "q";
  out.job_set = "s";
  out.spec = std::make_shared<const std::string>(spec.SerializeAsString());
  return out;
}

void agent_fixture::hear(const bus::frame& frame) {
  const auto what = frame.subject.substr(frame.subject.rfind('.') + 1);
  // These are requests of this fixture, which its own subscription receives as well.
  if (what == "orders" || what == "logs") return;
  std::string answer;
  error refusal{ec::none, {}};
  {
    const std::lock_guard guard{mutex_};
    answer_locked(what, frame.data, answer, refusal);
  }
  changed_.notify_all();
  const auto sent = refusal.code == ec::none ? connection_->respond(frame, answer)
                                             : connection_->respond_error(frame, refusal);
  static_cast<void>(sent);
}

void agent_fixture::answer_locked(const std::string& what, const std::string& data,
                                  std::string& answer, error& refusal) {
  if (what == "hello") {
    auto hello = codec::decode_hello(data);
    ASSERT_TRUE(hello) << hello.error().detail;
    hellos_.push_back(std::move(*hello));
    model::hello_ack ack{{1}, lease_ns_, std::chrono::nanoseconds{200ms}.count()};
    if (hellos_.back().cluster.incarnation.is_zero())
      hellos_.back().cluster.incarnation = {given_++};
    ack.incarnation = hellos_.back().cluster.incarnation;
    ack.control_plane = control_plane_;
    answer = codec::encode(ack);
  } else if (what == "heartbeat") {
    ++heartbeats_;
    model::heartbeat_ack ack{{1}, lease_ns_, false};
    ack.control_plane = control_plane_;
    answer = codec::encode(ack);
  } else if (what == "report") {
    auto batch = codec::decode_reports(data);
    ASSERT_TRUE(batch) << batch.error().detail;
    ASSERT_FALSE(batch->reports.empty());
    if (!taking_reports_) {
      refusal = {ec::overloaded, "not now"};
      return;
    }
    answer = codec::encode(model::report_ack{batch->reports.back().sequence});
    for (auto& report : batch->reports) reports_.push_back(std::move(report));
  } else if (what == "goodbye") {
    ++goodbyes_;
  }
}

void agent_fixture::stop_shim(const model::run_key& run) const {
  const auto folder = data_dir() / "runs" / to_string(run);
  if (const auto shim = backends::find_shim(folder)) testing::send_signal(shim->pid, SIGTERM);
}

}  // namespace argosy
