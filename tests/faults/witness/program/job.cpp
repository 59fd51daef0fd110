// SPDX-License-Identifier: Apache-2.0
// witness-job FOLDER MILLISECONDS EXIT [deaf] [child] [until=FILE]: the command of a job under
// faults. While it runs it writes what bins/simulator/witness/traces.hpp describes into
// FOLDER/$ARGOSY_JOB_ID, and then ends with the code EXIT. `deaf` ignores SIGTERM; `child` does the
// work in a child, for which the first process waits; with `until` it ends as soon as FILE exists.
#include <fcntl.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "bins/shared/standard_files.hpp"

namespace {

constexpr long long beat_ns = 40'000'000;

long long boot_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

class trace_file {
 public:
  trace_file(const std::string& folder, const char* job, const char* run)
      : fd_(::open((folder + "/" + job).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644)) {
    std::uint64_t token = 0;
    if (fd_ < 0 || ::getrandom(&token, sizeof token, 0) != sizeof token) ::_exit(98);
    // The run is JOB-NUMBER.
    const char* number = std::strrchr(run, '-');
    char text[64];
    std::snprintf(text, sizeof text, "%s %" PRIx64, number == nullptr ? run : number + 1, token);
    begin_ = text;
  }
  /// Writes a line at once, so that lines of several processes are never mixed.
  void write(const char* what) const {
    char line[128];
    const int size =
        std::snprintf(line, sizeof line, "%s %s %lld\n", begin_.c_str(), what, boot_ns());
    if (::write(fd_, line, static_cast<std::size_t>(size)) != size) ::_exit(97);
  }

 private:
  int fd_;
  std::string begin_;
};

void work(const trace_file& trace, long long until, const char* file) {
  trace.write("start");
  for (long long left = until - boot_ns(); left > 0; left = until - boot_ns()) {
    if (file != nullptr && ::access(file, F_OK) == 0) break;
    const long long pause = left < beat_ns ? left : beat_ns;
    const timespec wait{0, static_cast<long>(pause)};
    ::nanosleep(&wait, nullptr);
    trace.write("beat");
  }
  trace.write("end");
}

}  // namespace

int main(int argc, char** argv) {
  argosy::open_standard_files();
  const char* job = std::getenv("ARGOSY_JOB_ID");
  const char* run = std::getenv("ARGOSY_RUN");
  if (argc < 4 || job == nullptr || run == nullptr) return 99;
  bool child = false;
  const char* file = nullptr;
  constexpr const char* file_flag = "until=";
  for (int i = 4; i < argc; ++i) {
    if (std::strcmp(argv[i], "deaf") == 0) ::signal(SIGTERM, SIG_IGN);
    if (std::strcmp(argv[i], "child") == 0) child = true;
    if (std::strncmp(argv[i], file_flag, std::strlen(file_flag)) == 0)
      file = argv[i] + std::strlen(file_flag);
  }
  const long long until = boot_ns() + std::atoll(argv[2]) * 1'000'000;
  const int code = std::atoi(argv[3]);
  if (!child) {
    work(trace_file{argv[1], job, run}, until, file);
    return code;
  }
  const pid_t worker = ::fork();
  if (worker == 0) {
    work(trace_file{argv[1], job, run}, until, file);
    ::_exit(code);
  }
  int status = 0;
  while (::waitpid(worker, &status, 0) < 0) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
