// SPDX-License-Identifier: Apache-2.0
// Goal: what becomes of the log on the NATS server costs no accepted job, and what only an operator
// can decide is decided by `argosyd recover`. Method: a real argosyd, a nats-server whose stream is
// deleted, set back or damaged, and a store that is gone or whose tail no longer reaches.
#include "runtime/store/key.hpp"
#include "runtime/store/lmdb/lmdb_database.hpp"
#include "runtime/store/scan.hpp"
#include "tests/faults/argosyd/own_server_fixture.hpp"
#include "tests/support/eventlog/damage.hpp"

namespace argosy::testing {

namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

class lost_log : public own_server_fixture {
 protected:
  /// As it is some minutes after the last change.
  void forget_tail() {
    const auto database = store::open_lmdb({.folder = world.data_dir() / "store"}).value();
    auto txn = database->begin_write();
    ASSERT_TRUE(txn);
    std::vector<std::string> keys;
    ASSERT_TRUE(store::scan(**txn, store::table::tail, {}, [&](const store::entry& entry) {
      keys.emplace_back(entry.key);
      return true;
    }));
    for (std::size_t i = 0; i + 1 < keys.size(); ++i)
      ASSERT_TRUE((*txn)->erase(store::table::tail, keys[i]));
    ASSERT_TRUE((*txn)->commit());
  }
};

TEST_F(lost_log, a_deleted_stream_is_replaced_by_the_next_generation_with_all_jobs) {
  auto served = serve();
  ASSERT_EQ(ctl({"queue", "create", "q"}).code, 0);
  submit(50);
  end(served);
  forget_tail();
  delete_stream("ARGOSY_LOG_0001");
  const auto begun = std::chrono::steady_clock::now();
  served = serve();
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 10s);
  EXPECT_NE(log().find("the log goes on in a new generation"), std::string::npos) << log();
  EXPECT_EQ(jobs(), 50u);
  submit(5);
  end(served);
  served = serve();
  EXPECT_EQ(jobs(), 55u);
  end(served);
}

TEST_F(lost_log, a_stream_that_was_set_back_beyond_the_tail_is_replaced_with_all_jobs) {
  auto served = serve();
  ASSERT_EQ(ctl({"queue", "create", "q"}).code, 0);
  submit(10);
  server.kill();
  fs::copy(server.folder() / "jetstream", world.folder() / "older", fs::copy_options::recursive);
  server.restart();
  EXPECT_TRUE(eventually([&] { return ctl({"get", "queues"}).code == 0; }, 20s));
  for (int i = 0; i < 5; ++i) submit(10);
  end(served);
  forget_tail();
  server.kill();
  fs::remove_all(server.folder() / "jetstream");
  fs::copy(world.folder() / "older", server.folder() / "jetstream", fs::copy_options::recursive);
  server.restart();
  const auto begun = std::chrono::steady_clock::now();
  served = serve();
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 10s);
  EXPECT_EQ(jobs(), 60u) << log();
  end(served);
}

TEST_F(lost_log, a_stream_that_is_deleted_while_argosyd_leads_ends_it_and_is_replaced) {
  auto served = serve();
  ASSERT_EQ(ctl({"queue", "create", "q"}).code, 0);
  submit(10);
  delete_stream("ARGOSY_LOG_0001");
  // Whether this is accepted is not known to the caller.
  ctl({"queue", "create", "r"});
  EXPECT_EQ(served.wait(30s), 1) << log();
  fs::remove(world.ready_file());
  served = serve();
  EXPECT_EQ(jobs(), 10u);
  end(served);
}

TEST_F(lost_log, a_lost_key_is_decided_by_the_operator) {
  auto served = serve();
  ASSERT_EQ(ctl({"queue", "create", "q"}).code, 0);
  submit(10);
  end(served);
  EXPECT_EQ(world.program(argosyd({"recover"})).code, 0) << "there is nothing to decide";
  fs::remove(world.data_dir() / "log.key");
  const auto refused = world.program(argosyd());
  EXPECT_EQ(refused.code, 6) << refused.err;
  EXPECT_NE(refused.err.find("log.key"), std::string::npos) << refused.err;
  EXPECT_NE(refused.err.find("argosyd recover"), std::string::npos) << refused.err;
  const auto told = world.program(argosyd({"recover"}));
  EXPECT_EQ(told.code, 3) << told.err;
  EXPECT_NE(told.out.find("it is NOT the key of the store's log"), std::string::npos) << told.out;
  const auto done = world.program(argosyd({"recover", "--accept-loss"}));
  EXPECT_EQ(done.code, 0) << done.out << done.err;
  EXPECT_NE(done.out.find("goes on in generation 2"), std::string::npos) << done.out;
  served = serve();
  EXPECT_EQ(jobs(), 10u);
  end(served);
}

TEST_F(lost_log, a_damaged_record_that_the_store_lacks_is_decided_by_the_operator) {
  auto served = serve();
  ASSERT_EQ(ctl({"queue", "create", "q"}).code, 0);
  for (int i = 0; i < 20; ++i) submit(1);
  end(served);
  server.kill();
  ASSERT_TRUE(damage_messages(server.folder(), "true"));
  fs::remove_all(world.data_dir() / "store");
  server.restart();
  const auto refused = world.program(argosyd());
  EXPECT_NE(refused.code, 0);
  EXPECT_NE(refused.err.find("is counted and not given"), std::string::npos) << refused.err;
  EXPECT_NE(refused.err.find("argosyd recover"), std::string::npos) << refused.err;
  const auto told = world.program(argosyd({"recover"}));
  EXPECT_EQ(told.code, 3) << told.err;
  EXPECT_NE(told.out.find("it would give up records"), std::string::npos) << told.out;
  const auto done = world.program(argosyd({"recover", "--accept-loss"}));
  EXPECT_EQ(done.code, 0) << done.out << done.err;
  EXPECT_NE(done.out.find("goes on in generation 2"), std::string::npos) << done.out;
  served = serve();
  EXPECT_GT(jobs(), 0u) << "what stands before the damage is kept";
  submit(1);
  end(served);
}

}  // namespace

}  // namespace argosy::testing
