// SPDX-License-Identifier: Apache-2.0
#include "runtime/settings/scheduling_keys.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

namespace argosy::settings {

namespace {

using scheduling::key;
using scheduling::key_kind;
using scheduling::key_value;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

/// A value of type T as the key's type, and back; limits are infinite where files say 0.
template <class T>
complaint read_as(const yaml::node& from, key_value& to) {
  T value{};
  if (auto wrong = read_value(from, value)) return wrong;
  if constexpr (std::is_same_v<T, milliseconds>)
    to = static_cast<std::uint64_t>(nanoseconds{value}.count());
  else if constexpr (std::is_same_v<T, std::uint32_t>)
    to = static_cast<double>(value);
  else
    to = std::move(value);
  return std::nullopt;
}

complaint read_choice(const yaml::node& from, const key& which, std::string& to) {
  std::size_t index = 0;
  auto wrong = read_name(from, which.names, index);
  if (!wrong) to = which.names[index];
  return wrong;
}

complaint read_choices(const yaml::node& from, const key& which, key_value& to) {
  if (!from.is_sequence()) return "must be a list";
  std::vector<std::string> list;
  for (const auto item : from.items())
    if (auto wrong = read_choice(item, which, list.emplace_back())) return wrong;
  to = std::move(list);
  return std::nullopt;
}

complaint read_key(const yaml::node& from, const key& which, key_value& to) {
  switch (which.kind) {
    case key_kind::flag:
      return read_as<bool>(from, to);
    case key_kind::whole:
      return read_as<std::uint64_t>(from, to);
    case key_kind::number:
    case key_kind::rate:
      return read_as<double>(from, to);
    case key_kind::burst:
      return read_as<std::uint32_t>(from, to);
    case key_kind::duration:
      return read_as<milliseconds>(from, to);
    case key_kind::text:
      return read_as<std::string>(from, to);
    case key_kind::texts:
      return read_as<std::vector<std::string>>(from, to);
    case key_kind::fractions:
      return read_as<number_list>(from, to);
    case key_kind::choice:
      return read_choice(from, which, to.emplace<std::string>());
    case key_kind::choices:
      return read_choices(from, which, to);
    case key_kind::heading:
    case key_kind::structured:
      break;
  }
  return "has no value";
}

bool is_limit(const key& which) {
  return which.kind == key_kind::rate || which.kind == key_kind::burst;
}

std::string print_key(const key& which, const scheduling::config& from) {
  const auto value = which.get(from);
  if (which.kind == key_kind::choice) return std::get<std::string>(value);
  if (which.kind == key_kind::duration)
    return print_value(
        std::chrono::duration_cast<milliseconds>(nanoseconds{std::get<std::uint64_t>(value)}));
  if (is_limit(which)) {
    const auto number = std::isinf(std::get<double>(value)) ? 0 : std::get<double>(value);
    return which.kind == key_kind::rate ? print_value(number)
                                        : print_value(static_cast<std::uint64_t>(number));
  }
  return std::visit([](const auto& any) { return print_value(any); }, value);
}

class key_binding final : public binding {
 public:
  key_binding(const key& which, scheduling::config& target) : key_(which), target_(target) {}

  void read(const yaml::node& from, std::string_view path, problem_list& problems) override {
    key_value value;
    auto wrong = read_key(from, key_, value);
    if (!wrong) wrong = set(std::move(value));
    if (wrong) problems.push_back(detail::at_path(from, path, *wrong));
  }
  [[nodiscard]] std::string print() const override { return print_key(key_, target_); }
  [[nodiscard]] bool takes_raw_text() const override { return key_.kind == key_kind::text; }
  [[nodiscard]] complaint set_raw_text(std::string text) override { return set(std::move(text)); }

 private:
  complaint set(key_value value) {
    if (auto ok = key_.check(value); !ok) return ok.error().detail;
    if (auto* limit = std::get_if<double>(&value); limit && is_limit(key_) && *limit == 0)
      *limit = std::numeric_limits<double>::infinity();
    if (auto ok = key_.put(target_, value); !ok) return ok.error().detail;
    return std::nullopt;
  }

  const key& key_;
  scheduling::config& target_;
};

class pool_key_binding final : public binding {
 public:
  pool_key_binding(const key& which, scheduling::config& target,
                   std::vector<std::string_view>& said)
      : all_(which, target), path_(which.path), said_(said) {}

  void read(const yaml::node& from, std::string_view path, problem_list& problems) override {
    std::erase(said_, path_);
    if (from.is_null()) return;
    const auto before = problems.size();
    all_.read(from, path, problems);
    if (problems.size() == before) said_.push_back(path_);
  }
  [[nodiscard]] std::string print() const override {
    return std::find(said_.begin(), said_.end(), path_) == said_.end() ? "null" : all_.print();
  }

 private:
  key_binding all_;
  std::string_view path_;
  std::vector<std::string_view>& said_;
};

}  // namespace

std::unique_ptr<binding> bind_key(const key& which, scheduling::config& target) {
  return std::make_unique<key_binding>(which, target);
}

std::unique_ptr<binding> bind_pool_key(const key& which, scheduling::config& target,
                                       std::vector<std::string_view>& said) {
  return std::make_unique<pool_key_binding>(which, target, said);
}

}  // namespace argosy::settings
