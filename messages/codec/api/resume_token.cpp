// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/api/resume_token.hpp"

#include "runtime/base/whole_number.hpp"

namespace argosy::codec {

namespace {

constexpr std::size_t claim_digits = 16;

/// The name of a method without its service, under which one list may have two names.
std::string_view list_of(std::string_view method) {
  return method.substr(method.find('.') + 1);
}

}  // namespace

std::string claim_text(std::uint64_t claim) {
  std::string digits(claim_digits, '0');
  for (auto at = digits.rbegin(); claim != 0; ++at, claim >>= 4)
    *at = "0123456789abcdef"[claim & 0xF];
  return digits;
}

std::optional<std::uint64_t> parse_claim(std::string_view text) {
  return text.size() == claim_digits ? whole_number<std::uint64_t>(text, 16) : std::nullopt;
}

std::string to_text(const model::log_place& place) {
  return to_string(place.position) + "-" + claim_text(place.claim);
}

std::optional<model::log_place> parse_log_place(std::string_view text) {
  const auto dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto position = whole_number<std::uint64_t>(text.substr(0, dash));
  const auto claim = parse_claim(text.substr(dash + 1));
  if (!position || !claim) return std::nullopt;
  return model::log_place{{*position}, *claim};
}

error of_another_history(std::string_view what) {
  return {ec::conflict,
          std::string{what} +
              " belongs to a history that this server does not have, for example since a backup "
              "was put back: read again from the beginning"};
}

error without_mark(std::string_view what) {
  return {ec::conflict,
          std::string{what} +
              " came without the `mark` of the answer that told it, so that it may belong to a "
              "history that this server does not have: read again from the beginning"};
}

std::string marked_cursor(const std::string& own, std::string_view method,
                          const model::log_place& now) {
  if (own.empty()) return own;
  return to_text(now).append("/").append(list_of(method)).append("/").append(own);
}

result<std::string> own_cursor(const std::string& marked, std::string_view method,
                               const model::lineage& history, model::log_position now) {
  const auto slash = marked.find('/');
  const auto place =
      slash == std::string::npos ? std::nullopt : parse_log_place({marked.data(), slash});
  if (!place)
    return fail(ec::invalid_argument,
                "'" + marked.substr(0, 60) + "' is no cursor, which only the answer before gives");
  const auto end = marked.find('/', slash + 1);
  if (end == std::string::npos || marked.substr(slash + 1, end - slash - 1) != list_of(method))
    return fail(ec::invalid_argument, "the cursor '" + marked.substr(0, 60) +
                                          "' is not from an answer of " + std::string{method});
  if (place->position > now || !history.has(*place)) return fail(of_another_history("the cursor"));
  return marked.substr(end + 1);
}

}  // namespace argosy::codec
