// SPDX-License-Identifier: Apache-2.0
// Goal: headers of HTTP and metadata of calls are mapped by the rule of grpc-gateway, and nobody
// names himself by them. Method: requests and answers of the library, without a server.
#include "runtime/rest/metadata.hpp"

#include <gtest/gtest.h>
#include <httplib.h>

namespace argosy::rest {

namespace {

TEST(rest_metadata, are_read_by_either_name_and_that_of_http_wins) {
  httplib::Request from;
  EXPECT_EQ(metadata(from, "authorization"), "");
  from.set_header("grpc-metadata-AUTHORIZATION", "Basic b");
  EXPECT_EQ(metadata(from, "authorization"), "Basic b");
  from.set_header("Authorization", "Basic a");
  EXPECT_EQ(metadata(from, "authorization"), "Basic a");
}

TEST(rest_metadata, set_only_what_a_caller_may_choose) {
  httplib::Request from;
  for (const auto* name :
       {"Mode", "Expect", "Owners", "From", "User", "Groups", "Permissions", "Scheme", "Scopes",
        "Via", "Peer", "Stream", "Stream-Id", "Status", "Epoch", "Credit"})
    from.set_header("Grpc-Metadata-Argosy-" + std::string{name}, "x");
  from.set_header("Argosy-Mode", "y");
  bus::headers got{{"argosy-user", "ann"}};
  read_metadata(from, got);
  const bus::headers expected{{"argosy-user", "ann"},
                              {"argosy-mode", "x"},
                              {"argosy-expect", "x"},
                              {"argosy-owners", "x"},
                              {"argosy-from", "x"}};
  EXPECT_EQ(got, expected);
}

TEST(rest_metadata, of_an_answer_are_only_those_of_the_api) {
  httplib::Response to;
  write_metadata({{"argosy-version", "v7"}, {"argosy-jobs", "2"}, {"argosy-user", "ann"}}, to);
  EXPECT_EQ(to.get_header_value("Grpc-Metadata-Argosy-Version"), "v7");
  EXPECT_EQ(to.get_header_value("Grpc-Metadata-Argosy-Jobs"), "2");
  EXPECT_EQ(to.headers.size(), 2U);
}

}  // namespace

}  // namespace argosy::rest
