// SPDX-License-Identifier: Apache-2.0
// Goal: a list never lacks a queue in silence: it is whole or it fails.
// Method: a GATEWAY whose ROOT knows QUEUEs played by the test: one answers, one was deleted, one
// says nothing.
#include <gmock/gmock.h>

#include <caf/event_based_actor.hpp>
#include <optional>

#include "actors/api/bus.hpp"
#include "actors/api/gateway.hpp"
#include "actors/caf_error.hpp"
#include "messages/proto/api/job.pb.h"
#include "runtime/bus/in_memory.hpp"
#include "tests/support/actor_fixture.hpp"

namespace argosy::tests {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

struct fan_out : actor_fixture {
  fan_out() {
    actors::gateway_config with;
    with.connection = server;
    with.bus = bus = actors::spawn_bus(system, {server}, actors::run_on::pool);
    with.root = caf::actor_cast<actors::root_actor>(play([this](atom::list) { return queues; }));
    with.reader = caf::actor_cast<actors::reader_actor>(play([](atom::ok) {}));
    with.list_reader = with.event_reader = with.reader;
    with.store = caf::actor_cast<actors::store_actor>(play([](atom::ok) {}));
    with.coordinator = caf::actor_cast<actors::coordinator_actor>(play([](atom::ok) {}));
    with.explainer = caf::actor_cast<actors::explainer_actor>(play([](atom::ok) {}));
    with.tracer = caf::actor_cast<actors::tracer_actor>(play([](atom::ok) {}));
    with.clock = &clock;
    with.contacts = std::make_shared<native::contact_board>();
    with.lineage = std::make_shared<actors::lineage_board>(std::make_shared<eventlog::log_load>(1));
    with.request_timeout = 1s;
    gateway = actors::spawn_gateway(system, std::move(with));
    settle();
  }
  ~fan_out() override {
    queues.clear();
    for (auto& actor : played) caf::anon_send_exit(actor, caf::exit_reason::kill);
    played.clear();
    bus = nullptr;
    gateway = nullptr;
    kill_all();
    server->close();
    client->close();
  }

  template <class... Handlers>
  caf::actor play(Handlers... handlers) {
    auto out =
        system.spawn([=](caf::event_based_actor*) -> caf::behavior { return {handlers...}; });
    played.push_back(out);
    return out;
  }
  void add_queue(const std::string& name) {
    queues.push_back(caf::actor_cast<actors::queue_actor>(
        play([name](atom::status) -> caf::result<native::queue_status_ptr> {
          auto status = std::make_shared<native::queue_status>();
          status->settings.name = model::queue_name{name};
          status->active_pools = {"default"};
          return native::queue_status_ptr{status};
        })));
  }
  void add_deleted_queue() {
    queues.push_back(caf::actor_cast<actors::queue_actor>(
        play([](atom::status) -> caf::result<native::queue_status_ptr> {
          return actors::to_caf({ec::not_found, "deleted"});
        })));
  }
  void add_mute_queue() {
    queues.push_back(caf::actor_cast<actors::queue_actor>(
        system.spawn([this](caf::event_based_actor* self) -> caf::behavior {
          played.push_back(self);
          return {[self, kept = std::vector<caf::response_promise>{}](atom::status) mutable {
            kept.push_back(self->make_response_promise());
            return kept.back();
          }};
        })));
  }
  /// The active queues of pool "default", or why there is no answer.
  std::optional<result<std::vector<std::string>>> active_queues() {
    std::optional<result<std::vector<std::string>>> out;
    client->request("argosy.api.Jobs.GetActiveQueues", "", {}, 10s,
                    [&](const result<bus::frame>& reply) {
                      if (!reply) {
                        out = fail(reply.error());
                        return;
                      }
                      api::GetActiveQueuesResponse response;
                      ASSERT_TRUE(response.ParseFromString(reply->data));
                      const auto& list = response.active_queues_by_pool().at("default").queues();
                      out = std::vector<std::string>{list.begin(), list.end()};
                    });
    advance(2s);
    return out;
  }

  manual_clock clock;
  bus::memory_broker broker;
  std::shared_ptr<bus::connection> server = broker.connect();
  std::shared_ptr<bus::connection> client = broker.connect();
  std::vector<caf::actor> played;
  std::vector<actors::queue_actor> queues;
  actors::bus_actor bus;
  actors::frame_handler_actor gateway;
};

namespace {

TEST_F(fan_out, leaves_out_what_was_deleted) {
  add_queue("a");
  add_deleted_queue();
  const auto found = active_queues();
  ASSERT_TRUE(found && *found);
  EXPECT_EQ(**found, std::vector<std::string>{"a"});
}

TEST_F(fan_out, fails_when_somebody_does_not_answer) {
  add_queue("a");
  add_mute_queue();
  const auto found = active_queues();
  ASSERT_TRUE(found);
  ASSERT_FALSE(*found) << "a list without the other queue would look complete";
  EXPECT_EQ(found->error().code, ec::timeout);
  EXPECT_THAT(found->error().detail, HasSubstr("1 of 2 queues did not answer"));
}

}  // namespace

}  // namespace argosy::tests
