// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/namespace_part.hpp"

#include <algorithm>
#include <cstdint>

#include "runtime/base/text.hpp"
#include "runtime/model/agent_run.hpp"

namespace argosy::model {

namespace {

constexpr char adding = '+';
constexpr char owning = '@';
constexpr char escaping = '%';
constexpr std::string_view hex_digits = "0123456789ABCDEF";

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '-' || c == ':' || c == owning;
}

std::string escaped_owner(std::string_view name) {
  std::string out;
  for (const auto c : name) {
    const auto code = static_cast<std::uint8_t>(c);
    if (is_plain(c))
      out += c;
    else
      (out += escaping).append({hex_digits[code >> 4U], hex_digits[code & 15U]});
  }
  return out;
}

std::string unescaped_owner(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != escaping || i + 2 >= text.size()) {
      out += text[i];
      continue;
    }
    const auto high = hex_digits.find(text[i + 1]);
    const auto low = hex_digits.find(text[i + 2]);
    out += static_cast<char>((high & 15U) << 4U | (low & 15U));
    i += 2;
  }
  return out;
}

/// What stands behind the namespace, "+services".
std::string_view behind_namespace(std::string_view part) noexcept {
  return part.substr(std::min(part.find(adding), part.size()));
}

}  // namespace

std::vector<std::string> parts_of(const std::string& name_space,
                                  const std::vector<std::string>& attached,
                                  std::string_view owner) {
  std::vector<std::string> out{name_space};
  for (const auto& each : attached) out.push_back(name_space + adding + each);
  if (owner.empty()) return out;
  const auto by = owning + escaped_owner(owner);
  out.push_back(name_space + adding + by);
  for (const auto& each : attached) out.push_back(name_space + adding + each + by);
  return out;
}

bool concerns(std::string_view part, std::string_view entry) noexcept {
  if (namespace_in(part) != namespace_in(entry)) return false;
  const auto wanted = behind_namespace(part);
  if (wanted.empty()) return true;
  for (auto rest = behind_namespace(entry); !rest.empty();) {
    const auto end = std::min(rest.find(adding, 1), rest.size());
    if (rest.substr(0, end) == wanted) return true;
    rest.remove_prefix(end);
  }
  return false;
}

std::string_view namespace_in(std::string_view part) noexcept {
  return part.substr(0, std::min(part.find(adding), part.size()));
}

std::string owner_in(std::string_view part) {
  const auto attribute = behind_namespace(part);
  const auto at = attribute.find(owning);
  return at == std::string_view::npos ? std::string{} : unescaped_owner(attribute.substr(at + 1));
}

std::string whose_jobs(std::string_view part) {
  auto attribute = behind_namespace(part);
  if (attribute.empty()) return {};
  attribute.remove_prefix(1);
  const auto at = attribute.find(owning);
  std::string out;
  if (at != std::string_view::npos) out = "of user " + shown(owner_in(part));
  const auto attached = attribute.substr(0, at);
  if (!attached.empty()) (out += out.empty() ? "with " : " with ") += attached;
  return out;
}

std::optional<std::string> part_refused(const std::string& category, const std::string& name_space,
                                        const std::vector<std::string>& attached,
                                        std::string_view owner) {
  const auto at = category.find('/');
  if (at == std::string::npos) return name_space;
  auto part = name_space + adding + category.substr(at + 1);
  if (part.ends_with(owning)) part += escaped_owner(owner);
  const auto own = parts_of(name_space, attached, owner);
  if (std::ranges::find(own, part) == own.end()) return {};
  return part;
}

std::string_view kind_of_refusal(std::string_view category) noexcept {
  return category.substr(0, std::min(category.find('/'), category.size()));
}

bool is_refused_to_all(std::string_view category) noexcept {
  const auto kind = kind_of_refusal(category);
  return kind == refusal_to_all::rights || kind == refusal_to_all::quota ||
         kind == refusal_to_all::name_space || kind == refusal_to_all::server;
}

bool is_refusal_of_run(std::string_view category) noexcept {
  return category == refusal_above_quota || category == refusal_by_admission;
}

}  // namespace argosy::model
