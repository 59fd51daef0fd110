// SPDX-License-Identifier: Apache-2.0
// The functions for every kind of key: names, limits, presets.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "runtime/scheduling/keys.hpp"
#include "runtime/scheduling/keys/binding.hpp"

namespace argosy::scheduling {

namespace {

failure wrong(std::string what) {
  return fail(ec::invalid_argument, std::move(what));
}

std::string listed(std::span<const std::string_view> names) {
  std::string text;
  for (const auto name : names) text.append(text.empty() ? "" : ", ").append(name);
  return text;
}

/// The text of a number, for example "1.0"; a duration, given in nanoseconds, becomes for example
/// "20m".
std::string number_text(const key& self, double number) {
  if (self.kind == key_kind::duration) {
    constexpr std::array<std::pair<std::string_view, double>, 4> units{
        {{"h", 3600e9}, {"m", 60e9}, {"s", 1e9}, {"ms", 1e6}}};
    for (const auto& [name, size] : units)
      if (number >= size && std::fmod(number, size) == 0)
        return std::to_string(static_cast<std::uint64_t>(number / size)).append(name);
    return std::to_string(static_cast<std::uint64_t>(number)) + "ns";
  }
  std::array<char, 32> buffer{};
  std::string text{buffer.data(),
                   std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr};
  const auto whole = self.kind == key_kind::whole || self.kind == key_kind::burst;
  if (!whole && text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

result<void> check_number(const key& self, double number) {
  if (number >= self.least && number <= self.most) return {};
  if (std::isinf(self.most)) return wrong("must be at least " + number_text(self, self.least));
  return wrong("must be from " + number_text(self, self.least) + " to " +
               number_text(self, self.most));
}

result<void> check_names(const key& self, const std::vector<std::string>& list) {
  if (self.kind != key_kind::choices) return {};
  if (static_cast<double>(list.size()) < self.least) return wrong("must name at least one key");
  for (auto one = list.begin(); one != list.end(); ++one)
    if (std::find(list.begin(), one, *one) != one) return wrong("names '" + *one + "' twice");
  return {};
}

}  // namespace

result<void> key::check(const key_value& value) const {
  if (const auto* number = std::get_if<double>(&value)) return check_number(*this, *number);
  if (const auto* number = std::get_if<std::uint64_t>(&value)) {
    if (*number > largest)
      return wrong("must be from " + number_text(*this, least) + " to " + std::to_string(largest));
    return check_number(*this, static_cast<double>(*number));
  }
  if (const auto* list = std::get_if<std::vector<std::string>>(&value))
    return check_names(*this, *list);
  if (const auto* text = std::get_if<std::string>(&value))
    if (static_cast<double>(text->size()) < least) return wrong("must not be empty");
  if (const auto* list = std::get_if<fraction_list>(&value))
    for (const auto& [name, number] : *list)
      if (auto ok = check_number(*this, number); !ok)
        return wrong("'" + name + "' " + ok.error().detail);
  return {};
}

const key* find_key(std::string_view path) {
  const auto all = all_keys();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const key& one) { return one.path == path; });
  return found == all.end() ? nullptr : &*found;
}

bool follows_preset(const key& which) {
  if (!which.has_value() || which.path == "preset") return false;
  const auto usual = which.get(default_config());
  for (std::size_t i = 0; i < preset_names().size(); ++i)
    if (which.get(default_config(static_cast<preset>(i))) != usual) return true;
  return false;
}

result<void> check_keys(const config& conf) {
  for (const auto& one : all_keys()) {
    if (!one.has_value()) continue;
    auto limits = one;
    if (one.kind == key_kind::duration) limits.least = std::min(one.least, 1.0);
    if (auto ok = limits.check(one.get(conf)); !ok)
      return wrong("scheduling." + std::string(one.path) + " " + ok.error().detail);
  }
  return {};
}

namespace keys {

result<std::size_t> index_of(const key& self, const std::string& name) {
  const auto found = std::find(self.names.begin(), self.names.end(), name);
  if (found == self.names.end()) return wrong("'" + name + "' is none of " + listed(self.names));
  return static_cast<std::size_t>(found - self.names.begin());
}

key_value read_order(const key& self, bool whole) {
  const auto shown = self.names.subspan(whole ? 0 : 1);
  return std::vector<std::string>{shown.begin(), shown.end()};
}

result<bool> write_order(const key& self, const key_value& value) {
  for (const auto whole : {true, false})
    if (value == read_order(self, whole)) return whole;
  return wrong("must be [" + listed(self.names) + "] or [" + listed(self.names.subspan(1)) + "]");
}

}  // namespace keys

}  // namespace argosy::scheduling
