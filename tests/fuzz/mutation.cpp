// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/mutation.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>
#include <vector>

namespace argosy::fuzz {

namespace {

using namespace std::string_view_literals;

constexpr std::array odd_words{""sv,
                               "-1"sv,
                               "0"sv,
                               "18446744073709551616"sv,
                               "9223372036854775807"sv,
                               "-9223372036854775808"sv,
                               "1e999"sv,
                               "0.1"sv,
                               "NaN"sv,
                               "null"sv,
                               "true"sv,
                               "\xff"sv,
                               "\xc3\xa4"sv,
                               "\0"sv,
                               "\r\n"sv,
                               "[[[[[[[["sv,
                               "{{{{{{{{"sv,
                               "%00"sv,
                               "\\u0000"sv,
                               "\"\""sv,
                               "-"sv,
                               "*"sv,
                               "&a"sv,
                               "*a"sv,
                               "<<"sv,
                               "1Ei"sv,
                               "99999d"sv,
                               "2026-02-30T24:00:00Z"sv,
                               "../.."sv,
                               " "sv,
                               "\t"sv};

constexpr std::array<std::uint64_t, 12> odd_numbers{0,
                                                    1,
                                                    2,
                                                    127,
                                                    128,
                                                    0x7fffffff,
                                                    0x80000000,
                                                    0xffffffff,
                                                    0x100000000,
                                                    0x7fffffffffffffff,
                                                    0x8000000000000000,
                                                    0xffffffffffffffff};

/// Words, and every other sign alone.
std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> out;
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
           (static_cast<unsigned char>(c) & 0x80) != 0;
  };
  while (!text.empty()) {
    std::size_t size = 1;
    if (is_word(text.front()))
      while (size < text.size() && is_word(text[size])) ++size;
    else
      while (size < text.size() && text.front() == ' ' && text[size] == ' ') ++size;
    out.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return out;
}

struct field;
using message = std::vector<field>;

/// A field of a message as it stands in the bytes. Bytes that can be a message are one.
struct field {
  std::uint64_t tag = 0;  ///< The number and the type of the wire.
  std::uint64_t number = 0;
  std::string bytes{};
  message inside{};
};

std::optional<std::uint64_t> take_varint(std::string_view& from) {
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < from.size() && i < 10; ++i) {
    out |= static_cast<std::uint64_t>(from[i] & 0x7f) << (7 * i);
    if ((from[i] & 0x80) != 0) continue;
    from.remove_prefix(i + 1);
    return out;
  }
  return std::nullopt;
}

void put_varint(std::uint64_t value, std::string& to) {
  for (; value >= 0x80; value >>= 7) to.push_back(static_cast<char>(value | 0x80));
  to.push_back(static_cast<char>(value));
}

std::optional<message> take_message(std::string_view from, int depth) {
  message out;
  while (!from.empty()) {
    field next;
    const auto tag = take_varint(from);
    if (!tag || *tag >> 3 == 0 || *tag >> 3 > 20'000) return std::nullopt;
    next.tag = *tag;
    const auto type = *tag & 7;
    std::size_t size = type == 1 ? 8 : 4;
    if (type == 0 || type == 2) {
      const auto value = take_varint(from);
      if (!value) return std::nullopt;
      next.number = *value;
      size = type == 0 ? 0 : *value;
    } else if (type != 1 && type != 5) {
      return std::nullopt;
    }
    if (size > from.size()) return std::nullopt;
    next.bytes = from.substr(0, size);
    from.remove_prefix(size);
    if (type == 2 && depth < 12 && size > 1)
      if (auto inside = take_message(next.bytes, depth + 1)) next.inside = std::move(*inside);
    out.push_back(std::move(next));
  }
  return out;
}

std::string bytes_of(const message& from) {
  std::string out;
  for (const auto& each : from) {
    put_varint(each.tag, out);
    const auto type = each.tag & 7;
    if (type == 0) {
      put_varint(each.number, out);
    } else {
      const auto bytes = each.inside.empty() ? each.bytes : bytes_of(each.inside);
      if (type == 2) put_varint(bytes.size(), out);
      out += bytes;
    }
  }
  return out;
}

/// Each message in it, itself included.
void collect(message& in, std::vector<message*>& out) {
  out.push_back(&in);
  for (auto& each : in)
    if (!each.inside.empty()) collect(each.inside, out);
}

}  // namespace

std::string mutator::changed(std::string_view from, std::span<const std::string> others) {
  std::string out{from};
  for (std::size_t i = 0, count = 1 + below(1 + below(8)); i < count; ++i) {
    auto other = std::string_view{others[below(others.size())]};
    const auto kept = std::min(choice_bytes_, out.size());
    auto rest = out.substr(kept);
    other.remove_prefix(std::min(choice_bytes_, other.size()));
    change(rest, other);
    out.replace(kept, std::string::npos, rest);
    if (kept > 0 && below(50) == 0) out[below(kept)] = static_cast<char>(random_.next());
    if (out.size() > input_bytes_max) out.resize(input_bytes_max);
  }
  return out;
}

