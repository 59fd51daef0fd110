// SPDX-License-Identifier: Apache-2.0
// The service Access tells callers who they are to the server, and what they may do.
#include "actors/api/gateway_services.hpp"
#include "messages/proto/argosy/access.pb.h"
#include "runtime/access/question.hpp"

namespace argosy::actors {

namespace {

void who_am_i(gateway_services&, const call& caller, const v1::WhoAmIRequest&) {
  const auto& who = *caller.who();
  v1::WhoAmIResponse response;
  response.set_name(access::display_name(who));
  response.set_scheme(std::string{to_string(who.by)});
  for (const auto& group : who.groups) response.add_groups(group);
  for (std::size_t i = 0; i < access::permission_count; ++i) {
    const auto one = static_cast<access::permission>(i);
    if (who.permissions.has(one)) response.add_permissions(std::string{to_string(one)});
  }
  for (const auto& scope : who.scopes) response.add_scopes(scope);
  if (who.by == access::scheme::nats && !who.role_checked)
    response.set_nats_role(std::string{to_string(access::role::tenant)});
  caller.reply(response);
}

void reply(const call& caller, const access::question& asked, access::verdict said) {
  v1::CanIResponse response;
  const auto& who = *caller.who();
  response.set_allowed(said.allowed);
  if (who.role_checked) response.set_nats_role(std::string{to_string(access::least_role(asked))});
  // A user of NATS who is no tenant is allowed things by his role, which only the nats-server
  // knows.
  if (!who.role_checked || who.by != access::scheme::nats)
    response.set_reason(std::move(said.reason));
  caller.reply(response);
}

void can_i(gateway_services& gateway, const call& caller, const v1::CanIRequest& request) {
  const auto asked = access::parse_question(request.what());
  if (!asked) {
    caller.fail(asked.error());
    return;
  }
  if (request.queue().empty() || !access::is_about_queues(*asked)) {
    reply(caller, *asked, access::judge(*caller.who(), *asked));
    return;
  }
  gateway.actors.find_queue(
      gateway.self, request.queue(),
      [&gateway, caller, asked = *asked](const queue_actor& queue) {
        gateway.ask(
            caller, queue,
            [caller, asked](const native::queue_status_ptr& status) {
              reply(caller, asked, access::judge(*caller.who(), asked, status->settings));
            },
            atom::status_v);
      },
      [caller](const error& why) { caller.fail(why); });
}

/// The answer says nothing but that the request has come.
void as_role(gateway_services&, const call& caller, const v1::AsRoleRequest&) {
  caller.reply(v1::AsRoleResponse{});
}

}  // namespace

void add_access_service(method_table& table) {
  table["Access.WhoAmI"] = decoded<v1::WhoAmIRequest>(who_am_i);
  table["Access.CanI"] = decoded<v1::CanIRequest>(can_i);
  table["Access.AsSubmitter"] = decoded<v1::AsRoleRequest>(as_role);
  table["Access.AsOperator"] = decoded<v1::AsRoleRequest>(as_role);
}

}  // namespace argosy::actors
