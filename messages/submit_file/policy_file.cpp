// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/api/retry_codec.hpp"
#include "messages/submit_file/job_file.hpp"
#include "messages/submit_file/kind_file.hpp"
#include "runtime/settings/yaml/parse.hpp"

namespace argosy::submit_file {

result<model::retry_policy> read_policy(const yaml::node& root, mistake_list* mistakes) {
  api::RetryPolicy message;
  if (auto read = read_kind(root, "RetryPolicy", {}, message, mistakes); !read)
    return fail(read.error());
  auto policy = codec::from_wire(message);
  if (!policy) return yaml::fail_at(root, policy.error().detail);
  return policy;
}

result<std::vector<model::retry_policy>> read_policies(std::string_view text,
                                                       std::string file_name) {
  auto documents = yaml::parse_all(text, std::move(file_name));
  if (!documents) return fail(std::move(documents.error()));
  std::vector<model::retry_policy> out;
  for (const auto& document : *documents) {
    if (document.root().is_null()) continue;
    auto policy = read_policy(document.root());
    if (!policy) return fail(policy.error());
    out.push_back(std::move(*policy));
  }
  return out;
}

}  // namespace argosy::submit_file
