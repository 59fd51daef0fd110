// SPDX-License-Identifier: Apache-2.0
#include "runtime/trace/export/chrome_trace.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "runtime/trace/render_text.hpp"
#include "runtime/trace/span_tree.hpp"

namespace argosy::trace {

namespace {

/// Tracks are numbered, since the format knows processes and threads by numbers only.
struct track {
  int process = 0;
  int thread = 0;
};

std::string micros(std::int64_t nanos) {
  char buffer[32];
  const auto [end, failed] =
      std::to_chars(buffer, buffer + sizeof buffer, static_cast<double>(nanos) / 1e3,
                    std::chars_format::fixed, 3);
  return {buffer, end};
}

class writer {
 public:
  explicit writer(const std::vector<finished_span>& spans) : spans_(spans) {
    for (const auto& span : spans) {
      if (first_ == 0 || span.start_nanos < first_) first_ = span.start_nanos;
      by_id_.emplace(span.span, &span);
    }
  }

  std::string write() {
    for (const auto& span : spans_) slice(span);
    for (const auto& span : spans_) arrow(span);
    return "{\"traceEvents\":[\n" + out_ +
           "\n],\"displayTimeUnit\":\"ms\",\"otherData\":{\"firstUnixNanos\":\"" +
           std::to_string(first_) + "\"}}\n";
  }

 private:
  void event(const std::string& members) {
    out_ += out_.empty() ? "{" : ",\n{";
    out_ += members + "}";
  }

  void name_track(const char* what, const track& of, const std::string& name) {
    event(std::string{"\"ph\":\"M\",\"name\":\""} + what + "\"," + place(of) +
          ",\"args\":{\"name\":" + json_text(name) + "}");
  }

  static std::string place(const track& at) {
    return "\"pid\":" + std::to_string(at.process) + ",\"tid\":" + std::to_string(at.thread);
  }

  track track_of(const finished_span& span) {
    auto& process = processes_[span.process];
    const bool new_process = process == 0;
    if (new_process) process = static_cast<int>(processes_.size());
    auto& at = tracks_[{process, span.actor, span.instance}];
    if (new_process) name_track("process_name", {process, 0}, span.process);
    if (at.thread == 0) {
      at = {process, static_cast<int>(tracks_.size())};
      auto name = std::string{short_actor_name(span.actor)};
      if (span.instance != 0) name += " " + std::to_string(span.instance);
      name_track("thread_name", at, name);
    }
    return at;
  }

  void slice(const finished_span& span) {
    const auto at = track_of(span);
    std::string args = "\"trace\":\"" + to_string(span.trace) + "\",\"span\":\"" +
                       span_to_string(span.span) + "\"";
    if (span.wait_nanos > 0) args += ",\"waited\":" + json_text(duration_text(span.wait_nanos));
    if (span.failed) args += ",\"failed\":true";
    for (const auto& [key, value] : span.attributes)
      args += "," + json_text(key) + ":" + json_text(value);
    event("\"ph\":\"X\",\"name\":" + json_text(span.name) + "," + place(at) +
          ",\"ts\":" + micros(span.start_nanos - first_) +
          ",\"dur\":" + micros(span.duration_nanos) + ",\"args\":{" + args + "}");
  }

  /// Nothing is drawn from a cause that is not among the spans.
  void arrow(const finished_span& to) {
    const auto from = by_id_.find(cause_of(to));
    if (from == by_id_.end() || from->second == &to) return;
    const auto id = ",\"cat\":\"cause\",\"name\":\"cause\",\"id\":" + std::to_string(++arrows_);
    // The message left while its cause was at work.
    const auto& source = *from->second;
    const auto sent = std::clamp(to.start_nanos - to.wait_nanos, source.start_nanos,
                                 std::max(source.start_nanos, source.end_nanos()));
    event("\"ph\":\"s\"" + id + "," + place(track_of(source)) + ",\"ts\":" + micros(sent - first_));
    event("\"ph\":\"f\",\"bp\":\"e\"" + id + "," + place(track_of(to)) +
          ",\"ts\":" + micros(to.start_nanos - first_));
  }

  const std::vector<finished_span>& spans_;
  std::int64_t first_ = 0;
  std::unordered_map<span_id, const finished_span*> by_id_;
  std::map<std::string, int> processes_;
  std::map<std::tuple<int, std::string, std::uint64_t>, track> tracks_;
  std::uint64_t arrows_ = 0;
  std::string out_;
};

}  // namespace

std::string render_chrome_trace(const std::vector<finished_span>& spans) {
  return writer{spans}.write();
}

}  // namespace argosy::trace
