// SPDX-License-Identifier: Apache-2.0
// Goal: what the log needs to roll over is allowed to the control plane by the configuration that
// `argosyd init` writes, and to nobody else. Method: a nats-server that runs from it.
#include "runtime/eventlog/jetstream/jetstream_log.hpp"
#include "tests/integration/access/access_fixture.hpp"

namespace argosy::testing {

namespace {

using namespace std::chrono_literals;

class secured_generations : public access_fixture {
 protected:
  eventlog::jetstream_settings settings_of(const std::string& who) const {
    eventlog::jetstream_settings out;
    out.nats.url = url();
    out.call_limit = 500ms;
    out.max_bytes = 1ull << 30;
    const auto found = access::read_credentials(folder() / "credentials" / who);
    EXPECT_TRUE(found && bus::sign_as(*found, out.nats));
    return out;
  }
};

TEST_F(secured_generations, are_begun_and_emptied_by_the_control_plane_alone) {
  const auto log = eventlog::open_jetstream(settings_of("argosyd")).value();
  ASSERT_TRUE(log->create());
  ASSERT_TRUE(log->append({0}, "first", "data"));
  log->choose({2}, {1});
  ASSERT_TRUE(log->create());
  ASSERT_TRUE(log->append({1}, "second", "data"));
  for (const auto* other : {"user-alice", "user-root", "user-dev", "agent-c1"}) {
    const auto keeper = eventlog::open_keeper(settings_of(other));
    EXPECT_FALSE(keeper && (*keeper)->empty({1})) << other;
  }
  const auto keeper = eventlog::open_keeper(settings_of("argosyd")).value();
  EXPECT_EQ(keeper->look()->front().records, 1u);
  ASSERT_TRUE(keeper->empty({1}));
  EXPECT_TRUE(eventually([&] { return keeper->look()->front().records == 0; }));
}

}  // namespace

}  // namespace argosy::testing
