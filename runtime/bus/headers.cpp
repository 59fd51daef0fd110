// SPDX-License-Identifier: Apache-2.0
#include "runtime/bus/headers.hpp"

#include <algorithm>
#include <charconv>

#include "runtime/base/text.hpp"
#include "runtime/base/whole_number.hpp"

namespace argosy::bus {

namespace {

constexpr std::size_t detail_max = 16u << 10;
/// "NATS/1.0\r\n" and the empty line at the end.
constexpr std::size_t encoded_frame_bytes = 12;

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

/// Control characters, '%' and outer spaces (which a transport trims) as %XX.
std::string escape(std::string_view text) {
  static constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool outer_space = c == ' ' && (i == 0 || i + 1 == text.size());
    if (!is_control(c) && c != '%' && !outer_space) {
      out.push_back(c);
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out.push_back('%');
    out.push_back(digits[byte >> 4]);
    out.push_back(digits[byte & 0xf]);
  }
  return out;
}

std::string unescape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned byte = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(text.data() + i + 1, text.data() + i + 3, byte, 16).ptr ==
            text.data() + i + 3) {
      out.push_back(static_cast<char>(byte));
      i += 2;
    } else {
      out.push_back(text[i]);
    }
  }
  return out;
}

}  // namespace

void headers::set(std::string_view name, std::string_view value) {
  const auto found =
      std::ranges::find_if(items_, [&](const item& i) { return same_name(i.first, name); });
  if (found != items_.end())
    found->second = value;
  else
    items_.emplace_back(name, value);
}

void headers::set(std::string_view name, std::uint64_t value) {
  set(name, std::string_view{std::to_string(value)});
}

std::optional<std::string_view> headers::get(std::string_view name) const {
  for (const auto& [known, value] : items_)
    if (same_name(known, name)) return value;
  return std::nullopt;
}

std::optional<std::uint64_t> headers::get_number(std::string_view name) const {
  const auto text = get(name);
  return text ? whole_number<std::uint64_t>(*text) : std::nullopt;
}

void headers::erase(std::string_view name) {
  std::erase_if(items_, [&](const item& i) { return same_name(i.first, name); });
}

result<void> check_milliseconds(const headers& value, std::string_view name) {
  const auto said = value.get(name);
  if (!said || value.get_number(name)) return {};
  return fail(ec::invalid_argument, "header " + std::string{name} + " is '" +
                                        std::string{said->substr(0, 40)} +
                                        "', which is no number of milliseconds");
}

result<void> validate(const headers& value) {
  for (const auto& [name, text] : value) {
    const bool good_name = !name.empty() && std::ranges::all_of(name, [](char c) {
      return c > ' ' && c < 0x7f && c != ':';
    });
    if (!good_name)
      return fail(ec::invalid_argument,
                  "the header name '" + escape(name) + "' must be visible ASCII without ':'");
    if (std::ranges::any_of(text, is_control))
      return fail(ec::invalid_argument,
                  "the value of header '" + name + "' holds a control character");
  }
  return {};
}

std::size_t encoded_size(const headers& value) noexcept {
  if (value.empty()) return 0;
  std::size_t out = encoded_frame_bytes;
  for (const auto& [name, text] : value) out += name.size() + text.size() + 4;
  return out;
}

void set_text(headers& target, std::string_view name, std::string_view text) {
  target.set(name, escape(cut_to_size(text, detail_max)));
}

std::optional<std::string> get_text(const headers& source, std::string_view name) {
  const auto text = source.get(name);
  if (!text) return std::nullopt;
  return unescape(*text);
}

void set_error(headers& target, const error& err) {
  target.set(header::status, to_string(err.code));
  set_text(target, header::detail, err.detail);
}

std::optional<error> get_error(const headers& source) {
  const auto code = source.get(header::status);
  if (!code) return std::nullopt;
  return error{parse_ec(*code), get_text(source, header::detail).value_or("")};
}

}  // namespace argosy::bus
