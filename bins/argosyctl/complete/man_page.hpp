// SPDX-License-Identifier: Apache-2.0
// Writes man pages in roff by walking the same tree of verbs and flags as the help texts do.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>

#include "runtime/base/result.hpp"

namespace argosy::ctl {

/// The page of the program, with all topics of `help`, or that of a verb with everything below it.
/// `version` stands at the bottom.
[[nodiscard]] std::string man_page(const CLI::App& app, const std::string& version);

/// Writes argosyctl.1 and argosyctl-VERB.1 of each verb into the folder, which is made if it is not
/// there. Returns how many there are. ec::invalid_argument when one cannot be written.
[[nodiscard]] result<std::size_t> write_man_pages(const CLI::App& app,
                                                  const std::filesystem::path& folder,
                                                  const std::string& version);

}  // namespace argosy::ctl
