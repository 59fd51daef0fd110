// SPDX-License-Identifier: Apache-2.0
// Goal: what argosyd prints of its settings holds nothing that is secret. Method: settings with a
// user.
#include <gmock/gmock.h>

#include "runtime/settings/load.hpp"

namespace argosy::settings {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(secrets, hashes_of_passwords_are_not_printed) {
  loaded<argosyd_settings> all;
  user_settings user;
  user.name = "ann";
  user.password_hash = "$6$salt$hash";
  user.groups = {"staff"};
  all.value.access.users = {user};
  const auto text = print_effective(all);
  EXPECT_THAT(text, HasSubstr("ann"));
  EXPECT_THAT(text, HasSubstr("staff"));
  EXPECT_THAT(text, Not(HasSubstr("$6$salt$hash")));
}

}  // namespace
}  // namespace argosy::settings
