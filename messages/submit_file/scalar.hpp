// SPDX-License-Identifier: Apache-2.0
// Writes single values of a file to fields on the wire. Errors are ec::invalid_argument and name
// the place.
#pragma once

#include <google/protobuf/descriptor.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/base/result.hpp"
#include "runtime/settings/yaml/document.hpp"

namespace argosy::submit_file {

/// A text of the file in quotes, cut after 60 bytes.
[[nodiscard]] std::string quoted(std::string_view text);

/// Writes a scalar field of any type. Text fields take every scalar as it is written.
result<void> put_scalar(const yaml::node& value, const google::protobuf::FieldDescriptor* field,
                        std::string& out);

/// Writes the fields of a Quantity. `resource` is the key under which it stands and tells the unit.
/// If it is empty, only the form is checked.
result<void> put_quantity(const yaml::node& value, std::string_view resource, std::string& out);

/// Writes the fields of an IntOrString: a plain whole number is one, everything else is text.
result<void> put_int_or_string(const yaml::node& value, std::string& out);

/// Writes the fields of a Time, from RFC 3339.
result<void> put_time(const yaml::node& value, std::string& out);

}  // namespace argosy::submit_file
