// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/run/children.hpp"

#include <signal.h>

#include <sstream>
#include <string>

#include "runtime/backends/run/file.hpp"

namespace argosy::backends {

void kill_children_of(pid_t process) {
  const auto id = std::to_string(process);
  const auto list = read_file("/proc/" + id + "/task/" + id + "/children");
  if (!list) return;
  std::istringstream in{*list};
  for (pid_t pid = 0; in >> pid;) ::kill(pid, SIGKILL);
}

}  // namespace argosy::backends
