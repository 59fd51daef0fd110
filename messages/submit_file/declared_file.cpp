// SPDX-License-Identifier: Apache-2.0
#include "messages/submit_file/declared_file.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "messages/submit_file/kind_file.hpp"
#include "messages/submit_file/mistakes.hpp"
#include "runtime/base/suggest.hpp"
#include "runtime/settings/yaml/parse.hpp"

namespace argosy::submit_file {

namespace {

class declaration_reader {
 public:
  explicit declaration_reader(const std::string& file) : mistakes_(file) {}

  void read(const yaml::node& root) {
    const auto kind = root.find("kind");
    if (!kind) {
      const auto* const problem = root.is_mapping() ? "no kind; add `kind: Queue` or another one"
                                                    : "expected a document with kind: Queue";
      mistakes_.note(yaml::fail_at(root, problem));
    } else if (kind->text() == "Queue") {
      take("queue", root, read_queue(root, &mistakes_), [this](auto found, auto where) {
        out_.queues.push_back({std::move(found), std::move(where)});
      });
    } else if (kind->text() == "RetryPolicy") {
      take("retry policy", root, read_policy(root, &mistakes_), [this](auto found, auto where) {
        out_.policies.push_back({std::move(found), std::move(where)});
      });
    } else if (kind->text() == "Pool") {
      take("pool", root, read_pool(root, mistakes_), [this](auto found, auto where) {
        found.where = std::move(where);
        out_.pools.push_back(std::move(found));
      });
    } else if (kind->text() == "Settings") {
      take("document of kind", root, read_settings(root, mistakes_),
           [this](auto found, auto where) {
             found.where = std::move(where);
             out_.settings = std::move(found);
           });
    } else {
      const std::string name{kind->text().substr(0, 60)};
      const std::vector<std::string> kinds{"Queue", "RetryPolicy", "Pool", "Settings"};
      mistakes_.note(yaml::fail_at(*kind, "kind '" + name +
                                              "' is neither Queue nor RetryPolicy, Pool nor "
                                              "Settings" +
                                              did_you_mean(name, kinds)));
    }
  }

  [[nodiscard]] bool is_full() const { return mistakes_.full(); }

  result<declarations> done() {
    if (!mistakes_.empty()) return mistakes_.to_failure();
    return std::move(out_);
  }

 private:
  template <class Found, class Add>
  void take(const std::string& kind, const yaml::node& root, result<Found> found, Add add) {
    if (!found) {
      mistakes_.add(found.error());
      return;
    }
    const auto name = root.find("name");
    const auto where = (name ? *name : root).where();
    const auto [first, fresh] = seen_.try_emplace({kind, found->name}, where);
    if (fresh)
      add(std::move(*found), root.where());
    else
      mistakes_.add({ec::invalid_argument, where + ": the " + kind + " '" + found->name +
                                               "' stands at " + first->second + " already"});
  }

  mistake_list mistakes_;
  declarations out_;
  std::map<std::pair<std::string, std::string>, std::string> seen_;
};

}  // namespace

result<declarations> read_declarations(std::string_view text, std::string file_name) {
  const auto documents = yaml::parse_all(text, file_name);
  if (!documents) return fail(documents.error());
  declaration_reader reader{file_name};
  for (const auto& document : *documents)
    if (!document.root().is_null() && !reader.is_full()) reader.read(document.root());
  return reader.done();
}

}  // namespace argosy::submit_file
