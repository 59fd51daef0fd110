// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/api/retry_codec.hpp"
#include "messages/submit_file/job_file.hpp"
#include "messages/submit_file/kind_file.hpp"
#include "runtime/settings/yaml/parse.hpp"

namespace argosy::submit_file {

result<std::vector<model::retry_policy>> read_policies(std::string_view text,
                                                       std::string file_name) {
  auto documents = yaml::parse_all(text, std::move(file_name));
  if (!documents) return fail(std::move(documents.error()));
  std::vector<model::retry_policy> out;
  for (const auto& document : *documents) {
    const auto& root = document.root();
    if (root.is_null()) continue;
    api::RetryPolicy message;
    if (auto read = read_kind(root, "RetryPolicy", {}, message); !read) return fail(read.error());
    auto policy = codec::from_wire(message);
    if (!policy) return yaml::fail_at(root, policy.error().detail);
    out.push_back(std::move(*policy));
  }
  return out;
}

}  // namespace argosy::submit_file
