// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/oncall/redact.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace argosy::ctl {

namespace {

std::string lower(std::string_view text) {
  std::string out{text};
  std::ranges::transform(out, out.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

bool is_name_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
}

bool ends_value(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '"' || c == '\'' || c == ',' || c == '}' ||
         c == ']';
}

/// The end of the value without quotes that begins at `at`.
std::size_t value_end(std::string_view text, std::size_t at) {
  while (at < text.size() && !ends_value(text[at])) ++at;
  return at;
}

/// Copies a text and leaves out what is secret.
class redactor {
 public:
  explicit redactor(std::string_view text) : text_(text) {}

  std::string run() {
    while (at_ < text_.size())
      if (!url() && !scheme("Bearer ") && !scheme("Basic ") && !key() && !web_token() && !hash() &&
          !seed() && !named())
        out_ += text_[at_++];
    return std::move(out_);
  }

 private:
  bool at_word() const { return at_ == 0 || !is_name_char(text_[at_ - 1]); }

  void hide(std::size_t begin, std::size_t end) {
    out_.append(text_.substr(at_, begin - at_));
    out_.append(redaction);
    at_ = end;
  }

  /// "nats://user:password@host".
  bool url() {
    if (!text_.substr(at_).starts_with("://")) return false;
    const auto begin = at_ + 3;
    const auto end = std::min(text_.find_first_of("/ \n\t\"'", begin), text_.size());
    const auto sign = text_.substr(begin, end - begin).rfind('@');
    if (sign == std::string_view::npos) return false;
    hide(begin, begin + sign);
    return true;
  }

  bool scheme(std::string_view name) {
    if (!at_word() || lower(text_.substr(at_, name.size())) != lower(name)) return false;
    const auto begin = at_ + name.size();
    const auto end = value_end(text_, begin);
    if (end - begin < 8) return false;
    hide(begin, end);
    return true;
  }

  /// A private key as files have it.
  bool key() {
    if (!text_.substr(at_).starts_with("-----BEGIN ")) return false;
    constexpr std::string_view last = "-----END ";
    const auto end = text_.find(last, at_);
    const auto rest = end == std::string_view::npos ? end : text_.find('\n', end);
    hide(at_, std::min(rest, text_.size()));
    return true;
  }

  /// A token of three parts in base 64, of which the first is JSON.
  bool web_token() {
    if (!at_word() || !text_.substr(at_).starts_with("eyJ")) return false;
    const auto end = value_end(text_, at_);
    if (std::ranges::count(text_.substr(at_, end - at_), '.') != 2) return false;
    hide(at_, end);
    return true;
  }

  /// A hash of a password, "$NAME$PARAMETERS$...". Its parameters may have commas in them.
  bool hash() {
    if (text_[at_] != '$') return false;
    auto end = std::min(text_.find_first_of(" \n\t\"'}]", at_), text_.size());
    if (text_[end - 1] == ',') --end;
    if (std::ranges::count(text_.substr(at_, end - at_), '$') < 3) return false;
    hide(at_, end);
    return true;
  }

  /// The secret half of a key of NATS: S, a letter for its kind, and 56 characters in base 32.
  bool seed() {
    constexpr std::size_t seed_size = 58;
    if (!at_word() || text_[at_] != 'S' || at_ + seed_size > text_.size()) return false;
    const auto word = text_.substr(at_, seed_size);
    const bool fits = std::ranges::all_of(
        word, [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '2' && c <= '7'); });
    if (!fits || (at_ + seed_size < text_.size() && is_name_char(text_[at_ + seed_size])))
      return false;
    hide(at_, at_ + seed_size);
    return true;
  }

  /// A secret name, then ":" or "=" and its value, with quotes or without.
  bool named() {
    if (!at_word() || !is_name_char(text_[at_])) return false;
    auto end = at_;
    while (end < text_.size() && is_name_char(text_[end])) ++end;
    if (!is_secret_name(text_.substr(at_, end - at_))) {
      out_.append(text_.substr(at_, end - at_));
      at_ = end;
      return true;
    }
    auto value = skip("\\\"'", end);
    value = skip(" ", value);
    if (value >= text_.size() || (text_[value] != ':' && text_[value] != '=')) {
      out_.append(text_.substr(at_, end - at_));
      at_ = end;
      return true;
    }
    const auto separator = value;
    value = skip(" ", value + 1);
    // A quote in a string of JSON has a backslash before it, and so has the one that ends it.
    const auto quote = skip("\\", value);
    if (quote < text_.size() && (text_[quote] == '"' || text_[quote] == '\'')) {
      hide(quote + 1, end_of_quoted(quote + 1, text_[quote], quote > value));
      return true;
    }
    out_.append(text_.substr(at_, value - at_));
    at_ = value;
    if (value >= text_.size() || hash()) return true;
    if (text_[value] == '[' || text_[value] == '{')
      hide(value, end_of_brackets(value));
    else if (text_[separator] == ':' && value > separator + 1)
      hide(value, std::min(text_.find_first_of("\n\"',}]", value), text_.size()));
    else
      hide(value, value_end(text_, value));
    return true;
  }

  /// Behind the bracket that closes the one at `at`.
  [[nodiscard]] std::size_t end_of_brackets(std::size_t at) const {
    for (std::size_t depth = 0; at < text_.size(); ++at) {
      if (text_[at] == '[' || text_[at] == '{') ++depth;
      if ((text_[at] == ']' || text_[at] == '}') && --depth == 0) return at + 1;
    }
    return at;
  }

  [[nodiscard]] std::size_t skip(std::string_view these, std::size_t at) const {
    return std::min(text_.find_first_not_of(these, at), text_.size());
  }

  [[nodiscard]] std::size_t end_of_quoted(std::size_t at, char quote, bool escaped) const {
    while (at < text_.size() && text_[at] != quote) {
      if (text_[at] == '\\' && escaped && at + 1 < text_.size() && text_[at + 1] == quote) break;
      at += text_[at] == '\\' ? 2 : 1;
    }
    return std::min(at, text_.size());
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string out_;
};

}  // namespace

bool is_secret_name(std::string_view name) {
  constexpr std::array<std::string_view, 14> words{
      "password",   "passwd",    "secret",        "token",       "hash",
      "seed",       "apikey",    "credential",    "private_key", "privatekey",
      "signingkey", "accesskey", "encryptionkey", "api_key"};
  const auto small = lower(name);
  // The path of a file with a secret is none, and helps to find what is wrong.
  constexpr std::array<std::string_view, 4> harmless{"file", "path", "url", "expiry"};
  if (std::ranges::any_of(harmless, [&](std::string_view end) { return small.ends_with(end); }))
    return false;
  return std::ranges::any_of(
      words, [&](std::string_view word) { return small.find(word) != std::string::npos; });
}

std::string redacted(std::string_view text) {
  return redactor{text}.run();
}

}  // namespace argosy::ctl
