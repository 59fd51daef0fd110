// SPDX-License-Identifier: Apache-2.0
// bench_watches COUNT SETS SECONDS is one client that holds COUNT watches of job sets of the queue
// "bench" on the server that ARGOSY_SERVER names: of the sets "set-0" to "set-SETS - 1" in turn. It
// prints how many watches the server took and how many events came.
#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bins/argosyctl/client/bus_client.hpp"
#include "bins/argosyctl/client/credentials.hpp"
#include "messages/proto/api/event.pb.h"
#include "runtime/bus/nats/nats_bus.hpp"
#include "runtime/bus/nats/signing.hpp"

namespace {

using namespace argosy;
using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr std::size_t per_turn = 100;

std::string request_for(std::size_t set) {
  api::JobSetRequest request;
  request.set_queue("bench");
  request.set_id("set-" + std::to_string(set));
  request.set_watch(true);
  return request.SerializeAsString();
}

}  // namespace

int main(int argc, char** argv) {
  const auto env = ctl::process_environment();
  const auto url = env.variable("ARGOSY_SERVER");
  if (argc < 4 || !url) {
    std::cerr << "usage: ARGOSY_SERVER=URL bench_watches COUNT SETS SECONDS\n";
    return 2;
  }
  bus::nats_settings settings;
  settings.url = *url;
  ctl::bus_client_options options;
  options.verb = "watches";
  if (const auto found = ctl::find_credentials(env, *url); found && found->has_value()) {
    if (const auto ready = bus::sign_as(**found, settings); !ready) return 1;
    options.user = (*found)->who.name;
    options.tenant = (*found)->tenant;
  }
  auto connected = bus::connect_nats(settings);
  if (!connected) {
    std::cerr << to_string(connected.error()) << "\n";
    return 1;
  }
  ctl::bus_client client{*connected, std::move(options)};
  const std::size_t count = std::stoul(argv[1]);
  const std::size_t sets = std::stoul(argv[2]);
  std::vector<std::unique_ptr<ctl::stream_reader>> readers(count);
  std::size_t events = 0;
  std::size_t again = 0;
  std::size_t open = 0;
  bool all_open = false;
  std::string data;
  const auto begun = steady_clock::now();
  const auto end = begun + std::chrono::seconds{std::stoul(argv[3])};
  for (auto tell = begun; steady_clock::now() < end; std::this_thread::sleep_for(20ms)) {
    std::size_t opened_now = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (readers[i] == nullptr) {
        // The server takes a limited number of requests at a time and refuses the others.
        if (opened_now++ >= per_turn) continue;
        if (auto made = client.open("Event.GetJobSetEvents", request_for(i % sets))) {
          readers[i] = std::move(*made);
          ++open;
        }
        continue;
      }
      const auto got = readers[i]->next(data, 0ms);
      if (!got) {
        ++again;
        --open;
        readers[i].reset();
      } else {
        events += *got == ctl::stream_reader::event::item;
      }
    }
    if (!std::exchange(all_open, all_open || open == count) && all_open)
      std::cout << "all are open after "
                << std::chrono::duration<double>(steady_clock::now() - begun).count() << " s"
                << std::endl;
    if (steady_clock::now() < tell) continue;
    std::cout << open << " watches, " << events << " events, " << again << " opened again"
              << std::endl;
    tell = steady_clock::now() + 5s;
  }
  (*connected)->close();
  return 0;
}
