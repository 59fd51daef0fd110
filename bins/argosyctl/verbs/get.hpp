// SPDX-License-Identifier: Apache-2.0
// This file declares what the kinds of `get` share; each kind has a file of its own.
#pragma once

#include "bins/argosyctl/verbs/command.hpp"
#include "messages/proto/argosy/v1.pb.h"

namespace argosy::ctl {

void define_get_jobs(CLI::App& get, command_set& commands);
void define_get_job_sets(CLI::App& get, command_set& commands);
void define_get_queues(CLI::App& get, command_set& commands);
void define_get_clusters(CLI::App& get, command_set& commands);
void define_get_control_plane(CLI::App& get, command_set& commands);
void define_get_policies(CLI::App& get, command_set& commands);
void define_get_operations(CLI::App& get, command_set& commands);
void define_get_rounds(CLI::App& get, command_set& commands);

void define_describe_job_sets(CLI::App& describe, command_set& commands);
void define_describe_queues(CLI::App& describe, command_set& commands);
void define_describe_clusters(CLI::App& describe, command_set& commands);
void define_describe_policies(CLI::App& describe, command_set& commands);
void define_describe_operations(CLI::App& describe, command_set& commands);
void define_describe_rounds(CLI::App& describe, command_set& commands);

/// Adds a kind of `get` with its other names.
CLI::App& add_kind(CLI::App& verb, const std::string& name, const std::string& summary,
                   const std::vector<std::string>& aliases);

/// "used/total" of a resource, such as "4/16".
[[nodiscard]] std::string used_of(
    const std::string& resource,
    const google::protobuf::RepeatedPtrField<argosy::log::v1::Amount>& used,
    const google::protobuf::RepeatedPtrField<argosy::log::v1::Amount>& total);

/// The amount of a resource as people read it; empty if it is not in the list.
[[nodiscard]] std::string amount_of(
    const std::string& resource,
    const google::protobuf::RepeatedPtrField<argosy::log::v1::Amount>& amounts);

/// Namespaces, and how many of the nodes take none of their jobs: "jobs on 3 of 8".
[[nodiscard]] std::string closed_text(
    const google::protobuf::Map<std::string, std::uint32_t>& nodes_of, std::uint32_t nodes);

/// The amounts of all resources but cpu and memory: "nvidia.com/gpu 2, ephemeral-storage 1Gi".
[[nodiscard]] std::string other_amounts(
    const google::protobuf::RepeatedPtrField<argosy::log::v1::Amount>& amounts);

}  // namespace argosy::ctl
