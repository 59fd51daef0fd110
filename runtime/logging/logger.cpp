// SPDX-License-Identifier: Apache-2.0
#include "runtime/logging/logger.hpp"

#include <spdlog/common.h>
#include <spdlog/details/log_msg.h>
#include <spdlog/details/null_mutex.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>

#include "runtime/base/clock.hpp"
#include "runtime/logging/levels.hpp"
#include "runtime/logging/line.hpp"
#include "runtime/logging/line_file.hpp"
#include "runtime/logging/rate_limit.hpp"
#include "runtime/logging/recent_lines.hpp"
#include "runtime/logging/reopen.hpp"
#include "runtime/trace/context.hpp"

namespace argosy::logging {

namespace {

constexpr std::array<std::string_view, 6> level_names{"trace",   "debug", "info",
                                                      "warning", "error", "off"};
constexpr std::array<std::string_view, 3> format_names{"automatic", "text", "json"};

/// The lines are made here; the sink adds only the line feed.
spdlog::sink_ptr prepare(spdlog::sink_ptr sink) {
  sink->set_formatter(std::make_unique<spdlog::pattern_formatter>("%v"));
  return sink;
}

/// The library's own sink of files goes on in a file that was renamed, and throws into whoever logs
/// when the disk is full. The lock of the logging state is held whenever this one is used.
class followed_file_sink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  explicit followed_file_sink(line_file file) : file_(std::move(file)) {}
  result<void> follow_name() { return file_.follow_name(); }

 private:
  void sink_it_(const spdlog::details::log_msg& line) override {
    file_.write(std::string_view{line.payload.data(), line.payload.size()});
  }
  void flush_() override {}

  line_file file_;
};

struct logging_state {
  std::mutex mutex;
  options current;
  spdlog::sink_ptr sink = prepare(std::make_shared<spdlog::sinks::stderr_sink_mt>());
  std::shared_ptr<followed_file_sink> file;  ///< The sink, if the lines go to a file.
  bool json = false;
  bool colour = false;
  rate_limit limit;
  std::map<std::string, std::unique_ptr<logger::component>, std::less<>> components;
  std::array<std::atomic<std::uint64_t>, 5> counts{};
  std::deque<std::string> recent;  ///< The last lines, the oldest first.
  /// When the changes of levels end, by component, on the clock of the boot; 0: never.
  std::map<std::string, std::chrono::nanoseconds, std::less<>> changed;
};

/// Never destroyed: threads may log while the process ends.
logging_state& state() {
  static auto* const instance = new logging_state;
  return *instance;
}

level minimum_of(const options& wanted, const std::string& component) {
  const auto exception = wanted.components.find(component);
  return exception == wanted.components.end() ? wanted.minimum : exception->second;
}

/// The mutex is held.
void end_changes(logging_state& all, std::chrono::nanoseconds now) {
  std::erase_if(all.changed, [&](const auto& change) {
    if (change.second.count() == 0 || change.second > now) return false;
    const auto found = all.components.find(change.first);
    if (found != all.components.end())
      found->second->minimum = minimum_of(all.current, change.first);
    return true;
  });
}

/// The mutex is held.
void keep(logging_state& all, std::string text) {
  if (text.size() > recent_line_bytes_max) {
    text.resize(recent_line_bytes_max);
    text += " ...";
  }
  if (all.recent.size() == recent_lines_max) all.recent.pop_front();
  all.recent.push_back(std::move(text));
}

std::string source_text(const std::source_location& where) {
  const char* slash = std::strrchr(where.file_name(), '/');
  return std::string{slash != nullptr ? slash + 1 : where.file_name()} + ':' +
         std::to_string(where.line());
}

template <class Enum, std::size_t N>
result<Enum> parse_name(std::string_view name, const std::array<std::string_view, N>& names,
                        std::string_view what) {
  std::string list;
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
    list.append(i == 0 ? "" : ", ").append(names[i]);
  }
  return fail(ec::invalid_argument, "'" + std::string{name} + "' is not a " + std::string{what} +
                                        "; it is one of " + list);
}

}  // namespace

std::string_view to_string(level value) noexcept {
  return level_names[static_cast<std::size_t>(value)];
}

result<level> parse_level(std::string_view name) {
  return parse_name<level>(name, level_names, "log level");
}

std::string_view to_string(line_format value) noexcept {
  return format_names[static_cast<std::size_t>(value)];
}

result<line_format> parse_line_format(std::string_view name) {
  return parse_name<line_format>(name, format_names, "log format");
}

namespace {

/// The line in the log file for those that it had no room for. Whoever writes a line holds the
/// lock.
std::string lost_line(std::uint64_t lost) {
  const std::array fields{field{"lines", std::to_string(lost), true}};
  line entry;
  entry.time = system_clock_source().wall();
  entry.severity = level::warning;
  entry.component = "logging";
  entry.message = "lines could not be written";
  entry.fields = fields;
  return state().json ? json_line(entry) : text_line(entry, false);
}

}  // namespace

