// SPDX-License-Identifier: Apache-2.0
#include "runtime/kube/read_json.hpp"

#include <simdjson.h>

#include <cstdint>
#include <string>
#include <utility>

namespace argosy::kube {

namespace {

using nlohmann::json;
namespace dom = simdjson::dom;

/// The reader of the document has bounded its depth.
json copy_of(dom::element from) {
  switch (from.type()) {
    case dom::element_type::OBJECT: {
      json::object_t out;
      for (const auto& [key, value] : dom::object(from))
        if (key != "managedFields") out.insert_or_assign(std::string{key}, copy_of(value));
      return out;
    }
    case dom::element_type::ARRAY: {
      const dom::array items(from);
      json::array_t out;
      out.reserve(items.size());
      for (const auto item : items) out.push_back(copy_of(item));
      return out;
    }
    case dom::element_type::STRING:
      return std::string{std::string_view(from)};
    case dom::element_type::INT64:
      return static_cast<std::int64_t>(from);
    case dom::element_type::UINT64:
      return static_cast<std::uint64_t>(from);
    case dom::element_type::DOUBLE:
      return static_cast<double>(from);
    case dom::element_type::BOOL:
      return static_cast<bool>(from);
    case dom::element_type::NULL_VALUE:
      break;
  }
  return nullptr;
}

}  // namespace

json read_json(std::string_view text) {
  dom::parser parser;
  dom::element document;
  if (parser.parse(text.data(), text.size()).get(document) == simdjson::SUCCESS)
    return copy_of(document);
  return json(json::value_t::discarded);
}

}  // namespace argosy::kube
