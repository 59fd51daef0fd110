// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/diagnostics.hpp"

#include <charconv>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <system_error>
#include <utility>

#include "runtime/logging/levels.hpp"
#include "runtime/logging/logger.hpp"
#include "runtime/metrics/probe.hpp"
#include "runtime/trace/caf/live_actors.hpp"
#include "runtime/trace/export/chrome_trace.hpp"
#include "runtime/trace/recorder.hpp"

namespace argosy::argosyd {

namespace {

using spans = std::vector<trace::finished_span>;

const logging::logger trace_logger{"diagnostics"};

constexpr std::chrono::milliseconds read_every{100};
/// How many dumps are kept.
constexpr int dumps_max = 5;

/// Moves "NAME-1.json" to "NAME-2.json" and so on: the newest is number 1.
std::filesystem::path make_room(const std::filesystem::path& folder, const std::string& name) {
  const auto numbered = [&](int number) {
    return folder / (name + "-" + std::to_string(number) + ".json");
  };
  std::error_code none;
  std::filesystem::remove(numbered(dumps_max), none);
  for (int number = dumps_max - 1; number >= 1; --number)
    std::filesystem::rename(numbered(number), numbered(number + 1), none);
  return numbered(1);
}

/// Writes the spans where an operator finds them, readable by the owner only.
void dump(const std::filesystem::path& folder, const std::string& name, const spans& all) {
  const auto path = make_room(folder, name);
  std::ofstream out{path, std::ios::binary | std::ios::trunc};
  std::error_code none;
  std::filesystem::permissions(
      path, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write, none);
  out << trace::render_chrome_trace(all);
  out.flush();
  if (out)
    trace_logger.error("what went on before is saved; open it at ui.perfetto.dev",
                       logging::kv("file", path.string()), logging::kv("spans", all.size()));
  else
    trace_logger.warning("what went on before cannot be saved", logging::kv("file", path.string()));
}

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>{value};
}

trace::otlp::export_rules rules_of(const settings::tracing_settings& from, double ratio) {
  trace::otlp::export_rules out;
  out.ratio = ratio;
  out.always_from = from.export_always;
  const auto part_of = [](const std::string& text) {
    double part = 0;
    std::from_chars(text.data(), text.data() + text.size(), part);
    return part;
  };
  for (const auto& [name, text] : from.export_ratios) out.ratios[name] = part_of(text);
  for (const auto& [queue, text] : from.export_queues) out.queues[queue] = part_of(text);
  return out;
}

/// Fails if a part has been at its message for longer; the error names the part and the message.
result<void> nobody_longer_than(std::chrono::nanoseconds limit) {
  const auto readings = trace::read_actors(limit);
  if (const auto* stuck = trace::longest_at_work(readings, limit))
    return fail(ec::unavailable, trace::stuck_text(*stuck));
  return {};
}

/// The handler that does not end, as far as it has come: the recorder knows only those that ended.
trace::finished_span unfinished(const trace::actor_reading& reading) {
  trace::finished_span out;
  out.span = trace::make_span_id();
  out.name = reading.message;
  out.actor = reading.type;
  out.instance = reading.id;
  out.process = "argosyd";
  out.duration_nanos = reading.busy_nanos;
  out.start_nanos = trace::to_wall_nanos(trace::now_nanos()) - reading.busy_nanos;
  out.failed = true;
  out.attributes = {{"unfinished", "true"}};
  return out;
}

class export_probe final : public metrics::probe {
 public:
  explicit export_probe(std::shared_ptr<const trace::otlp::export_counts> counts)
      : probe("export"), counts_(std::move(counts)) {}

 protected:
  void collect(metrics::family_list& out) const override {
    metrics::family exported{"argosy_trace_exported_spans_total",
                             "Spans for a collector of OpenTelemetry: sent, dropped since too many "
                             "waited, failed since it did not take them, or left out by the "
                             "sampler.",
                             metrics::family_kind::counter,
                             {}};
    const auto add = [&](const char* what, std::uint64_t count) {
      exported.samples.push_back({{{"result", what}}, static_cast<double>(count)});
    };
    add("sent", counts_->exported);
    add("dropped", counts_->dropped);
    add("failed", counts_->failed);
    add("left_out", counts_->left_out);
    out.push_back(std::move(exported));
  }

