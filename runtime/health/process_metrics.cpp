// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include "runtime/base/clock.hpp"
#include "runtime/health/family.hpp"
#include "runtime/health/metrics.hpp"
#include "runtime/logging/logger.hpp"

namespace argosy::health {

namespace {

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

double resident_bytes() {
  std::ifstream in{"/proc/self/statm"};
  double total = 0;
  double resident = 0;
  in >> total >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

double entries_of(const char* folder) {
  std::error_code failed;
  double count = 0;
  for (std::filesystem::directory_iterator at{folder, failed}, end; !failed && at != end;
       at.increment(failed))
    ++count;
  return count;
}

prometheus::MetricFamily single(prometheus::MetricFamily family, double value) {
  add_sample(family, {}, value);
  return family;
}

class process_collector final : public prometheus::Collectable {
 public:
  process_collector(std::string program, std::string version)
      : program_(std::move(program)),
        version_(std::move(version)),
        started_nanos_(to_nanos(system_clock_source().wall())) {}

  std::vector<prometheus::MetricFamily> Collect() const override {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    auto build = gauge_family("argosy_build_info", "Always 1; the labels say what runs.");
    add_sample(build, {{"program", program_}, {"version", version_}}, 1);
    auto lines = counter_family("argosy_log_lines_total", "Lines written to the log, by level.");
    const auto counts = logging::line_counts();
    for (std::size_t i = 0; i < counts.size(); ++i)
      add_sample(lines, {{"level", std::string{to_string(static_cast<logging::level>(i))}}},
                 static_cast<double>(counts[i]));
    return {
        std::move(build),
        std::move(lines),
        single(counter_family("process_cpu_seconds_total", "User and system time."),
               seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime)),
        single(gauge_family("process_resident_memory_bytes", "Memory in use."), resident_bytes()),
        single(gauge_family("process_open_fds", "Open file descriptors."),
               entries_of("/proc/self/fd")),
        single(gauge_family("process_threads", "Threads."), entries_of("/proc/self/task")),
        single(gauge_family("process_start_time_seconds", "Unix time of the start."),
               static_cast<double>(started_nanos_) / 1e9)};
  }

 private:
  std::string program_;
  std::string version_;
  std::int64_t started_nanos_;
};

}  // namespace

std::shared_ptr<const prometheus::Collectable> process_metrics(std::string program,
                                                               std::string version) {
  return std::make_shared<process_collector>(std::move(program), std::move(version));
}

}  // namespace argosy::health
