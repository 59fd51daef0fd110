// SPDX-License-Identifier: Apache-2.0
#include "tests/support/nats/temp_folder.hpp"

#include <cstdlib>
#include <system_error>

#include "runtime/base/check.hpp"

namespace argosy::testing {

temp_folder::temp_folder() {
  auto pattern = (std::filesystem::temp_directory_path() / "argosy-test-XXXXXX").string();
  ARGOSY_CHECK(::mkdtemp(pattern.data()) != nullptr);
  path_ = pattern;
}

temp_folder::~temp_folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace argosy::testing
