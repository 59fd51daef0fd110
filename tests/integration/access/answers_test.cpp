// SPDX-License-Identifier: Apache-2.0
// Goal: an agent answers what the control plane asks it, and nothing that it asks another. Method:
// connections with the keys of a deployment of `argosyd init`, and frames that are written by hand.
#include "runtime/bus/nats/nats_bus.hpp"
#include "tests/integration/access/access_fixture.hpp"
#include "tests/support/nats/raw_nats.hpp"

namespace argosy::testing {

namespace {

using namespace std::chrono_literals;

class answers_of_agents : public access_fixture {
 protected:
  [[nodiscard]] access::credentials key(const std::string& who) const {
    return access::read_credentials(folder() / "credentials" / who).value();
  }
  /// The connection of a program, with what it reports about it.
  [[nodiscard]] std::shared_ptr<bus::connection> connect(const std::string& who) {
    bus::nats_settings settings{.url = url()};
    EXPECT_TRUE(bus::sign_as(key(who), settings));
    settings.on_error = [this](const std::string& text) {
      const std::lock_guard lock{mutex_};
      reported_ += text + "\n";
    };
    return bus::connect_nats(settings).value();
  }
  [[nodiscard]] std::string reported() {
    const std::lock_guard lock{mutex_};
    return reported_;
  }

  std::mutex mutex_;
  std::string reported_;
};

TEST_F(answers_of_agents, come_where_no_other_agent_may_answer) {
  const auto control_plane = connect("argosyd");
  const auto agent = connect("agent-c1");
  std::string reply;
  const auto served = agent->serve("argosy.agent.c1.7.logs", [&](const bus::frame& asked) {
    reply = asked.reply;
    EXPECT_TRUE(agent->respond(asked, "the output"));
  });
  ASSERT_TRUE(served);
  const auto got = control_plane->request_sync("argosy.agent.c1.7.logs", "", {}, 10s);
  ASSERT_TRUE(got) << got.error().detail;
  EXPECT_EQ(got->data, "the output");
  EXPECT_TRUE(reply.starts_with("_INBOX.argosyd.agent.c1.")) << reply;
  raw_nats other{static_cast<std::uint16_t>(port_), key("agent-c2")};
  EXPECT_FALSE(other.may_publish(reply)) << "it would answer for another";
  raw_nats own{static_cast<std::uint16_t>(port_), key("agent-c1")};
  EXPECT_TRUE(own.may_publish(reply));
  // With what it learns of the control plane's inbox it reaches none of the others.
  const auto random = reply.substr(std::string{"_INBOX.argosyd.agent.c1."}.size());
  for (const auto& elsewhere : {"_INBOX.argosyd.agent.c2." + random, "_INBOX.argosyd." + random})
    EXPECT_FALSE(own.may_publish(elsewhere)) << elsewhere;
}

/// The control plane may publish to every inbox, so that it must not do so for whoever asks.
TEST_F(answers_of_agents, and_of_the_control_plane_go_to_whoever_asked_alone) {
  const auto control_plane = connect("argosyd");
  int asked = 0;
  const auto served = control_plane->serve("argosy.agent.*.hello", [&](const bus::frame& frame) {
    ++asked;
    EXPECT_TRUE(control_plane->respond(frame, "an answer"));
  });
  ASSERT_TRUE(served);
  raw_nats thief{static_cast<std::uint16_t>(port_), key("agent-c1")};
  for (const auto* victim : {"_INBOX.user.root.x.1", "_INBOX.agent.c2.x.1", "_INBOX.argosyd.x.1",
                             "_INBOX.argosyd.agent.c2.x.1", "argosy.log.0001", "$JS.API.INFO"})
    thief.publish("argosy.agent.c1.hello", victim, "", "");
  // A frame of a stream that is not known is answered by the bus itself.
  thief.publish("argosy.agent.c1.hello", "_INBOX.user.root.x.2",
                "NATS/1.0\r\nargosy-stream: keepalive\r\nargosy-stream-id: x\r\n\r\n", "");
  thief.publish("argosy.agent.c1.hello", thief.inbox("own"), "", "");
  EXPECT_TRUE(thief.answer("own"));
  EXPECT_EQ(asked, 1);
  EXPECT_NE(reported().find("its answer would go to somebody else"), std::string::npos)
      << reported();
}

}  // namespace

}  // namespace argosy::testing
