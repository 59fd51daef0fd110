// SPDX-License-Identifier: Apache-2.0
#include "runtime/health/front/request_head.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <utility>

namespace argosy::health {

namespace {

using framing = request_head::framing;

constexpr std::string_view token_marks = "!#$%&'*+-.^_`|~";

bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return (c < 0x80 && std::isalnum(c) != 0) ||
           token_marks.find(static_cast<char>(c)) != token_marks.npos;
  });
}

/// Whether it has no control character; a tab counts as one unless `tabs`.
bool is_plain(std::string_view text, bool tabs) {
  return std::ranges::all_of(
      text, [&](unsigned char c) { return (c >= ' ' && c != 0x7f) || (tabs && c == '\t'); });
}

std::string lower(std::string_view text) {
  std::string out{text};
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") + 1 - first);
}

/// Takes the next line out of `rest`, without its end.
std::string_view take_line(std::string_view& rest) {
  const auto end = rest.find("\r\n");
  const auto out = rest.substr(0, end);
  rest.remove_prefix(end + 2);
  return out;
}

/// The library would tell a client to send his body before it is known who he is, so that the
/// stream does it when the body is read. It would look for ranges with megabytes of stack, and
/// write each of thousands into memory, also those of the same bytes; a server may send the whole.
bool is_for_the_front_alone(std::string_view name) {
  return name == "expect" || name == "range";
}

/// The library keeps each parameter of a query, of which two bytes may be one, in 112 bytes for as
/// long as the request is served.
constexpr std::ptrdiff_t parameters_max = 256;

/// The headers that say how to read a request, or who sends it to whom.
struct headers {
  std::string text;  ///< All lines that the library may see.
  std::optional<std::string> length;
  std::optional<std::string> coding;
  std::optional<std::string> host;
  std::optional<std::string> expect;
  std::optional<std::string> origin;
  std::optional<std::string> authorization;
  std::string connection;

  /// Null for a header of which there may be many.
  std::optional<std::string>* only(const std::string& name) {
    const std::array<std::pair<std::string_view, std::optional<std::string>*>, 6> all{
        {{"content-length", &length},
         {"transfer-encoding", &coding},
         {"host", &host},
         {"expect", &expect},
         {"origin", &origin},
         {"authorization", &authorization}}};
    const auto* const found =
        std::ranges::find(all, name, [](const auto& one) { return one.first; });
    return found == all.end() ? nullptr : found->second;
  }
};

std::optional<head_refusal> read_header(std::string_view line, headers& to) {
  if (line.front() == ' ' || line.front() == '\t')
    return head_refusal{400, "a header may not go on in the next line"};
  const auto colon = line.find(':');
  if (colon == line.npos || !is_token(line.substr(0, colon)))
    return head_refusal{400, "a header is written as Name: value"};
  const auto value = trimmed(line.substr(colon + 1));
  if (!is_plain(value, true)) return head_refusal{400, "a header may not have control characters"};
  const auto name = lower(line.substr(0, colon));
  if (name == "connection") to.connection += lower(value) + ',';
  if (auto* const one = to.only(name)) {
    if (*one) return head_refusal{400, "the header " + name + " may be there only once"};
    *one = value;
  }
  if (!is_for_the_front_alone(name)) to.text.append(line).append("\r\n");
  return std::nullopt;
}

std::optional<head_refusal> read_framing(const headers& from, bool old, request_head& to) {
  if (from.coding) {
    if (from.length)
      return head_refusal{400, "a body has either Content-Length or Transfer-Encoding"};
    if (old) return head_refusal{400, "HTTP/1.0 has no Transfer-Encoding"};
    if (lower(*from.coding) != "chunked")
      return head_refusal{501, "of Transfer-Encoding only chunked is known here"};
    to.body = framing::chunked;
  } else if (from.length) {
    const auto& text = *from.length;
    const auto* const end = text.data() + text.size();
    const auto [stop, code] = std::from_chars(text.data(), end, to.length);
    if (text.empty() || code != std::errc{} || stop != end)
      return head_refusal{400, "Content-Length is a number of bytes"};
    if (to.length > 0) to.body = framing::sized;
  }
  return std::nullopt;
}

bool has_word(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const auto end = std::min(list.find(','), list.size() - 1);
    if (trimmed(list.substr(0, end)) == word) return true;
    list.remove_prefix(end + 1);
  }
  return false;
}

head_reader::outcome read_whole(std::string_view head) {
  request_head out;
  out.bytes = head.size();
  const auto line = take_line(head);
  const auto first = line.find(' ');
  const auto last = line.rfind(' ');
  if (first == line.npos || first == last)
    return head_refusal{400, "this is no request of HTTP/1.1"};
  const auto version = line.substr(last + 1);
  out.method = line.substr(0, first);
  out.target = line.substr(first + 1, last - first - 1);
  if (!version.starts_with("HTTP/") || !is_token(out.method))
    return head_refusal{400, "this is no request of HTTP/1.1"};
  if (version != "HTTP/1.1" && version != "HTTP/1.0")
    return head_refusal{505, "this server speaks HTTP/1.1"};
  if (out.target.empty() || !is_plain(out.target, false) ||
      out.target.find(' ') != std::string::npos || (out.target.front() != '/' && out.target != "*"))
    return head_refusal{400, "what is asked for begins with / and has no spaces"};
  if (std::ranges::count(out.target, '&') >= parameters_max)
    return head_refusal{414, "a request may have 256 parameters"};
  headers got;
  got.text.reserve(out.bytes);
  got.text.append(line).append("\r\n");
  for (auto each = take_line(head); !each.empty(); each = take_line(head))
    if (auto why = read_header(each, got)) return std::move(*why);
  const bool old = version == "HTTP/1.0";
  if (!got.host && !old) return head_refusal{400, "the header Host is missing"};
  out.text = std::move(got.text) + "\r\n";
  out.host = got.host.value_or("");
  if (auto why = read_framing(got, old, out)) return std::move(*why);
  if (got.expect && lower(*got.expect) != "100-continue")
    return head_refusal{417, "of Expect only 100-continue is known here"};
  out.waits = got.expect.has_value() && out.body != framing::none;
  out.closes =
      has_word(got.connection, "close") || (old && !has_word(got.connection, "keep-alive"));
  return out;
}

}  // namespace

head_reader::outcome head_reader::look(std::string_view arrived) {
  for (; seen_ < arrived.size(); ++seen_) {
    const char c = arrived[seen_];
    if (c == '\0') return head_refusal{400, "a head of HTTP/1.1 has no zero bytes"};
    if (seen_ - line_ >= bounds_.line_max)
      return lines_ == 0 ? head_refusal{414, "the first line of the request is too long"}
                         : head_refusal{431, "a header is too long"};
    if (seen_ >= bounds_.bytes_max) return head_refusal{431, "the headers are too long"};
    if (c != '\n') {
      if (seen_ > 0 && arrived[seen_ - 1] == '\r')
        return head_refusal{400, "a line of HTTP/1.1 ends with CR and LF"};
      continue;
    }
    if (seen_ == 0 || arrived[seen_ - 1] != '\r')
      return head_refusal{400, "a line of HTTP/1.1 ends with CR and LF"};
    const bool is_empty = seen_ - line_ == 1;
    line_ = seen_ + 1;
    if (is_empty) {
      if (lines_ == 0) return head_refusal{400, "this is no request of HTTP/1.1"};
      return read_whole(arrived.substr(0, line_));
    }
    if (++lines_ > bounds_.headers_max + 1) return head_refusal{431, "there are too many headers"};
  }
  return std::monostate{};
}

}  // namespace argosy::health
