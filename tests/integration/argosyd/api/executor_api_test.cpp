// SPDX-License-Identifier: Apache-2.0
// Goal: an executor of Armada that is given another address gets work, and its cluster can be
// handed to an argosy-agent without losing a job. Method: the real argosyd, and an executor without
// Kubernetes that speaks gRPC as a real one does: it packs its requests, and does not say that no
// more will come before it has read the answer.
#include <gmock/gmock.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/security/credentials.h>

#include "tests/support/armada/fake_executor.hpp"
#include "tests/support/process/deployment_fixture.hpp"
#include "tests/support/rpc/bytes.hpp"

namespace argosy::testing {

namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* on_cluster = "nodeSelector: {kubernetes.io/hostname: k1}";

class executor_api : public deployment_fixture {
 protected:
  void SetUp() override {
    const auto config =
        world.write("executors.yaml",
                    "armadaExecutors:\n"
                    "  clusters: [{name: far, promise: confirmed-only, users: [" +
                        std::string{user} + "]}]\ngrpc: {anonymousRole: operator}\n" +
                        "agents: {silenceMax: 2s, heartbeat: 500ms}\n");
    start_with_queue({"--config", config});
    const auto lines = lines_of(content_of(world.ready_file()));
    ASSERT_GE(lines.size(), 3U);
    channel = ::grpc::CreateChannel(lines[2].substr(lines[2].find("//") + 2),
                                    ::grpc::InsecureChannelCredentials());
  }

  /// One call whose requests are never said to be over.
  result<std::vector<std::string>> call(const std::string& path, const std::string& request) {
    ::grpc::GenericStub stub{channel};
    ::grpc::ClientContext context;
    ::grpc::CompletionQueue queue;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds{20});
    context.set_compression_algorithm(GRPC_COMPRESS_GZIP);
    // Without it the caller is the user who started argosyd.
    context.AddMetadata("authorization", "none");
    const auto call = stub.PrepareCall(&context, path, &queue);
    void* tag = nullptr;
    bool ok = false;
    const auto done = [&] { return queue.Next(&tag, &ok) && ok; };
    std::vector<std::string> out;
    call->StartCall(this);
    if (done()) {
      call->Write(testing::to_buffer(request), this);
      static_cast<void>(done());
      ::grpc::ByteBuffer answer;
      for (call->Read(&answer, this); done(); call->Read(&answer, this))
        out.push_back(testing::to_text(answer));
    }
    ::grpc::Status status;
    call->Finish(&status, this);
    static_cast<void>(done());
    queue.Shutdown();
    while (queue.Next(&tag, &ok)) {
    }
    if (status.ok()) return out;
    last_code = status.error_code();
    return fail(ec::internal, status.error_message());
  }

  fake_executor executor(const std::string& name) {
    return {name,
            [this](const std::string& bytes) {
              return call("/executorapi.ExecutorApi/LeaseJobRuns", bytes);
            },
            [this](const std::string& bytes) -> result<void> {
              auto got = call("/executorapi.ExecutorApi/ReportEvents", bytes);
              if (!got) return fail(got.error());
              return {};
            }};
  }
  /// Asks until the executor has so many pods.
  static ::testing::AssertionResult ask_until(fake_executor& far, std::size_t pods) {
    for (int i = 0; i < 200; ++i) {
      const auto done = far.exchange();
      if (!done) return ::testing::AssertionFailure() << done.error().detail;
      far.submit();
      if (far.pods.size() == pods) return ::testing::AssertionSuccess();
      std::this_thread::sleep_for(std::chrono::milliseconds{50});
    }
    return ::testing::AssertionFailure() << far.pods.size() << " pods";
  }

  static constexpr const char* user = "anonymous";
  std::shared_ptr<::grpc::Channel> channel;
  ::grpc::StatusCode last_code = ::grpc::StatusCode::OK;
};

TEST_F(executor_api, gives_jobs_to_an_executor_of_armada) {
  auto far = executor("far");
  ASSERT_TRUE(far.exchange());
  const auto ids = world.submit({{"true", on_cluster}, {"true", on_cluster}});
  ASSERT_THAT(ids, SizeIs(2));
  ASSERT_TRUE(ask_until(far, 2));
  ASSERT_TRUE(far.run());
  EXPECT_EQ(wait_for(ids[0], "running"), 0);
  EXPECT_EQ(world.ctl({"cancel", ids[1]}).code, 0);
  ASSERT_TRUE(ask_until(far, 1)) << "the cancelled run is gone";
  ASSERT_TRUE(far.exchange()) << "it is named no more, which confirms it";
  EXPECT_EQ(wait_for(ids[1]), 11);
  ASSERT_TRUE(far.succeed());
  EXPECT_EQ(wait_for(ids[0]), 0);
}

TEST_F(executor_api, refuses_executors_that_the_settings_do_not_name) {
  auto stranger = executor("stranger");
  const auto refused = stranger.exchange();
  ASSERT_FALSE(refused);
  EXPECT_EQ(last_code, ::grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(refused.error().detail, HasSubstr("armadaExecutors.clusters"));
}

TEST_F(executor_api, lets_a_cluster_be_handed_to_an_agent_without_losing_a_job) {
  auto far = executor("far");
  ASSERT_TRUE(far.exchange());
  const auto before = world.submit({{"true", on_cluster}});
  ASSERT_TRUE(ask_until(far, 1));
  ASSERT_TRUE(far.run());
  ASSERT_EQ(world.ctl({"cluster", "cordon", "far"}).code, 0);
  // The local cluster is cordoned as well, so that the job has to wait for the new agent.
  ASSERT_EQ(world.ctl({"cluster", "cordon", "local"}).code, 0);
  const auto during = world.submit({{witness("moved")}});
  ASSERT_TRUE(far.succeed());
  ASSERT_TRUE(far.exchange());
  EXPECT_EQ(wait_for(before[0]), 0);
  EXPECT_THAT(witnessed("moved"), IsEmpty());
  // The executor is stopped here, and the agent started.
  const auto agent = world.start_agent("far", {"--take-over"});
  ASSERT_TRUE(eventually([&] {
    return world.ctl({"describe", "cluster", "far"}).out.find("process") != std::string::npos;
  })) << "an executor's node would still get the job";
  ASSERT_EQ(world.ctl({"cluster", "uncordon", "far"}).code, 0);
  EXPECT_EQ(wait_for(during[0]), 0);
  EXPECT_THAT(witnessed("moved"), SizeIs(1));
  EXPECT_FALSE(far.exchange()) << "the agent serves the cluster now";
  EXPECT_EQ(last_code, ::grpc::StatusCode::ALREADY_EXISTS);
}

}  // namespace

}  // namespace argosy::testing
