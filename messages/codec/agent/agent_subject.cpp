// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/agent/agent_subject.hpp"

#include <algorithm>

namespace argosy::codec {

namespace {

constexpr std::string_view prefix = "argosy.agent.";

}  // namespace

std::string make_agent_subject(std::string_view cluster, std::string_view what) {
  std::string token{cluster};
  std::ranges::replace(token, '.', '_');
  return std::string{prefix} + token + "." + std::string{what};
}

std::string for_process(model::agent_process process, std::string_view what) {
  if (process.is_zero()) return std::string{what};
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out(16, '0');
  auto rest = process.value;
  for (auto at = out.rbegin(); at != out.rend(); ++at, rest >>= 4) *at = digits[rest & 15];
  return out + "." + std::string{what};
}

agent_subject parse_agent_subject(std::string_view subject) {
  if (!subject.starts_with(prefix)) return {};
  subject.remove_prefix(prefix.size());
  const auto dot = subject.find('.');
  if (dot == 0 || dot == std::string_view::npos) return {};
  agent_subject out{std::string{subject.substr(0, dot)}, std::string{subject.substr(dot + 1)}};
  std::ranges::replace(out.cluster, '_', '.');
  return out;
}

}  // namespace argosy::codec