 private:
  std::shared_ptr<const trace::otlp::export_counts> counts_;
};

}  // namespace

diagnostics::diagnostics(const settings::health_settings& health,
                         const std::filesystem::path& data_dir)
    : stuck_after_(health.stuck_after),
      hung_after_(health.hung_after),
      stuck_(health.stuck_after),
      data_dir_(data_dir) {
  auto opened = trace::flight_file::open(data_dir / "flight.ring");
  if (opened)
    flight_ = std::move(*opened);
  else
    trace_logger.warning("the last spans are not kept over a crash",
                         logging::kv("error", opened.error().detail));
}

result<std::unique_ptr<diagnostics>> diagnostics::start(const settings::health_settings& health,
                                                        const settings::tracing_settings& tracing,
                                                        const std::filesystem::path& data_dir,
                                                        const std::string& version) {
  auto exports = trace::otlp::read_environment(variable);
  if (!exports) return fail(std::move(exports.error()));
  std::unique_ptr<diagnostics> out{new diagnostics{health, data_dir}};
  if (auto& to = *exports) {
    trace_logger.info("spans are exported", logging::kv("url", to->url));
    auto rules = rules_of(tracing, to->ratio);
    trace::otlp::resource own{"argosyd", to->service, version, to->attributes};
    auto send = trace::otlp::curl_sender(*to);
    out->exporter_ = std::make_unique<trace::otlp::exporter>(std::move(*to), std::move(own),
                                                             std::move(rules), std::move(send));
  }
  out->thread_ = std::thread{[self = out.get()] { self->run(); }};
  return out;
}

result<void> diagnostics::check_environment() {
  const auto exports = trace::otlp::read_environment(variable);
  return exports ? result<void>{} : fail(exports.error());
}

diagnostics::~diagnostics() {
  {
    const std::lock_guard lock{mutex_};
    ending_ = true;
  }
  woken_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void diagnostics::begin(bool crashed) {
  const std::lock_guard lock{mutex_};
  if (!flight_ || std::exchange(begun_, true)) return;
  if (const auto before = crashed ? flight_->spans() : spans{}; !before.empty())
    dump(data_dir_, "flight-crash", before);
  flight_->clear();
}

void diagnostics::show_on(metrics::board& board) const {
  if (exporter_) board.get<export_probe>(exporter_->counts());
}

void diagnostics::hand_on(std::uint64_t& cursor) {
  constexpr std::size_t part_max = 2'000;
  while (true) {
    const auto more = trace::spans_after(cursor, part_max);
    if (begun_) flight_->add(more);
    if (exporter_) exporter_->offer(more);
    if (more.size() < part_max) return;
  }
}

void diagnostics::run() {
  constexpr std::uint64_t reads_a_look = 10;
  std::uint64_t reads = 0;
  std::uint64_t cursor = 0;
  std::unique_lock lock{mutex_};
  while (true) {
    const bool last = woken_.wait_for(lock, read_every, [&] { return ending_; });
    if (flight_ || exporter_) hand_on(cursor);
    if (last) return;
    if (++reads % reads_a_look != 0) continue;
    look_for_stuck_handlers();
    logging::end_level_changes();
  }
}

result<void> diagnostics::ready() const {
  return nobody_longer_than(stuck_after_);
}

result<void> diagnostics::live() const {
  return nobody_longer_than(hung_after_);
}

void diagnostics::look_for_stuck_handlers() {
  constexpr std::chrono::seconds before{30};
  const auto found = stuck_.look(trace::read_actors(stuck_after_));
  if (found.empty()) return;
  auto recent = trace::recent_spans(before + stuck_after_);
  for (const auto& reading : found) {
    trace_logger.error("a part hangs", logging::kv("what", trace::stuck_text(reading)));
    recent.push_back(unfinished(reading));
  }
  dump(data_dir_, "flight-stuck", recent);
}

std::string recent_trace(std::chrono::seconds last) {
  return trace::render_chrome_trace(trace::recent_spans(last));
}

}  // namespace argosy::argosyd
