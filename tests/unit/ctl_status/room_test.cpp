// SPDX-License-Identifier: Apache-2.0
// Goal: the person on call reads how full the store and the log are, and is warned before either
// refuses new commands. Method: the texts that follow from an answer of the server.
#include <gmock/gmock.h>

#include "bins/argosyctl/verbs/status/status_text.hpp"

namespace argosy::ctl {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

constexpr std::uint64_t mib = 1u << 20;

status_facts some_facts() {
  status_facts facts;
  auto& store = *facts.server.mutable_store();
  store.set_used_bytes(398 * mib);
  store.set_usable_bytes(1'020 * mib);
  store.set_limit_bytes(1'024 * mib);
  store.set_file_bytes(600 * mib);
  auto& log = *facts.server.mutable_log();
  log.set_used_bytes(1'100 * mib);
  log.set_limit_bytes(1'536 * mib);
  log.set_records(70'000);
  return facts;
}

TEST(room, is_told_of_store_and_log) {
  auto facts = some_facts();
  EXPECT_THAT(status_text(facts, false),
              AllOf(HasSubstr("  the store: 39% of 1020Mi in use; its file has taken 600Mi of 1Gi\n"
                              "  the log: 71% of 1.5Gi in use; 70000 records\n"),
                    Not(HasSubstr("full:"))));
  facts.server.mutable_log()->set_limit_bytes(0);
  EXPECT_THAT(status_text(facts, false),
              HasSubstr("  the log: 1.07Gi, without a limit; 70000 records\n"));
  facts.server.clear_log();
  facts.server.clear_store();
  EXPECT_THAT(status_text(facts, false),
              AllOf(Not(HasSubstr("the store")), Not(HasSubstr("the log"))))
      << "an older server tells nothing";
}

TEST(room, of_the_log_counts_generations_that_are_not_written_any_more) {
  auto facts = some_facts();
  auto& log = *facts.server.mutable_log();
  log.set_used_bytes(1 * mib);
  log.set_limit_bytes(100 * mib);
  log.set_older_bytes(900 * mib);
  const auto text = status_text(facts, false);
  EXPECT_THAT(text, HasSubstr("  the log: 90% of 1000Mi in use; 70000 records; 900Mi of it in "
                              "generations that are not written any more\n"));
  EXPECT_THAT(text, HasSubstr("  the log is 90.1% full: raise journal.logBytesMax"))
      << "what is new is still accepted";
}

TEST(room, is_told_of_the_disk_and_of_what_readers_keep) {
  auto facts = some_facts();
  facts.server.mutable_store()->set_held_bytes(20 * mib);
  facts.server.mutable_disk()->set_bytes(1'000 * mib);
  facts.server.mutable_disk()->set_free_bytes(10 * mib);
  const auto text = status_text(facts, false);
  EXPECT_THAT(text, HasSubstr("; readers keep 20Mi of it from being used again\n"));
  EXPECT_THAT(text, HasSubstr("  the disk: 99% of 1000Mi in use; 10Mi are free\n"));
  EXPECT_THAT(text, Not(HasSubstr("the disk is"))) << "what is wrong with it, the server says";
}

TEST(room, and_all_that_the_server_finds_wrong_with_itself_is_a_finding) {
  auto facts = some_facts();
  auto& log = *facts.server.add_concerns();
  log.set_bad(true);
  log.set_kind("log");
  log.set_text("this argosyd is not ready, log: it has answered nothing for 20 s");
  auto& certificate = *facts.server.add_concerns();
  certificate.set_kind("certificate");
  certificate.set_text("the certificate of the NATS server ends in 3 days");
  const auto found = findings_of(facts);
  ASSERT_GE(found.size(), 2u);
  EXPECT_EQ(found[0].kind, "log");
  EXPECT_EQ(found[0].how_bad, severity::bad);
  EXPECT_THAT(status_text(facts, false), HasSubstr("  the certificate of the NATS server ends in"));
  EXPECT_THAT(status_json(facts), HasSubstr(R"({"severity":"warning","kind":"certificate")"));
}

TEST(room, is_a_finding_from_80_percent_on) {
  auto facts = some_facts();
  facts.server.mutable_log()->set_used_bytes(1'229 * mib);
  EXPECT_THAT(status_text(facts, false),
              HasSubstr("  the log is 80.0% full: raise journal.logBytesMax and start argosyd "
                        "again\n"));
  facts.server.mutable_store()->set_used_bytes(900 * mib);
  EXPECT_THAT(status_text(facts, false),
              HasSubstr("  the store is 88.2% full, so that new commands are refused: raise "
                        "store.mapSize and start argosyd again\n"));
  const auto found = findings_of(facts);
  ASSERT_GE(found.size(), 3U);
  EXPECT_EQ(found[0].kind, "fullStore");
  EXPECT_EQ(found[0].how_bad, severity::bad);
}

TEST(room, is_a_list_in_json) {
  EXPECT_THAT(status_json(some_facts()),
              HasSubstr(R"("room":[{"name":"store","usedBytes":"417333248","limitBytes":)"
                        R"("1069547520","used":0.3902},{"name":"log",)"));
}

}  // namespace

}  // namespace argosy::ctl
