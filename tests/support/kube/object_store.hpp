// SPDX-License-Identifier: Apache-2.0
// The objects of a cluster of the tests with their versions, and what changed, for watches. It is
// used under the lock of its owner.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/kube/kube_request.hpp"

namespace argosy::testing {

class object_store {
 public:
  using json = nlohmann::json;
  using key = std::pair<std::string, std::string>;  ///< Namespace, or none, and name.
  using objects = std::map<key, json>;

  /// Namespace and name are those of its metadata. Returns the object as it is then.
  json& put(const std::string& kind, json object);
  /// Its status is set and told.
  void set_status(const std::string& kind, const key& at, json status);
  /// The object was changed in place, which is told.
  void touch(const std::string& kind, json& object) { note(kind, "MODIFIED", object); }
  void erase(const std::string& kind, const key& at);
  /// Null if there is none.
  [[nodiscard]] json* find(const std::string& kind, const key& at);
  [[nodiscard]] const objects& all(const std::string& kind) { return objects_[kind]; }
  [[nodiscard]] std::uint64_t version() const noexcept { return version_; }

  /// Whether labels and fields of an object are as the query has them.
  [[nodiscard]] static bool selects(const kube_request& query, const json& object);

  /// Calls `told` with the type and the object of each change after this version, in order.
  void since(std::uint64_t version, const std::string& kind,
             const std::function<void(const std::string&, const json&)>& told) const;
  /// Watches from a version before this one cannot be resumed.
  [[nodiscard]] std::uint64_t forgotten() const noexcept { return forgotten_; }
  void forget();

 private:
  struct event {
    std::uint64_t version;
    std::string kind;
    std::string type;
    json object;
  };

  void note(const std::string& kind, const std::string& type, json& object);

  std::map<std::string, objects> objects_;
  std::vector<event> history_;
  std::uint64_t version_ = 1;
  std::uint64_t forgotten_ = 0;
};

}  // namespace argosy::testing
