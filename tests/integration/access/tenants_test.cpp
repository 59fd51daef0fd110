// SPDX-License-Identifier: Apache-2.0
// Goal: tenants do over NATS what queues and their groups allow them, and learn what is missing.
// Method: the real programs, started as init says, with owners of a queue and others.
#include "tests/integration/access/access_fixture.hpp"

namespace argosy::testing {

namespace {

class tenants_of_nats : public access_fixture {
 protected:
  void SetUp() override {
    access_fixture::SetUp();
    if (HasFatalFailure()) return;
    world.write("made/argosyd-more.yaml",
                content_of(file("argosyd.yaml")) +
                    "health:\n  listen: 127.0.0.1:0\n"
                    "access:\n"
                    "  users: [{name: ten, groups: [staff]}]\n"
                    "  permissions: [{name: cordon_queue, groups: [staff]}]\n");
    served_ = world.start_program(
        {"argosyd", "--config", file("argosyd-more.yaml"), "--data-dir", world.data_dir().string(),
         "--ready-file", world.ready_file().string()},
        "argosyd");
    ASSERT_TRUE(eventually([&] { return std::filesystem::exists(world.ready_file()); }))
        << world.log();
    ASSERT_EQ(as("root", {"queue", "create", "q", "--owners", "olga"}).code, 0);
    ASSERT_EQ(as("root", {"queue", "create", "empty"}).code, 0);
  }

  child served_;
};

TEST_F(tenants_of_nats, may_do_what_queues_allow_them_and_hear_what_is_missing) {
  const auto jobs = world.write("jobs.yaml", deployment::jobs({{"true"}}));
  const auto refused = as("ten", {"submit", jobs});
  EXPECT_EQ(refused.code, 4);
  EXPECT_NE(refused.err.find("user 'ten' may not do this: it takes the permission submit_any_jobs, "
                             "or the verb 'submit' on queue 'q'"),
            std::string::npos)
      << refused.err;
  const auto made = as("olga", {"submit", jobs, "-o", "name"});
  ASSERT_EQ(made.code, 0) << made.err;
  const auto id = lines_of(made.out).at(0).substr(4);
  for (const auto& words : std::vector<std::vector<std::string>>{{"cancel", id},
                                                                 {"hold", id},
                                                                 {"reprioritize", "5", id},
                                                                 {"watch", "q", "test"},
                                                                 {"queue", "create", "mine"},
                                                                 {"queue", "delete", "empty"}}) {
    const auto got = as("ten", words);
    EXPECT_EQ(got.code, 4) << words.front() << got.out << got.err;
    EXPECT_NE(got.err.find("it takes"), std::string::npos) << got.err;
  }
  EXPECT_EQ(as("ten", {"get", "job", id}).code, 0) << "everybody reads";
  EXPECT_EQ(as("ten", {"queue", "update", "q", "--cordon"}).code, 4);
  EXPECT_EQ(as("olga", {"reprioritize", "5", id}).code, 0);
  EXPECT_EQ(as("olga", {"cancel", id}).code, 0);
  EXPECT_EQ(as("alice", {"submit", jobs}).code, 0) << "the role of a submitter is for all queues";
}

TEST_F(tenants_of_nats, learn_the_truth_about_what_they_may_do) {
  const auto me = as("ten", {"whoami"});
  EXPECT_EQ(me.out,
            "name         ten\n"
            "scheme       nats\n"
            "role         tenant\n"
            "groups       everyone, staff\n"
            "permissions  cordon_queue\n")
      << me.err;
  const auto no = as("ten", {"auth", "can-i", "submit", "q"});
  EXPECT_EQ(no.code, 4);
  EXPECT_NE(no.out.find("no: user 'ten' may not do this"), std::string::npos) << no.out;
  EXPECT_EQ(as("ten", {"auth", "can-i", "submit"}).code, 4);
  EXPECT_EQ(as("ten", {"auth", "can-i", "cordon-queue"}).code, 0);
  const auto yes = as("olga", {"auth", "can-i", "submit", "q"});
  EXPECT_EQ(yes.code, 0);
  EXPECT_EQ(yes.out, "yes: user 'olga' owns queue 'q'\n");
}

}  // namespace

}  // namespace argosy::testing
