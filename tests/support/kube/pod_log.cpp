// SPDX-License-Identifier: Apache-2.0
#include "tests/support/kube/pod_log.hpp"

#include <absl/time/time.h>

#include <algorithm>

namespace argosy::testing {

namespace {

std::string option(const pod_log::query& options, const char* name) {
  const auto found = options.find(name);
  return found == options.end() ? std::string{} : found->second;
}

bool is_whole(const std::string& text) {
  return text.ends_with('\n');
}

}  // namespace

void pod_log::print(std::string_view text, std::int64_t time_ns) {
  bytes_ += text.size();
  while (!text.empty()) {
    const auto size = std::min(text.find('\n'), text.size() - 1) + 1;
    if (lines_.empty() || is_whole(lines_.back().text))
      lines_.push_back({lines_.empty() ? time_ns : std::max(time_ns, lines_.back().time_ns), {}});
    lines_.back().text += text.substr(0, size);
    text.remove_prefix(size);
  }
}

void pod_log::rotate() {
  while (!lines_.empty() && is_whole(lines_.front().text)) {
    bytes_ -= lines_.front().text.size();
    lines_.pop_front();
    ++gone_;
  }
}

std::string pod_log::shown(const line& of, bool timestamps) {
  if (!timestamps) return of.text;
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E9SZ ", absl::FromUnixNanos(of.time_ns),
                          absl::UTCTimeZone()) +
         of.text;
}

std::string pod_log::read(const query& options) const {
  const bool timestamps = option(options, "timestamps") == "true";
  auto first = lines_.begin();
  if (const auto since = option(options, "sinceTime"); !since.empty()) {
    absl::Time time;
    std::string why;
    if (absl::ParseTime(absl::RFC3339_full, since, &time, &why))
      while (first != lines_.end() && first->time_ns < absl::ToUnixNanos(time)) ++first;
  }
  if (const auto tail = option(options, "tailLines"); !tail.empty())
    first = std::max(
        first, lines_.end() - std::min<std::ptrdiff_t>(std::stol(tail),
                                                       static_cast<std::ptrdiff_t>(lines_.size())));
  std::string out;
  for (; first != lines_.end(); ++first) out += shown(*first, timestamps);
  if (const auto limit = option(options, "limitBytes"); !limit.empty())
    out.resize(std::min<std::size_t>(out.size(), std::stoul(limit)));
  return out;
}

std::uint64_t pod_log::lines() const {
  const bool open = !lines_.empty() && !is_whole(lines_.back().text);
  return gone_ + lines_.size() - (open ? 1 : 0);
}

std::string pod_log::read_on(std::uint64_t& lines, bool timestamps) const {
  std::string out;
  for (auto at = std::max(lines, gone_); at < this->lines(); ++at)
    out += shown(lines_[at - gone_], timestamps);
  lines = std::max(lines, this->lines());
  return out;
}

}  // namespace argosy::testing
