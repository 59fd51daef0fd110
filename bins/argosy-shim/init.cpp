// SPDX-License-Identifier: Apache-2.0
#include "bins/argosy-shim/init.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "bins/argosy-shim/timer.hpp"

namespace argosy::shim {

namespace {

class init_process {
 public:
  init_process(pid_t command, int control, isolation kind, boot_time dead_by)
      : command_(command), control_(control), alone_(kind != isolation::none) {
    sigset_t ended;
    ::sigemptyset(&ended);
    ::sigaddset(&ended, SIGCHLD);
    signals_ = ::signalfd(-1, &ended, SFD_CLOEXEC | SFD_NONBLOCK);
    timer_ = ::timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    if (signals_ < 0 || timer_ < 0) end(EXIT_FAILURE);
    arm_timer(timer_, dead_by.count());
  }

  [[noreturn]] void run() {
    for (;;) {
      pollfd fds[3] = {{signals_, POLLIN, 0}, {timer_, POLLIN, 0}, {control_, POLLIN, 0}};
      if (::poll(fds, 3, -1) < 0) continue;
      if (fds[0].revents != 0) reap();
      if (fds[1].revents != 0) end(exit_lapsed);
      if (fds[2].revents != 0) obey();
    }
  }

 private:
  /// In a namespace the kernel kills the rest; outside of one the command at least has to go.
  [[noreturn]] void end(int code) const {
    if (!alone_) ::kill(-command_, SIGKILL);
    ::_exit(code);
  }

  void reap() {
    signalfd_siginfo info{};
    while (::read(signals_, &info, sizeof info) > 0) {
    }
    int status = 0;
    for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
      if (pid != command_) continue;
      const init_report report{status};
      static_cast<void>(!::send(control_, &report, sizeof report, MSG_NOSIGNAL));
      ::_exit(EXIT_SUCCESS);
    }
  }

  void obey() {
    init_order order;
    const auto count = ::recv(control_, &order, sizeof order, 0);
    if (count < 0 && errno == EINTR) return;
    // The shim has ended.
    if (count != static_cast<ssize_t>(sizeof order)) end(EXIT_FAILURE);
    if (order.what != init_order::kind::terminate) return arm_timer(timer_, order.time_ns);
    ::kill(-command_, SIGTERM);
    ::kill(-command_, SIGCONT);
  }

  pid_t command_;
  int control_;
  bool alone_;
  int signals_ = -1;
  int timer_ = -1;
};

}  // namespace

void name_init() {
  constexpr std::string_view role{"shim"};
  const std::string_view name{::program_invocation_name};
  if (name.ends_with(role))
    std::memcpy(::program_invocation_name + name.size() - role.size(), "init", role.size());
  ::prctl(PR_SET_NAME, "argosy-init");
}

void follow_command(pid_t command, int control, isolation kind, boot_time dead_by) {
  init_process{command, control, kind, dead_by}.run();
}

}  // namespace argosy::shim