result<void> setup(const options& wanted) {
  std::shared_ptr<followed_file_sink> file;
  if (!wanted.file.empty()) {
    auto opened = line_file::open(wanted.file, lost_line);
    if (!opened) return fail(std::move(opened.error()));
    file = std::make_shared<followed_file_sink>(std::move(*opened));
  }
  const bool terminal = wanted.file.empty() && isatty(STDERR_FILENO) == 1;
  auto& all = state();
  const std::lock_guard lock{all.mutex};
  all.current = wanted;
  all.file = std::move(file);
  all.sink = all.file ? spdlog::sink_ptr{all.file}
                      : prepare(std::make_shared<spdlog::sinks::stderr_sink_mt>());
  all.json =
      wanted.format == line_format::json || (wanted.format == line_format::automatic && !terminal);
  const char* no_colour = std::getenv("NO_COLOR");
  all.colour = terminal && (no_colour == nullptr || *no_colour == '\0');
  all.changed.clear();
  for (auto& [name, component] : all.components) component->minimum = minimum_of(wanted, name);
  return {};
}

namespace {

const logger own_logger{"logging"};

}  // namespace

void reopen() {
  result<void> followed;
  {
    auto& all = state();
    const std::lock_guard lock{all.mutex};
    if (all.file) followed = all.file->follow_name();
  }
  if (!followed)
    own_logger.error("the log goes on in the old file", kv("why", followed.error().detail));
}

result<void> set_level(std::string_view component, level wanted,
                       std::chrono::nanoseconds for_time) {
  auto& all = state();
  const auto now = system_clock_source().boot();
  const std::lock_guard lock{all.mutex};
  if (!component.empty() && !all.components.contains(component)) {
    std::string known;
    for (const auto& [name, item] : all.components) known += (known.empty() ? "" : ", ") + name;
    return fail(ec::not_found, "no component of the log is called '" + std::string{component} +
                                   "'; there are " + known);
  }
  for (auto& [name, item] : all.components) {
    if (!component.empty() && name != component) continue;
    item->minimum = wanted;
    all.changed[name] = for_time.count() == 0 ? for_time : now + for_time;
  }
  return {};
}

void end_level_changes() {
  auto& all = state();
  const std::lock_guard lock{all.mutex};
  if (!all.changed.empty()) end_changes(all, system_clock_source().boot());
}

std::vector<component_level> levels() {
  auto& all = state();
  const auto now = system_clock_source().boot();
  const std::lock_guard lock{all.mutex};
  end_changes(all, now);
  std::vector<component_level> out;
  for (const auto& [name, item] : all.components) {
    auto& one = out.emplace_back();
    one.component = name;
    one.now = item->minimum;
    one.changed = one.now != minimum_of(all.current, name);
    if (const auto found = all.changed.find(name); found != all.changed.end() && one.changed)
      one.left = found->second.count() == 0 ? found->second : found->second - now;
  }
  return out;
}

std::vector<std::string> recent_lines() {
  auto& all = state();
  const std::lock_guard lock{all.mutex};
  return {all.recent.begin(), all.recent.end()};
}

std::array<std::uint64_t, 5> line_counts() noexcept {
  std::array<std::uint64_t, 5> counts{};
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = state().counts[i];
  return counts;
}

logger::logger(std::string_view name) {
  auto& all = state();
  const std::lock_guard lock{all.mutex};
  auto found = all.components.find(name);
  if (found == all.components.end()) {
    found = all.components.emplace(name, std::make_unique<logger::component>()).first;
    found->second->name = name;
    found->second->minimum = minimum_of(all.current, found->first);
  }
  component_ = found->second.get();
}

void logger::emit(level value, const message& words, std::span<const field> fields) const {
  const auto& clock = system_clock_source();
  line entry;
  entry.time = clock.wall();
  entry.severity = value;
  entry.component = component_->name;
  entry.message = words.text;
  entry.fields = fields;
  if (const auto& cause = trace::current(); cause.valid()) {
    entry.trace = trace::to_string(cause.trace);
    entry.span = trace::span_to_string(cause.span);
  }
  entry.source = source_text(words.where);
  auto& all = state();
  const std::lock_guard lock{all.mutex};
  const auto admitted = all.limit.admit(words.where.file_name(), words.where.line(), clock.boot(),
                                        all.current.lines_per_second);
  if (!admitted) return;
  entry.suppressed = *admitted;
  const auto text = all.json ? json_line(entry) : text_line(entry, all.colour);
  keep(all, all.colour ? text_line(entry, false) : text);
  if (value != level::off) all.counts[static_cast<std::size_t>(value)].fetch_add(1);
  all.sink->log(spdlog::details::log_msg{"", spdlog::level::info, text});
  all.sink->flush();
}

}  // namespace argosy::logging
