// SPDX-License-Identifier: Apache-2.0
#include "runtime/kube/read_json.hpp"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace argosy::kube {

namespace {

using nlohmann::json;
namespace dom = simdjson::dom;

/// Nobody here reads these, and they make up most of a pod, or of a node.
constexpr std::array<std::string_view, 14> unread{
    "managedFields",   "env",           "envFrom",  "volumeMounts", "volumes",
    "tolerations",     "affinity",      "args",     "images",       "command",
    "securityContext", "livenessProbe", "nodeInfo", "addresses"};

/// A label or an annotation may have one of those names; it is a text.
bool is_unread(std::string_view key, dom::element value) {
  const auto type = value.type();
  return (type == dom::element_type::ARRAY || type == dom::element_type::OBJECT) &&
         std::ranges::find(unread, key) != unread.end();
}

/// The reader of the document has bounded its depth.
json copy_of(dom::element from) {
  switch (from.type()) {
    case dom::element_type::OBJECT: {
      json::object_t out;
      for (const auto& [key, value] : dom::object(from))
        if (!is_unread(key, value))
          out.insert_or_assign(out.end(), std::string{key}, copy_of(value));
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

/// The memory that it takes to read a text. It is kept for the next one, unless the text is long.
struct reader {
  dom::parser parser;
  std::vector<char> text;

  json read(std::string_view from) {
    if (text.size() < from.size() + simdjson::SIMDJSON_PADDING)
      text.resize(from.size() + simdjson::SIMDJSON_PADDING);
    std::memcpy(text.data(), from.data(), from.size());
    dom::element document;
    if (parser.parse(text.data(), from.size(), false).get(document) == simdjson::SUCCESS)
      return copy_of(document);
    return json(json::value_t::discarded);
  }
};

constexpr std::size_t kept_bytes_max = std::size_t{64} << 10;

}  // namespace

json read_json(std::string_view text) {
  if (text.size() > kept_bytes_max) {
    reader once;
    return once.read(text);
  }
  thread_local reader kept;
  return kept.read(text);
}

}  // namespace argosy::kube
