// SPDX-License-Identifier: Apache-2.0
// Goal: while the log may not have the newest batches on its disk, the tail has them, and where it
// has no room for them new commands are refused. Method: a control plane in virtual time whose
// store is so small that submissions fill the tail.
#include <gmock/gmock.h>

#include "runtime/store/scan.hpp"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

struct full_tail : control_plane_test {
  full_tail() {
    // A quarter of it is the tail's.
    database = std::make_shared<store::memory_database>(2 << 20);
    start();
    create_queue("a");
  }

  /// Submits jobs until a submission is refused, and returns why.
  std::string fill() {
    for (int i = 0; i < 200; ++i) {
      const auto reply = call("Submit.SubmitJobs", make_submit("a", {.count = 100}));
      if (!reply) return reply.error().detail;
    }
    return "";
  }

  std::size_t batches() {
    std::size_t out = 0;
    auto txn = database->begin_read();
    EXPECT_TRUE(store::scan(**txn, store::table::tail, {}, [&](const store::entry&) {
      ++out;
      return true;
    }));
    return out;
  }
};

TEST_F(full_tail, refuses_new_commands_and_cuts_nothing_young) {
  ASSERT_THAT(fill(), HasSubstr("no room to keep it meanwhile"));
  const auto before = batches();
  pass(3min);
  EXPECT_GE(batches(), before);
  EXPECT_FALSE(call("Submit.SubmitJobs", make_submit("a")));
  pass(2min);
  EXPECT_LT(batches(), before);
  EXPECT_TRUE(call("Submit.SubmitJobs", make_submit("a")));
  EXPECT_TRUE(failures.empty());
}

TEST_F(full_tail, counts_from_the_start_after_a_restart) {
  ASSERT_THAT(fill(), HasSubstr("no room to keep it meanwhile"));
  const auto before = batches();
  pass(3min);
  crash();
  start();
  pass(3min);
  EXPECT_GE(batches(), before);
  pass(2min);
  EXPECT_LT(batches(), before);
}

}  // namespace argosy::tests
