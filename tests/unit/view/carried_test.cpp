// SPDX-License-Identifier: Apache-2.0
// Goal: the view has the last of each thing that rounds hand on. Method: changes are written to the
// database in memory and read back.
#include <gmock/gmock.h>

#include "messages/view/recovery/recovered_state.hpp"
#include "messages/view/store_codec.hpp"
#include "runtime/store/in_memory.hpp"

namespace argosy::view {
namespace {

using kind = model::carried_entry::kind;

void write(store::database& database, const model::carried_entry& entry) {
  auto txn = database.begin_write();
  ASSERT_TRUE(txn);
  ASSERT_TRUE(write_change(**txn, ledger::put_carried{entry}, {}));
  ASSERT_TRUE((*txn)->commit());
}

TEST(carried, entries_are_kept_until_they_are_gone) {
  store::memory_database database;
  model::carried_entry penalty{kind::penalty, "p", "a"};
  penalty.job.bytes[3] = 7;
  penalty.time_ns = 5;
  penalty.amounts = {{"cpu", 1000}, {"memory", 4}};
  model::carried_entry usage{kind::usage, "p", "a"};
  usage.level = 0.1;
  usage.cores = 2.5;
  write(database, penalty);
  write(database, usage);
  usage.level = 0.3;
  write(database, usage);
  const auto read = load_carried(database);
  ASSERT_TRUE(read);
  EXPECT_THAT(*read, ::testing::UnorderedElementsAre(penalty, usage));

  penalty.gone = true;
  penalty.name.clear();  // What has gone does not know its queue any more.
  write(database, penalty);
  EXPECT_THAT(*load_carried(database), ::testing::ElementsAre(usage));
}

}  // namespace
}  // namespace argosy::view
