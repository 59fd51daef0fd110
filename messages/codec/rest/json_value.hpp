// SPDX-License-Identifier: Apache-2.0
// Single values of a request in JSON, as protobuf's JSON has them, and where they stand. Errors are
// ec::invalid_argument and name the place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "messages/codec/rest/go_json.hpp"

namespace argosy::codec {

/// Where a value stands, for messages: the path is only made when there is something wrong.
struct json_place {
  const json_place* outer = nullptr;
  std::string_view name{};
  std::optional<std::size_t> item{};
};

/// "the field 'a.b[1].c'", or "the request".
[[nodiscard]] std::string subject(const json_place& at);
/// "... is not `expected`".
[[nodiscard]] failure wrong(const json_place& at, const std::string& expected);
/// "... is not known", with the nearest of the known names.
[[nodiscard]] failure not_known(const json_place& at, const std::vector<std::string_view>& known);

/// The value itself, or the number that a text holds in the form of JSON; null for another text.
[[nodiscard]] go_json number_in(const go_json& from);

/// Reads a whole number, also 1.0 or 1e3. T is a type with 32 or 64 bits.
template <class T>
[[nodiscard]] result<T> read_whole(const go_json& from, const json_place& at);
extern template result<std::int32_t> read_whole(const go_json&, const json_place&);
extern template result<std::int64_t> read_whole(const go_json&, const json_place&);
extern template result<std::uint32_t> read_whole(const go_json&, const json_place&);
extern template result<std::uint64_t> read_whole(const go_json&, const json_place&);

/// Reads a float or a double, also "NaN", "Infinity" or "-Infinity".
template <class T>
[[nodiscard]] result<T> read_real(const go_json& from, const json_place& at);
extern template result<float> read_real(const go_json&, const json_place&);
extern template result<double> read_real(const go_json&, const json_place&);

/// Reads a value of an enumeration by its name or its number.
[[nodiscard]] result<int> read_enum(const go_json& from,
                                    const google::protobuf::FieldDescriptor& field,
                                    const json_place& at);
/// Reads a text, or bytes in base64.
[[nodiscard]] result<std::string> read_text(const go_json& from,
                                            const google::protobuf::FieldDescriptor& field,
                                            const json_place& at);

}  // namespace argosy::codec
