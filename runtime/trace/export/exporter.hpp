// SPDX-License-Identifier: Apache-2.0
// The exporter sends spans to a collector of OpenTelemetry, in batches and on a thread of its own.
// Whoever offers spans never waits: what does not fit into the queue is dropped and counted.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/trace/export/otel_environment.hpp"
#include "runtime/trace/export/otlp_message.hpp"

namespace argosy::trace::otlp {

/// Which spans are exported. The decision follows from the trace's id, so that all processes decide
/// alike.
struct export_rules {
  double ratio = 1.0;  ///< The part of traces that is exported.
  /// The part of the spans of a name that is exported instead.
  std::map<std::string, double, std::less<>> ratios{};
  /// The part of the steps of a queue's jobs that is exported instead, whatever their names.
  std::map<std::string, double, std::less<>> queues{};
  /// Spans that took or waited this long, or failed, are exported in any case; 0: none are.
  std::chrono::nanoseconds always_from{0};
};

[[nodiscard]] bool is_exported(const finished_span& span, const export_rules& rules) noexcept;

struct export_counts {
  std::atomic<std::uint64_t> exported{0};
  std::atomic<std::uint64_t> dropped{0};   ///< The queue was full.
  std::atomic<std::uint64_t> failed{0};    ///< The collector did not take them.
  std::atomic<std::uint64_t> left_out{0};  ///< A rule left them out.
};

class exporter {
 public:
  /// Sends the body of one request; returns the status of the answer. It is called on the
  /// exporter's thread, and may block for as long as the settings say.
  using sender = std::function<result<int>(const std::string& body)>;

  exporter(export_settings settings, resource of, export_rules rules, sender send);
  /// Sends what is there, once, before it ends.
  ~exporter();
  exporter(const exporter&) = delete;
  exporter& operator=(const exporter&) = delete;

  void offer(const std::vector<finished_span>& spans);
  [[nodiscard]] std::shared_ptr<const export_counts> counts() const { return counts_; }

 private:
  void run();
  void send_batch(const std::vector<finished_span>& batch);
  [[nodiscard]] std::vector<finished_span> take_batch();
  /// Waits unless the exporter ends; whether it goes on.
  bool pause(std::chrono::milliseconds time);

  const export_settings settings_;
  const resource resource_;
  const export_rules rules_;
  const sender send_;
  const std::shared_ptr<export_counts> counts_ = std::make_shared<export_counts>();
  std::mutex mutex_;
  std::condition_variable woken_;
  std::deque<finished_span> waiting_;  ///< Guarded by mutex_.
  bool ending_ = false;                ///< Guarded by mutex_.
  std::thread thread_;
};

/// Sends with libcurl to the URL of the settings.
[[nodiscard]] exporter::sender curl_sender(const export_settings& settings);

}  // namespace argosy::trace::otlp
