// SPDX-License-Identifier: Apache-2.0
#include "bins/argosy-agent/ground.hpp"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "bins/shared/agent_place.hpp"
#include "bins/shared/data_dir.hpp"
#include "bins/shared/ending.hpp"
#include "bins/shared/options.hpp"
#include "messages/codec/agent/agent_subject.hpp"
#include "messages/codec/span_codec.hpp"
#include "messages/proto/argosy/trace.pb.h"
#include "runtime/access/credentials.hpp"
#include "runtime/backends/run/file.hpp"
#include "runtime/bus/nats/nats_bus.hpp"
#include "runtime/bus/nats/session.hpp"
#include "runtime/logging/logger.hpp"
#include "runtime/store/lmdb/lmdb_database.hpp"

namespace argosy::agent {

namespace {

const logging::logger ground_logger{"agent"};

constexpr std::uint64_t store_bytes_max = std::uint64_t{16} << 30;
constexpr std::chrono::milliseconds span_timeout{5'000};

}  // namespace

result<void> ground::open(const settings::agent_settings& settings) {
  auto opened = open_data_dir(settings.data_dir);
  if (!opened) return fail(std::move(opened.error()));
  dir = std::move(*opened);
  auto runs_folder = dir->folder("runs");
  if (!runs_folder) return fail(std::move(runs_folder.error()));
  runs = *runs_folder;
  auto folder = dir->folder("store");
  if (!folder) return fail(std::move(folder.error()));
  auto stored = store::open_lmdb({*folder, store_bytes_max});
  if (!stored) return fail(std::move(stored.error()));
  database = std::move(*stored);
  return {};
}

result<void> note_owner(const std::filesystem::path& data_dir, const model::cluster_info& cluster,
                        std::ptrdiff_t open) {
  struct fact {
    const char* name;
    const std::string& now;
    std::string lost;  ///< A clause that says what would become of the runs.
  };
  for (const auto& [name, now, lost] :
       {fact{"backend", cluster.backend,
             "which backend '" + cluster.backend + "' can neither find nor end"},
        fact{"cluster", cluster.name,
             "of whose ends nobody would hear from a cluster '" + cluster.name + "'"}}) {
    const auto file = data_dir / name;
    const auto before = backends::read_file(file);
    if (before && *before == now) continue;
    if (before && open > 0)
      return fail(ec::conflict,
                  fmt::format("the data directory '{0}' has runs ({1}) of {2} '{3}', {4}: start "
                              "the agent with {2} '{3}' until they have ended, or give this one a "
                              "data directory and a cluster name of its own",
                              data_dir.string(), open, name, *before, lost));
    if (auto noted = backends::write_file(file, now, backends::sync_mode::yes); !noted)
      return noted;
  }
  return {};
}

void take_kept_credentials(settings::nats_settings& nats) {
  if (!nats.credentials_file.empty() || !nats.token_file.empty() ||
      nats.url.find('@') != std::string::npos)
    return;
  const auto kept = access::kept_credentials(user_state_dir(), nats.url);
  std::error_code ignored;
  if (!kept.empty() && std::filesystem::exists(kept, ignored)) nats.credentials_file = kept;
}

namespace {

/// The user whose key the nats-server lets in, though not as an agent; empty: it is another fault.
std::string user_let_in(const settings::nats_settings& from, const bus::nats_settings& nats) {
  if (from.credentials_file.empty()) return {};
  const auto own = access::read_credentials(from.credentials_file);
  if (!own || own->who.what != access::party::user) return {};
  return bus::nats_session::open(nats) ? to_string(own->who) : std::string{};
}

}  // namespace

result<bool> ground::connect(const settings::agent_settings& settings) {
  auto nats = nats_options(settings.nats, "argosy-agent/" + settings.cluster,
                           {access::party::agent, settings.cluster});
  if (!nats) return fail(std::move(nats.error()));
  url = nats->url;
  for (bool told = false;; told = true) {
    auto connected = bus::connect_nats(*nats);
    if (connected) {
      connection = std::move(*connected);
      return true;
    }
    if (connected.error().code == ec::invalid_argument) return fail(std::move(connected.error()));
    if (connected.error().code == ec::denied)
      if (const auto who = user_let_in(settings.nats, *nats); !who.empty())
        return fail(no_agent(settings.nats, who, settings.cluster));
    ground_logger.write(told ? logging::level::debug : logging::level::warning,
                        "no connection yet; trying on",
                        logging::kv("error", to_string(connected.error())));
    for (int i = 0; i < 5; ++i)
      if (stop_wanted()) return false;
  }
}

void ship_spans(bus::connection& connection, const std::string& cluster,
                const std::vector<trace::finished_span>& spans) {
  v1::ReportSpansRequest request;
  for (const auto& span : spans) codec::to_wire(span, *request.add_spans());
  connection.request(codec::make_agent_subject(cluster, "spans"), request.SerializeAsString(), {},
                     span_timeout, [](const result<bus::frame>&) {});
}

}  // namespace argosy::agent
