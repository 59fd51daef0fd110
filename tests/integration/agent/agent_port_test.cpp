// SPDX-License-Identifier: Apache-2.0
// Goal: the port of an agent answers people and monitoring, and not the jobs of its own machine.
// Method: the program itself, and a job that asks it.
#include <cstdlib>

#include "tests/integration/agent/agent_fixture.hpp"
#include "tests/unit/health/http_get.hpp"

namespace argosy {

using agent_port = agent_fixture;

TEST_F(agent_port, does_not_answer_its_jobs_at_its_port) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root runs jobs as other users";
  ::setenv("ARGOSY_PROCESS_UID_RANGE", "2000000-2000999", 1);
  start_agent();
  wait_until([&] { return heartbeats_ > 1; }, "heartbeats");
  const auto port = health_port();
  EXPECT_EQ(tests::http_get(port, "/livez").status, 200) << "others are answered";
  // The agent may have closed the connection before the request is written.
  const auto run =
      shell("exec bash -c 'trap \"\" PIPE; exec 3<>/dev/tcp/127.0.0.1/" + std::to_string(port) +
            " && echo connected; printf \"GET /livez HTTP/1.1\\r\\nHost: localhost"
            "\\r\\nConnection: close\\r\\n\\r\\n\" >&3; cat <&3; true'");
  ASSERT_TRUE(order({{1}, {run}, {}}));
  wait_for_phase(run.run, run_phase::succeeded);
  const auto logs = connection_->request_sync(
      subject_of("logs"), codec::encode(model::log_request{run.run, 0, 4096}), {}, 5s);
  ASSERT_TRUE(logs);
  const auto chunk = codec::decode_log_chunk(logs->data);
  ASSERT_TRUE(chunk);
  EXPECT_EQ(chunk->data.find("HTTP/1.1"), std::string::npos) << chunk->data;
  EXPECT_TRUE(chunk->data.starts_with("connected\n")) << chunk->data;
}

}  // namespace argosy
