// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/queue.hpp"
#include "runtime/base/text.hpp"
#include "runtime/model/alphanumeric.hpp"

namespace argosy::model {

namespace {

result<void> validate_size(std::string_view name, std::string_view what) {
  const std::string prefix{what};
  if (name.empty()) return fail(ec::invalid_argument, prefix + " is empty");
  if (name.size() > name_size_max)
    return fail(ec::invalid_argument, prefix + " '" + shown(name) + "' has " +
                                          std::to_string(name.size()) + " characters; at most " +
                                          std::to_string(name_size_max) + " are allowed");
  return {};
}

result<void> wrong_character(std::string_view name, std::string_view what, std::size_t at,
                             const char* allowed) {
  return fail(ec::invalid_argument, std::string{what} + " '" + shown(name) + "': character " +
                                        std::to_string(at + 1) + " is not one of " + allowed);
}

}  // namespace

result<void> validate_name(std::string_view name, std::string_view what) {
  if (auto ok = validate_size(name, what); !ok) return ok;
  std::size_t label_start = 0;
  for (std::size_t i = 0; i <= name.size(); ++i) {
    if (i < name.size() && name[i] != '.') {
      if (!is_alphanumeric(name[i]) && name[i] != '-')
        return wrong_character(name, what, i, "a-z, 0-9, '-' and '.'");
      continue;
    }
    const auto label = name.substr(label_start, i - label_start);
    if (label.empty() || label.size() > 63 || label.front() == '-' || label.back() == '-')
      return fail(ec::invalid_argument,
                  std::string{what} + " '" + shown(name) +
                      "': each part between dots has 1 to 63 characters and starts and ends with "
                      "a letter or digit");
    label_start = i + 1;
  }
  return {};
}

result<void> validate_queue_name(std::string_view name, std::string_view what) {
  if (auto ok = validate_size(name, what); !ok) return ok;
  constexpr std::string_view others = "-_.";
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool is_capital = name[i] >= 'A' && name[i] <= 'Z';
    if (is_alphanumeric(name[i]) || is_capital) continue;
    if (others.find(name[i]) == std::string_view::npos)
      return wrong_character(name, what, i, "A-Z, a-z, 0-9, '-', '_' and '.'");
    if (i == 0)
      return fail(ec::invalid_argument, std::string{what} + " '" + shown(name) +
                                            "' does not begin with a letter or digit");
  }
  return {};
}

result<void> validate_printable(std::string_view text, std::string_view what,
                                std::size_t size_max) {
  const std::string prefix{what};
  if (text.size() > size_max)
    return fail(ec::invalid_argument, prefix + " has " + std::to_string(text.size()) +
                                          " bytes; at most " + std::to_string(size_max) +
                                          " are allowed");
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool c1_control =
        c == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0;
    if (c < 0x20 || c == 0x7f || c1_control)
      return fail(ec::invalid_argument, prefix + " '" + shown(text) +
                                            "' has a control character at byte " +
                                            std::to_string(i + 1));
  }
  return {};
}

}  // namespace argosy::model
