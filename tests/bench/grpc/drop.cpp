// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cstdio>
#include <thread>

#include "tests/bench/grpc/figures.hpp"
#include "tests/bench/grpc/reader.hpp"

namespace argosy::bench {

namespace {

constexpr std::size_t open_max = 200;

struct totals {
  std::atomic<std::size_t> open{0};
  std::atomic<std::size_t> items{0};
  std::atomic<std::size_t> refused{0};
};

/// A watch that is let go when it is open, or after its first event; it owns itself.
class dropped final : public reader {
 public:
  dropped(const channel_ptr& on, const std::string& request, totals& to)
      : reader(on, events_path, request), totals_(to) {
    ++totals_.open;
    AddHold();
  }

  /// Begins, and lets go at once or after the first event.
  void run(bool at_once) {
    start();
    if (at_once)
      let_go();
    else
      read_on();
    RemoveHold();
  }

 private:
  void took(const ::grpc::ByteBuffer&) override {
    ++totals_.items;
    let_go();
  }
  void ended(const ::grpc::Status& how) override {
    if (how.error_code() != ::grpc::StatusCode::CANCELLED) ++totals_.refused;
    --totals_.open;
    delete this;
  }

  totals& totals_;
};

}  // namespace

int drop(const watch_options& how) {
  const auto channels = connect(how.address, how.connections);
  const auto request = watch_request(how.queue, how.job_set, true);
  totals to;
  const auto begun = clock::now();
  const auto wait_below = [&](std::size_t most) {
    while (to.open >= most) std::this_thread::sleep_for(std::chrono::microseconds{100});
  };
  for (std::size_t i = 0; i < how.watches; ++i) {
    wait_below(open_max);
    (new dropped{channels[i % channels.size()], request, to})->run(how.at_once || i % 2 == 0);
  }
  wait_below(1);
  const std::chrono::duration<double> took = clock::now() - begun;
  std::printf("%zu watches opened and let go in %.1f s, %zu of them after an event; %zu refused\n",
              how.watches, took.count(), to.items.load(), to.refused.load());
  return 0;
}

}  // namespace argosy::bench
