// SPDX-License-Identifier: Apache-2.0
// Goal: where the agent lacks a right that each run needs, no job pays for it.
// Method: setpriv takes capabilities away from the shim, as a container or a unit does.
#include "tests/integration/process_backend/process_fixture.hpp"

namespace argosy::backends {

namespace {

using model::run_phase;

/// A shim that is started without some capabilities, as by an agent in a container without them.
std::filesystem::path restricted_shim(const std::filesystem::path& folder,
                                      const std::filesystem::path& shim,
                                      const std::string& capabilities) {
  const auto file = folder / "restricted-shim";
  std::ofstream{file} << "#!/bin/sh\nexec setpriv --inh-caps -all --bounding-set " << capabilities
                      << " " << shim.string() << " \"$@\"\n";
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  return file;
}

constexpr const char* cannot_restrict = "needs root and setpriv, to take capabilities away";
bool can_restrict() {
  return ::geteuid() == 0 &&
         ::system("setpriv --inh-caps -all --bounding-set -setuid,-setgid true > /dev/null 2>&1") ==
             0;
}

}  // namespace

class process_rights : public process_fixture {};

TEST_F(process_rights, gives_a_run_back_that_its_machine_cannot_begin) {
  if (!can_restrict()) GTEST_SKIP() << cannot_restrict;
  config_.users.own = model::id_range{2'000'000, 2'000'009};
  config_.users.any_allowed = true;
  const auto shim = config_.shim;
  for (const auto* lack : {"-setuid,-setgid", "-sys_admin,-setuid,-setgid"}) {
    config_.shim = restricted_shim(dir_, shim, lack);
    open();
    EXPECT_EQ(run_to_end(command({"true"})).phase, run_phase::refused) << lack;
    auto chosen = command({"true"});
    chosen.plan.user = 65533;
    EXPECT_EQ(run_to_end(std::move(chosen)).phase, run_phase::refused) << lack;
    close();
  }
}

}  // namespace argosy::backends
