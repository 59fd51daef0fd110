// SPDX-License-Identifier: Apache-2.0
// Goal: how long a round takes on the workloads W1 to W7 at sizes T, S and M, under `current` and
// `argosy`, and what a job costs whose key is known to fit nowhere. Method: the generator of
// tests/oracle writes the world, which is loaded once; only schedule() is timed. Arguments: preset,
// then the number of nodes.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "runtime/scheduling/round.hpp"
#include "runtime/scheduling/snap1.hpp"

namespace {

using namespace argosy::scheduling;

std::string generate(const std::string& workload, const std::string& size) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("argosy-bench-" + std::to_string(::getpid()) + ".snap");
  const auto command = "python3 " ARGOSY_SOURCE_DIR "/tests/oracle/snap1.py " + workload + " " +
                       size + " " + path.string() + " >/dev/null";
  std::string text;
  if (std::system(command.c_str()) == 0) {
    std::ostringstream content;
    content << std::ifstream(path).rdbuf();
    text = std::move(content).str();
  }
  std::filesystem::remove(path);
  return text;
}

/// The library calls a bench several times before it times it: the last world is kept.
const std::string& world_text(const std::string& workload, const std::string& size) {
  static std::string name;
  static std::string text;
  if (name != workload + size) text = generate(workload, size);
  name = workload + size;
  return text;
}

void round_on(benchmark::State& state, const std::string& workload) {
  auto conf = bench_config(state.range(0) == 0 ? preset::current : preset::argosy);
  conf.protected_fraction = workload == "W4" ? 1.0 : 0.0;
  const auto* size = state.range(1) == 10 ? "T" : state.range(1) == 1000 ? "S" : "M";
  const auto world = read_snap1(world_text(workload, size), conf);
  if (!world || world->jobs_and_nodes.node_count() == 0) {
    state.SkipWithError("the workload could not be generated; python3 is needed");
    return;
  }
  std::size_t decided = 0;
  for (auto _ : state) {
    const auto what = schedule(world->jobs_and_nodes, world->conf, world->params);
    decided = what.leases.size() + what.preemptions.size();
    benchmark::DoNotOptimize(decided);
  }
  state.counters["decisions"] = static_cast<double>(decided);
}

void add(const char* workload) {
  benchmark::RegisterBenchmark(workload,
                               [workload](benchmark::State& state) { round_on(state, workload); })
      ->ArgNames({"argosy", "nodes"})
      ->ArgsProduct({{0, 1}, {10, 1000, 10000}})
      ->Unit(benchmark::kMillisecond);
}

/// Makes one full node, and queues of jobs of one key that fits nowhere.
std::string misfits(std::int64_t jobs) {
  std::string text = "N 0 n0 e0 32000 274877906944 0 - -\nQ q0 1\nQ q1 1\n";
  for (std::int64_t i = 0; i < jobs; ++i)
    text += "J j" + std::to_string(10'000'000 + i) + " q" + std::to_string(i % 2) + " std 1000 " +
            std::to_string(1'600'000'000'000'000'000 + i) + " 64000 4294967296 0 - - - - 1 -\n";
  return text;
}

/// Decides ten jobs for each of the `nodes` of its name; the counter `each` is the time for one
/// job.
void known_key(benchmark::State& state) {
  const auto conf = bench_config(state.range(0) == 0 ? preset::current : preset::argosy);
  const auto jobs = state.range(1) * 10;
  const auto world = read_snap1(misfits(jobs), conf);
  if (!world) {
    state.SkipWithError("the world is no SNAP1");
    return;
  }
  for (auto _ : state) {
    const auto what = schedule(world->jobs_and_nodes, world->conf, world->params);
    if (what.leases.size() + what.preemptions.size() != 0)
      state.SkipWithError("a job was placed that fits nowhere");
  }
  state.counters["each"] =
      benchmark::Counter(static_cast<double>(jobs), benchmark::Counter::kIsIterationInvariantRate |
                                                        benchmark::Counter::kInvert);
}

}  // namespace

int main(int argc, char** argv) {
  for (const auto* workload : {"W1", "W2", "W3a", "W3b", "W4", "W5a", "W5b", "W6", "W7a", "W7b"})
    add(workload);
  benchmark::RegisterBenchmark("known_key", known_key)
      ->ArgNames({"argosy", "nodes"})
      ->ArgsProduct({{0, 1}, {10, 10000, 100000}})
      ->Unit(benchmark::kMicrosecond);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
