// SPDX-License-Identifier: Apache-2.0
#include "bins/argosy-shim/namespaces.hpp"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "runtime/backends/run/file.hpp"

namespace argosy::shim {

namespace {

using backends::unique_fd;

constexpr std::array tries{
    std::pair{isolation::pid, CLONE_NEWPID | CLONE_NEWNS},
    std::pair{isolation::user_pid, CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS},
    std::pair{isolation::none, 0},
};

bool write_once(const std::string& path, const std::string& text) {
  const unique_fd fd{::open(path.c_str(), O_WRONLY | O_CLOEXEC)};
  return fd && ::write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

/// Maps each id to itself: all ids if this process is root, else its own.
bool map_file(const std::string& path, std::uint32_t own) {
  const auto id = std::to_string(own);
  return (own == 0 && write_once(path, "0 0 4294967295")) || write_once(path, id + " " + id + " 1");
}

bool cover(const std::string& path) {
  const auto out_of_sight = [] { return errno == ENOENT || errno == EACCES; };
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return out_of_sight();
  if (!S_ISDIR(info.st_mode))
    // It may have been removed or replaced meanwhile, as a server that starts again does.
    return ::mount("/dev/null", path.c_str(), nullptr, MS_BIND, nullptr) == 0 || out_of_sight();
  return ::mount("tmpfs", path.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=64k") == 0;
}

/// How the trial ends that could not detach its mounts, or could not mount a /proc. No errno is as
/// large.
constexpr int exit_bare = 254;
constexpr int exit_without_proc = 255;

/// Tries in a process of its own what a run's init does.
int exit_code_of_trial(bool& mapped) {
  int gate[2];
  if (::pipe2(gate, O_CLOEXEC) != 0) return errno;
  const auto child = split();
  if (child.pid < 0) return errno;
  char byte = 0;
  if (child.pid == 0) {
    ::close(gate[1]);
    static_cast<void>(!::read(gate[0], &byte, 1));
    if (child.kind == isolation::none) ::_exit(child.refusal);
    if (!detach_mounts()) ::_exit(exit_bare);
    ::_exit(mount_proc() ? 0 : exit_without_proc);
  }
  mapped = child.kind != isolation::user_pid || map_ids(child.pid).has_value();
  ::close(gate[0]);
  ::close(gate[1]);
  int status = 0;
  ::waitpid(child.pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

/// Has the folder that `held` refers to appear at its path again, on top of what covers it. Sets
/// errno if that fails.
bool give_back(const unique_fd& held, const std::string& path) {
  std::error_code code;
  std::filesystem::create_directories(path, code);
  if (code) {
    errno = code.value();
    return false;
  }
  return ::mount(backends::descriptor_path(held).c_str(), path.c_str(), nullptr, MS_BIND,
                 nullptr) == 0;
}

}  // namespace

split_process split() {
  split_process out;
  for (const auto& [kind, flags] : tries) {
    // Only root gets this namespace, and the kernel refuses it to others only after it has copied
    // the memory of the process.
    if (kind == isolation::pid && ::geteuid() != 0) continue;
    out.kind = kind;
    out.pid = static_cast<pid_t>(::syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0));
    if (out.pid >= 0) return out;
    out.refusal = errno;
  }
  return out;
}

result<void> map_ids(pid_t process) {
  const auto folder = "/proc/" + std::to_string(process);
  if (::geteuid() != 0) static_cast<void>(write_once(folder + "/setgroups", "deny"));
  if (!map_file(folder + "/uid_map", ::geteuid()) || !map_file(folder + "/gid_map", ::getegid()))
    return fail(backends::system_error("give a user namespace its ids", errno));
  return {};
}

bool detach_mounts() {
  const auto detach = [] {
    return ::mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) == 0;
  };
  if (detach()) return true;
  if (errno != EINVAL) return false;
  // The root is no mount point, as in a chroot. Entering the namespace anew leads to the root of
  // all its mounts; from there they are detached, and then the way leads back.
  const unique_fd root{::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)};
  const unique_fd here{::open(".", O_PATH | O_DIRECTORY | O_CLOEXEC)};
  const unique_fd own{::open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC)};
  if (!root || !here || !own || ::setns(own.get(), CLONE_NEWNS) != 0) return false;
  const bool done = detach();
  const int why = errno;
  // A run must not see what is outside of the root of its agent.
  if (::fchdir(root.get()) != 0 || ::chroot(".") != 0 || ::fchdir(here.get()) != 0) ::_exit(127);
  errno = why;
  return done;
}

bool mount_proc() {
  return ::mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) == 0;
}

bool hide(const std::vector<std::string>& paths, const std::string& kept) {
  const unique_fd work{::open(kept.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
  bool covered = false;
  int why = 0;
  for (const auto& path : paths) {
    if (cover(path))
      covered = covered || kept.starts_with(path + "/");
    else
      why = errno;
  }
  // The run needs its folder whether or not all else is hidden.
  if (covered && work && !give_back(work, kept)) why = errno;
  errno = why;
  return why == 0;
}

std::vector<std::string> missing_isolation() {
  bool mapped = true;
  const int code = exit_code_of_trial(mapped);
  if (code == 0) return {};
  const std::string proc =
      "runs see the processes of others in /proc, since the kernel does not let their mount "
      "namespace have a /proc of its own";
  const std::string files =
      "runs may read files of the agent and of other runs that their user may read, such as "
      "credentials, since the kernel does not let them be covered";
  if (mapped && code == exit_without_proc) return {proc};
  if (mapped && code == exit_bare) return {proc, files};
  return {std::string{"runs have no PID namespace, so that a process of a run which hides from its "
                      "shim can outlive it: the kernel refuses the namespace: "} +
              std::strerror(mapped ? code : EPERM),
          files};
}

}  // namespace argosy::shim
