// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/lead.hpp"

#include <unistd.h>

#include <atomic>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <chrono>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "actors/standby/joint_claim.hpp"
#include "actors/standby/lead_answers.hpp"
#include "bins/argosyd/random_digits.hpp"
#include "bins/argosyd/upkeep/snapshot_exchange.hpp"
#include "bins/shared/ending.hpp"
#include "messages/view/progress.hpp"
#include "runtime/backends/run/file.hpp"
#include "runtime/base/check.hpp"
#include "runtime/base/clock.hpp"
#include "runtime/logging/logger.hpp"
#include "runtime/store/lmdb/lmdb_database.hpp"

namespace argosy::argosyd {

namespace {

const logging::logger lead_logger{"argosyd"};

constexpr std::chrono::milliseconds answer_limit{1'000};
constexpr std::chrono::milliseconds pause{500};
/// How long a piece of a snapshot may take.
constexpr std::chrono::seconds piece_limit{10};
constexpr std::string_view file_name = "lead";
constexpr std::size_t file_max = 64u << 10;

std::string host_name() {
  char host[256] = {};
  gethostname(host, sizeof(host) - 1);
  return host;
}

/// Nothing: the actor was ended by an exception.
std::optional<actors::standby_end> taken(std::future<actors::standby_end>& end) {
  try {
    return end.get();
  } catch (const std::future_error&) {
    return std::nullopt;
  }
}

/// Gets a snapshot of the leader in place of a store for which the log is too short. Returns
/// whether it is there.
bool fetch_store(const ground& seams, const actors::candidacy& candidate,
                 std::atomic<bool>& stops) {
  const auto& clock = system_clock_source();
  auto word_due = clock.boot() + pause;
  const auto ask = [&](const codec::waiting_word& word, std::chrono::milliseconds limit) {
    return seams.connection->request_sync(actors::lead_subject, codec::encode(word), {}, limit);
  };
  const auto ask_for = [&](const codec::snapshot_question& what) -> result<codec::snapshot_piece> {
    stops = stop_wanted(std::chrono::milliseconds{0});
    if (stops) return fail(ec::cancelled, "this process ends");
    // A large store takes longer than others wait for a word.
    if (clock.boot() >= word_due) {
      word_due = clock.boot() + pause;
      static_cast<void>(ask(candidate.word(), answer_limit));
    }
    codec::waiting_word word;
    word.snapshot = what;
    if (what.name.empty()) word.snapshot->generation = candidate.wanted_generation();
    const auto reply = ask(word, piece_limit);
    if (!reply) return fail(reply.error());
    return codec::decode_snapshot_piece(reply->data);
  };
  lead_logger.info("the store is too old for the log; a snapshot of the leader's is fetched");
  const auto fits = [&](const backup_manifest& snapshot) {
    view::view_position end;
    end.control_plane = snapshot.control_plane;
    end.generation = snapshot.generation;
    end.position = snapshot.position;
    end.epoch = snapshot.epoch;
    return candidate.why_unfit(end);
  };
  // It has more than the store in whose place it comes, so that this stays the same plane.
  const auto own = [&](const std::filesystem::path& store) -> result<void> {
    if (candidate.mark().empty()) return {};
    const auto room = seams.database->usage();
    if (!room) return fail(room.error());
    const auto copy = store::open_lmdb({.folder = store, .map_bytes = room->limit_bytes});
    if (!copy) return fail(copy.error());
    return view::write_plane_mark(**copy, candidate.mark());
  };
  const auto done = fetch_snapshot(seams.dir->path(), ask_for, fits, own);
  if (!done && !stops)
    lead_logger.error("the snapshot was not fetched", logging::kv("error", done.error().detail));
  return done.has_value();
}

/// Asks so often whether somebody answers there, by what counts as an answer.
bool answers(bus::connection& connection, std::string_view subject, const std::string& question,
             int tries, bool silence_counts, const std::function<bool(const bus::frame&)>& counts) {
  for (int asked = 0; asked < tries; ++asked) {
    if (asked > 0) std::this_thread::sleep_for(pause);
    const auto reply = connection.request_sync(subject, question, {}, answer_limit);
    if (reply) return counts(*reply);
    if (silence_counts && reply.error().code != ec::no_responders) return true;
  }
  return false;
}

}  // namespace

result<std::shared_ptr<actors::candidacy>> open_candidacy(const ground& seams,
                                                          view::state_rules rules, bool joins) {
  const auto path = seams.dir->path() / file_name;
  actors::candidacy_config config;
  config.ground = {seams.database, seams.log, seams.log_key, &system_clock_source()};
  config.connection = seams.connection;
  config.rules = std::move(rules);
  config.joins = joins;
  config.process = host_name() + '/' + std::to_string(getpid());
  config.place = host_name() + ':' + std::filesystem::absolute(seams.dir->path()).string();
  config.keep = [path](const std::string& bytes) {
    return backends::write_file(path, bytes, backends::sync_mode::yes);
  };
  config.new_plane = [] { return random_digits(1); };
  auto bytes = backends::read_file(path, file_max);
  if (!bytes && bytes.error().code != ec::not_found) return fail(bytes.error());
  if (bytes) config.memory = std::move(*bytes);
  auto opened = actors::candidacy::open(std::move(config));
  if (!opened && opened.error().code == ec::corrupt)
    return fail(ec::corrupt, "cannot read " + path.string() + ": " + opened.error().detail +
                                 "; it says which leader this process has met. If no other "
                                 "argosyd has ever led here, remove it");
  if (!opened) return fail(opened.error());
  return std::move(*opened);
}

wait_end wait_for_lead(const ground& seams, ledger::candidate_times times,
                       const std::shared_ptr<actors::candidacy>& candidate, outcome& told,
                       caf::actor_system& system) {
  std::atomic<bool> stops = false;
  while (true) {
    auto ended = std::make_shared<std::promise<actors::standby_end>>();
    auto end = ended->get_future();
    actors::standby_config config;
    config.candidate = candidate;
    config.connection = seams.connection;
    config.clock = &system_clock_source();
    config.times = times;
    config.waiting = told.probes->get<probes::standby_probe>(system_clock_source());
    config.tell = [&told](const std::string& why) { told.set_standby(why); };
    config.give_up = [&stops] { return stops.load(); };
    // It goes with the actor, so that an actor which ends without a word is noticed.
    config.on_end = [ended = std::move(ended)](actors::standby_end how) { ended->set_value(how); };
    auto standby = actors::spawn_standby(system, std::move(config), actors::run_on::own_thread);
    const auto has_ended = [&] {
      return end.wait_for(std::chrono::milliseconds{0}) == std::future_status::ready;
    };
    while (!has_ended() && !stops) stops = stop_wanted(std::chrono::milliseconds{5});
    caf::anon_send(standby, atom::shutdown_v);
    // The candidacy is used by others afterwards.
    caf::scoped_actor {
      system
      } -> wait_for(std::exchange(standby, nullptr));
    if (stops) return wait_end::stopped;
    const auto how = taken(end);
    ARGOSY_CHECK(how.has_value());
    if (*how == actors::standby_end::may_claim) return wait_end::may_claim;
    if (fetch_store(seams, *candidate, stops)) return wait_end::store_replaced;
    if (stops) return wait_end::stopped;
    candidate->miss_snapshot();
  }
}

bool is_there(bus::connection& connection, const model::plane& plane) {
  // It binds itself to no epoch that it has already.
  return answers(connection, actors::plane_subject(plane.id),
                 codec::encode(ledger::binding_question{}), 4, true,
                 [](const bus::frame&) { return true; });
}

bool another_leads(bus::connection& connection, bool silence_counts) {
  return answers(
      connection, actors::lead_subject, codec::encode(codec::waiting_word{}), 6, silence_counts,
      [](const bus::frame& reply) { return !codec::decode_leader_standing(reply.data).is_over; });
}

}  // namespace argosy::argosyd
