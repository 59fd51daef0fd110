// SPDX-License-Identifier: Apache-2.0
// The web page, as argosyd has it in memory. The build writes the source from the files beside this
// one; without npm there is a source that has no page.
#pragma once

#include <vector>

#include "runtime/rest/page_file.hpp"

namespace argosy::web {

/// The files of the page; none if the program was built without it.
[[nodiscard]] std::vector<rest::page_file> page();

}  // namespace argosy::web
