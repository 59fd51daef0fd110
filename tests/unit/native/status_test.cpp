// SPDX-License-Identifier: Apache-2.0
// Goal: what clusters and queues answer about themselves is what their cores know. Method: cores in
// a state, and what is said of it.
#include <gmock/gmock.h>

#include "messages/native/contact_board.hpp"
#include "messages/native/queue.hpp"
#include "runtime/ledger/queue/queue_version.hpp"

namespace argosy::native {
namespace {

using ::testing::Each;
using ::testing::Pair;
using ::testing::SizeIs;

TEST(cluster_status, says_what_the_core_knows_of_the_cluster) {
  ledger::cluster_core core{"c"};
  core.restore(model::cluster_info{"c", "gpu", "process", {4}}, true);
  model::node_info node;
  node.name = "n1";
  core.restore(node);
  ledger::desired_run run;
  run.start.run = {ulid_from_hash(1, 0, 1), 1};
  run.start.node = "n1";
  core.restore(run);
  (void)core.lead({{2}}, boot_time{50});
  const auto contact = contact_of(core, 77);
  EXPECT_EQ(contact, (cluster_contact{.pool = "gpu",
                                      .state = ledger::contact_state::expected,
                                      .heard_ns = 77,
                                      .heard_at = boot_time{50},
                                      .nodes = 1,
                                      .runs = 1,
                                      .traits = model::traits_of("process")}));
  EXPECT_TRUE(out_of_contact(contact));
  const auto status = status_of(core.info(), contact);
  EXPECT_EQ(status.cluster.incarnation.value, 4U);
  EXPECT_EQ(status.state, "expected");
  EXPECT_EQ(status.nodes, 1U);
  EXPECT_EQ(status.runs, 1U);
  EXPECT_EQ(status.last_heard_ns, 77);
}

TEST(contact_board, knows_the_namespace_of_jobs_that_name_none) {
  contact_board contacts;
  const auto join = [&](const char* name, const char* backend, std::vector<std::string> served) {
    cluster_contact contact;
    contact.namespaces = std::move(served);
    contact.traits = model::traits_of(backend);
    contacts.put(model::cluster_name{name}, contact);
    return usual_namespace(contacts);
  };
  EXPECT_EQ(usual_namespace(contacts), "default");
  EXPECT_EQ(join("machine", "process", {}), "default");
  EXPECT_EQ(join("east", "kubernetes", {"jobs"}), "jobs") << "the other one does not look at it";
  EXPECT_EQ(join("west", "kubernetes", {"jobs"}), "jobs");
  EXPECT_EQ(join("west", "kubernetes", {"team-*"}), "default") << "there is none";
  EXPECT_EQ(join("west", "kubernetes", {"jobs", "ann"}), "default") << "there are several";
  EXPECT_EQ(join("west", "kubernetes", {"def*", "ann"}), "default") << "it is served";
  contacts.erase("west");
  EXPECT_EQ(join("open", "kubernetes", {}), "default") << "it serves all";
}

TEST(queue_status, counts_every_state_of_live_jobs) {
  ledger::queue_core core{"q"};
  model::queue_settings settings;
  settings.name = "q";
  settings.priority_factor = 2;
  core.restore(settings);
  const auto status = status_of(core);
  EXPECT_EQ(status.settings.priority_factor, 2);
  EXPECT_EQ(status.version, ledger::version_of(settings));
  EXPECT_THAT(status.live, SizeIs(4));
  EXPECT_THAT(status.live, Each(Pair(::testing::_, 0U)));
}

}  // namespace
}  // namespace argosy::native
