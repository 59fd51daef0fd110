// SPDX-License-Identifier: Apache-2.0
// Goal: lists in JSON can be read without knowing our units, and keep every field that they had.
// Method: objects before and after.
#include "bins/argosyctl/output/readable.hpp"

#include <gtest/gtest.h>

namespace argosy::ctl {
namespace {

TEST(readable_fields, stand_behind_amounts_and_times) {
  EXPECT_EQ(with_readable_fields(R"({"name":"n","total":[{"resource":"cpu","amount":"1500"},)"
                                 R"({"resource":"memory","amount":"25273114624"},)"
                                 R"({"resource":"x.com/gpu","amount":"4"}],)"
                                 R"("changedNs":"1795334219986856968","free":0.05})"),
            R"({"name":"n","total":[{"resource":"cpu","amount":"1500","quantity":"1500m"},)"
            R"({"resource":"memory","amount":"25273114624","quantity":"24680776Ki"},)"
            R"({"resource":"x.com/gpu","amount":"4","quantity":"4"}],)"
            R"("changedNs":"1795334219986856968","changedTs":"2026-11-22T07:56:59.986856968Z",)"
            R"("free":0.05})");
}

TEST(readable_fields, are_added_to_nothing_else) {
  for (const auto* const same :
       {R"({"changedNs":"0","heardNs":5,"amount":"7","Ns":"x","ageNs":""})",
        R"({"resource":1,"amount":"7"})", R"({"aNs":"1","aTs":"kept"})", "[1]", "not json", ""})
    EXPECT_EQ(with_readable_fields(same), same);
}

}  // namespace
}  // namespace argosy::ctl
