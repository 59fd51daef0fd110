// SPDX-License-Identifier: Apache-2.0
// The settings of a program as a table: each field once, with path, documentation and rule, bound
// to the struct that holds its value. Reading, overriding, printing and documenting all use this
// table. A struct joins by a function `void describe(field_table&, T&)` beside it.
#pragma once

#include <chrono>
#include <concepts>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/settings/value.hpp"
#include "runtime/settings/yaml/document.hpp"
#include "runtime/settings/yaml/parse.hpp"

namespace argosy::settings {

/// Sentences with a place, one for each mistake.
using problem_list = std::vector<std::string>;

/// A field's value, whatever its type.
class binding {
 public:
  virtual ~binding() = default;
  virtual void read(const yaml::node& from, std::string_view path, problem_list& problems) = 0;
  /// The value as one line of YAML.
  [[nodiscard]] virtual std::string print() const = 0;
  /// The value as lines of block style, or empty if one line is enough.
  [[nodiscard]] virtual std::vector<std::string> block() const { return {}; }
  /// Texts are taken from the environment as they stand; everything else is read as YAML.
  [[nodiscard]] virtual bool takes_raw_text() const { return false; }
  [[nodiscard]] virtual complaint set_raw_text(std::string) { return std::nullopt; }
};

/// A time that the program waits, or after which it looks. With more of it nobody would live to see
/// the end, so that a larger one would switch off what the time is for without saying so.
inline constexpr std::chrono::hours longest_wait{24 * 30};

template <class T>
concept time_span = std::same_as<T, std::chrono::duration<typename T::rep, typename T::period>>;

/// A rule for a value. It returns a complaint such as "must be at least 1s", or nothing.
template <class T>
using rule = std::function<complaint(const T&)>;

struct field {
  /// The path, for example "cycle.minGap".
  std::string path;
  std::string doc;
  /// Null for a section.
  std::unique_ptr<binding> bound;
  /// Its default follows from scheduling.preset, so samples show it commented out.
  bool by_preset = false;
  /// A URL whose user part is left out when it is printed.
  bool secret_url = false;
};

class field_table {
 public:
  void section(std::string path, std::string doc);

  /// Times are at most longest_wait.
  template <class T>
  field& value(std::string path, T& target, std::string doc, rule<T> must = {});
  /// A time for which something is kept or may run, which may be as long as its user likes.
  template <time_span T>
  field& endless(std::string path, T& target, std::string doc, rule<T> must = {});

  /// A field whose value is read and printed in a way of its own.
  field& bound(std::string path, std::unique_ptr<binding> how, std::string doc);

  /// Reads a mapping; `origins`, if given, learns where each field was set.
  void read(const yaml::node& mapping, problem_list& problems,
            std::map<std::string, std::string>* origins = nullptr);

  /// Does the same for a mapping whose keys stand below `prefix`, "scheduling.".
  void read_below(const yaml::node& mapping, const std::string& prefix, problem_list& problems,
                  std::map<std::string, std::string>* origins);

  /// Sets one field from a text outside of files. Returns false if there is no such field.
  bool set(std::string_view path, std::string_view text, const std::string& origin,
           problem_list& problems);

  [[nodiscard]] const std::vector<field>& fields() const noexcept { return fields_; }
  [[nodiscard]] const field* find(std::string_view path) const noexcept;
  /// The value fields' paths.
  [[nodiscard]] std::vector<std::string_view> paths() const;

 private:
  void refuse_unknown(const yaml::node& key, const std::string& prefix,
                      problem_list& problems) const;

  std::vector<field> fields_;
};

/// A struct with a describe() function.
template <class T>
concept described = requires(field_table& table, T& value) {
  describe(table, value);
};

/// The fields of `value` that differ from a fresh T, as "name: text" lines.
template <described T>
std::vector<std::string> changed_lines(const T& value) {
  T copy = value;
  T fresh{};
  field_table table;
  field_table defaults;
  describe(table, copy);
  describe(defaults, fresh);
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < table.fields().size(); ++i) {
    const auto& item = table.fields()[i];
    if (item.bound && item.bound->print() != defaults.fields()[i].bound->print())
      lines.push_back(item.path + ": " + item.bound->print());
  }
  return lines;
}

namespace detail {

[[nodiscard]] std::string at_path(const yaml::node& where, std::string_view path,
                                  std::string_view problem);

template <class T>
class value_binding final : public binding {
 public:
  value_binding(T& target, rule<T> must) : target_(target), must_(std::move(must)) {}

