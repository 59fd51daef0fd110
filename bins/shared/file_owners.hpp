// SPDX-License-Identifier: Apache-2.0
// The settings and keys of a program that runs as root decide what it does as root, such as whose
// orders it obeys and as whom jobs run. Whoever may write such a file, or put another in its place,
// would have root's rights.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/settings/checks/warnings.hpp"

namespace argosy {

/// Says who else than root may write the file, or a folder or link by which it is reached, and by
/// which command that ends. Empty if nobody may. A file that is not there is as safe as its folder.
[[nodiscard]] std::string other_writer_of(const std::filesystem::path& file);

/// Fails with ec::denied if this process is the machine's root and somebody else may write the
/// configuration file, or one of the files that it names.
[[nodiscard]] result<void> refuse_files_of_others(const std::filesystem::path& configuration,
                                                  const std::vector<settings::named_thing>& files);

}  // namespace argosy
