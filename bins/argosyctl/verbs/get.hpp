// SPDX-License-Identifier: Apache-2.0
// The kinds of `get`, one file each.
#pragma once

#include "bins/argosyctl/verbs/command.hpp"
#include "messages/proto/argosy/v1.pb.h"

namespace argosy::ctl {

void define_get_jobs(CLI::App& get, command_set& commands);
void define_get_job_sets(CLI::App& get, command_set& commands);
void define_get_queues(CLI::App& get, command_set& commands);
void define_get_clusters(CLI::App& get, command_set& commands);

/// A kind of `get` with its other names.
CLI::App& add_kind(CLI::App& verb, const std::string& name, const std::string& summary,
                   const std::vector<std::string>& aliases);

/// "4/16" of a resource, as "used/total".
[[nodiscard]] std::string used_of(
    const std::string& resource,
    const google::protobuf::RepeatedPtrField<argosy::log::v1::Amount>& used,
    const google::protobuf::RepeatedPtrField<argosy::log::v1::Amount>& total);

/// The amount of a resource as people read it; empty if it is not in the list.
[[nodiscard]] std::string amount_of(
    const std::string& resource,
    const google::protobuf::RepeatedPtrField<argosy::log::v1::Amount>& amounts);

/// What is neither cpu nor memory: "nvidia.com/gpu 2, ephemeral-storage 1Gi".
[[nodiscard]] std::string other_amounts(
    const google::protobuf::RepeatedPtrField<argosy::log::v1::Amount>& amounts);

}  // namespace argosy::ctl
