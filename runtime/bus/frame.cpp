// SPDX-License-Identifier: Apache-2.0
#include "runtime/bus/frame.hpp"

namespace argosy::bus {

namespace {

constexpr std::size_t subject_max = 1024;

/// Takes the first token off the rest.
std::string_view next_token(std::string_view& rest) {
  const auto dot = rest.find('.');
  const auto token = rest.substr(0, dot);
  rest = dot == std::string_view::npos ? std::string_view{} : rest.substr(dot + 1);
  return token;
}

bool good_token(std::string_view token, bool wildcards, bool last) {
  if (token.empty()) return false;
  if (wildcards && (token == "*" || (last && token == ">"))) return true;
  for (const char c : token)
    if (c <= ' ' || c >= 0x7f || c == '*' || c == '>') return false;
  return true;
}

result<void> check(std::string_view text, bool wildcards) {
  const std::string what = wildcards ? "subject pattern" : "subject";
  if (text.size() > subject_max)
    return fail(ec::invalid_argument, "a " + what + " of " + std::to_string(text.size()) +
                                          " bytes is over the limit of " +
                                          std::to_string(subject_max));
  bool good = !text.empty() && text.back() != '.';
  auto rest = text;
  while (good && !rest.empty()) {
    const auto token = next_token(rest);
    good = good_token(token, wildcards, rest.empty());
  }
  if (good) return {};
  return fail(ec::invalid_argument, "'" + std::string{text} + "' is not a " + what +
                                        ": tokens of visible ASCII joined by dots are");
}

}  // namespace

result<void> validate_subject(std::string_view subject) {
  return check(subject, false);
}

result<void> validate_pattern(std::string_view pattern) {
  return check(pattern, true);
}

bool matches(std::string_view pattern, std::string_view subject) noexcept {
  while (!pattern.empty() && !subject.empty()) {
    const auto want = next_token(pattern);
    if (want == ">") return true;
    if (const auto have = next_token(subject); want != "*" && want != have) return false;
  }
  return pattern.empty() && subject.empty();
}

std::string stream_key(const frame& arrived) {
  return arrived.subject + " " + std::string{arrived.headers.get(header::stream_id).value_or("")};
}

bool is_inbox(std::string_view subject) noexcept {
  return subject.starts_with("_INBOX") || subject.starts_with("_R_.");
}

}  // namespace argosy::bus
