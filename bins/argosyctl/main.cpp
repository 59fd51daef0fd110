// SPDX-License-Identifier: Apache-2.0
// argosyctl: wires the verbs to the terminal, the environment and NATS.
#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <iostream>
#include <new>
#include <string_view>
#include <thread>

#include "bins/argosyctl/client/bus_client.hpp"
#include "bins/argosyctl/client/credentials.hpp"
#include "bins/argosyctl/verbs/cli.hpp"
#include "bins/shared/standard_files.hpp"
#include "runtime/access/tokens/curl/curl_fetch.hpp"
#include "runtime/bus/nats/nats_bus.hpp"
#include "runtime/bus/nats/signing.hpp"
#include "runtime/settings/load.hpp"

namespace {

using namespace argosy::ctl;

std::atomic<bool> interrupted{false};
/// The settings of the terminal before a secret was asked for. Ctrl-C restores them, so that the
/// terminal is not left without echo.
termios shown_terminal{};
std::atomic<bool> terminal_is_hidden{false};

/// Ctrl-C asks long waits to end, which they do within half a second. Code that does not look is
/// ended here.
void handle_interrupts() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  // A terminal that is closed ends argosyctl as Ctrl-C does, unless nohup wants otherwise.
  struct sigaction hangup {};
  sigaction(SIGHUP, nullptr, &hangup);
  if (hangup.sa_handler != SIG_IGN) sigaddset(&signals, SIGHUP);
  // A reader that has gone is seen when stdout refuses a write, so that what was done is told.
  ::signal(SIGPIPE, SIG_IGN);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread{[signals] {
    int signal = 0;
    sigwait(&signals, &signal);
    interrupted = true;
    if (terminal_is_hidden) tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown_terminal);
    std::this_thread::sleep_for(std::chrono::milliseconds{700});
    _exit(static_cast<int>(exit_code::interrupted));
  }}.detach();
}

std::size_t terminal_width(const environment& env) {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  std::size_t columns = 80;
  if (const auto set = env.variable("COLUMNS"))
    std::from_chars(set->data(), set->data() + set->size(), columns);
  return columns;
}

std::size_t terminal_height() {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

/// Whether somebody has given a file or a pipe that has something in it.
bool has_input() {
  int waiting = 0;
  struct stat what {};
  if (fstat(STDIN_FILENO, &what) != 0) return false;
  if (S_ISREG(what.st_mode)) return what.st_size > 0;
  return S_ISFIFO(what.st_mode) && ioctl(STDIN_FILENO, FIONREAD, &waiting) == 0 && waiting > 0;
}

terminal find_terminal(const environment& env) {
  terminal where;
  where.in_has_data = has_input();
  where.out_is_terminal = isatty(STDOUT_FILENO) != 0;
  where.in_is_terminal = isatty(STDIN_FILENO) != 0;
  where.err_is_terminal = isatty(STDERR_FILENO) != 0;
  const bool dumb = env.variable("TERM").value_or("dumb") == "dumb";
  where.colours = where.out_is_terminal && !dumb && !env.variable("NO_COLOR");
  where.err_is_terminal = where.err_is_terminal && !dumb;
  if (where.out_is_terminal) {
    where.width = terminal_width(env);
    where.height = terminal_height();
  }
  return where;
}

argosy::result<std::string> ask_secret(const std::string& prompt) {
  if (tcgetattr(STDIN_FILENO, &shown_terminal) != 0)
    return argosy::fail(argosy::ec::invalid_argument,
                        "there is no terminal to ask for a secret; name a file that has it");
  auto hidden = shown_terminal;
  hidden.c_lflag &= ~static_cast<tcflag_t>(ECHO);
  terminal_is_hidden = true;
  tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden);
  std::cerr << prompt << std::flush;
  std::string line;
  std::getline(std::cin, line);
  const bool broken = std::cin.bad();
  tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown_terminal);
  terminal_is_hidden = false;
  std::cerr << '\n';
  if (broken) return argosy::fail(argosy::ec::invalid_argument, "cannot read the terminal");
  return line;
}

std::int64_t unix_nanos() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// Ends argosyctl with a sentence where the rest of a large input finds no memory.
void end_without_memory() {
  constexpr std::string_view said = "error: there is not enough memory for this\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, said.data(), said.size());
  _exit(static_cast<int>(exit_code::usage));
}

}  // namespace

int main(int argc, char** argv) {
  argosy::open_standard_files();
  std::set_new_handler(end_without_memory);
  std::ios::sync_with_stdio(false);
  static std::array<char, 64 * 1'024> out_buffer;
  std::cout.rdbuf()->pubsetbuf(out_buffer.data(), out_buffer.size());
  handle_interrupts();
  auto env = process_environment();
  env.names = argosy::settings::system_variables;
  console out{std::cout, std::cerr, find_terminal(env)};
  std::shared_ptr<argosy::bus::connection> connection;
  std::shared_ptr<bus_client> server;
  const auto connect = [&](const connect_request& to) -> argosy::result<std::shared_ptr<client>> {
    argosy::bus::nats_settings settings;
    settings.url = to.url;
    settings.name = "argosyctl";
    settings.connect_timeout = std::min(to.timeout, settings.connect_timeout);
    settings.ca_file = to.from.ca_file;
    settings.certificate_file = to.from.certificate;
    settings.key_file = to.from.key;
    const auto found = find_credentials(env, to.url, to.from.credentials);
    if (!found) return argosy::fail(found.error());
    bus_client_options options;
    if (found->has_value()) {
      if (auto ready = argosy::bus::sign_as(**found, settings); !ready)
        return argosy::fail(std::move(ready.error()));
      options.user = (*found)->who.name;
      options.tenant = (*found)->tenant;
    }
    auto connected = argosy::bus::connect_nats(settings);
    if (!connected) return argosy::fail(std::move(connected.error()));
    connection = std::move(*connected);
    options.token = to.token;
    options.timeout = to.timeout;
    options.verb = "argosyctl " + to.verb;
    options.on_waiting = [&] { out.waiting("waiting for the server…"); };
    server = std::make_shared<bus_client>(connection, std::move(options));
    return std::static_pointer_cast<client>(server);
  };
  session s{out, env, std::cin, connect, unix_nanos, &interrupted};
  s.ask_secret = ask_secret;
  s.fetch = argosy::access::curl_fetch;
  s.reader_gone = [] {
    pollfd stdout_pipe{STDOUT_FILENO, POLLOUT, 0};
    return poll(&stdout_pipe, 1, 0) == 1 && (stdout_pipe.revents & POLLERR) != 0;
  };
  const auto code = run_cli({argv + 1, argv + argc}, s);
  if (server) server->report_spans();
  if (connection) connection->close();
  return static_cast<int>(code);
}
