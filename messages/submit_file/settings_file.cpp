// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <string>
#include <utility>

#include "messages/submit_file/kind_file.hpp"
#include "runtime/settings/argosyd_settings.hpp"
#include "runtime/settings/reload/overrides.hpp"

namespace argosy::submit_file {

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
