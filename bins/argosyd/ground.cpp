// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/ground.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "bins/argosyd/log_key_file.hpp"
#include "bins/argosyd/upkeep/snapshots.hpp"
#include "bins/shared/data_dir.hpp"
#include "bins/shared/nats_greeting.hpp"
#include "bins/shared/options.hpp"
#include "runtime/access/identity.hpp"
#include "runtime/backends/run/file.hpp"
#include "runtime/bus/nats/nats_bus.hpp"
#include "runtime/bus/nats/signing.hpp"
#include "runtime/logging/logger.hpp"
#include "runtime/store/lmdb/lmdb_database.hpp"

namespace argosy::argosyd {

namespace {

const logging::logger logger{"argosyd"};

/// The log's records of decisions have parts of 256 KiB, and something around them.
constexpr std::size_t payload_least = 512u << 10;

/// What is asked while the servers of a cluster choose a leader is never answered. It is asked
/// again, so that the choice is seen soon.
constexpr std::chrono::milliseconds call_limit_of_copies{1'000};
/// For how long a server may take to greet.
constexpr std::chrono::milliseconds greeting_limit{1'000};

/// Fails if the nats-server takes too little in one message for the log.
result<void> check_payload(const bus::connection& connection, std::size_t request_bytes_max) {
  const auto most = connection.max_payload();
  const auto server = connection.server();
  if (most < payload_least)
    return fail(ec::denied, "the nats-server at " + server + " takes no message above " +
                                std::to_string(most) + " bytes, and argosyd needs " +
                                std::to_string(payload_least) +
                                ": raise its max_payload, best to " +
                                std::to_string(std::max(payload_least, request_bytes_max)));
  if (most < request_bytes_max)
    logger.warning(
        "the max_payload of the nats-server is below api.requestBytesMax; larger "
        "requests are refused",
        logging::kv("max_payload", most), logging::kv("request_bytes_max", request_bytes_max));
  return {};
}

/// Fails if one of the servers that answer must not keep a copy of the log. Those that are away now
/// are looked at when another argosyd starts.
result<void> check_servers(const std::string& urls) {
  for (const auto& where : addresses_of(urls)) {
    const auto server = greeting_of(where, greeting_limit);
    if (!server) continue;
    if (auto fit = check_copies(*server, where.text()); !fit) return fit;
  }
  return {};
}

}  // namespace

result<void> ground::open(const options& chosen) {
  const auto& settings = chosen.settings.value;
  auto opened = open_data_dir(settings.data_dir);
  if (!opened) return fail(opened.error());
  dir = std::move(*opened);
  // A killed predecessor may have left this file.
  std::error_code ignored;
  if (!chosen.ready_file.empty()) std::filesystem::remove(chosen.ready_file, ignored);
  auto key = open_log_key(log_key_path(settings));
  if (!key) return fail(key.error());
  log_key = std::make_shared<const codec::log_key>(std::move(*key));
  if (auto restored = restore_snapshot(dir->path()); !restored) return restored;
  auto folder = dir->folder("store");
  if (!folder) return fail(folder.error());
  auto stored = store::open_lmdb({.folder = *folder,
                                  .map_bytes = settings.store_map_size.bytes,
                                  .map_setting = "store.mapSize of argosyd"});
  if (!stored) return fail(stored.error());
  database = std::move(*stored);
  url = settings.nats.url;
  if (chosen.dev && url.empty()) {
    auto server_folder = dir->folder("nats");
    if (!server_folder) return fail(server_folder.error());
    bus::private_server_settings wanted;
    wanted.folder = *server_folder;
    auto opened_keys = open_dev_access(*server_folder);
    if (!opened_keys) return fail(std::move(opened_keys.error()));
    keys = std::move(*opened_keys);
    wanted.accounts = keys->accounts;
    auto started = bus::private_server::start(wanted);
    if (!started) return fail(started.error());
    nats_server = std::move(*started);
    url = nats_server->url();
    // The clients and agents that this user starts find the server's credentials there.
    auto kept = access::write_private(access::kept_credentials(user_state_dir(), url),
                                      access::print_credentials(keys->owner), true);
    if (!kept) return fail(std::move(kept.error()));
  }
  return read_order_seed(settings.nats);
}

result<void> ground::connect(const options& chosen) {
  const auto& settings = chosen.settings.value;
  auto server = settings.nats;
  if (nats_server) server.url = nats_server->url();
  auto nats = nats_options(server, "argosyd", {access::party::control_plane, {}});
  if (nats && keys)
    if (auto ready = bus::sign_as(keys->control_plane, *nats); !ready)
      return fail(std::move(ready.error()));
  if (!nats) return fail(nats.error());
  nats->sender_of = [](std::string_view subject) {
    const auto asked = access::parse_api_subject(subject);
    return asked.user.empty() ? asked.method : asked.user;
  };
  url = nats->url;
  if (settings.journal.replicas > 1)
    if (auto fit = check_servers(url); !fit) return fit;
  // The first one is that of this machine, see log_keeper.
  nats->in_order = true;
  auto connected = bus::connect_nats(*nats);
  if (!connected) return fail(connected.error());
  connection = std::move(*connected);
  if (auto enough = check_payload(*connection, settings.api.limits.request_bytes_max.bytes);
      !enough)
    return fail(std::move(enough.error()));
  auto& stream = log_settings;
  stream.nats = *nats;
  stream.append_limit = settings.journal.publish_timeout;
  stream.replicas = settings.journal.replicas;
  if (stream.replicas > 1) stream.call_limit = call_limit_of_copies;
  stream.call_limit = std::min(stream.call_limit, stream.append_limit);
  stream.max_bytes = settings.journal.log_bytes_max.bytes;
  auto joined = eventlog::open_jetstream(stream);
  if (!joined) return fail(joined.error());
  log = std::move(*joined);
  return {};
}

result<void> ground::read_order_seed(const settings::nats_settings& from) {
  std::string seed;
  if (keys) {
    seed = keys->control_plane.order_seed;
  } else if (!from.credentials_file.empty()) {
    const auto own = access::read_credentials(from.credentials_file);
    if (!own) return fail(own.error());
    seed = own->order_seed;
  }
  if (seed.empty()) {
    logger.warning("orders to agents are not signed: the credentials have no order-seed");
    return {};
  }
  auto signer = access::order_signer::from_seed(seed);
  if (!signer) return fail(signer.error());
  order_signer = std::move(*signer);
  return {};
}

void ground::start_clock(const view::recovered_state& recovered, boot_time client_id_retention,
                         bool trust_wall_clock) {
  const auto& machine = system_clock_source();
  const clock_mark now{{}, machine.wall(), machine.boot(), backends::boot_id()};
  log_time_rules rules;
  // However wrong the wall clock is, client ids that were used last keep half of their time.
  rules.absence_max = client_id_retention / 2;
  std::optional<wall_time> newest;
  if (recovered.newest_ns > 0) newest = from_nanos(recovered.newest_ns);
  auto begin = begin_log_time(rules, newest, recovered.clock, now);
  if (trust_wall_clock) begin = {rules, std::max(begin.last(), now.wall), now.boot};
  clock = std::make_unique<logging::log_clock>(machine, now.boot_id, rules, begin);
}

void ground::close() {
  if (log) log->close();
  if (connection) connection->close();
  log.reset();
  connection.reset();
  database.reset();
  nats_server.reset();
  dir.reset();
}

}  // namespace argosy::argosyd
