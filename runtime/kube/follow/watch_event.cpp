// SPDX-License-Identifier: Apache-2.0
#include "runtime/kube/follow/watch_event.hpp"

#include "runtime/base/text.hpp"
#include "runtime/kube/json_field.hpp"
#include "runtime/kube/read_json.hpp"

namespace argosy::kube {

namespace {

using nlohmann::json;

std::string version_of(const json& object) {
  const auto* const metadata = object_field(object, "metadata");
  return metadata == nullptr ? std::string{} : text_field(*metadata, "resourceVersion");
}

}  // namespace

std::optional<list_page> read_list_page(std::string_view body) {
  auto list = read_json(body);
  list_page out{.objects = {}, .version = version_of(list), .continue_from = {}};
  if (out.version.empty()) return std::nullopt;
  out.continue_from = text_field(list["metadata"], "continue");
  // A list without items is written as `items: null`.
  const auto items = list.find("items");
  if (items == list.end() || items->is_null()) return out;
  if (!items->is_array()) return std::nullopt;
  out.objects.reserve(items->size());
  for (auto& object : *items) out.objects.push_back(std::move(object));
  return out;
}

std::optional<watch_event> read_watch_event(std::string_view line) {
  auto event = read_json(line);
  const auto type = text_field(event, "type");
  if (type.empty() || object_field(event, "object") == nullptr) return std::nullopt;
  watch_event out;
  if (type == "ADDED" || type == "MODIFIED" || type == "DELETED") {
    out.what = watch_event::kind::object;
    out.how = type == "ADDED"     ? change::added
              : type == "DELETED" ? change::deleted
                                  : change::modified;
  } else if (type == "BOOKMARK") {
    out.what = watch_event::kind::bookmark;
  } else if (type == "ERROR") {
    out.what = watch_event::kind::failed;
  }
  out.object = std::move(event["object"]);
  out.version = version_of(out.object);
  return out;
}

std::string status_message(const json& status) {
  constexpr std::size_t bytes_max = 300;
  const auto message = text_field(status, "message");
  if (message.empty()) return {};
  std::string out = " (";
  for (const char c : cut_to_size(message, bytes_max))
    out.push_back(static_cast<unsigned char>(c) < ' ' || c == 0x7f ? '?' : c);
  return out + ")";
}

std::string status_message(std::string_view body) {
  return status_message(json::parse(body, nullptr, false));
}

}  // namespace argosy::kube
