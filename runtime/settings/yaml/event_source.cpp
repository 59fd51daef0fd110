// SPDX-License-Identifier: Apache-2.0
#include "runtime/settings/yaml/event_source.hpp"

#include <algorithm>

namespace argosy::yaml {

namespace {

/// Converts a mark of libyaml, whose lines and columns count from 0.
place place_of(const yaml_mark_t& mark) {
  return {mark.line + 1, mark.column + 1};
}

/// Counts lines and bytes up to an offset. It serves errors about bytes that are not UTF-8, for
/// which libyaml gives no mark.
place place_of_byte(std::string_view text, std::size_t offset) {
  const auto before = text.substr(0, std::min(offset, text.size()));
  const auto line_begin = before.rfind('\n') + 1;
  const auto lines = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
  return {lines + 1, before.size() - line_begin + 1};
}

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

/// Whether the text begins as UTF-16 or UTF-32 do: with their marks, or with an ASCII character one
/// half of which is zero.
bool is_wide(std::string_view text) {
  return text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff") ||
         (text.size() > 1 && (text[0] == '\0') != (text[1] == '\0'));
}

}  // namespace

failure fail_in(const std::string& file, place where, std::string_view message) {
  return fail(ec::invalid_argument,
              (file + ':' + std::to_string(where.line) + ':' + std::to_string(where.column) + ": ")
                  .append(message));
}

event_source::event_source(std::string_view text, const std::string& file)
    : text_(text.starts_with(byte_order_mark) ? text.substr(byte_order_mark.size()) : text),
      file_(file) {
  yaml_parser_initialize(&parser_);
  yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text_.data()),
                               text_.size());
}

event_source::~event_source() {
  drop();
  yaml_parser_delete(&parser_);
}

result<void> event_source::next() {
  drop();
  held_ = yaml_parser_parse(&parser_, &event_) != 0;
  if (held_) return {};
  return explain();
}

place event_source::where() const noexcept {
  return place_of(event_.start_mark);
}

void event_source::drop() {
  if (held_) yaml_event_delete(&event_);
  held_ = false;
}

failure event_source::explain() const {
  const std::string problem = parser_.problem != nullptr ? parser_.problem : "not YAML";
  if (parser_.error == YAML_READER_ERROR && is_wide(text_))
    return fail_in(file_, {1, 1},
                   "the file is UTF-16 or UTF-32; save it as UTF-8, such as by iconv -f UTF-16 "
                   "-t UTF-8");
  if (parser_.error == YAML_READER_ERROR)
    return fail_in(file_, place_of_byte(text_, parser_.problem_offset), problem);
  if (parser_.error == YAML_MEMORY_ERROR) return fail(ec::out_of_space, file_ + ": out of memory");
  const auto where = place_of(parser_.problem_mark);
  if (is_indenting_tab(where))
    return fail_in(file_, where, "a tab cannot be used for indentation; use spaces");
  const std::string context = parser_.context != nullptr ? parser_.context : "";
  return fail_in(file_, where, context.empty() ? problem : problem + ' ' + context);
}

/// Returns whether the line begins with white space in which there is a tab, and the place is not
/// beyond the first other character. libyaml's own message does not say that a tab is the cause.
bool event_source::is_indenting_tab(place where) const {
  std::size_t begin = 0;
  for (std::size_t line = 1; line < where.line; ++line) {
    const auto end = text_.find('\n', begin);
    if (end == std::string_view::npos) return false;
    begin = end + 1;
  }
  const auto line = text_.substr(begin, text_.find('\n', begin) - begin);
  const auto first = std::min(line.find_first_not_of(" \t"), line.size());
  return line.find('\t') < first && where.column <= first + 1;
}

}  // namespace argosy::yaml
