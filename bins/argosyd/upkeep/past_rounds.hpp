// SPDX-License-Identifier: Apache-2.0
// This file gives the ARCHIVE what it reads: the store, its snapshots and the log.
#pragma once

#include <memory>

#include "bins/argosyd/ground.hpp"
#include "bins/argosyd/options.hpp"
#include "messages/past/archive.hpp"

namespace argosy::argosyd {

/// `seams` are open and outlive the archive.
[[nodiscard]] std::shared_ptr<past::archive> make_archive(const options& chosen,
                                                          const ground& seams,
                                                          const view::state_rules& rules);

}  // namespace argosy::argosyd
