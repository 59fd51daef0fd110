// SPDX-License-Identifier: Apache-2.0
#include "messages/submit_file/kind_file.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "messages/submit_file/encoder.hpp"

namespace argosy::submit_file {

using yaml::fail_at;

result<void> read_kind(const yaml::node& root, std::string_view kind,
                       std::initializer_list<std::string_view> ignored,
                       google::protobuf::Message& out, mistake_list* mistakes) {
  const std::string name{kind};
  if (!root.is_mapping()) return fail_at(root, "expected a document with kind: " + name);
  const auto said = root.find("kind");
  if (!said) return fail_at(root, "no kind; add `kind: " + name + "`");
  if (said->text() != kind)
    return fail_at(*said, "kind '" + std::string{said->text().substr(0, 60)} + "' is not " + name +
                              ", which this command reads");
  const auto& plan = message_plan::of(out.GetDescriptor());
  encoder encoder{mistakes};
  const auto noted = mistakes == nullptr ? 0 : mistakes->size();
  std::optional<error> last;
  std::string bytes;
  for (const auto& [key, value] : root.entries()) {
    const auto text = key.text();
    if (text == "apiVersion" || text == "kind" || std::ranges::find(ignored, text) != ignored.end())
      continue;
    auto ok = encoder.encode_entry(key, value, plan, bytes);
    if (ok) continue;
    if (mistakes == nullptr) return ok;
    if (last) mistakes->add(*last);
    last = std::move(ok.error());
  }
  if (last) return fail(std::move(*last));
  if (mistakes != nullptr && mistakes->size() != noted) return fail(mistakes->latest());
  if (!out.ParseFromString(bytes)) return fail_at(root, "it holds invalid text");
  return {};
}

}  // namespace argosy::submit_file
