// SPDX-License-Identifier: Apache-2.0
// Goal: what argosyd records of each round names the scheduling configuration under which it was
// decided. Method: a job under several configurations, and the records in the store of the ended
// program.
#include "messages/proto/argosy/store.pb.h"
#include "runtime/store/lmdb/lmdb_database.hpp"
#include "runtime/store/scan.hpp"
#include "tests/support/process/deployment_fixture.hpp"

namespace argosy::testing {

namespace {

class config_version : public deployment_fixture {
 protected:
  /// The version in the last round on record, after a job was run under this configuration.
  std::uint64_t of_a_round(const std::string& scheduling) {
    start({"--config", world.write("argosyd.yaml", scheduling)});
    static_cast<void>(world.ctl({"queue", "create", "q"}));
    const auto ids = world.submit({{"true"}}, "set-" + std::to_string(++rounds_));
    EXPECT_EQ(ids.size(), 1u);
    if (ids.empty()) return 0;
    EXPECT_EQ(wait_for(ids[0]), 0);
    EXPECT_EQ(world.stop(), 0);
    const auto opened = store::open_lmdb({world.data_dir() / "store", std::uint64_t{1} << 36});
    EXPECT_TRUE(opened);
    auto txn = (*opened)->begin_read();
    const auto last = store::last(**txn, store::table::rounds);
    store::v1::Round record;
    EXPECT_TRUE(
        last && *last &&
        record.ParseFromArray((*last)->value.data(), static_cast<int>((*last)->value.size())));
    return record.round().config_version();
  }

  int rounds_ = 0;
};

TEST_F(config_version, stands_with_each_round_and_changes_with_the_configuration) {
  const auto plain = of_a_round("cycle: {period: 500ms}\n");
  EXPECT_NE(plain, 0u);
  EXPECT_EQ(of_a_round("agents: {heartbeat: 1s}\n"), plain) << "also after a restart";
  EXPECT_NE(of_a_round("scheduling: {maxQueueLookback: 7}\n"), plain);
  EXPECT_EQ(of_a_round("scheduling: {maxQueueLookback: 100000}\n"), plain);
}

}  // namespace

}  // namespace argosy::testing
