// SPDX-License-Identifier: Apache-2.0
// A whole control plane in one thread and in virtual time: every actor over a log, a store and a
// bus in memory. Clients speak to it over the bus; agents are scripted. It can be stopped, killed
// and started again over the same log and store.
#pragma once

#include <google/protobuf/message.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "actors/root.hpp"
#include "messages/codec/api/method_list.hpp"
#include "messages/proto/api/submit.pb.h"
#include "messages/proto/argosy/v1.pb.h"
#include "runtime/bus/in_memory.hpp"
#include "runtime/eventlog/in_memory.hpp"
#include "runtime/store/in_memory.hpp"
#include "tests/support/actor_fixture.hpp"
#include "tests/support/control_plane/scripted_agent.hpp"
#include "tests/support/eventlog/test_key.hpp"

namespace argosy::tests {

/// How a submitted job differs from a plain job of one core.
struct job_wish {
  int count = 1;
  std::string cpu = "1";
  std::string job_set = "set";
  std::string priority_class = "";  ///< Empty: the default class.
  std::string gang = "";
  int cardinality = 0;
  std::string client_id = "";
};

class control_plane_test : public actor_fixture {
 protected:
  /// A clock that follows the scheduler's clock.
  class virtual_clock final : public clock_source {
   public:
    explicit virtual_clock(caf::scheduler::test_coordinator& scheduler) : scheduler_(scheduler) {}
    wall_time wall() const override { return from_nanos(1'700'000'000'000'000'000) + boot(); }
    boot_time boot() const override {
      return scheduler_.clock().now().time_since_epoch() + std::chrono::seconds{100};
    }

   private:
    caf::scheduler::test_coordinator& scheduler_;
  };

  control_plane_test();
  ~control_plane_test() override;

  /// Recovers from the log and the store, and spawns the ROOT. Returns what recovery found.
  result<view::recovered_state> recover_state();
  void start(const std::function<void(actors::root_config&)>& change = {});
  /// Stops in the orderly way; afterwards only agents live.
  void stop();
  /// Ends all actors as kill -9 does, so that none can do anything any more.
  void crash();
  /// How many actors live besides the agents.
  [[nodiscard]] std::size_t actors_alive();
  /// Lets virtual time pass for everything.
  void pass(std::chrono::milliseconds time = std::chrono::milliseconds{100}) { advance(time); }

  scripted_agent& add_agent(const std::string& cluster, std::vector<model::node_info> nodes,
                            const std::string& pool = "default");
  /// Makes all agents find the new ROOT.
  void reconnect_agents();

  /// Sends one request and returns what came back, with its headers.
  result<bus::frame> exchange(const std::string& method,
                              const google::protobuf::MessageLite& request,
                              const bus::headers& with = {});
  /// Sends one request by another connection than the client's, such as that of the transports of
  /// the process, and returns what came back.
  result<bus::frame> exchange_by(bus::connection& by, const std::string& method,
                                 const google::protobuf::MessageLite& request,
                                 const bus::headers& with);
  /// The same; returns how it ended.
  ec outcome_by(bus::connection& by, const std::string& method,
                const google::protobuf::MessageLite& request, const bus::headers& with);
  /// Sends one request and returns what came back.
  result<std::string> call(const std::string& method, const google::protobuf::MessageLite& request,
                           const bus::headers& with = {});
  /// Does what call() does, but the request has to succeed.
  template <class Response>
  Response ask(const std::string& method, const google::protobuf::MessageLite& request) {
    Response response;
    const auto data = call(method, request);
    EXPECT_TRUE(data) << method << ": " << data.error().detail;
    EXPECT_TRUE(!data || response.ParseFromString(*data));
    return response;
  }

  void create_queue(const std::string& name, double factor = 1);
  /// An empty request of the method.
  static std::unique_ptr<google::protobuf::Message> request_of(const codec::api_method& method);
  static api::JobSubmitRequest make_submit(const std::string& queue, const job_wish& wish = {});
  /// Submits jobs and returns their ids.
  std::vector<std::string> submit(const std::string& queue, const job_wish& wish = {});
  std::vector<v1::JobSummary> jobs(const std::string& queue = "");
  v1::JobSummary job(const std::string& id);
  /// How many jobs of the queue are in the state.
  int count(const std::string& queue, api::JobState state);
  v1::DescribeJobResponse describe(const std::string& id);
  std::map<std::string, v1::NodeSummary> nodes();

  virtual_clock clock{scheduler};
  std::shared_ptr<store::memory_database> database = std::make_shared<store::memory_database>();
  const std::shared_ptr<const codec::log_key> log_key = test_key();
  view::state_rules rules;  ///< The rules of all queues and clusters, also of recovered ones.
  std::shared_ptr<eventlog::memory_log> log;
  bus::memory_broker broker;
  std::shared_ptr<bus::connection> client = broker.connect();
  std::shared_ptr<bus::connection> server;
  actors::root_actor root;
  std::uint64_t epoch = 0;
  std::uint64_t claims = 0;  ///< How many ROOTs were started.
  std::vector<std::string> failures;
  std::deque<scripted_agent> agents;
};

}  // namespace argosy::tests
