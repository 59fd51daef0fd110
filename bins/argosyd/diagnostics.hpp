// SPDX-License-Identifier: Apache-2.0
// argosyd keeps its last spans over a crash, watches for handlers that do not end, and exports
// spans to a collector of OpenTelemetry, for whoever looks for a fault. It reads the recorder on a
// thread of its own, so that no actor has to do with it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/metrics/board.hpp"
#include "runtime/settings/shared_settings.hpp"
#include "runtime/trace/export/exporter.hpp"
#include "runtime/trace/export/flight_file.hpp"
#include "runtime/trace/stuck_watch.hpp"

namespace argosy::argosyd {

class diagnostics {
 public:
  /// Fails if the environment asks for an export that cannot be. A flight file that cannot be
  /// opened is only told of in the log.
  [[nodiscard]] static result<std::unique_ptr<diagnostics>> start(
      const settings::health_settings& health, const settings::tracing_settings& tracing,
      const std::filesystem::path& data_dir, const std::string& version);
  /// Fails as start() does for an export that cannot be.
  [[nodiscard]] static result<void> check_environment();
  ~diagnostics();
  diagnostics(const diagnostics&) = delete;
  diagnostics& operator=(const diagnostics&) = delete;

  /// Saves what the flight file has of the process before, if that crashed, and begins anew. Calls
  /// after the first do nothing.
  void begin(bool crashed);
  /// Shows how many spans were exported, if they are.
  void show_on(metrics::board& board) const;

  /// Fail while a handler has run for too long; the error names the actor and the message.
  [[nodiscard]] result<void> ready() const;
  [[nodiscard]] result<void> live() const;

 private:
  diagnostics(const settings::health_settings& health, const std::filesystem::path& data_dir);
  void run();
  void hand_on(std::uint64_t& cursor);
  void look_for_stuck_handlers();

  const std::chrono::nanoseconds stuck_after_;
  const std::chrono::nanoseconds hung_after_;
  trace::stuck_watch stuck_;
  const std::filesystem::path data_dir_;
  std::unique_ptr<trace::flight_file> flight_;       ///< Null: it could not be opened.
  std::unique_ptr<trace::otlp::exporter> exporter_;  ///< Null: nothing is exported.
  std::mutex mutex_;
  std::condition_variable woken_;
  bool begun_ = false;   ///< The flight file may be written. Guarded by mutex_.
  bool ending_ = false;  ///< Guarded by mutex_.
  std::thread thread_;
};

/// The spans that ended within the last seconds, as Chrome's trace format has them.
[[nodiscard]] std::string recent_trace(std::chrono::seconds last);

}  // namespace argosy::argosyd
