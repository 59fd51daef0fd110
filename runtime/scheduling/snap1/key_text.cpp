// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/snap1/key_text.hpp"

#include <algorithm>

#include "runtime/scheduling/snap1/fields.hpp"
#include "runtime/scheduling/snap1/settings.hpp"

namespace argosy::scheduling::snap1 {

namespace {

template <class T>
result<key_value> as_value(result<T> read) {
  if (!read) return fail(std::move(read.error()));
  return key_value{std::move(*read)};
}

result<key_value> read_list(std::string_view text) {
  std::vector<std::string> list;
  if (text != "-")
    for (const auto part : split(text, ',')) list.emplace_back(part);
  return key_value{std::move(list)};
}

result<key_value> read_value(const key& which, std::string_view text) {
  switch (which.kind) {
    case key_kind::flag:
      return as_value(read_flag(text));
    case key_kind::whole:
      return as_value(read_whole(text, static_cast<std::uint64_t>(which.least), which.largest));
    case key_kind::duration:
      return as_value(read_whole<std::uint64_t>(text, which.least > 0 ? 1 : 0, which.largest));
    case key_kind::number:
    case key_kind::rate:
    case key_kind::burst:
      return as_value(read_decimal(text));
    case key_kind::text:
      return key_value{std::string(text == "-" ? "" : text)};
    case key_kind::choice:
      return key_value{std::string(text)};
    case key_kind::texts:
    case key_kind::choices:
      return read_list(text);
    case key_kind::fractions:
      return as_value(read_fractions(text));
    case key_kind::heading:
    case key_kind::structured:
      break;
  }
  return fail(ec::invalid_argument, "'" + std::string(which.path) + "' has no value");
}

/// Writes texts by plain(), which leaves the names of choices as they are.
struct value_writer {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::uint64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return decimal(value); }
  std::string operator()(const std::string& value) const { return plain(value); }
  std::string operator()(const fraction_list& value) const { return write_fractions(value); }
  std::string operator()(const std::vector<std::string>& value) const {
    std::string text;
    for (const auto& item : value) text.append(text.empty() ? "" : ",").append(plain(item));
    return text;
  }
};

}  // namespace

result<void> read_key(const key& which, std::string_view text, config& conf) {
  const auto value = read_value(which, text);
  if (!value) return fail(value.error());
  if (which.kind != key_kind::duration)
    if (auto ok = which.check(*value); !ok)
      return fail(ec::invalid_argument, std::string(which.path) + " " + ok.error().detail);
  return which.put(conf, *value);
}

std::string write_key(const key& which, const config& conf) {
  return std::visit(value_writer{}, which.get(conf));
}

}  // namespace argosy::scheduling::snap1
