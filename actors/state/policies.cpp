// SPDX-License-Identifier: Apache-2.0
#include "actors/state/policies.hpp"

#include <utility>
#include <vector>

#include "actors/caf_error.hpp"
#include "actors/log/open_appends.hpp"
#include "runtime/base/check.hpp"
#include "runtime/trace/caf/traced.hpp"

namespace argosy::actors {

using eventlog::command_kind;

struct policies_state {
  static inline const char* name = "argosy.policies";
  using pointer = traced_pointer<policies_actor, policies_state>;
  using promise = caf::typed_response_promise<atom::ok>;

  explicit policies_state(pointer self_) : self(self_) {}

  policies_actor::behavior_type make_behavior(policies_config cfg);
  /// Applies and appends what was decided, and answers when that is durable and told to QUEUEs.
  [[nodiscard]] caf::result<atom::ok> commit(ledger::decision<ledger::done> decided,
                                             command_kind kind);
  void appended(const native::append_outcome& outcome);

  [[nodiscard]] std::int64_t now() const { return to_nanos(config.clock->wall()); }

  pointer self;
  policies_config config;
  /// What is not durable yet, with those who wait for it.
  open_appends<std::vector<promise>> in_flight;
};

policies_actor::behavior_type policies_state::make_behavior(policies_config cfg) {
  config = std::move(cfg);
  in_flight = {"the owner of retry policies", config.journal, config.root, config.load};
  return {
      [this](atom::settings, const native::policy_request& request) {
        return commit(config.book.set(request.policy, request.mode, now()), command_kind::growing);
      },
      [this](atom::erase, const std::string& policy) {
        return commit(config.book.erase(policy, now()), command_kind::relieving);
      },
      [this](atom::list) { return config.book.policies(); },
      [this](atom::append, const native::append_outcome& outcome) { appended(outcome); },
      [this](atom::status, atom::figures) {
        return metrics::figure_list{
            {"retry policies", static_cast<double>(config.book.policies()->size())}};
      },
  };
}

/// The answer to what changes nothing may rest on a change that is under way, and waits for it.
caf::result<atom::ok> policies_state::commit(ledger::decision<ledger::done> decided,
                                             command_kind kind) {
  if (!decided.reply) return to_caf(decided.reply.error());
  if (auto ok = config.load->admit(kind); !ok) return to_caf(ok.error());
  if (decided.events.empty() && in_flight.empty()) return atom::ok_v;
  auto answer = self->make_response_promise<promise>();
  if (decided.events.empty()) {
    in_flight.last().push_back(answer);
    return answer;
  }
  auto request = std::make_shared<native::append_request>();
  for (const auto& event : decided.events)
    for (auto& change : config.book.apply(event)) request->changes.push_back(std::move(change));
  request->events = std::move(decided.events);
  in_flight.send(self, std::move(request), {answer});
  return answer;
}

void policies_state::appended(const native::append_outcome& outcome) {
  auto answers = in_flight.take(self, outcome);
  if (!outcome.position) {
    for (auto& answer : answers) answer.deliver(to_caf(outcome.position.error()));
    return;
  }
  self->request(config.root, config.request_timeout, atom::settings_v, config.book.policies())
      .then(
          [answers](atom::ok) mutable {
            for (auto& answer : answers) answer.deliver(atom::ok_v);
          },
          [answers](const caf::error& err) mutable {
            for (auto& answer : answers) answer.deliver(err);
          });
}

result<void> validate(const policies_config& config) {
  if (!config.root || !config.journal || !config.load || config.clock == nullptr)
    return fail(ec::invalid_argument, "retry policies need a root, a journal, a load and a clock");
  return {};
}

namespace {

policies_actor::behavior_type policies_behavior(traced_pointer<policies_actor, policies_state> self,
                                                policies_config config) {
  return self->state.make_behavior(std::move(config));
}

}  // namespace

policies_actor spawn_policies(caf::actor_system& system, policies_config config) {
  ARGOSY_CHECK(validate(config).has_value());
  return spawn_actor(system, run_on::pool, policies_behavior, std::move(config));
}

}  // namespace argosy::actors
