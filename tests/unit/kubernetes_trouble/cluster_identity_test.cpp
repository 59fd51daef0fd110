// SPDX-License-Identifier: Apache-2.0
// Goal: no answer that names no cluster is taken for the word of the right one.
// Method: answers to the question which cluster it is, before and after its UID is known.
#include "runtime/backends/kubernetes/link/cluster_identity.hpp"

#include <gtest/gtest.h>

namespace argosy::backends {
namespace {

kube::answer named(const char* uid) {
  return {200, std::string{R"({"metadata":{"uid":")"} + uid + R"("}})"};
}

TEST(cluster_identity, is_doubted_until_the_uid_is_told_or_may_not_be_read) {
  cluster_identity identity{{}};
  identity.doubt();
  EXPECT_FALSE(identity.answered(named("c1")));
  for (const int status : {200, 302, 400, 401, 404, 408, 409, 429, 500, 503}) {
    identity.doubt();
    EXPECT_TRUE(identity.answered(kube::answer{status, "{}"})) << status;
    EXPECT_TRUE(identity.is_doubted()) << status;
  }
  EXPECT_TRUE(identity.answered(fail(ec::timeout, "late")));
  EXPECT_TRUE(identity.answered(named("c2")));
  EXPECT_TRUE(identity.is_doubted());
  EXPECT_FALSE(identity.answered(named("c1")));
  EXPECT_FALSE(identity.is_doubted());
  identity.doubt();
  EXPECT_FALSE(identity.answered(kube::answer{403, "{}"})) << "it goes without the check";
  EXPECT_FALSE(identity.is_doubted());
}

TEST(cluster_identity, needs_no_uid_before_one_was_known) {
  for (const int status : {403, 404}) {
    cluster_identity identity{{}};
    identity.doubt();
    EXPECT_FALSE(identity.answered(kube::answer{status, "{}"})) << status;
    EXPECT_FALSE(identity.is_doubted()) << status;
  }
}

}  // namespace
}  // namespace argosy::backends
