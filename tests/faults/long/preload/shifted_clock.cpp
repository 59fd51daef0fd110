// SPDX-License-Identifier: Apache-2.0
// This is a library for LD_PRELOAD by which one process sees another time of day than the machine,
// as if somebody had set its clock. SHIFTED_CLOCK_FILE names a file with the seconds to add, which
// may change while the process runs. CLOCK_MONOTONIC and CLOCK_BOOTTIME stay as they are.
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>

namespace {

/// A wait on a condition may end at a time of day or at a monotonic time. Values above this one are
/// times of day, since no machine runs for thirty years.
constexpr time_t least_time_of_day = 1'000'000'000;

long shift_seconds() {
  static const int fd = [] {
    const char* path = std::getenv("SHIFTED_CLOCK_FILE");
    return path == nullptr ? -1 : ::open(path, O_RDONLY | O_CLOEXEC);
  }();
  char text[32];
  const auto size = fd < 0 ? 0 : ::pread(fd, text, sizeof text - 1, 0);
  if (size <= 0) return 0;
  text[size] = 0;
  return std::strtol(text, nullptr, 10);
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* out) noexcept {
  const auto code = static_cast<int>(::syscall(SYS_clock_gettime, clock, out));
  if (code == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
    out->tv_sec += shift_seconds();
  return code;
}

int gettimeofday(timeval* out, void*) noexcept {
  timespec now{};
  const int code = clock_gettime(CLOCK_REALTIME, &now);
  *out = {now.tv_sec, now.tv_nsec / 1'000};
  return code;
}

time_t time(time_t* out) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (out != nullptr) *out = now.tv_sec;
  return now.tv_sec;
}

int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                           const timespec* until) {
  using function = int (*)(pthread_cond_t*, pthread_mutex_t*, const timespec*);
  static const auto real = reinterpret_cast<function>(::dlsym(RTLD_NEXT, "pthread_cond_timedwait"));
  auto mine = *until;
  if (mine.tv_sec > least_time_of_day) mine.tv_sec -= shift_seconds();
  return real(condition, mutex, &mine);
}

}  // extern "C"
