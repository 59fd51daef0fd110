// SPDX-License-Identifier: Apache-2.0
// This file declares what a verb works with: where it writes, what the user's environment is, and
// the server, which it connects to when it is first needed.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bins/argosyctl/client/client.hpp"
#include "bins/argosyctl/client/contexts.hpp"
#include "bins/argosyctl/client/environment.hpp"
#include "bins/argosyctl/output/console.hpp"
#include "bins/argosyctl/output/format.hpp"
#include "runtime/access/tokens/fetch.hpp"

namespace argosy::ctl {

/// Flags that many verbs have.
struct global_flags {
  std::string server;
  std::string armada_url;
  std::string context;
  std::string armada_config;
  std::string timeout;  ///< Empty when it was not given.
  std::string colour = "auto";
  std::string output;  ///< Empty: the verb's first format, or ARGOSY_OUTPUT.
  /// The formats that the chosen verb can write, the default first.
  std::vector<std::string> outputs;
  bool no_headers = false;
  std::string sort_by;
};

struct connect_request {
  std::string url;
  std::chrono::milliseconds timeout;
  std::string verb;
  context from{};  ///< What says how to log in; a URL alone says nothing of it.
  /// Gives the token that each call shows; empty if calls show none.
  token_function token{};
};

/// Refuses a context by which a token would be sent unencrypted to another machine, with
/// ec::invalid_argument.
[[nodiscard]] result<void> check_link(const context& from);

struct session {
  using connector = std::function<result<std::shared_ptr<client>>(const connect_request&)>;

  console& out;
  const environment& env;
  std::istream& in;
  connector connect;
  std::function<std::int64_t()> now_ns;  ///< The Unix time, in nanoseconds.
  /// Ctrl-C sets it; long waits look at it.
  const std::atomic<bool>* interrupted = nullptr;

  global_flags flags{};
  std::string verb{};  ///< The verb, such as "submit" or "get jobs".
  format as = format::table;
  /// The titles of the columns that -o names; empty: all that the format has.
  std::vector<std::string> columns{};
  std::chrono::milliseconds timeout{30'000};  ///< The time-out of a request, retries included.
  /// How long a verb may wait; nothing if --timeout was not given.
  std::optional<std::chrono::milliseconds> wait_limit{};
  std::chrono::milliseconds refresh_period{1'000};  ///< The time between two looks of get -w.
  /// Asks an OpenID provider. Tests put a scripted one in its place.
  access::fetch_function fetch = [](const access::http_request&) -> result<access::http_answer> {
    return fail(ec::unreachable, "nobody can be asked here");
  };
  /// What wait() does instead of sleeping, in tests.
  std::function<void(std::chrono::milliseconds)> pause{};
  /// Whether stdout is a pipe that nobody reads any more.
  std::function<bool()> reader_gone = [] { return false; };
  /// Asks on the terminal whether to go on and do `what`, as "delete queue/a". Says so if not.
  [[nodiscard]] bool is_agreed(const std::string& what);
  /// Asks for a secret on the terminal without showing it. ec::invalid_argument if there is none.
  std::function<result<std::string>(const std::string& prompt)> ask_secret =
      [](const std::string&) -> result<std::string> {
    return fail(ec::invalid_argument, "nobody can be asked for a secret here");
  };
  /// True: connecting is tried until the time-out, since the verb's purpose is to wait.
  bool patient = false;
  std::shared_ptr<client> connected{};
  /// True once the server has carried out a call of this verb that changes something.
  std::shared_ptr<std::atomic<bool>> changed = std::make_shared<std::atomic<bool>>(false);
  /// Says what was changed, such as "3 jobs were submitted", if the verb knows it in more detail;
  /// it is told when stdout cannot be written.
  std::string carried_out{};

  /// Connects when it is first called, and waits until the time-out for a server that is away.
  /// ec::unreachable and others, with a message that says what was tried.
  [[nodiscard]] result<client*> server() { return server(timeout); }
  /// Does the same for verbs that tell how the server is, which wait a second at most without
  /// --timeout.
  [[nodiscard]] result<client*> server_soon();
  /// Connects as the context says. `token` gives the token of an OpenID provider, if it names one.
  /// ec::invalid_argument when the token would be sent unencrypted.
  [[nodiscard]] result<std::shared_ptr<client>> connect_to(const context& from,
                                                           token_function token) const;
  /// Gives the jobs of the last submission to the server that the flags and contexts name.
  [[nodiscard]] std::function<result<std::string>()> last_jobs() const;
  /// Keeps them, one id a line. A failure may be passed over.
  result<void> keep_last_jobs(std::string_view id_lines) const;
  /// The time at which a wait that begins now has to end.
  [[nodiscard]] std::optional<std::chrono::steady_clock::time_point> deadline() const {
    if (!wait_limit) return std::nullopt;
    return std::chrono::steady_clock::now() + *wait_limit;
  }
  /// How long a verb that waits goes on while the server is away.
  [[nodiscard]] std::chrono::milliseconds patience() const {
    return std::max(timeout, wait_limit.value_or(timeout));
  }
  /// Sleeps in short pieces, and less long if Ctrl-C is pressed.
  void wait(std::chrono::milliseconds time) const;
  [[nodiscard]] bool is_interrupted() const { return interrupted != nullptr && *interrupted; }
  /// Whether nobody reads the output any more, or Ctrl-C was pressed.
  [[nodiscard]] bool should_stop() const {
    return is_interrupted() || !out.good() || reader_gone();
  }

 private:
  [[nodiscard]] result<client*> server(std::chrono::milliseconds patience);
};

}  // namespace argosy::ctl
