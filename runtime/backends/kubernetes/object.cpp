// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/kubernetes/object.hpp"

#include <chrono>
#include <cstdio>

namespace argosy::backends::object {

const json& part(const json& of, const char* name) {
  static const json nothing;
  if (!of.is_object()) return nothing;
  const auto found = of.find(name);
  return found == of.end() ? nothing : *found;
}

const json& part(const json& of, const char* outer, const char* inner) {
  return part(part(of, outer), inner);
}

std::string text(const json& of, const char* name) {
  const auto& value = part(of, name);
  return value.is_string() ? value.get<std::string>() : std::string{};
}

std::int64_t number(const json& of, const char* name) {
  const auto& value = part(of, name);
  return value.is_number_integer() ? value.get<std::int64_t>() : 0;
}

bool flag(const json& of, const char* name) {
  const auto& value = part(of, name);
  return value.is_boolean() && value.get<bool>();
}

std::int64_t time(const json& of, const char* name) {
  return parse_time(text(of, name));
}

std::int64_t parse_time(const std::string& text) {
  using namespace std::chrono;
  int years = 0;
  unsigned months = 0;
  unsigned days = 0;
  unsigned hour = 0;
  unsigned minute = 0;
  unsigned second = 0;
  int read = 0;
  if (std::sscanf(text.c_str(), "%4d-%2u-%2uT%2u:%2u:%2u%n", &years, &months, &days, &hour, &minute,
                  &second, &read) != 6)
    return 0;
  const year_month_day date{year{years}, month{months}, day{days}};
  if (!date.ok() || hour > 23 || minute > 59 || second > 60 || text.back() != 'Z') return 0;
  std::int64_t nanos = 0;
  std::int64_t unit = 100'000'000;
  for (auto at = static_cast<std::size_t>(read); at + 1 < text.size(); ++at) {
    if (text[at] == '.') continue;
    if (text[at] < '0' || text[at] > '9') return 0;
    nanos += (text[at] - '0') * unit;
    unit /= 10;
  }
  const auto whole = sys_days{date} + hours{hour} + minutes{minute} + seconds{second};
  return duration_cast<nanoseconds>(whole.time_since_epoch()).count() + nanos;
}

}  // namespace argosy::backends::object
