// SPDX-License-Identifier: Apache-2.0
// This file declares the settings that `argosyd init` writes for argosyd and for an agent.
#pragma once

#include <filesystem>
#include <string>

#include "bins/argosyd/init/init_plan.hpp"

namespace argosy::argosyd {

/// The text in double quotes, as YAML reads it back; it has no control characters.
[[nodiscard]] std::string quoted_yaml(const std::string& text);

/// The file of a member's credentials below the folder.
[[nodiscard]] std::filesystem::path credentials_of(const access::member& who);

/// The settings of the process that is this member, argosyd or an agent; of the argosyd of one of
/// three machines, which it names.
[[nodiscard]] std::string settings_text(const init_request& request,
                                        const access::server_plan& plan, const access::member& who,
                                        const std::string& machine = {});

/// The context of a user, for argosyctl and for programs that call gRPC. His credentials lie beside
/// it.
[[nodiscard]] std::string context_text(const access::server_plan& plan, const access::member& who,
                                       const std::string& password);

}  // namespace argosy::argosyd
