// SPDX-License-Identifier: Apache-2.0
// Goal: what tells names apart stays, and what they have in common goes. Method: lists of names as
// clusters have them.
#include "bins/argosyctl/output/shorten.hpp"

#include <gtest/gtest.h>

namespace argosy::ctl {

namespace {

using names = std::vector<std::string>;

TEST(short_ids, tell_the_ids_apart_with_some_letters_to_spare) {
  EXPECT_EQ(short_ids({"01m811wt4k9qv2n4r6t8w00ab0", "01m811wt4k9qv2p4r6t8w00ab0"}),
            (names{"01m811wt4k9qv2n4r6", "01m811wt4k9qv2p4r6"}));
  EXPECT_EQ(short_ids({"01m811wt4k9qv2n4r6t8w00ab0"}), (names{"01m811wt4k9qv"}));
  EXPECT_EQ(short_ids({}), (names{}));
}

TEST(short_ids, stay_whole_where_only_the_last_letters_differ) {
  const names ids{"01kaz3v9qp8m2n4r6t8w000001", "01kaz3v9qp8m2n4r6t8w000002"};
  EXPECT_EQ(short_ids(ids), ids);
}

TEST(short_places, lose_what_all_of_them_share) {
  EXPECT_EQ(short_places({"sim-1/node-0017", "sim-1/node-0123"}), (names{"…0017", "…0123"}));
  EXPECT_EQ(short_places({"sim-1/node-0017", "sim-2/node-0017", "sim-2/node-0018"}),
            (names{"sim-1/…0017", "sim-2/…0017", "sim-2/…0018"}));
  EXPECT_EQ(short_places({"a/gpu1.rack7.example.com", "a/gpu2.rack7.example.com"}),
            (names{"…1", "…2"}));
}

TEST(short_places, keep_the_name_of_a_single_node) {
  EXPECT_EQ(short_places({"local/vm", "local/vm", ""}), (names{"vm", "vm", ""}));
  EXPECT_EQ(short_places({"vm"}), (names{"vm"}));
  EXPECT_EQ(short_places({"", ""}), (names{"", ""}));
}

TEST(short_places, part_no_number_and_no_short_beginning) {
  EXPECT_EQ(short_places({"c/n100", "c/n101"}), (names{"n100", "n101"}));
  EXPECT_EQ(short_places({"c/2024100", "c/2024101"}), (names{"2024100", "2024101"}));
}

}  // namespace

}  // namespace argosy::ctl
