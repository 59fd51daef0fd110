// SPDX-License-Identifier: Apache-2.0
#include "runtime/trace/caf/message_name.hpp"

#include <cxxabi.h>

#include <array>
#include <caf/atom.hpp>
#include <caf/type_nr.hpp>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <typeinfo>

namespace argosy::trace {

namespace {

enum class key_kind : std::uint8_t { none, empty, atom, builtin, custom };

struct message_key {
  key_kind kind = key_kind::none;
  bool response = false;
  std::uint64_t value = 0;

  friend bool operator==(const message_key&, const message_key&) = default;
};

message_key key_of(const caf::mailbox_element& element) {
  const auto& content = element.content();
  const auto response = element.mid.is_response();
  if (content.size() == 0) return {key_kind::empty, response, 0};
  const auto [number, info] = content.type(0);
  if (number == caf::type_nr<caf::atom_value>::value)
    return {key_kind::atom, response,
            static_cast<std::uint64_t>(content.get_as<caf::atom_value>(0))};
  if (number != 0) return {key_kind::builtin, response, number};
  return {key_kind::custom, response, reinterpret_cast<std::uintptr_t>(info)};
}

void remove_all(std::string& text, std::string_view what) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at))
    text.erase(at, what.size());
}

/// "std::shared_ptr<argosy::plan const>" becomes "plan". A handle is an "actor": its name lists all
/// messages of its interface and of those named there, more than the demangler can take.
std::string short_type_name(const std::type_info& info) {
  if (std::string_view{info.name()}.starts_with("N3caf11typed_actor")) return "actor";
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> demangled{
      abi::__cxa_demangle(info.name(), nullptr, nullptr, &status), &std::free};
  const std::string_view full = status == 0 ? demangled.get() : info.name();
  std::string text;
  std::size_t word = 0;
  for (std::size_t i = 0; i < full.size(); ++i) {
    if (full.substr(i, 2) == "::") {
      text.resize(word);
      ++i;
      continue;
    }
    text += full[i];
    if (std::isalnum(static_cast<unsigned char>(full[i])) == 0 && full[i] != '_')
      word = text.size();
  }
  remove_all(text, " const");
  constexpr std::string_view pointer = "shared_ptr<";
  if (text.starts_with(pointer) && text.ends_with('>'))
    text = text.substr(pointer.size(), text.size() - pointer.size() - 1);
  return text;
}

std::string describe(const message_key& key, const caf::mailbox_element& element) {
  std::string text = key.response ? "reply " : "";
  switch (key.kind) {
    case key_kind::atom:
      return text + caf::to_string(static_cast<caf::atom_value>(key.value));
    case key_kind::builtin: {
      const std::string_view name = caf::numbered_type_names[key.value - 1];
      return text.append(name.substr(name.starts_with('@') ? 1 : 0));
    }
    case key_kind::custom:
      return text + short_type_name(*element.content().type(0).second);
    case key_kind::none:
    case key_kind::empty:
      break;
  }
  return text + "done";
}

struct cache_entry {
  message_key key;
  name_id name = 0;
};

constexpr std::size_t cache_size = 256;

constinit thread_local std::array<cache_entry, cache_size> cache{};

}  // namespace

name_id message_name(const caf::mailbox_element& element) {
  const auto key = key_of(element);
  const auto hash =
      (key.value + static_cast<std::uint64_t>(key.kind) * 2 + (key.response ? 1 : 0)) *
      0x9e3779b97f4a7c15ULL;
  auto& entry = cache[hash >> 56];
  if (!(entry.key == key)) entry = {key, intern(describe(key, element))};
  return entry.name;
}

}  // namespace argosy::trace
