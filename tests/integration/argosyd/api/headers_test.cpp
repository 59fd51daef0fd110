// SPDX-License-Identifier: Apache-2.0
// Goal: a header of the API means the same over every transport. Method: the real argosyd, asked
// over gRPC, REST and NATS, where argosyctl sends the headers.
#include <gmock/gmock.h>

#include "messages/proto/api/submit.pb.h"
#include "tests/support/process/deployment_fixture.hpp"
#include "tests/unit/rpc/client.hpp"

namespace argosy::testing {

namespace {

using ::testing::HasSubstr;

class api_headers : public deployment_fixture {
 protected:
  void SetUp() override {
    start_with_queue();
    const auto lines = lines_of(content_of(world.ready_file()));
    ASSERT_GE(lines.size(), 3U);
    channel = ::grpc::CreateChannel(lines[2].substr(lines[2].find("//") + 2),
                                    ::grpc::InsecureChannelCredentials());
  }

  /// The head and the body of an answer over REST.
  std::string curl(std::vector<std::string> words, const std::string& path) const {
    launch how;
    how.words = {"/usr/bin/curl", "-sSi", "--max-time", "10"};
    how.words.insert(how.words.end(), words.begin(), words.end());
    how.words.push_back(world.health_url() + path);
    return run(how, world.folder(), std::chrono::seconds{20}).out;
  }

  std::shared_ptr<::grpc::Channel> channel;
};

TEST_F(api_headers, say_how_a_request_is_meant) {
  api::Queue queue;
  queue.set_name("unknown");
  queue.set_priority_factor(2);
  rpc_call update{
      channel, "/api.Submit/UpdateQueue", queue.SerializeAsString(),
      [](::grpc::ClientContext& context) { context.AddMetadata("argosy-mode", "update"); }};
  EXPECT_EQ(update.next(), std::nullopt);
  EXPECT_EQ(update.status().error_code(), ::grpc::StatusCode::NOT_FOUND);
  EXPECT_THAT(curl({"-X", "PUT", "-H", "Grpc-Metadata-Argosy-Mode: update", "-d",
                    R"({"name":"unknown","priorityFactor":2})"},
                   "/v1/queue/unknown"),
              HasSubstr("404"));
  EXPECT_NE(world.ctl({"queue", "update", "unknown", "--priority-factor", "2"}).code, 0);
  EXPECT_EQ(world.ctl({"get", "queues", "-o", "name"}).out.find("unknown"), std::string::npos);
}

TEST_F(api_headers, tell_the_version_of_what_an_answer_shows) {
  api::QueueGetRequest request;
  request.set_name("q");
  rpc_call get{channel, "/api.Submit/GetQueue", request.SerializeAsString()};
  ASSERT_TRUE(get.next());
  ASSERT_TRUE(get.status().ok());
  const auto& told = get.context().GetServerInitialMetadata();
  const auto version = told.find("argosy-version");
  ASSERT_NE(version, told.end());
  EXPECT_THAT(curl({}, "/v1/queue/q"),
              HasSubstr("Grpc-Metadata-argosy-version: " +
                        std::string{version->second.data(), version->second.size()}));
}

}  // namespace

}  // namespace argosy::testing
