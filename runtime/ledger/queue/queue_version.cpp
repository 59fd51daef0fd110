// SPDX-License-Identifier: Apache-2.0
#include "runtime/ledger/queue/queue_version.hpp"

#include <xxhash.h>

#include <bit>
#include <cstdint>
#include <cstdio>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace argosy::ledger {

namespace {

/// Writes every value with its length, one after the other, so that different settings give
/// different texts.
class content {
 public:
  void add(const std::string& text) {
    add(std::uint64_t{text.size()});
    text_ += text;
  }
  void add(std::uint64_t number) { text_ += std::to_string(number) + ':'; }
  void add(bool value) { add(std::uint64_t{value}); }
  void add(double value) { add(std::bit_cast<std::uint64_t>(value)); }
  template <class First, class Second>
  void add(const std::pair<First, Second>& both) {
    add(both.first);
    add(both.second);
  }
  template <class Value>
  void add(const std::map<std::string, Value>& all) {
    add_all(all);
  }
  template <class Value>
  void add(const std::vector<Value>& all) {
    add_all(all);
  }
  void add(const model::queue_permission::subject& subject) {
    add(subject.kind);
    add(subject.name);
  }
  void add(const model::queue_permission& permission) {
    add(permission.subjects);
    add(permission.verbs);
  }
  void add(const model::queue_class_limit& limit) {
    add(limit.fraction);
    add(limit.fraction_by_pool);
  }

  [[nodiscard]] std::uint64_t hash() const { return XXH3_64bits(text_.data(), text_.size()); }

 private:
  template <class Range>
  void add_all(const Range& all) {
    add(std::uint64_t{all.size()});
    for (const auto& each : all) add(each);
  }

  std::string text_;
};

/// So many of the first fields count whatever they are, and the others where they are not empty,
/// so that a new field leaves the versions of queues without it as they were.
constexpr std::uint64_t always = 9;

}  // namespace

std::string version_of(const model::queue_settings& settings) {
  content all;
  std::uint64_t place = 0;
  const auto add = [&]<class Field>(const Field& field) {
    if (++place > always && field == Field{}) return;
    if (place > always + 1) all.add(place);
    all.add(field);
  };
  std::apply([&](const auto&... field) { (add(field), ...); }, settings.fields());
  char out[17];
  std::snprintf(out, sizeof out, "%016llx", static_cast<unsigned long long>(all.hash()));
  return out;
}

}  // namespace argosy::ledger
