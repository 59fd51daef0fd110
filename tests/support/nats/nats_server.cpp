// SPDX-License-Identifier: Apache-2.0
#include "tests/support/nats/nats_server.hpp"

#include <signal.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace argosy::testing {

nats_server::nats_server(const options& chosen) {
  config_.folder = folder_.path();
  config_.token = chosen.token;
  config_.jetstream = chosen.jetstream;
  config_.max_payload = chosen.max_payload;
  config_.more = chosen.more;
  launch();
}

void nats_server::launch() {
  auto started = bus::server_process::start(config_);
  if (!started) {
    std::fprintf(stderr, "cannot start nats-server: %s\n", to_string(started.error()).c_str());
    std::abort();
  }
  process_ = std::move(*started);
  config_.port = process_->port();
}

std::string nats_server::url() const {
  const auto user = config_.token.empty() ? "" : config_.token + "@";
  return "nats://" + user + "127.0.0.1:" + std::to_string(config_.port);
}

void nats_server::kill() {
  process_->stop(std::chrono::milliseconds::zero());
}

void nats_server::restart() {
  kill();
  launch();
}

void nats_server::reload(const std::string& token) {
  auto changed = config_;
  changed.token = token;
  if (auto written = bus::write_config(changed); !written) {
    std::fprintf(stderr, "cannot write: %s\n", to_string(written.error()).c_str());
    std::abort();
  }
  process_->signal(SIGHUP);
}

void nats_server::freeze() {
  process_->signal(SIGSTOP);
  // The signal takes effect some time later.
  siginfo_t stopped{};
  ::waitid(P_PID, static_cast<id_t>(process_->pid()), &stopped, WSTOPPED);
}

void nats_server::thaw() {
  process_->signal(SIGCONT);
}

}  // namespace argosy::testing
