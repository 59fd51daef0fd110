// SPDX-License-Identifier: Apache-2.0
#include "bins/argosy-sim/chaos_command.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <iomanip>
#include <iostream>
#include <map>
#include <sstream>

#include "bins/simulator/simulation.hpp"
#include "runtime/base/planted.hpp"
#include "runtime/logging/logger.hpp"

namespace argosy::sim {

namespace {

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::string hex(std::uint64_t number) {
  std::ostringstream out;
  out << std::hex << std::setw(16) << std::setfill('0') << number;
  return out.str();
}

/// The counts of several worlds together.
struct totals {
  std::uint64_t worlds = 0;
  double hours = 0;
  std::uint64_t jobs = 0;
  std::uint64_t lost = 0;
  std::uint64_t doubled = 0;
  std::uint64_t overlaps = 0;
  std::uint64_t messages = 0;
  std::uint64_t with_findings = 0;
  std::map<fault_kind, std::uint64_t> faults{};
  std::map<act_kind, std::uint64_t> acts{};

  void add(const simulation_result& one, double length) {
    ++worlds;
    hours += length;
    jobs += one.users.accepted;
    lost += one.verdict.lost;
    doubled += one.verdict.doubled;
    overlaps += one.verdict.overlaps;
    messages += one.messages;
    with_findings += !one.findings.empty();
    for (const auto& [kind, count] : one.faults) faults[kind] += count;
    for (const auto& [kind, count] : one.acts) acts[kind] += count;
  }
};

std::string repeat_line(const simulation_settings& of, const chaos_options& options) {
  // The command line has no empty list.
  const bool has_none = of.faults && of.faults->empty();
  const auto by = has_none ? profile::calm : of.by;
  std::ostringstream out;
  out << "argosy-sim chaos --seed " << of.seed << " --profile "
      << profile_names[static_cast<std::size_t>(by)] << " --hours " << options.hours << " --agents "
      << of.agents << " --planes " << of.planes << " --jobs " << of.users.jobs_an_hour;
#ifdef ARGOSY_PLANTED_FAULTS
  out << " --plant " << options.plant;
#endif
  if (of.faults && !has_none) {
    out << " --faults ";
    for (std::size_t i = 0; i < of.faults->size(); ++i)
      out << (i == 0 ? "" : ",") << (*of.faults)[i];
  }
  return out.str();
}

void print(const simulation_settings& of, const simulation_result& one, double seconds) {
  std::cout << "seed " << of.seed << ", " << profile_names[static_cast<std::size_t>(of.by)]
            << ": trace " << hex(one.trace_digest) << ", log " << hex(one.log_digest) << ", store "
            << hex(one.store_digest) << "; " << one.users.accepted << " jobs, " << one.watched
            << " events seen by " << one.streams << " streams, " << one.records << " records, "
            << one.messages << " messages, " << one.starts << " starts, " << one.takeovers
            << " takeovers, " << std::fixed << std::setprecision(1) << seconds << " s\n"
            << std::defaultfloat;
}

void print_findings(simulation_settings of, const simulation_result& one,
                    const chaos_options& options) {
  for (const auto& text : one.findings) std::cout << "  FOUND " << text << "\n";
  std::cout << "  repeat it by: " << repeat_line(of, options) << "\n";
  if (!options.shrink) return;
  of.faults = shrink(of);
  if (!of.faults) return;
  std::cout << "  with the fewest faults: " << repeat_line(of, options) << "\n";
  for (const auto place : *of.faults) std::cout << "    " << to_text(one.plan[place]) << "\n";
}

/// One line for each kind, also for those that never were.
template <class Kind, std::size_t Count>
void print(const std::map<Kind, std::uint64_t>& counts,
           const std::array<std::string_view, Count>& names) {
  for (std::size_t i = 0; i < Count; ++i) {
    const auto at = counts.find(static_cast<Kind>(i));
    std::cout << "  " << names[i] << ": " << (at == counts.end() ? 0 : at->second) << "\n";
  }
}

void print(const totals& all, double seconds) {
  std::cout << all.worlds << " worlds, " << all.hours / 24 << " days; " << all.jobs
            << " jobs accepted, " << all.lost << " lost, " << all.doubled << " doubled, "
            << all.overlaps << " run twice; " << all.messages << " messages, "
            << seconds / std::max(all.hours, 1e-9)
            << " s an hour; worlds with findings: " << all.with_findings << "\n";
  print(all.faults, fault_names);
  print(all.acts, act_names);
}

}  // namespace

std::string profile_list() {
  std::string out;
  for (const auto name : profile_names) out.append(name).append(", ");
  return out + "and all, which takes them in turns";
}

int run_chaos(const chaos_options& options) {
  const bool in_turns = options.profile == "all";
  const auto at = std::ranges::find(profile_names, options.profile);
  if (!in_turns && at == profile_names.end()) {
    std::cerr << "argosy-sim: there is no profile '" << options.profile << "'; there are "
              << profile_list() << "\n";
    return 2;
  }
  logging::options lines;
  lines.minimum = options.log.empty() ? logging::level::off : logging::level::info;
  lines.file = options.log;
  if (auto set = logging::setup(lines); !set) {
    std::cerr << "argosy-sim: " << set.error().detail << "\n";
    return 2;
  }
#ifdef ARGOSY_PLANTED_FAULTS
  const auto fault = std::ranges::find(planted_fault_names, options.plant);
  if (fault == planted_fault_names.end()) {
    std::cerr << "argosy-sim: there is no planted fault '" << options.plant << "'; there are";
    for (const auto name : planted_fault_names) std::cerr << " " << name;
    std::cerr << "\n";
    return 2;
  }
  plant(static_cast<planted_fault>(fault - planted_fault_names.begin()));
#endif
  totals all;
  const auto begun = std::chrono::steady_clock::now();
  const auto cpu_begun = processor_seconds();
  for (std::uint64_t i = 0; i < options.runs; ++i) {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begun;
    if (options.seconds > 0 && passed.count() > options.seconds) break;
    simulation_settings settings;
    settings.seed = options.seed + i;
    settings.by =
        static_cast<profile>(in_turns ? settings.seed % profile_names.size()
                                      : static_cast<std::size_t>(at - profile_names.begin()));
    settings.length = std::chrono::nanoseconds{static_cast<std::int64_t>(options.hours * 3'600e9)};
    settings.agents = options.agents;
    settings.planes = options.planes;
    settings.users.jobs_an_hour = options.jobs;
    settings.trace_file = options.trace;
    if (!options.faults.empty()) settings.faults = options.faults;
    const auto before = processor_seconds();
    const auto one = simulate(settings);
    print(settings, one, processor_seconds() - before);
    all.add(one, options.hours);
    if (!one.findings.empty()) print_findings(settings, one, options);
    std::cout.flush();
    if (options.stop_at_finding && all.with_findings > 0) break;
  }
  print(all, processor_seconds() - cpu_begun);
  return all.with_findings > 0 ? 1 : 0;
}

}  // namespace argosy::sim
