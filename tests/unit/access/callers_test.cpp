// SPDX-License-Identifier: Apache-2.0
// Goal: of the ways to say who one is, the one that what a caller presents belongs to decides, and
// no other. Method: headers against settings with and without each way; the provider and the
// cluster of Kubernetes are scripted.
#include "bins/argosyd/callers.hpp"

#include <gmock/gmock.h>

#include <future>

#include "runtime/access/action.hpp"
#include "runtime/access/credentials.hpp"
#include "runtime/access/key_password.hpp"
#include "runtime/access/password.hpp"
#include "runtime/access/server_plan.hpp"
#include "runtime/access/tokens/base64url.hpp"
#include "runtime/bus/caller_headers.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/tokens/token_signer.hpp"

namespace argosy::argosyd {

namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using testing::token_signer;
using kind = rpc::admission::kind;

constexpr auto issuer = "https://login.example.com";
constexpr auto elsewhere = "ipv4:192.0.2.1:1";

std::string basic(const std::string& text) {
  auto out = access::encode_base64url(text);
  while (out.size() % 4 != 0) out.push_back('=');
  return "Basic " + out;
}

struct callers_test : ::testing::Test {
  void with_users() {
    settings::user_settings bob;
    bob.name = "bob";
    bob.password_hash = access::hash_password("secret").value();
    bob.groups = {"makers"};
    with.users = {bob};
  }
  void with_provider() {
    with.oidc.issuer = issuer;
    with.oidc.client_id = "argosy";
  }
  void with_cluster() { with.kubernetes.clusters = {{"", "https://east", ""}}; }
  void with_all() {
    with_users();
    with_provider();
    with_cluster();
  }

  result<access::http_answer> answer(const access::http_request& asked) const {
    if (down) return fail(ec::unreachable, "nobody is there");
    if (asked.url.ends_with("/tokenreviews"))
      return access::http_answer{201,
                                 R"({"status":{"authenticated":true,"user":{"username":"pod"}}})"};
    if (asked.url.ends_with("/keys")) return access::http_answer{200, signer.key_set()};
    return access::http_answer{
        200, json{{"issuer", issuer}, {"jwks_uri", std::string{issuer} + "/keys"}}.dump()};
  }
  callers make() const {
    return {grpc, with, false, [this](const access::http_request& asked) { return answer(asked); },
            folder.path() / "access.list"};
  }
  rpc::admission ask(const std::string& authorization) const { return ask(make(), authorization); }
  static rpc::admission ask(const callers& known, const std::string& authorization) {
    std::promise<rpc::admission> told;
    known({elsewhere, authorization}, [&](rpc::admission got) { told.set_value(std::move(got)); });
    return told.get_future().get();
  }
  /// "name by scheme", or why not.
  std::string who(const std::string& authorization) const {
    const auto got = ask(authorization);
    if (got.what != kind::admitted) return got.text;
    const auto known = bus::caller_of(got.who);
    return access::display_name(known) + " by " + std::string{to_string(known.by)};
  }
  access::permission_set permissions(const std::string& authorization) const {
    return bus::caller_of(ask(authorization).who).permissions;
  }