void mutator::change(std::string& input, std::string_view other) {
  if (what_ == form::bytes || below(8) == 0) return change_bytes(input, other);
  if (what_ == form::text) return change_text(input, other);
  change_message(input, other);
}

void mutator::change_bytes(std::string& input, std::string_view other) {
  const auto at = below(input.size() + 1);
  const auto size = std::min(below(1 + below(32)) + 1, input.size() - at);
  switch (below(7)) {
    case 0:
      if (at < input.size()) input[at] = static_cast<char>(random_.next());
      break;
    case 1:
      if (at < input.size()) input[at] = static_cast<char>(input[at] ^ (1 << below(8)));
      break;
    case 2:
      input.erase(at, size);
      break;
    case 3:
      input.insert(at, input.substr(at, size));
      break;
    case 4:
      input.insert(at, std::string(1 + below(8), static_cast<char>(random_.next())));
      break;
    case 5:
      if (!other.empty()) input.insert(at, other.substr(below(other.size()), 1 + below(64)));
      break;
    default: {
      const auto number = odd_numbers[below(odd_numbers.size())];
      for (std::size_t i = at; i < std::min(input.size(), at + (std::size_t{1} << below(4))); ++i)
        input[i] = static_cast<char>(number >> (8 * (i - at)));
    }
  }
}

void mutator::change_text(std::string& input, std::string_view other) {
  auto parts = parts_of(input);
  if (parts.empty()) return change_bytes(input, other);
  const auto theirs = parts_of(other);
  const auto at = below(parts.size());
  const auto begin = parts.begin() + static_cast<std::ptrdiff_t>(at);
  const auto count = std::min(1 + below(1 + below(12)), parts.size() - at);
  const auto end = begin + static_cast<std::ptrdiff_t>(count);
  // The text must outlive its parts.
  std::string number;
  switch (below(8)) {
    case 0:
      parts.erase(begin, end);
      break;
    case 1: {
      const std::vector<std::string_view> again{begin, end};
      parts.insert(begin, again.begin(), again.end());
      break;
    }
    case 2:
      std::swap(*begin, parts[below(parts.size())]);
      break;
    case 3:
      *begin = odd_words[below(odd_words.size())];
      break;
    case 4:
      parts.insert(begin, odd_words[below(odd_words.size())]);
      break;
    case 5:
      number = std::to_string(static_cast<std::int64_t>(odd_numbers[below(odd_numbers.size())]));
      *begin = number;
      break;
    default:
      if (theirs.empty()) return;
      const auto from = below(theirs.size());
      const auto many = std::min(1 + below(1 + below(12)), theirs.size() - from);
      const auto first = theirs.begin() + static_cast<std::ptrdiff_t>(from);
      const auto place = below(2) == 0 ? begin : parts.erase(begin);
      parts.insert(place, first, first + static_cast<std::ptrdiff_t>(many));
  }
  std::string out;
  for (const auto part : parts) out += part;
  input = std::move(out);
}

void mutator::change_message(std::string& input, std::string_view other) {
  auto whole = take_message(input, 0);
  if (!whole || whole->empty()) return change_bytes(input, other);
  std::vector<message*> lists;
  collect(*whole, lists);
  auto& list = *lists[below(lists.size())];
  const auto at = below(list.size());
  auto& one = list[at];
  switch (below(9)) {
    case 0:
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
      break;
    case 1:
      list.insert(list.begin() + static_cast<std::ptrdiff_t>(below(list.size() + 1)), field{one});
      break;
    case 2:
      std::swap(one, list[below(list.size())]);
      break;
    case 3:
      one.tag = (one.tag & 7) | ((1 + below(24)) << 3);
      break;
    case 4: {
      auto theirs = take_message(other, 0);
      if (!theirs || theirs->empty()) return;
      std::vector<message*> sources;
      collect(*theirs, sources);
      const auto& source = *sources[below(sources.size())];
      list.insert(list.begin() + static_cast<std::ptrdiff_t>(at), source[below(source.size())]);
      break;
    }
    default:
      if ((one.tag & 7) == 0) {
        one.number = below(2) == 0 ? odd_numbers[below(odd_numbers.size())] : below(64);
      } else if (one.inside.empty() || below(4) == 0) {
        one.inside.clear();
        if (below(2) == 0)
          change_text(one.bytes, other);
        else
          change_bytes(one.bytes, other);
        if ((one.tag & 7) != 2) one.bytes.resize((one.tag & 7) == 1 ? 8 : 4);
      }
  }
  input = bytes_of(*whole);
}

}  // namespace argosy::fuzz
