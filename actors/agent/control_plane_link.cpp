// SPDX-License-Identifier: Apache-2.0
#include "actors/agent/control_plane_link.hpp"

#include <algorithm>
#include <memory>

#include "actors/caf_error.hpp"

namespace argosy::actors {

void control_plane_link::say(const ledger::send_hello& action, then<model::hello_ack> done) {
  said_hello_ = true;
  self_
      ->request(session_, request_timeout_, atom::hello_v,
                native::hello_ptr{std::make_shared<const model::agent_hello>(action.hello)},
                executor_actor{caf::actor_cast<local_executor_actor>(self_)})
      .then(
          [this, done](const model::hello_ack& ack) {
            complained_ = false;
            done(ack);
          },
          [done](const caf::error& err) { done(fail(from_caf(err))); });
}

void control_plane_link::say(const ledger::send_heartbeat& action, boot_time period,
                             then<model::heartbeat_ack> done) {
  const auto timeout = std::min(
      request_timeout_, std::max(std::chrono::duration_cast<std::chrono::milliseconds>(period),
                                 std::chrono::milliseconds{500}));
  self_->request(session_, timeout, atom::heartbeat_v, action.heartbeat)
      .then([done](const model::heartbeat_ack& ack) { done(ack); },
            [done](const caf::error& err) { done(fail(from_caf(err))); });
}

void control_plane_link::say(const ledger::send_reports& action, then<model::report_ack> done) {
  self_
      ->request(session_, request_timeout_, atom::report_v,
                native::report_ptr{std::make_shared<const model::report_batch>(action.batch)})
      .then([done](const model::report_ack& ack) { done(ack); },
            [done](const caf::error& err) { done(fail(from_caf(err))); });
}

void control_plane_link::say_goodbye(model::incarnation incarnation, model::agent_process process,
                                     const std::function<void()>& done) {
  if (!said_hello_) {
    done();
    return;
  }
  model::agent_goodbye message;
  message.cluster = cluster_;
  message.incarnation = incarnation;
  message.process = process;
  message.reason = "the agent was shut down";
  self_->request(session_, std::chrono::milliseconds{1'000}, atom::goodbye_v, message)
      .then([done](atom::ok) { done(); }, [done](const caf::error&) { done(); });
}

error control_plane_link::superseded_error() const {
  return {ec::conflict, "another agent with a newer store serves cluster '" + cluster_ +
                            "': give each agent a cluster name of its own, or stop the other one "
                            "and start this one with an empty data directory"};
}

void control_plane_link::complain(const char* what, const error& why) {
  logger_.write(complained_ ? logging::level::debug : logging::level::warning, what,
                logging::kv("cluster", cluster_), logging::kv("error", to_string(why)));
  complained_ = true;
}

}  // namespace argosy::actors
