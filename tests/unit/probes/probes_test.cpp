// SPDX-License-Identifier: Apache-2.0
// Goal: probes show what their part keeps elsewhere, and what they derive, as it is. Method: probes
// over a load of the log, a store and a board of contacts that the test fills.
#include <gtest/gtest.h>

#include <optional>

#include "messages/probes/call_probe.hpp"
#include "messages/probes/cluster_probe.hpp"
#include "messages/probes/gang_probe.hpp"
#include "messages/probes/link_probe.hpp"
#include "messages/probes/log/journal_probe.hpp"
#include "messages/probes/log/store_probe.hpp"
#include "runtime/store/in_memory.hpp"
#include "tests/unit/probes/probe_values.hpp"

namespace argosy::probes {

TEST(journal_probe, shows_the_log_and_its_room_once_that_is_known) {
  const auto load = std::make_shared<eventlog::log_load>(100);
  const journal_probe probe{load};
  load->set_position({7});
  load->add(30);
  EXPECT_EQ(value(probe, "argosy_log_position"), 7);
  EXPECT_EQ(value(probe, "argosy_log_waiting_bytes"), 30);
  EXPECT_EQ(value(probe, "argosy_log_full"), 0);
  EXPECT_EQ(value(probe, "argosy_log_bytes_max"), std::nullopt);
  load->intake().set_full(true);
  load->set_log({40, 90}, 3);
  load->add_to_log(1);
  EXPECT_EQ(value(probe, "argosy_log_full"), 1);
  EXPECT_EQ(value(probe, "argosy_log_bytes"), 41);
  EXPECT_EQ(value(probe, "argosy_log_records"), 4);
  EXPECT_EQ(value(probe, "argosy_log_bytes_max"), 90);
}

TEST(store_probe, shows_what_the_store_takes) {
  const store_probe probe{std::make_shared<store::memory_database>()};
  EXPECT_TRUE(value(probe, "argosy_store_bytes").has_value());
  EXPECT_TRUE(value(probe, "argosy_store_bytes_max").has_value());
  EXPECT_TRUE(value(probe, "argosy_store_file_bytes").has_value());
}

TEST(cluster_probe, counts_states_and_names_those_that_are_silent_longest) {
  const auto contacts = std::make_shared<native::contact_board>();
  manual_clock clock;
  const cluster_probe probe{contacts, clock};
  EXPECT_EQ(value(probe, "argosy_clusters silent"), 0);
  for (int i = 0; i < 300; ++i) {
    native::cluster_contact contact;
    contact.state = ledger::contact_state::silent;
    contact.heard_at = clock.boot() - std::chrono::seconds{i};
    contacts->put(model::cluster_name{"c" + std::to_string(i)}, contact);
  }
  contacts->put("gone", {.pool = "", .state = ledger::contact_state::gone});
  EXPECT_EQ(value(probe, "argosy_clusters silent"), 300);
  EXPECT_EQ(value(probe, "argosy_clusters gone"), 1);
  EXPECT_EQ(value(probe, "argosy_cluster_silence_seconds c299"), 299);
  EXPECT_EQ(value(probe, "argosy_cluster_silence_seconds c100"), 100);
  EXPECT_EQ(value(probe, "argosy_cluster_silence_seconds c99"), std::nullopt);
  EXPECT_EQ(value(probe, "argosy_cluster_silence_seconds gone"), std::nullopt);
  EXPECT_EQ(value(probe, "argosy_cluster_silent c0"), 1);
  EXPECT_EQ(value(probe, "argosy_cluster_silent gone"), std::nullopt);
  native::cluster_contact away;
  away.state = ledger::contact_state::connected;
  contacts->put("near", away);
  away.trouble.why = "no route";
  contacts->put("away", away);
  EXPECT_EQ(value(probe, "argosy_clusters connected"), 1);
  EXPECT_EQ(value(probe, "argosy_clusters away"), 1);
  EXPECT_EQ(value(probe, "argosy_cluster_away away"), 1);
  EXPECT_EQ(value(probe, "argosy_cluster_away near"), std::nullopt);
  native::cluster_contact shut{.pool = "gpu"};
  shut.closures = {{"a", "quota", "full", 1}, {"b", "quota", "full", 1}, {"a", "rights", "no", 1}};
  contacts->put("shut", shut);
  EXPECT_EQ(value(probe, "argosy_cluster_closed_namespaces gpu shut quota"), 2);
  EXPECT_EQ(value(probe, "argosy_cluster_closed_namespaces gpu shut rights"), 1);
}

TEST(call_probe, counts_calls_by_method_and_result) {
  gateway_probe probe;
  probe.begun();
  probe.begun();
  EXPECT_EQ(value(probe, "argosy_gateway_calls_open"), 2);
  probe.ended("Submit.SubmitJobs", "ok", std::chrono::milliseconds{30});
  probe.ended("Submit.SubmitJobs", to_string(ec::overloaded), std::chrono::milliseconds{1});
  EXPECT_EQ(value(probe, "argosy_gateway_calls_open"), 0);
  EXPECT_EQ(value(probe, "argosy_gateway_calls_total Submit.SubmitJobs ok"), 1);
  EXPECT_EQ(value(probe, "argosy_gateway_calls_total Submit.SubmitJobs overloaded"), 1);
  EXPECT_EQ(value(probe, "argosy_gateway_call_seconds Submit.SubmitJobs"), 2);
}

TEST(link_probe, tells_time_outs_from_other_failures) {
  link_probe probe;
  for (int i = 0; i < 4; ++i) probe.sent();
  probe.ended(ec::none);
  probe.ended(ec::timeout);
  probe.ended(ec::unreachable);
  EXPECT_EQ(value(probe, "argosy_link_requests_open"), 1);
  EXPECT_EQ(value(probe, "argosy_link_requests_total answered"), 1);
  EXPECT_EQ(value(probe, "argosy_link_requests_total timeout"), 1);
  EXPECT_EQ(value(probe, "argosy_link_requests_total failed"), 1);
}

TEST(gang_share, moves_when_the_gang_is_complete) {
  metrics::board board;
  const auto probe = board.get<gang_probe>();
  gang_share share{board};
  share.show(false);
  EXPECT_EQ(probe->incomplete.value(), 1);
  share.show(true);
  EXPECT_EQ(probe->incomplete.value(), 0);
  EXPECT_EQ(probe->complete.value(), 1);
}

}  // namespace argosy::probes
