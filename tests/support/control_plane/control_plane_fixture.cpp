// SPDX-License-Identifier: Apache-2.0
#include "tests/support/control_plane/control_plane_fixture.hpp"

#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

namespace argosy::tests {

using namespace std::chrono_literals;

control_plane_test::control_plane_test()
    : log(std::make_shared<eventlog::memory_log>(
          clock, eventlog::memory_log_options{.never_wait = true})) {
  // Most tests look at the end of what was preempted.
  rules.queue_rules.requeue_preempted = false;
}

control_plane_test::~control_plane_test() {
  root = nullptr;
  for (auto& agent : agents) agent.kill();
  kill_all();
  if (server) server->close();
  client->close();
}

result<view::recovered_state> control_plane_test::recover_state() {
  return view::recover(*database, *log, rules, *log_key);
}

void control_plane_test::start(const std::function<void(actors::root_config&)>& change) {
  epoch = 0;
  auto recovered = recover_state();
  ASSERT_TRUE(recovered) << recovered.error().detail;
  server = broker.connect();
  actors::root_config with;
  with.recovered = std::move(*recovered);
  with.database = database;
  with.log = log;
  with.log_key = log_key;
  with.rules = rules;
  with.connection = server;
  with.clock = &clock;
  with.scheduling = std::make_shared<const scheduling::config>(scheduling::default_config());
  with.rounds.abort_on_violation = true;
  with.rounds.verify = scheduling::verification::always;
  with.holder = "test";
  with.claim_nonce = {++claims};
  with.seed = 1;
  with.blocking_on = actors::run_on::pool;
  // Tests that count what is in the log mean what they do, and not that it was recorded.
  with.audit = false;
  with.on_ready = [this](model::epoch granted) { epoch = granted.value; };
  with.on_failure = [this](const std::string& why) { failures.push_back(why); };
  if (change) change(with);
  root = actors::spawn_root(system, std::move(with));
  settle();
  for (auto& agent : agents) agent->root = root;
}

void control_plane_test::stop() {
  caf::anon_send(root, atom::shutdown_v);
  root = nullptr;
  for (auto& agent : agents) agent->root = nullptr;
  settle();
  if (server) server->close();
  server.reset();
}

void control_plane_test::crash() {
  root = nullptr;
  for (const auto& actor : trace::live_actors(system))
    caf::anon_send_exit(actor.handle, caf::exit_reason::kill);
  for (auto& agent : agents) agent->root = nullptr;
  settle();
  if (server) server->close();
  server.reset();
}

std::size_t control_plane_test::actors_alive() {
  return system.registry().running() - agents.size();
}

scripted_agent& control_plane_test::add_agent(const std::string& cluster,
                                              std::vector<model::node_info> with,
                                              const std::string& pool) {
  const model::cluster_info info{
      model::cluster_name{cluster}, model::pool_name{pool}, "simulated", {}};
  auto& agent = agents.emplace_back(system, info, std::move(with));
  agent->root = root;
  agent.hello();
  pass();
  EXPECT_TRUE(agent->connected);
  return agent;
}

void control_plane_test::reconnect_agents() {
  for (auto& agent : agents) agent.hello();
  pass();
}

result<std::string> control_plane_test::call(const std::string& method,
                                             const google::protobuf::MessageLite& request,
                                             const bus::headers& with) {
  auto reply = exchange(method, request, with);
  if (!reply) return fail(std::move(reply.error()));
  return std::move(reply->data);
}

result<bus::frame> control_plane_test::exchange(const std::string& method,
                                                const google::protobuf::MessageLite& request,
                                                const bus::headers& with) {
  std::optional<result<bus::frame>> out;
  client->request("argosy.api." + method, request.SerializeAsString(), with, 10s,
                  [&](result<bus::frame> reply) { out = std::move(reply); });
  for (int i = 0; i < 100 && !out; ++i) {
    settle();
    if (!out) advance(10ms);
  }
  if (!out) {
    // The bus forgets the request by then; its callback must not outlive this function.
    broker.advance(11s);
    settle();
  }
  if (!out) return fail(ec::timeout, "no answer to " + method);
  return std::move(*out);
}

result<bus::frame> control_plane_test::exchange_by(bus::connection& by, const std::string& method,
                                                   const google::protobuf::MessageLite& request,
                                                   const bus::headers& with) {
  result<bus::frame> got = fail(ec::internal, "no answer");
  by.request("argosy.api." + method, request.SerializeAsString(), with, 10s,
             [&](result<bus::frame> reply) { got = std::move(reply); });
  pass();
  return got;
}

ec control_plane_test::outcome_by(bus::connection& by, const std::string& method,
                                  const google::protobuf::MessageLite& request,
                                  const bus::headers& with) {
  const auto got = exchange_by(by, method, request, with);
  return got ? ec::none : got.error().code;
}

void control_plane_test::create_queue(const std::string& name, double factor) {
  api::Queue queue;
  queue.set_name(name);
  queue.set_priority_factor(factor);
  const auto done = call("Submit.CreateQueue", queue);
  ASSERT_TRUE(done) << done.error().detail;
}

std::unique_ptr<google::protobuf::Message> control_plane_test::request_of(
    const codec::api_method& method) {
  const auto path = method.path.substr(1, method.path.find('/', 1) - 1);
  const auto* service = google::protobuf::DescriptorPool::generated_pool()->FindServiceByName(path);
  if (service == nullptr) throw std::runtime_error("there is no service " + path);
  const auto* type =
      service->FindMethodByName(method.name.substr(method.name.find('.') + 1))->input_type();
  return std::unique_ptr<google::protobuf::Message>{
      google::protobuf::MessageFactory::generated_factory()->GetPrototype(type)->New()};
}

api::JobSubmitRequest control_plane_test::make_submit(const std::string& queue,
                                                      const job_wish& wish) {
  api::JobSubmitRequest request;
  request.set_queue(queue);
  request.set_job_set_id(wish.job_set);
  for (int i = 0; i < wish.count; ++i) {
    auto& item = *request.add_job_request_items();
    item.set_namespace_("default");
    item.set_client_id(wish.client_id);
    auto& pod = *item.mutable_pod_spec();
    if (!wish.priority_class.empty()) pod.set_priorityclassname(wish.priority_class);
    auto& container = *pod.add_containers();
    container.set_name("main");
    container.set_image("busybox");
    container.add_command("true");
    for (const auto& [resource, amount] : {std::pair{"cpu", wish.cpu.c_str()}, {"memory", "1Gi"}}) {
      (*container.mutable_resources()->mutable_requests())[resource].set_string(amount);
      (*container.mutable_resources()->mutable_limits())[resource].set_string(amount);
    }
    if (wish.gang.empty()) continue;
    auto& annotations = *item.mutable_annotations();
    annotations["armadaproject.io/gangId"] = wish.gang;
    annotations["armadaproject.io/gangCardinality"] = std::to_string(wish.cardinality);
  }
  return request;
}

std::vector<std::string> control_plane_test::submit(const std::string& queue,
                                                    const job_wish& wish) {
  std::vector<std::string> ids;
  const auto reply = ask<api::JobSubmitResponse>("Submit.SubmitJobs", make_submit(queue, wish));
  for (const auto& item : reply.job_response_items()) ids.push_back(item.job_id());
  EXPECT_EQ(ids.size(), static_cast<std::size_t>(wish.count));
  return ids;
}

std::vector<v1::JobSummary> control_plane_test::jobs(const std::string& queue) {
  v1::ListJobsRequest request;
  request.set_queue(queue);
  const auto reply = ask<v1::ListJobsResponse>("Query.ListJobs", request);
  return {reply.jobs().begin(), reply.jobs().end()};
}

v1::JobSummary control_plane_test::job(const std::string& id) {
  v1::ListJobsRequest request;
  request.add_id_prefixes(id);
  const auto reply = ask<v1::ListJobsResponse>("Query.ListJobs", request);
  EXPECT_EQ(reply.jobs_size(), 1);
  return reply.jobs_size() == 1 ? reply.jobs(0) : v1::JobSummary{};
}

int control_plane_test::count(const std::string& queue, api::JobState state) {
  const auto all = jobs(queue);
  return static_cast<int>(std::count_if(
      all.begin(), all.end(), [&](const v1::JobSummary& one) { return one.state() == state; }));
}

v1::DescribeJobResponse control_plane_test::describe(const std::string& id) {
  v1::DescribeJobRequest request;
  request.set_job_id(id);
  return ask<v1::DescribeJobResponse>("Query.DescribeJob", request);
}

std::map<std::string, v1::NodeSummary> control_plane_test::nodes() {
  std::map<std::string, v1::NodeSummary> out;
  v1::ListNodesRequest request;
  do {
    const auto page = ask<v1::ListNodesResponse>("Query.ListNodes", request);
    for (const auto& node : page.nodes()) out[node.cluster() + "/" + node.name()] = node;
    request.set_cursor(page.cursor());
  } while (!request.cursor().empty());
  return out;
}

}  // namespace argosy::tests
