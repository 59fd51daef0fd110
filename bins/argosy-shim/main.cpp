// SPDX-License-Identifier: Apache-2.0
// argosy-shim RUN_FOLDER: runs the command of one run as its plan says and writes how it ended.
// Each run has a shim, which outlives the agent. It is a program of its own because an agent must
// not fork without exec while its store is open. It exits with 0 once the status is on disk.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <thread>

#include "bins/argosy-shim/namespaces.hpp"
#include "bins/argosy-shim/pod.hpp"
#include "bins/argosy-shim/supervisor.hpp"
#include "bins/shared/standard_files.hpp"
#include "runtime/backends/run/file.hpp"
#include "runtime/backends/run/records.hpp"

namespace {

using namespace argosy;

/// How often, and for how long, the shim tries again to write a status.
constexpr std::chrono::milliseconds retry_period{500};
constexpr int retries = 120;

constexpr auto usage =
    "argosy-shim runs the command of one job and notes how it ended. argosy-agent starts it;\n"
    "there is no reason to start it by hand.\n"
    "Usage: argosy-shim RUN_FOLDER\n"
    "       argosy-shim --missing    says which protections this machine does not give to runs\n";

int complain(const std::string& text) {
  std::fprintf(stderr, "argosy-shim: %s\n", text.c_str());
  return 2;
}

/// Prints the text to stdout; returns the exit code.
int printed(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0) return 0;
  return complain(std::string{"cannot write to stdout: "} + std::strerror(errno));
}

bool same_file(int fd, const std::filesystem::path& path) {
  struct stat ours {};
  struct stat named {};
  return ::fstat(fd, &ours) == 0 && ::stat(path.c_str(), &named) == 0 &&
         ours.st_ino == named.st_ino && ours.st_dev == named.st_dev;
}

/// Keeps the lock that the agent took for this process, or takes it when the shim was started by
/// hand. The lock tells the agent, also a later one, that the run is alive; the file holds the id
/// of this process.
result<backends::unique_fd> keep_lock(const std::filesystem::path& path) {
  backends::unique_fd lock;
  if (same_file(backends::shim_lock_fd, path)) {
    lock = backends::unique_fd{backends::shim_lock_fd};
    ::fcntl(lock.get(), F_SETFD, FD_CLOEXEC);
  } else {
    lock = backends::unique_fd{::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)};
  }
  if (!lock) return fail(backends::system_error("open '" + path.string() + "'", errno));
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0)
    return fail(ec::conflict, "'" + path.string() + "' is locked: another shim has this run");
  const auto pid = std::to_string(::getpid()) + "\n";
  if (::pwrite(lock.get(), pid.data(), pid.size(), 0) < 0)
    return fail(backends::system_error("write '" + path.string() + "'", errno));
  return lock;
}

bool write_status(const std::filesystem::path& folder, const backends::shim_status& status) {
  const auto bytes = encode(status);
  for (int i = 0; bytes && i < retries; ++i) {
    const auto written =
        backends::write_file(folder / backends::run_file::status, *bytes, backends::sync_mode::yes);
    if (written) return true;
    // Somebody who removed the folder does not want to know the status.
    if (written.error().code == ec::not_found) return false;
    std::this_thread::sleep_for(retry_period);
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  open_standard_files();
  const std::string_view word = argc > 1 ? argv[1] : "";
  if (word == "-h" || word == "--help") return printed(usage);
  if (word == "--missing") {
    std::string lines;
    for (const auto& line : shim::missing_isolation()) lines += line + '\n';
    return printed(lines);
  }
  // The agent tries by this whether a container has the filter that it was given.
  if (word == backends::filter_word) return ::prctl(PR_GET_SECCOMP) == 2 ? 0 : 1;
  if (word == backends::pod_word && argc == 3) return shim::run_pod(argv[2]);
  if (argc != 2 || word.starts_with('-')) return complain("usage: argosy-shim RUN_FOLDER");
  shim::supervisor::block_signals();
  ::setsid();
  std::error_code code;
  const auto folder = std::filesystem::absolute(argv[1], code);
  auto lock = keep_lock(folder / backends::run_file::lock);
  if (!lock) return complain(lock.error().detail);
  for (const auto* name : {backends::run_file::started, backends::run_file::status})
    if (std::filesystem::exists(folder / name, code))
      return complain("'" + folder.string() + "' has run already");
  auto plan = backends::read_record<backends::shim_plan>(folder / backends::run_file::plan);
  if (!plan) return complain(plan.error().detail);
  if (static_cast<int>(::chdir("/")) != 0) return complain("cannot enter '/'");
  const backends::unique_fd place{::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
  if (!place) return complain("cannot open '" + folder.string() + "'");
  const auto records = backends::descriptor_path(place);
  shim::supervisor supervisor{*plan, folder, records, lock->get()};
  return write_status(records, supervisor.run()) ? 0 : complain("cannot write the status");
}
