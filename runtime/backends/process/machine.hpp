// SPDX-License-Identifier: Apache-2.0
// This machine as a node.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "runtime/model/node.hpp"

namespace argosy::backends {

/// The cpu, memory and ephemeral-storage of the machine, in their units; the last one is the size
/// of the file system that holds `disk`.
[[nodiscard]] model::resource_list machine_capacity(const std::filesystem::path& disk);

/// Makes a node name of a host name: at most 63 characters in lower case that begin and end with a
/// letter or a digit; other characters than [a-z0-9.-] are replaced. "node" if nothing is left.
[[nodiscard]] std::string node_name_of(std::string_view host_name);

/// Does the same with the name that this machine has now.
[[nodiscard]] std::string machine_name();

/// The name of the node whose runs are in the folder: `wanted`, or if that is empty the name that
/// this machine had when the folder was first used. While runs of the folder are alive the node
/// keeps its name: under another one what they take would be given out again. The file `node` in
/// the folder keeps the name, so that a machine that is renamed stays the same node.
[[nodiscard]] std::string lasting_node_name(const std::filesystem::path& folder,
                                            const std::string& wanted);

/// What is to be said of a node that keeps this name although `wanted`, the value of a setting, or
/// else the name that the machine has now, is another: a clause with the remedy. Empty: the name is
/// right.
[[nodiscard]] std::string kept_name_note(const std::string& name, const std::string& wanted,
                                         const std::string& setting);

/// `capacity` replaces amounts of the machine, or adds resources that it does not show.
[[nodiscard]] model::node_info machine_node(const std::filesystem::path& disk,
                                            const std::string& name,
                                            const model::resource_list& capacity,
                                            model::label_list labels,
                                            std::vector<model::taint> taints);

}  // namespace argosy::backends
