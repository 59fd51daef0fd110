// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/quantity.hpp"

#include <array>
#include <charconv>
#include <optional>

#include "runtime/base/text.hpp"

namespace argosy::model {

namespace {

__extension__ typedef unsigned __int128 wide;

/// Ten to this power still fits into `wide`, so that so many digits can be collected exactly.
constexpr int digits_max = 38;

/// Beyond this the value cannot be in range, whatever the other parts are.
constexpr int exponent_max = 1000;

/// mantissa * 10^ten * 2^two.
struct scaled {
  wide mantissa = 0;
  int ten = 0;
  int two = 0;
};

enum class fault : std::uint8_t { syntax, digits, fraction, overflow };

failure refuse(std::string_view text, fault why, resource_unit unit, std::int64_t most) {
  std::string detail = "'" + shown(text) + "' ";
  switch (why) {
    case fault::syntax:
      detail += "is not a quantity; write for example 2, 500m, 64Mi or 1e3";
      break;
    case fault::digits:
      detail += "has more digits than any amount needs";
      break;
    case fault::fraction:
      detail += unit == resource_unit::milli  ? "is not a multiple of 1m; round it"
                : unit == resource_unit::byte ? "is not a whole number of bytes; round it"
                                              : "is not a whole number; round it";
      break;
    case fault::overflow:
      detail += "is too large; the largest amount is " + format_quantity(most, unit);
      break;
  }
  return fail(ec::invalid_argument, std::move(detail));
}

/// Reads the digits and the point; `rest` is what follows them.
std::optional<fault> read_number(std::string_view text, scaled& value, std::string_view& rest) {
  bool seen_digit = false;
  bool seen_point = false;
  int digits = 0;
  int zeros = 0;  // Read but not yet part of the mantissa, so that trailing ones cost no digits.
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '.') {
      if (seen_point) return fault::syntax;
      seen_point = true;
      continue;
    }
    if (c < '0' || c > '9') break;
    seen_digit = true;
    if (seen_point) --value.ten;
    if (c == '0') {
      if (digits > 0) ++zeros;
      continue;
    }
    digits += zeros + 1;
    if (digits > digits_max) return fault::digits;
    for (; zeros > 0; --zeros) value.mantissa *= 10;
    value.mantissa = value.mantissa * 10 + static_cast<unsigned>(c - '0');
  }
  if (!seen_digit) return fault::syntax;
  value.ten += zeros;
  rest = text.substr(at);
  return std::nullopt;
}

std::optional<fault> read_exponent(std::string_view text, scaled& value) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return fault::syntax;
  }
  int exponent = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), exponent);
  if (status == std::errc::invalid_argument || end != text.data() + text.size())
    return fault::syntax;
  if (status != std::errc{} || exponent > exponent_max || exponent < -exponent_max)
    exponent = text.starts_with('-') ? -exponent_max : exponent_max;
  value.ten += exponent;
  return std::nullopt;
}

std::optional<fault> read_suffix(std::string_view suffix, scaled& value) {
  static constexpr std::string_view decimal = "num kMGTPE";  // 10^-9 to 10^18; the blank is none.
  static constexpr std::string_view binary = "KMGTPE";       // 2^10 to 2^60
  if (suffix.empty()) return std::nullopt;
  if (suffix.size() == 1 && suffix[0] != ' ') {
    const auto at = decimal.find(suffix[0]);
    if (at == std::string_view::npos) return fault::syntax;
    value.ten += (static_cast<int>(at) - 3) * 3;
    return std::nullopt;
  }
  if (suffix.size() == 2 && suffix[1] == 'i') {
    const auto at = binary.find(suffix[0]);
    if (at == std::string_view::npos) return fault::syntax;
    value.two += (static_cast<int>(at) + 1) * 10;
    return std::nullopt;
  }
  if (suffix[0] == 'e' || suffix[0] == 'E') return read_exponent(suffix.substr(1), value);
  return fault::syntax;
}

