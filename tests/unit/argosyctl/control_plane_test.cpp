// SPDX-License-Identifier: Apache-2.0
// Goal: an operator sees who leads, who follows and what the next loss would cost, and hands the
// lead over only on purpose. Method: the whole command line against a scripted server.
#include "messages/proto/argosy/control.pb.h"
#include "tests/support/cli/cli_fixture.hpp"

namespace argosy::ctl {

namespace v1 = argosy::v1;
using ::testing::HasSubstr;

class control_plane_verb : public cli_fixture {
 protected:
  static v1::ControlPlaneMember member(const std::string& id, const std::string& state) {
    v1::ControlPlaneMember out;
    out.set_id(id);
    out.set_place("host-" + id + ":/d");
    out.set_state(state);
    out.set_decides(true);
    if (state != "silent") out.set_process("host-" + id + "/1");
    if (state != "silent") out.set_behind(0);
    return out;
  }
  /// The one with the id `leads`, and the other two of a, b and c.
  static v1::GetControlPlaneResponse three(const std::string& leads, std::uint64_t epoch) {
    v1::GetControlPlaneResponse out;
    out.set_epoch(epoch);
    out.set_only_here(0);
    *out.add_members() = member(leads, "leads");
    for (const std::string id : {"a", "b", "c"})
      if (id != leads) *out.add_members() = member(id, "follows");
    return out;
  }
  /// Hands the lead to whom a request names, or to b.
  void hand_over_when_asked() {
    server->on<v1::GetControlPlaneRequest, v1::GetControlPlaneResponse>(
        "ControlPlane.Get", [this](const auto&) -> result<v1::GetControlPlaneResponse> {
          return three(leader, epoch);
        });
    server->on<v1::HandOverRequest, v1::HandOverResponse>(
        "ControlPlane.HandOver", [this](const auto& asked) -> result<v1::HandOverResponse> {
          v1::HandOverResponse out;
          out.set_epoch(epoch++);
          leader = asked.to().empty() ? "b" : asked.to();
          return out;
        });
  }

  std::string leader = "a";
  std::uint64_t epoch = 5;
};

TEST_F(control_plane_verb, lists_who_leads_and_what_a_loss_would_cost) {
  auto all = three("a", 5);
  *all.mutable_members(2) = member("c", "silent");
  all.set_warning("of the 3 argosyd that decide together 'host-c:/d' is not heard");
  server->always("ControlPlane.Get", all);
  for (const auto& words : {std::vector<std::string>{"controlplane", "list"},
                            std::vector<std::string>{"get", "controlplane"}}) {
    const auto done = run(words);
    EXPECT_EQ(done.code, exit_code::success) << done.err;
    EXPECT_THAT(done.out, HasSubstr("host-a:/d"));
    EXPECT_THAT(done.out, HasSubstr("silent"));
    EXPECT_THAT(done.out + done.err, HasSubstr("nothing would be lost; of the 3"));
  }
  EXPECT_EQ(run({"controlplane", "list", "-o", "name"}).out, "plane/a\nplane/b\nplane/c\n");
}

TEST_F(control_plane_verb, says_how_much_only_the_leader_has) {
  auto all = three("a", 5);
  all.set_only_here(35);
  server->always("ControlPlane.Get", all);
  const auto some = run({"controlplane", "list"});
  EXPECT_THAT(some.out + some.err, HasSubstr("35 records would be lost"));
  all.clear_only_here();
  all.mutable_members()->DeleteSubrange(1, 2);
  server->always("ControlPlane.Get", all);
  const auto alone = run({"controlplane", "list"});
  EXPECT_THAT(alone.out + alone.err, HasSubstr("no other argosyd follows the log"));
}

TEST_F(control_plane_verb, waits_until_another_leads) {
  hand_over_when_asked();
  const auto done = run({"controlplane", "handover", "--to", "c", "--reason", "new kernel"});
  EXPECT_EQ(done.code, exit_code::success) << done.err;
  EXPECT_THAT(done.out, HasSubstr("host-c:/d (host-c/1) leads after "));
  EXPECT_EQ(server->nth<v1::HandOverRequest>("ControlPlane.HandOver", 0).reason(), "new kernel");
}

TEST_F(control_plane_verb, hands_the_lead_round_in_a_drill) {
  hand_over_when_asked();
  EXPECT_EQ(run({"controlplane", "drill"}).code, exit_code::usage);
  const auto done = run({"controlplane", "drill", "--yes"});
  EXPECT_EQ(done.code, exit_code::success) << done.err;
  EXPECT_EQ(leader, "a") << "it ends where it began";
  EXPECT_EQ(server->calls("ControlPlane.HandOver"), 3U);
}

TEST_F(control_plane_verb, refuses_a_drill_with_one_that_could_not_lead) {
  auto all = three("a", 5);
  *all.mutable_members(1) = member("b", "silent");
  server->always("ControlPlane.Get", all);
  const auto done = run({"controlplane", "drill", "--yes"});
  EXPECT_EQ(done.code, exit_code::conflict);
  EXPECT_THAT(done.err, HasSubstr("'host-b:/d' could not lead"));
  EXPECT_EQ(server->calls("ControlPlane.HandOver"), 0U);
}

TEST_F(control_plane_verb, forgets_only_with_a_yes) {
  server->always("ControlPlane.Forget", v1::ForgetPlaneResponse{});
  EXPECT_EQ(run({"controlplane", "forget", "host-c"}).code, exit_code::usage);
  EXPECT_EQ(server->calls("ControlPlane.Forget"), 0U);
  const auto done = run({"controlplane", "forget", "plane/host-c", "--yes"});
  EXPECT_EQ(done.code, exit_code::success) << done.err;
  EXPECT_EQ(server->nth<v1::ForgetPlaneRequest>("ControlPlane.Forget", 0).plane(), "host-c");
}

}  // namespace argosy::ctl
