// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/output/readable.hpp"

#include <google/protobuf/util/time_util.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "runtime/base/whole_number.hpp"
#include "runtime/model/quantity.hpp"

namespace argosy::ctl {

namespace {

using json = nlohmann::ordered_json;
using google::protobuf::util::TimeUtil;

/// 64-bit numbers are texts in proto3 JSON.
std::optional<std::int64_t> number_in(const json& value) {
  if (!value.is_string()) return std::nullopt;
  return whole_number<std::int64_t>(value.get_ref<const std::string&>());
}

/// What is added behind the field of this name, as a name and a value. Both are empty when nothing
/// is added.
std::pair<std::string, std::string> readable(const std::string& name, const json& value,
                                             const json& object) {
  const auto number = number_in(value);
  if (!number) return {};
  if (name == "amount" && object.contains("resource") && object["resource"].is_string())
    return {"quantity",
            model::format_quantity(*number, model::unit_of(object["resource"].get<std::string>()))};
  if (!name.ends_with("Ns") || *number == 0) return {};
  return {name.substr(0, name.size() - 2) + "Ts",
          TimeUtil::ToString(TimeUtil::NanosecondsToTimestamp(*number))};
}

json extended(const json& value) {
  if (value.is_array()) {
    auto out = json::array();
    for (const auto& item : value) out.push_back(extended(item));
    return out;
  }
  if (!value.is_object()) return value;
  auto out = json::object();
  for (const auto& [name, inner] : value.items()) {
    out[name] = extended(inner);
    const auto [added, text] = readable(name, inner, value);
    if (!added.empty() && !value.contains(added)) out[added] = text;
  }
  return out;
}

}  // namespace

std::string with_readable_fields(const std::string& text) {
  const auto parsed = json::parse(text, nullptr, false);
  return parsed.is_object() ? extended(parsed).dump(-1, ' ', false, json::error_handler_t::replace)
                            : text;
}

}  // namespace argosy::ctl