  std::string bearer(const json& more = json::object()) const {
    json claims{
        {"iss", issuer}, {"aud", "argosy"}, {"sub", "ann"}, {"exp", std::time(nullptr) + 3'600}};
    claims.update(more);
    return "Bearer " + signer.token(claims);
  }
  std::string kubernetes() const {
    return "KubernetesAuth " +
           access::encode_base64url(json{{"token", signer.token({{"sub", "x"}})}}.dump());
  }

  const testing::temp_folder folder;
  token_signer signer;
  settings::grpc_settings grpc;
  settings::access_settings with;
  bool down = false;
};

TEST_F(callers_test, are_known_by_what_they_present) {
  with_all();
  EXPECT_EQ(who(basic("bob:secret")), "bob by basic");
  EXPECT_EQ(who(kubernetes()), "pod by kubernetes");
  EXPECT_EQ(who(bearer()), "ann by oidc");
  EXPECT_THAT(who(""), HasSubstr("this server asks callers who they are"));
  EXPECT_THAT(who("Digest x"), HasSubstr("does not take such a header"));
}

TEST_F(callers_test, who_present_something_wrong_are_not_taken_for_anonymous) {
  with_all();
  grpc.anonymous = settings::anonymous_role::operator_;
  EXPECT_EQ(who(""), "anonymous by anonymous");
  EXPECT_EQ(who("Digest x"), "anonymous by anonymous") << "no way of this server is meant";
  for (const auto& wrong :
       {basic("bob:wrong"), std::string{"basic ***"}, std::string{"KubernetesAuth x"},
        std::string{"Bearer x"}, bearer({{"iss", "https://evil.example.com"}})}) {
    const auto got = ask(wrong);
    EXPECT_EQ(got.what, kind::unknown) << wrong;
    EXPECT_TRUE(got.who.empty());
  }
}

TEST_F(callers_test, are_not_asked_for_what_the_settings_do_not_take) {
  grpc.anonymous = settings::anonymous_role::viewer;
  for (const auto& shown : {basic("bob:secret"), kubernetes(), bearer()})
    EXPECT_EQ(who(shown), "anonymous by anonymous");
  with_users();
  EXPECT_EQ(who(bearer()), "anonymous by anonymous");
  EXPECT_EQ(who(basic("bob:secret")), "bob by basic");
}

TEST_F(callers_test, of_init_have_the_rights_of_their_roles_until_they_are_removed) {
  with_users();
  const auto known = make();
  access::server_plan plan{.url = "nats://x", .store_dir = "/x"};
  std::map<std::string, std::string> headers;
  const auto add = [&](access::role what, const std::string& name) {
    const auto key = access::make_nkey().value();
    headers[name] = basic(name + ":" + access::key_password(key.seed).value());
    EXPECT_TRUE(access::add(plan, {what, name, key.public_key}));
  };
  add(access::role::control_plane, "");
  for (const auto what : {access::role::agent, access::role::tenant, access::role::viewer,
                          access::role::submitter, access::role::operator_})
    add(what, what == access::role::tenant ? "bob" : std::string{to_string(what)});
  const auto write = [&] {
    EXPECT_TRUE(access::write_private(folder.path() / "access.list", print_plan(plan), true));
  };
  EXPECT_EQ(ask(known, headers["viewer"]).what, kind::unknown);
  write();
  for (const auto what : {access::role::viewer, access::role::submitter, access::role::operator_}) {
    const auto who = bus::caller_of(ask(known, headers[std::string{to_string(what)}]).who);
    EXPECT_EQ(who.name, to_string(what));
    EXPECT_EQ(who.permissions, granted_to(what)) << who.name;
  }
  const auto tenant = bus::caller_of(ask(known, headers["bob"]).who);
  EXPECT_THAT(tenant.groups, ::testing::Contains("makers"));
  EXPECT_EQ(tenant.permissions, access::permission_set{});
  for (const auto* program : {"agent", ""})
    EXPECT_EQ(ask(known, headers[program]).what, kind::unknown) << "they are no users";
  EXPECT_TRUE(remove(plan, {access::party::user, "viewer"}));
  write();
  EXPECT_EQ(ask(known, headers["viewer"]).what, kind::unknown);
  EXPECT_EQ(ask(known, headers["operator"]).what, kind::admitted);
  EXPECT_TRUE(access::write_private(folder.path() / "access.list", "damaged", true));
  EXPECT_EQ(ask(known, headers["operator"]).what, kind::unknown);
  EXPECT_EQ(ask(known, basic("bob:secret")).what, kind::admitted);
}

TEST_F(callers_test, whom_nobody_can_be_asked_about_may_come_again) {
  with_all();
  down = true;
  EXPECT_EQ(ask(bearer()).what, kind::broken);
  EXPECT_EQ(ask(kubernetes()).what, kind::broken);
  EXPECT_EQ(who(basic("bob:secret")), "bob by basic") << "others are not touched by it";
}

TEST_F(callers_test, have_the_permissions_of_both_forms_of_the_settings) {
  with_all();
  with.permissions = {{"create_queue", {"makers"}, {}, {}},
                      {"cordon_queue", {}, {"queues:cordon"}, {}}};
  with.by_group = {{"delete_queue", {"makers", "pod"}}};
  with.by_scope = {{"submit_any_jobs", {"jobs:write"}}};
  with.by_claim = {{"watch_all_events", {"watcher"}}};
  using enum access::permission;
  using access::permission_set;
  EXPECT_EQ(permissions(basic("bob:secret")), (permission_set{create_queue, delete_queue}));
  EXPECT_EQ(permissions(kubernetes()), permission_set{delete_queue});
  EXPECT_EQ(permissions(bearer()), permission_set{});
  EXPECT_EQ(permissions(bearer({{"scope", "jobs:write queues:cordon"}, {"watcher", true}})),
            (permission_set{submit_any_jobs, cordon_queue, watch_all_events}));
  EXPECT_EQ(permissions(bearer({{"groups", json::array({"makers"})}})),
            (permission_set{create_queue, delete_queue}));
  grpc.anonymous = settings::anonymous_role::viewer;
  EXPECT_EQ(permissions(""), permission_set{watch_all_events});
}

TEST_F(callers_test, with_a_line_break_in_a_group_are_not_let_in) {
  with_all();
  with.by_group = {{"submit_any_jobs", {"admins"}}};
  const auto got = ask(bearer({{"groups", json::array({"x\nadmins", "staff"})}}));
  EXPECT_EQ(got.what, rpc::admission::kind::unknown);
  EXPECT_THAT(got.text, ::testing::HasSubstr("or a line break"));
}

TEST_F(callers_test, with_more_groups_than_can_be_handed_on_are_not_let_in) {
  access::principal many;
  many.groups = {std::string(bus::group_bytes_max - 1, 'x')};
  EXPECT_TRUE(bus::groups_fit(many));
  many.groups.emplace_back("y");
  EXPECT_FALSE(bus::groups_fit(many));
  many.groups = {"staff"};
  many.scopes = {std::string(bus::group_bytes_max, 'x')};
  EXPECT_FALSE(bus::groups_fit(many));
  with_all();
  const auto got = ask(bearer({{"groups", std::vector<std::string>(2'000, std::string("group"))}}));
  EXPECT_EQ(got.what, rpc::admission::kind::unknown) << got.text;
}

TEST_F(callers_test, of_nats_show_a_token_of_the_provider_and_nothing_else) {
  const auto shown = [this](const std::string& authorization) -> std::string {
    const callers known{grpc, with, false,
                        [this](const access::http_request& asked) { return answer(asked); }};
    const auto check = known.token_check();
    if (!check) return "no way";
    std::promise<result<access::principal>> told;
    check(authorization, [&](result<access::principal> got) { told.set_value(std::move(got)); });
    const auto got = told.get_future().get();
    return got ? access::display_name(*got) + " by " + std::string{to_string(got->by)}
               : got.error().detail;
  };
  with_users();
  with_cluster();
  EXPECT_EQ(shown(bearer()), "no way") << "there is no provider";
  with_provider();
  EXPECT_EQ(shown(bearer()), "ann by oidc");
  EXPECT_THAT(shown(basic("bob:secret")), HasSubstr("takes a token of the OpenID provider"));
  EXPECT_THAT(shown(kubernetes()), HasSubstr("takes a token of the OpenID provider"));
  EXPECT_THAT(shown(bearer({{"aud", "payroll"}})), HasSubstr("meant for"));
}

TEST_F(callers_test, without_a_password_cannot_log_in_by_one_and_have_groups_over_nats) {
  settings::user_settings ann;
  ann.name = "ann";
  ann.groups = {"staff"};
  with.users = {ann};
  grpc.anonymous = settings::anonymous_role::none;
  EXPECT_EQ(ask(basic("ann:")).what, kind::unknown);
  with_users();
  with.users.push_back(ann);
  EXPECT_EQ(ask(basic("ann:")).what, kind::unknown);
  EXPECT_EQ(who(basic("bob:secret")), "bob by basic");
  with.by_group = {{"submit_any_jobs", {"staff"}}};
  const auto users = to_directory(with);
  EXPECT_EQ(users.groups.at("ann"), std::vector<std::string>{"staff"});
  ASSERT_EQ(users.rules.size(), 1U);
  EXPECT_EQ(users.rules[0].what, access::permission::submit_any_jobs);
}

}  // namespace

}  // namespace argosy::argosyd
