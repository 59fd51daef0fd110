// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/diagnostics/diagnostics.hpp"

#include <cstdlib>
#include <fstream>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>

#include "runtime/logging/logger.hpp"
#include "runtime/metrics/probe.hpp"
#include "runtime/trace/export/chrome_trace.hpp"
#include "runtime/trace/recorder.hpp"

namespace argosy::argosyd {

namespace {

using spans = std::vector<trace::finished_span>;

const logging::logger trace_logger{"diagnostics"};

constexpr std::chrono::milliseconds read_every{100};
/// How many dumps are kept.
constexpr int dumps_max = 5;

/// Moves "flight-crash-1.json" to "flight-crash-2.json" and so on: the newest is number 1.
std::filesystem::path make_room(const std::filesystem::path& folder) {
  const auto numbered = [&](int number) {
    return folder / ("flight-crash-" + std::to_string(number) + ".json");
  };
  std::error_code none;
  std::filesystem::remove(numbered(dumps_max), none);
  for (int number = dumps_max - 1; number >= 1; --number)
    std::filesystem::rename(numbered(number), numbered(number + 1), none);
  return numbered(1);
}

/// Writes the spans where an operator finds them, readable by the owner only.
void dump(const std::filesystem::path& folder, const spans& all) {
  const auto path = make_room(folder);
  std::ofstream out{path, std::ios::binary | std::ios::trunc};
  std::error_code none;
  std::filesystem::permissions(
      path, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write, none);
  out << trace::render_chrome_trace(all);
  out.flush();
  if (out)
    trace_logger.error("what went on before the crash is saved; open it at ui.perfetto.dev",
                       logging::kv("file", path.string()), logging::kv("spans", all.size()));
  else
    trace_logger.warning("what went on before the crash cannot be saved",
                         logging::kv("file", path.string()));
}

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>{value};
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

diagnostics::diagnostics(const std::filesystem::path& data_dir) : data_dir_(data_dir) {
  auto opened = trace::flight_file::open(data_dir / "flight.ring");
  if (opened)
    flight_ = std::move(*opened);
  else
    trace_logger.warning("the last spans are not kept over a crash",
                         logging::kv("error", opened.error().detail));
}

result<std::unique_ptr<diagnostics>> diagnostics::start(const std::filesystem::path& data_dir,
                                                        const std::string& version) {
  auto exports = trace::otlp::read_environment(variable);
  if (!exports) return fail(std::move(exports.error()));
  std::unique_ptr<diagnostics> out{new diagnostics{data_dir}};
  if (auto& to = *exports) {
    trace_logger.info("spans are exported", logging::kv("url", to->url));
    const trace::otlp::export_rules rules{.ratio = to->ratio};
    trace::otlp::resource own{"argosyd", to->service, version, to->attributes};
    auto send = trace::otlp::curl_sender(*to);
    out->exporter_ = std::make_unique<trace::otlp::exporter>(std::move(*to), std::move(own), rules,
                                                             std::move(send));
  }
  if (out->flight_ || out->exporter_)
    out->thread_ = std::thread{[self = out.get()] { self->run(); }};
  return out;
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
    dump(data_dir_, before);
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
  std::uint64_t cursor = 0;
  std::unique_lock lock{mutex_};
  while (true) {
    const bool last = woken_.wait_for(lock, read_every, [&] { return ending_; });
    hand_on(cursor);
    if (last) return;
  }
}

std::string recent_trace(std::chrono::seconds last) {
  std::uint64_t from_the_first = 0;
  auto recent = trace::spans_after(from_the_first, std::numeric_limits<std::uint32_t>::max());
  const auto begin =
      trace::to_wall_nanos(trace::now_nanos()) - std::chrono::nanoseconds{last}.count();
  std::erase_if(recent, [&](const auto& span) { return span.end_nanos() < begin; });
  return trace::render_chrome_trace(recent);
}

}  // namespace argosy::argosyd
