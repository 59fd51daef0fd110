// SPDX-License-Identifier: Apache-2.0
// Goal: a batch and its position are written together, and of what a batch says several times the
// last counts. Method: batches made by hand, written to the database in memory.
#include "messages/view/writer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "messages/view/store_codec.hpp"
#include "runtime/store/in_memory.hpp"
#include "runtime/store/scan.hpp"

namespace argosy::view {
namespace {

using ::testing::ElementsAre;

class view_writer : public ::testing::Test {
 protected:
  void write(std::uint64_t position, ledger::change_list changes) {
    native::append_request request;
    request.changes = std::move(changes);
    native::committed_batch batch;
    batch.position = {position};
    batch.epoch = {3};
    batch.number = position;
    batch.hash = position * 7;
    batch.stream_created_ns = 9;
    batch.entries = {std::make_shared<const native::append_request>(std::move(request))};
    auto txn = database_.begin_write();
    ASSERT_TRUE(write_batch(**txn, batch, [this](const ledger::index_event& event) {
      indexed_.push_back(event.job_set);
    }));
    ASSERT_TRUE((*txn)->commit());
  }

  view_position position() {
    auto txn = database_.begin_read();
    const auto read = read_position(**txn);
    EXPECT_TRUE(read && *read);
    return read && *read ? **read : view_position{};
  }

  std::size_t count(store::table in) {
    std::size_t out = 0;
    auto txn = database_.begin_read();
    EXPECT_TRUE(store::scan(**txn, in, {}, [&](const store::entry&) {
      ++out;
      return true;
    }));
    return out;
  }

  static ledger::index_event event_of(const std::string& job_set) {
    return {"q", job_set, {1, "q", model::job_reprioritized{}}};
  }
  static ledger::put_queue settings_of(const std::string& name) {
    ledger::put_queue put;
    put.settings.name = model::queue_name{name};
    return put;
  }

  store::memory_database database_;
  std::vector<std::string> indexed_;
};

TEST_F(view_writer, moves_the_position_with_the_batch_and_keeps_the_holder) {
  write(1, {ledger::put_epoch{{3}, "me"}});
  write(2, {settings_of("q")});
  EXPECT_EQ(position().position.value, 2u);
  EXPECT_EQ(position().epoch.value, 3u);
  EXPECT_EQ(position().hash, 14u);
  EXPECT_EQ(position().holder, "me");
  EXPECT_EQ(count(store::table::queues), 1u);
}

TEST_F(view_writer, tells_of_each_event_of_a_job_set_in_order) {
  write(1, {event_of("s"), settings_of("q"), event_of("t")});
  EXPECT_THAT(indexed_, ElementsAre("s", "t"));
  EXPECT_EQ(count(store::table::events), 2u);
}

TEST_F(view_writer, writes_the_last_totals_of_a_queue_and_none_of_one_that_is_gone) {
  write(1, {ledger::put_queue_totals{"q", {1, 0, 0, 0, 0, 5}},
            ledger::put_queue_totals{"q", {2, 0, 0, 0, 0, 6}}});
  {
    auto txn = database_.begin_read();
    ASSERT_TRUE(store::scan(**txn, store::table::queue_totals, {}, [](const store::entry& entry) {
      EXPECT_EQ(decode_queue_totals(entry)->totals.succeeded, 2u);
      return true;
    }));
  }
  write(2, {ledger::put_queue_totals{"q", {3, 0, 0, 0, 0, 7}}, ledger::erase_queue{"q"}});
  EXPECT_EQ(count(store::table::queue_totals), 0u);
}

}  // namespace
}  // namespace argosy::view
