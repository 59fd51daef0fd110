// SPDX-License-Identifier: Apache-2.0
#include "messages/submit_file/kind_file.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "messages/codec/api/queue_codec.hpp"
#include "messages/codec/api/retry_codec.hpp"
#include "messages/proto/api/submit.pb.h"
#include "messages/submit_file/encoder.hpp"
#include "messages/submit_file/job_file.hpp"
#include "runtime/settings/argosyd_settings.hpp"
#include "runtime/settings/reload/overrides.hpp"
#include "runtime/settings/yaml/parse.hpp"

namespace argosy::submit_file {

using yaml::fail_at;

namespace {

/// The error is the last of the problems; those before it are noted.
failure fail_all(settings::problem_list problems, mistake_list& mistakes) {
  auto last = std::move(problems.back());
  problems.pop_back();
  for (auto& problem : problems) mistakes.add({ec::invalid_argument, std::move(problem)});
  return fail(ec::invalid_argument, std::move(last));
}

/// A document as a table of settings that has the keys of all documents as well.
struct document_table {
  explicit document_table(settings::field_table& into) : table(into) {
    table.value("apiVersion", version, "");
    table.value("kind", kind, "");
  }
  void read(const yaml::node& root) { table.read(root, problems, &origins); }
  /// Adds what was set, but for what says nothing of the server.
  void put(declared_settings& out) const {
    for (const auto& [path, where] : origins)
      if (path != "apiVersion" && path != "kind" && path != "name")
        out.settings.push_back({path, table.find(path)->bound->print(), where});
  }

  settings::field_table& table;
  std::string version;
  std::string kind;
  settings::problem_list problems;
  std::map<std::string, std::string> origins;
};

}  // namespace

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

result<model::queue_settings> read_queue(const yaml::node& root, mistake_list* mistakes) {
  api::Queue queue;
  if (auto read = read_kind(root, "Queue", {}, queue, mistakes); !read) return fail(read.error());
  if (!root.find("priorityFactor")) queue.set_priority_factor(1);
  auto settings = codec::from_wire(queue);
  if (!settings) return fail_at(root, settings.error().detail);
  return settings;
}

result<std::vector<model::queue_settings>> read_queues(std::string_view text,
                                                       std::string file_name) {
  auto documents = yaml::parse_all(text, std::move(file_name));
  if (!documents) return fail(std::move(documents.error()));
  std::vector<model::queue_settings> queues;
  for (const auto& document : *documents) {
    if (document.root().is_null()) continue;
    auto queue = read_queue(document.root());
    if (!queue) return fail(std::move(queue.error()));
    queues.push_back(std::move(*queue));
  }
  return queues;
}

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

result<declared_settings> read_pool(const yaml::node& root, mistake_list& mistakes) {
  settings::pool_settings pool;
  settings::field_table table;
  document_table document{table};
  describe(table, pool);
  document.read(root);
  if (!root.find("name")) document.problems.push_back(root.where() + ": the pool needs a name");
  if (!document.problems.empty()) return fail_all(std::move(document.problems), mistakes);
  declared_settings out;
  out.name = pool.name;
  document.put(out);
  return out;
}

result<declared_settings> read_settings(const yaml::node& root, mistake_list& mistakes) {
  settings::argosyd_settings all;
  settings::field_table table;
  document_table document{table};
  describe(table, all);
  document.read(root);
  declared_settings out;
  out.name = "Settings";
  document.put(out);
  for (const auto& setting : out.settings)
    if (setting.name == "scheduling.pools")
      document.problems.push_back(setting.where + ": write a document of kind Pool for each pool");
    else if (const auto wrong = settings::wrong_name(setting.name))
      document.problems.push_back(setting.where + ": " + setting.name + ": " + *wrong);
  if (!document.problems.empty()) return fail_all(std::move(document.problems), mistakes);
  return out;
}

}  // namespace argosy::submit_file
