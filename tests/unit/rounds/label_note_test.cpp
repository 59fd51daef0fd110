// SPDX-License-Identifier: Apache-2.0
// Goal: who submits a gang under a label hears when no gang can start under it. Method: nodes with
// labels in a snapshot, and the note for some labels.
#include "messages/rounds/label_note.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace argosy::rounds {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct label_notes : ::testing::Test {
  scheduling::config conf = scheduling::default_config();
  scheduling::snapshot snapshot{conf};

  void add_node(const std::string& id, const std::string& label) {
    scheduling::node_row row;
    row.id = id;
    row.pool = "default";
    row.executor = "c";
    row.labels = {{label, "x"}};
    ASSERT_TRUE(snapshot.upsert_node(row));
  }
};

TEST_F(label_notes, are_empty_without_nodes_and_for_labels_that_a_node_has) {
  EXPECT_EQ(label_note(snapshot, conf, {"zone"}), "");
  add_node("n", "zone");
  EXPECT_EQ(label_note(snapshot, conf, {"zone"}), "");
  EXPECT_EQ(label_note(snapshot, conf, {std::string{scheduling::node_id_label}}), "");
  EXPECT_EQ(label_note(snapshot, conf, {}), "");
}

TEST_F(label_notes, name_the_labels_that_no_node_has_any_more) {
  add_node("n", "zone");
  add_node("m", "rack");
  const auto note = label_note(snapshot, conf, {"row", "zone", "hall"});
  EXPECT_THAT(note, HasSubstr("the label 'row', whose"));
  EXPECT_THAT(note, HasSubstr("; no node of any known cluster has the label 'hall'"));
  EXPECT_THAT(note, Not(HasSubstr("zone")));
  snapshot.remove_node("n");
  EXPECT_THAT(label_note(snapshot, conf, {"zone"}), HasSubstr("'zone'"));
}

TEST_F(label_notes, name_labels_that_preset_current_does_not_read) {
  add_node("n", "zone");
  conf.base = scheduling::preset::current;
  conf.indexed_labels.clear();
  EXPECT_THAT(label_note(snapshot, conf, {"zone"}), HasSubstr("scheduling.indexedNodeLabels"));
  conf.indexed_labels = {"zone"};
  EXPECT_EQ(label_note(snapshot, conf, {"zone"}), "");
}

}  // namespace
}  // namespace argosy::rounds
