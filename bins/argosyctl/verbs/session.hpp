// SPDX-License-Identifier: Apache-2.0
// What a verb works with: where it writes, what the user's environment is, and the server, which
// is connected to when it is first needed.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <istream>
#include <memory>
#include <string>
#include <vector>

#include "bins/argosyctl/client/client.hpp"
#include "bins/argosyctl/client/environment.hpp"
#include "bins/argosyctl/output/console.hpp"
#include "bins/argosyctl/output/format.hpp"

namespace argosy::ctl {

/// Flags that many verbs have.
struct global_flags {
  std::string server;
  std::string armada_url;
  std::string context;
  std::string armada_config;
  std::string timeout = "30s";
  std::string colour = "auto";
  std::string output;                ///< Empty: the verb's first format, or ARGOSY_OUTPUT.
  std::vector<std::string> outputs;  ///< What the chosen verb can write, the default first.
  bool no_headers = false;
  std::string sort_by;
};

struct connect_request {
  std::string url;
  std::chrono::milliseconds timeout;
  std::string verb;
};

struct session {
  using connector = std::function<result<std::shared_ptr<client>>(const connect_request&)>;

  console& out;
  const environment& env;
  std::istream& in;
  connector connect;
  std::function<std::int64_t()> now_ns;  ///< Unix time.
  /// Set by Ctrl-C; long waits look at it.
  const std::atomic<bool>* interrupted = nullptr;

  global_flags flags{};
  std::string verb{};  ///< "submit", "get jobs"
  format as = format::table;
  std::chrono::milliseconds timeout{30'000};
  std::chrono::milliseconds refresh_period{1'000};  ///< Of get -w.
  /// Whether stdout is a pipe that nobody reads any more.
  std::function<bool()> reader_gone = [] { return false; };
  bool patient = false;  ///< Tries to connect until the time-out: waiting is this verb's purpose.
  std::shared_ptr<client> connected{};

  /// ec::unreachable and others, with a message that says what was tried.
  [[nodiscard]] result<client*> server();
  [[nodiscard]] bool is_interrupted() const { return interrupted != nullptr && *interrupted; }
  /// Nobody is there any more for what would be printed, or Ctrl-C was pressed.
  [[nodiscard]] bool should_stop() const {
    return is_interrupted() || !out.good() || reader_gone();
  }
};

}  // namespace argosy::ctl