  void read(const yaml::node& from, std::string_view path, problem_list& problems) override {
    T fresh = target_;
    auto wrong = read_value(from, fresh);
    if (!wrong && must_) wrong = must_(fresh);
    if (wrong)
      problems.push_back(at_path(from, path, *wrong));
    else
      target_ = std::move(fresh);
  }
  [[nodiscard]] std::string print() const override { return print_value(target_); }
  [[nodiscard]] bool takes_raw_text() const override { return std::is_same_v<T, std::string>; }
  [[nodiscard]] complaint set_raw_text(std::string text) override {
    if constexpr (std::is_same_v<T, std::string>) {
      if (auto wrong = must_ ? must_(text) : std::nullopt) return wrong;
      target_ = std::move(text);
    }
    return std::nullopt;
  }

 private:
  T& target_;
  rule<T> must_;
};

/// A list of structs.
template <described T>
class list_binding final : public binding {
 public:
  list_binding(std::vector<T>& target, rule<std::vector<T>> must)
      : target_(target), must_(std::move(must)) {}

  void read(const yaml::node& from, std::string_view path, problem_list& problems) override {
    const auto before = problems.size();
    std::vector<T> items;
    if (!from.is_sequence() && !from.is_null())
      problems.push_back(at_path(from, path, "must be a list of mappings"));
    for (const auto node : from.items()) {
      if (!node.is_mapping()) {
        problems.push_back(at_path(node, path, "each item must be a mapping"));
        continue;
      }
      items.emplace_back();
      field_table table;
      describe(table, items.back());
      table.read(node, problems);
    }
    if (problems.size() != before) return;
    if (const auto wrong = must_ ? must_(items) : std::nullopt)
      problems.push_back(at_path(from, path, *wrong));
    else
      target_ = std::move(items);
  }

  [[nodiscard]] std::string print() const override {
    std::string out = "[";
    for (const auto& item : target_) {
      out += out.size() > 1 ? ", {" : "{";
      bool first = true;
      for (const auto& line : changed_lines(item)) {
        out += (first ? "" : ", ") + line;
        first = false;
      }
      out += '}';
    }
    return out + ']';
  }

  [[nodiscard]] std::vector<std::string> block() const override {
    std::vector<std::string> lines;
    for (const auto& item : target_) {
      auto changed = changed_lines(item);
      if (changed.empty()) changed.emplace_back("{}");
      for (std::size_t i = 0; i < changed.size(); ++i)
        lines.push_back((i == 0 ? "- " : "  ") + changed[i]);
    }
    return lines;
  }

 private:
  std::vector<T>& target_;
  rule<std::vector<T>> must_;
};

template <class T>
struct binding_of {
  using type = value_binding<T>;
};
template <described T>
struct binding_of<std::vector<T>> {
  using type = list_binding<T>;
};

}  // namespace detail

template <time_span T>
field& field_table::endless(std::string path, T& target, std::string doc, rule<T> must) {
  fields_.push_back({std::move(path), std::move(doc),
                     std::make_unique<detail::value_binding<T>>(target, std::move(must)), false});
  return fields_.back();
}

template <class T>
field& field_table::value(std::string path, T& target, std::string doc, rule<T> must) {
  using bound = typename detail::binding_of<T>::type;
  if constexpr (time_span<T>)
    must = [own = std::move(must)](const T& time) -> complaint {
      if (auto wrong = own ? own(time) : std::nullopt) return wrong;
      if (time <= longest_wait) return std::nullopt;
      return "must be at most " + print_value(std::chrono::milliseconds{longest_wait});
    };
  fields_.push_back(
      {std::move(path), std::move(doc), std::make_unique<bound>(target, std::move(must)), false});
  return fields_.back();
}

/// Rules.
template <class T>
[[nodiscard]] rule<T> at_least(T lowest) {
  return [=](const T& value) -> complaint {
    if (value >= lowest) return std::nullopt;
    return "must be at least " + print_value(lowest);
  };
}

template <class T>
[[nodiscard]] rule<T> between(T lowest, T highest) {
  return [=](const T& value) -> complaint {
    if (value >= lowest && value <= highest) return std::nullopt;
    return "must be from " + print_value(lowest) + " to " + print_value(highest);
  };
}

}  // namespace argosy::settings
