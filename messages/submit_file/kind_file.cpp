// SPDX-License-Identifier: Apache-2.0
#include "messages/submit_file/kind_file.hpp"

#include <algorithm>
#include <string>

#include "messages/submit_file/encoder.hpp"

namespace argosy::submit_file {

using yaml::fail_at;

result<void> read_kind(const yaml::node& root, std::string_view kind,
                       std::initializer_list<std::string_view> ignored,
                       google::protobuf::Message& out) {
  const std::string name{kind};
  if (!root.is_mapping()) return fail_at(root, "expected a document with kind: " + name);
  const auto said = root.find("kind");
  if (!said) return fail_at(root, "no kind; add `kind: " + name + "`");
  if (said->text() != kind)
    return fail_at(*said, "kind '" + std::string{said->text().substr(0, 60)} + "' is not " + name +
                              ", which this command reads");
  const auto& plan = message_plan::of(out.GetDescriptor());
  encoder encoder;
  std::string bytes;
  for (const auto& [key, value] : root.entries()) {
    const auto text = key.text();
    if (text == "apiVersion" || text == "kind" || std::ranges::find(ignored, text) != ignored.end())
      continue;
    if (auto ok = encoder.encode_entry(key, value, plan, bytes); !ok) return ok;
  }
  if (!out.ParseFromString(bytes)) return fail_at(root, "it holds invalid text");
  return {};
}

}  // namespace argosy::submit_file
