// SPDX-License-Identifier: Apache-2.0
// The verbs whoami and auth can-i: who the user is to the server, and what he may do there.
#include <fmt/format.h>

#include <string>

#include "bins/argosyctl/output/json.hpp"
#include "bins/argosyctl/output/text.hpp"
#include "bins/argosyctl/verbs/command.hpp"
#include "messages/proto/argosy/access.pb.h"
#include "runtime/access/question.hpp"

namespace argosy::ctl {

namespace {

using access::role;

/// Whether the NATS server hands on what only users of this role or a higher one may call.
result<bool> has_role(client& server, role wanted) {
  if (wanted == role::viewer) return true;
  const auto* const method = wanted == role::submitter ? "Access.AsSubmitter" : "Access.AsOperator";
  const auto got = call<argosy::v1::AsRoleResponse>(server, method, argosy::v1::AsRoleRequest{});
  if (got) return true;
  if (got.error().code == ec::denied) return false;
  return fail(got.error());
}

/// The highest role that the NATS server grants.
result<role> find_role(client& server) {
  for (const auto one : {role::operator_, role::submitter}) {
    const auto has = has_role(server, one);
    if (!has) return fail(has.error());
    if (*has) return one;
  }
  return role::viewer;
}

template <class List>
std::string joined(const List& list) {
  std::string out;
  for (const auto& item : list) out += (out.empty() ? "" : ", ") + item;
  return out.empty() ? "-" : out;
}

class who_am_i_command final : public command {
 public:
  explicit who_am_i_command(CLI::App& app) {
    app.footer(
        "argosyctl whoami\n"
        "argosyctl whoami -o json");
  }
  std::vector<std::string> formats() const override { return {"table", "json"}; }
  result<exit_code> run(session& s) override;
};

result<exit_code> who_am_i_command::run(session& s) {
  auto server = s.server();
  if (!server) return fail(std::move(server.error()));
  auto me =
      call<argosy::v1::WhoAmIResponse>(**server, "Access.WhoAmI", argosy::v1::WhoAmIRequest{});
  if (!me) return fail(std::move(me.error()));
  std::string own_role;
  if (!me->nats_role().empty()) {
    own_role = me->nats_role();
    me->clear_nats_role();
  } else if (me->scheme() == to_string(access::scheme::nats)) {
    const auto found = find_role(**server);
    if (!found) return fail(found.error());
    own_role = to_string(*found);
    // The server knows no roles, and counts whoever the NATS server lets through.
    const auto granted = access::granted_to(*found);
    me->clear_permissions();
    for (std::size_t i = 0; i < access::permission_count; ++i)
      if (const auto one = static_cast<access::permission>(i); granted.has(one))
        me->add_permissions(std::string{to_string(one)});
  }
  if (s.as == format::json) {
    auto text = json_of(*me);
    if (!own_role.empty()) text.insert(text.size() - 1, ",\"role\":" + json_string(own_role));
    s.out.print_line(text);
    return exit_code::success;
  }
  const auto line = [&](const char* title, const std::string& text) {
    s.out.print_line(fmt::format("{:<13}{}", title, escaped(text)));
  };
  line("name", me->name());
  line("scheme", me->scheme());
  if (!own_role.empty()) line("role", own_role);
  line("groups", joined(me->groups()));
  line("permissions", joined(me->permissions()));
  if (me->scopes_size() > 0) line("scopes", joined(me->scopes()));
  return exit_code::success;
}

class can_i_command final : public command {
 public:
  explicit can_i_command(CLI::App& app) {
    app.footer(
        "argosyctl auth can-i submit team-a\n"
        "argosyctl auth can-i create-queue && argosyctl queue create team-b\n"
        "argosyctl auth can-i cancel_any_jobs -o json");
    app.add_option("verb", what_, "Action or permission, such as submit or submit_any_jobs")
        ->required()
        ->type_name("VERB");
    app.add_option("queue", queue_, "Where; without it, in every queue")->type_name("QUEUE");
  }
  std::vector<std::string> formats() const override { return {"table", "json"}; }
  result<exit_code> run(session& s) override;
  std::string_view completes() const override { return "rights"; }

 private:
  std::string what_;
  std::string queue_;
};

result<exit_code> can_i_command::run(session& s) {
  auto server = s.server();
  if (!server) return fail(std::move(server.error()));
  argosy::v1::CanIRequest request;
  request.set_what(what_);
  request.set_queue(queue_);
  auto answer = call<argosy::v1::CanIResponse>(**server, "Access.CanI", request);
  if (!answer) return fail(std::move(answer.error()));
  if (answer->allowed() && !answer->nats_role().empty()) {
    const auto needed = access::parse_role(answer->nats_role());
    const auto has = has_role(**server, needed ? *needed : role::operator_);
    if (!has) return fail(has.error());
    answer->set_allowed(*has);
    auto reason = *has && !answer->reason().empty() ? answer->reason() + "; " : std::string{};
    reason +=
        fmt::format("the NATS server {} users of the role {} or a higher one do this{}",
                    *has ? "lets" : "lets only", answer->nats_role(), *has ? ", as you are" : "");
    answer->set_reason(std::move(reason));
  }
  if (s.as == format::json)
    s.out.print_line(fmt::format(R"({{"allowed":{},"reason":{}}})",
                                 answer->allowed() ? "true" : "false",
                                 json_string(answer->reason())));
  else
    s.out.print_line((answer->allowed() ? "yes: " : "no: ") + escaped(answer->reason()));
  return answer->allowed() ? exit_code::success : exit_code::denied;
}

}  // namespace

void define_who_am_i(CLI::App& app, command_set& commands) {
  define_verb<who_am_i_command>(app, commands);
}

void define_auth(CLI::App& app, command_set& commands) {
  define_part<can_i_command>(app, commands, "can-i",
                             "Whether you may do something, with exit code 0 or 4.");
  app.footer("argosyctl auth can-i submit team-a");
}

}  // namespace argosy::ctl
