// SPDX-License-Identifier: Apache-2.0
// The service RetryPolicyService: policies that say which failed runs are tried again.
#include "actors/api/selections.hpp"
#include "messages/codec/api/retry_codec.hpp"
#include "messages/proto/api/submit.pb.h"

namespace argosy::actors {

namespace {

template <ledger::write_mode Mode>
void set_policy(gateway_services& gateway, const call& caller, const api::RetryPolicy& request) {
  auto policy = codec::from_wire(request);
  if (!policy) {
    caller.fail(policy.error());
    return;
  }
  gateway.ask(
      caller, gateway.config.policies,
      [caller](atom::ok) { caller.reply(google::protobuf::Empty{}); }, atom::settings_v,
      native::policy_request{std::move(*policy), Mode});
}

void delete_policy(gateway_services& gateway, const call& caller,
                   const api::RetryPolicyDeleteRequest& request) {
  if (refuse_unnamed(caller, request.name(), "retry policy")) return;
  gateway.ask(
      caller, gateway.config.policies,
      [caller](atom::ok) { caller.reply(google::protobuf::Empty{}); }, atom::erase_v,
      request.name());
}

void get_policy(gateway_services& gateway, const call& caller,
                const api::RetryPolicyGetRequest& request) {
  if (refuse_unnamed(caller, request.name(), "retry policy")) return;
  gateway.ask(
      caller, gateway.config.policies,
      [caller, name = request.name()](const ledger::retry_policies_ptr& all) {
        const auto found = all->find(name);
        if (found == all->end()) {
          caller.fail(ec::not_found, "retry policy '" + name + "' does not exist");
          return;
        }
        api::RetryPolicy out;
        codec::to_wire(found->second, out);
        caller.reply(out);
      },
      atom::list_v);
}

void get_policies(gateway_services& gateway, const call& caller,
                  const api::RetryPolicyListRequest&) {
  gateway.ask(
      caller, gateway.config.policies,
      [caller](const ledger::retry_policies_ptr& all) {
        api::RetryPolicyList out;
        for (const auto& [name, policy] : *all) codec::to_wire(policy, *out.add_retry_policies());
        caller.reply(out);
      },
      atom::list_v);
}

}  // namespace

void add_retry_service(method_table& table) {
  using ledger::write_mode;
  const std::string service = "RetryPolicyService.";
  table[service + "CreateRetryPolicy"] = decoded<api::RetryPolicy>(set_policy<write_mode::upsert>);
  table[service + "UpdateRetryPolicy"] = decoded<api::RetryPolicy>(set_policy<write_mode::update>);
  table[service + "DeleteRetryPolicy"] = decoded<api::RetryPolicyDeleteRequest>(delete_policy);
  table[service + "GetRetryPolicy"] = decoded<api::RetryPolicyGetRequest>(get_policy);
  table[service + "GetRetryPolicies"] = decoded<api::RetryPolicyListRequest>(get_policies);
}

}  // namespace argosy::actors