/// Multiplies out. Division comes first and by the factors 5 and 2, so that nothing overflows on
/// the way to a value that fits.
std::optional<fault> multiply_out(scaled& value, wide most) {
  if (value.mantissa == 0) return std::nullopt;
  for (; value.ten < 0; ++value.ten) {
    if (value.mantissa % 5 != 0) return fault::fraction;
    value.mantissa /= 5;
    if (value.two > 0)
      --value.two;
    else if (value.mantissa % 2 == 0)
      value.mantissa /= 2;
    else
      return fault::fraction;
  }
  for (; value.ten > 0; --value.ten) {
    if (value.mantissa > most / 10) return fault::overflow;
    value.mantissa *= 10;
  }
  for (; value.two > 0; --value.two) {
    if (value.mantissa > most / 2) return fault::overflow;
    value.mantissa *= 2;
  }
  if (value.mantissa > most) return fault::overflow;
  return std::nullopt;
}

}  // namespace

resource_unit unit_of(std::string_view resource) noexcept {
  if (resource == "cpu") return resource_unit::milli;
  if (resource == "memory" || resource == "ephemeral-storage" || resource == "storage" ||
      resource.starts_with("hugepages-"))
    return resource_unit::byte;
  return resource_unit::piece;
}

double base_units(std::string_view resource) noexcept {
  return unit_of(resource) == resource_unit::milli ? 1e-3 : 1.0;
}

result<std::int64_t> parse_quantity(std::string_view text, resource_unit unit, std::int64_t most) {
  std::string_view number = text;
  const bool negative = number.starts_with('-');
  if (negative || number.starts_with('+')) number.remove_prefix(1);

  scaled value;
  std::string_view suffix;
  if (auto why = read_number(number, value, suffix)) return refuse(text, *why, unit, most);
  if (auto why = read_suffix(suffix, value)) return refuse(text, *why, unit, most);
  if (negative && value.mantissa != 0)
    return fail(ec::invalid_argument, "'" + shown(text) + "' is negative; an amount is 0 or more");
  if (unit == resource_unit::milli) value.ten += 3;
  if (auto why = multiply_out(value, static_cast<wide>(most)))
    return refuse(text, *why, unit, most);
  return static_cast<std::int64_t>(value.mantissa);
}

std::string format_quantity(std::int64_t amount, resource_unit unit) {
  if (unit == resource_unit::milli) {
    if (amount % 1000 == 0) return std::to_string(amount / 1000);
    return std::to_string(amount) + "m";
  }
  if (unit == resource_unit::byte && amount != 0) {
    static constexpr std::array<std::string_view, 7> suffixes{"",   "Ki", "Mi", "Gi",
                                                              "Ti", "Pi", "Ei"};
    std::size_t power = 0;
    for (; power + 1 < suffixes.size() && amount % 1024 == 0; ++power) amount /= 1024;
    return std::to_string(amount).append(suffixes[power]);
  }
  return std::to_string(amount);
}

namespace {

/// `count` / 10^decimals without zeros at the end.
std::string decimal(std::int64_t count, std::size_t decimals) {
  auto digits = std::to_string(count);
  if (digits.size() <= decimals) digits.insert(0, decimals + 1 - digits.size(), '0');
  digits.insert(digits.size() - decimals, ".");
  while (digits.back() == '0') digits.pop_back();
  if (digits.back() == '.') digits.pop_back();
  return digits;
}

std::string human_bytes(std::int64_t amount, rounding to) {
  static constexpr std::array<std::string_view, 6> names{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (amount < 1024) return std::to_string(amount) + (amount == 1 ? " byte" : " bytes");
  std::size_t power = 0;
  wide unit = 1024;
  for (; power + 1 < names.size() && static_cast<wide>(amount) / 1024 >= unit; ++power)
    unit *= 1024;
  const auto hundredths = (static_cast<wide>(amount) * 100 + (to == rounding::up ? unit - 1 : 0));
  return decimal(static_cast<std::int64_t>(hundredths / unit), 2).append(" ").append(names[power]);
}

}  // namespace

std::string human_amount(std::int64_t amount, resource_unit unit, rounding to) {
  switch (unit) {
    case resource_unit::milli:
      return decimal(amount, 3) + (amount == 1000 ? " core" : " cores");
    case resource_unit::byte:
      return human_bytes(amount, to);
    case resource_unit::piece:
      break;
  }
  return std::to_string(amount);
}

}  // namespace argosy::model
