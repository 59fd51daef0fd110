// SPDX-License-Identifier: Apache-2.0
// Goal: what the way to a commit costs: a request's round trip, a batch into the log, a batch into
// the tail. Method: real nats-server on loopback, real LMDB in a temporary folder.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "runtime/bus/nats/nats_bus.hpp"
#include "runtime/eventlog/jetstream/jetstream_log.hpp"
#include "runtime/store/lmdb/lmdb_database.hpp"
#include "tests/support/nats/nats_server.hpp"

namespace argosy {
namespace {

using clock = std::chrono::steady_clock;

/// The median and the 99th percentile of single operations, in microseconds.
class percentiles {
 public:
  void add(clock::duration took) {
    micros_.push_back(std::chrono::duration<double, std::micro>(took).count());
  }
  void report(benchmark::State& state) {
    if (micros_.empty()) return;
    std::ranges::sort(micros_);
    state.counters["p50_us"] = micros_[micros_.size() / 2];
    state.counters["p99_us"] = micros_[micros_.size() * 99 / 100];
  }

 private:
  std::vector<double> micros_;
};

void request_reply(benchmark::State& state) {
  const testing::nats_server server{{.jetstream = false}};
  const auto serving = bus::connect_nats({.url = server.url()}).value();
  const auto asking = bus::connect_nats({.url = server.url()}).value();
  const auto held = serving->serve("echo", [&](const bus::frame& asked) {
    if (!serving->respond(asked, asked.data)) state.SkipWithError("cannot respond");
  });
  const std::string data(256, 'x');
  percentiles seen;
  for (auto _ : state) {
    const auto begin = clock::now();
    if (!asking->request_sync("echo", data, {}, std::chrono::seconds{5}))
      state.SkipWithError("no reply");
    seen.add(clock::now() - begin);
  }
  seen.report(state);
}
BENCHMARK(request_reply)->Unit(benchmark::kMicrosecond)->UseRealTime();

void append_batch(benchmark::State& state) {
  const testing::nats_server server;
  eventlog::jetstream_settings settings;
  settings.nats.url = server.url();
  settings.max_bytes = 4ull << 30;
  const auto log = eventlog::open_jetstream(settings).value();
  static_cast<void>(log->create());
  const std::string data(static_cast<std::size_t>(state.range(0)), 'x');
  std::uint64_t last = 0;
  percentiles seen;
  for (auto _ : state) {
    const auto begin = clock::now();
    const auto done = log->append({last}, "1." + std::to_string(last + 1), data);
    if (!done) {
      state.SkipWithError(done.error().detail.c_str());
      break;
    }
    last = done->value;
    seen.add(clock::now() - begin);
  }
  seen.report(state);
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * state.range(0));
}
BENCHMARK(append_batch)->Arg(512 << 10)->Unit(benchmark::kMicrosecond)->UseRealTime();

void put_tail(benchmark::State& state) {
  const testing::temp_folder folder;
  const auto db = store::open_lmdb({.folder = folder.path() / "db"}).value();
  const std::string data(static_cast<std::size_t>(state.range(0)), 'x');
  std::uint64_t number = 0;
  percentiles seen;
  for (auto _ : state) {
    const auto begin = clock::now();
    const auto txn = db->begin_write().value();
    auto done = txn->append(store::table::tail, store::number_key(++number), data);
    // Old records go as they do in the tail when it is over its length.
    if (done && number > 256 && !txn->erase(store::table::tail, store::number_key(number - 256)))
      state.SkipWithError("cannot erase");
    if (done) done = txn->commit();
    if (!done) state.SkipWithError(done.error().detail.c_str());
    seen.add(clock::now() - begin);
  }
  seen.report(state);
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * state.range(0));
}
BENCHMARK(put_tail)->Arg(4 << 10)->Arg(512 << 10)->Unit(benchmark::kMicrosecond)->UseRealTime();

}  // namespace
}  // namespace argosy
