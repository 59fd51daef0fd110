// SPDX-License-Identifier: Apache-2.0
// Files in which each document says its kind and is one message of the API. This header is private
// to messages/submit_file.
#pragma once

#include <google/protobuf/message.h>

#include <initializer_list>
#include <string_view>

#include "messages/submit_file/declared_file.hpp"
#include "messages/submit_file/mistakes.hpp"
#include "runtime/base/result.hpp"
#include "runtime/model/queue.hpp"
#include "runtime/model/retry_policy.hpp"
#include "runtime/settings/yaml/document.hpp"

namespace argosy::submit_file {

/// Reads a document with `kind: <kind>` into the message. `apiVersion` and the keys in `ignored`
/// say nothing. With a list, all mistakes but the last, which is the error, are noted there;
/// without one the first mistake is the error.
[[nodiscard]] result<void> read_kind(const yaml::node& root, std::string_view kind,
                                     std::initializer_list<std::string_view> ignored,
                                     google::protobuf::Message& out,
                                     mistake_list* mistakes = nullptr);

/// Reads a document of kind Queue. The list is as above.
[[nodiscard]] result<model::queue_settings> read_queue(const yaml::node& root,
                                                       mistake_list* mistakes = nullptr);
/// Reads a document of kind RetryPolicy. The list is as above.
[[nodiscard]] result<model::retry_policy> read_policy(const yaml::node& root,
                                                      mistake_list* mistakes = nullptr);

/// Reads a document of kind Pool. All its mistakes are noted in the list but the last, which is the
/// error. What only all settings together can show is left to the server.
[[nodiscard]] result<declared_settings> read_pool(const yaml::node& root, mistake_list& mistakes);
/// Reads a document of kind Settings in the same way.
[[nodiscard]] result<declared_settings> read_settings(const yaml::node& root,
                                                      mistake_list& mistakes);

}  // namespace argosy::submit_file
