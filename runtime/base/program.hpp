// SPDX-License-Identifier: Apache-2.0
// This file declares how a program finds its own file, also where a dynamic loader was told to run
// it, as the tarball for other distributions does: /proc/self/exe is the loader then.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace argosy {

/// The file that this program was loaded from; empty if /proc is not mounted.
[[nodiscard]] std::filesystem::path own_program();

/// The words by which this program starts itself again; further arguments follow them.
[[nodiscard]] std::vector<std::string> own_command();

/// The command line of a process without the loader and its options: the program comes first.
[[nodiscard]] std::vector<std::string> without_loader(std::vector<std::string> words);

}  // namespace argosy
