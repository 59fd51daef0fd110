// SPDX-License-Identifier: Apache-2.0
// Goal: every actor says what it does when it is asked; every metric of a probe stands in the table
// for operators, and the table names no other. Method: a control plane and an agent in virtual time
// with jobs of all kinds; all that live are asked, and the types are compared with the tables of
// actors/ARCHITECTURE.md. Metrics are compared with config/OPERATIONS.md.
#include <gtest/gtest.h>

#include <caf/event_based_actor.hpp>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "actors/rounds/round.hpp"
#include "actors/standby/lead_answers.hpp"
#include "actors/standby/standby.hpp"
#include "messages/probes/kube_probe.hpp"
#include "messages/proto/api/event.pb.h"
#include "runtime/eventlog/in_memory.hpp"
#include "runtime/store/in_memory.hpp"
#include "runtime/trace/render_text.hpp"
#include "tests/actors/link/remote_agent_fixture.hpp"
#include "tests/support/eventlog/test_key.hpp"

namespace argosy::tests {

namespace {

std::string text_of(const std::string& page) {
  std::ifstream in(std::string{ARGOSY_SOURCE_DIR} + page);
  return {std::istreambuf_iterator<char>{in}, {}};
}

std::set<std::string> matches(const std::string& text, const std::regex& pattern) {
  std::set<std::string> out;
  for (std::sregex_iterator at{text.begin(), text.end(), pattern}, end; at != end; ++at)
    out.insert(at->str(1));
  return out;
}

/// The types of actors that the page has a row for, in small letters.
std::set<std::string> documented_actors() {
  static const std::regex row{R"(\n\| (\w+) \(`[a-z_/]+\.cpp`)"};
  std::set<std::string> out;
  for (auto name : matches(text_of("/actors/ARCHITECTURE.md"), row)) {
    for (auto& c : name) c = static_cast<char>(std::tolower(c));
    out.insert(name);
  }
  return out;
}

}  // namespace

struct status : remote_agent_test {
  status() {
    start([this](actors::root_config& with) {
      with.probes = board;
      with.inner_connection = inner.connect();
    });
    create_queue("a");
    spawn_agent(add_process());
    both(1s);
    api::JobSetRequest request;
    request.set_queue("a");
    request.set_id("set");
    request.set_watch(true);
    stream = client->open_stream("argosy.api.Event.GetJobSetEvents", request.SerializeAsString(),
                                 {}, {}, {});
    submit("a", {.count = 2, .gang = "half", .cardinality = 3});
    submit("a");
    both(2s);
  }

  /// Asks all actors of the system and notes their answers by type.
  void ask_actors(caf::actor_system& of) {
    for (const auto& actor : trace::live_actors(of)) {
      const std::string type{trace::short_actor_name(actor.type)};
      const auto handle = caf::actor_cast<actors::status_actor>(actor.handle);
      of.spawn([this, type, handle](caf::event_based_actor* self) {
        self->request(handle, 1s, atom::status_v, atom::figures_v)
            .then([this,
                   type](const metrics::figure_list& figures) { answers[type] = figures.size(); },
                  [this, type](const caf::error&) { answers.emplace(type, 0); });
      });
    }
    both(2s);
  }

  /// Another process that waits behind a leader.
  actors::standby_actor spawn_standby() {
    actors::candidacy_config knows;
    knows.ground = {std::make_shared<store::memory_database>(),
                    std::make_shared<eventlog::memory_log>(
                        clock, eventlog::memory_log_options{.never_wait = true}),
                    test_key(), &clock};
    knows.process = "host/2";
    knows.keep = [](const std::string&) -> result<void> { return {}; };
    knows.new_plane = [] { return "second"; };
    const auto waiting = std::make_shared<probes::standby_probe>(clock);
    const auto standing = [] {
      ledger::leader_standing first;
      first.holder = "host/1/first/s";
      return first;
    };
    leading = actors::answer_as_leader(client, {standing, {}}, waiting).value();
    actors::standby_config config;
    config.candidate = actors::candidacy::open(std::move(knows)).value();
    config.connection = client;
    config.clock = &clock;
    config.waiting = waiting;
    config.tell = [](const std::string&) {};
    config.on_end = [](actors::standby_end) {};
    return actors::spawn_standby(system, std::move(config), actors::run_on::pool);
  }

  std::shared_ptr<metrics::board> board = metrics::make_board();
  bus::subscription leading;
  bus::memory_broker inner;  ///< The transport of calls over gRPC and REST.
  bus::stream stream;
  std::map<std::string, std::size_t> answers;  ///< How many figures the actors gave, by type.
};

TEST_F(status, is_answered_by_every_actor) {
  {
    const auto round = actors::spawn_round(system, {}, actors::run_on::pool);
    const auto waits = spawn_standby();
    ask_actors(system);
    caf::anon_send_exit(round, caf::exit_reason::kill);
    caf::anon_send_exit(waits, caf::exit_reason::kill);
  }
  ask_actors(far);
  std::set<std::string> answered;
  for (const auto& [type, figures] : answers) {
    EXPECT_GT(figures, 0U) << type << " does not answer (atom::status, atom::figures)";
    answered.insert(type);
  }
  EXPECT_EQ(answered, documented_actors());
}

TEST_F(status, metrics_are_those_of_the_operations) {
  std::set<std::string> shown;
  for (const auto* from : {board.get(), processes.front().board.get()})
    for (const auto& family : from->families()) shown.insert(family.name);
  auto documented = matches(text_of("/config/OPERATIONS.md"), std::regex{R"(`(argosy_[a-z_]+))"});
  // These are not those of a probe: each process has them.
  std::erase_if(documented, [](const std::string& name) {
    return name.starts_with("argosy_actor_") || name.starts_with("argosy_trace_") ||
           name == "argosy_build_info" || name == "argosy_log_lines_total";
  });
  // argosyd has these beside its actors.
  for (const auto* name :
       {"argosy_standbys", "argosy_standby_applied_position", "argosy_nats_rights_stale",
        "argosy_disk_free_bytes", "argosy_disk_bytes", "argosy_disk_used_percent",
        "argosy_certificate_days_left", "argosy_backup_time_seconds",
        "argosy_snapshot_time_seconds", "argosy_store_oldest_reader_seconds",
        "argosy_data_directory_time_seconds", "argosy_log_room_unknown"})
    shown.insert(name);
  // An agent of Kubernetes has these beside its actors.
  const manual_clock clock;
  const probes::kube_probe kube{clock};
  for (const auto& family : kube.families()) shown.insert(family.name);
  // The log in memory has no bound.
  for (const auto* name :
       {"argosy_log_bytes", "argosy_log_bytes_max", "argosy_log_older_bytes", "argosy_log_records",
        "argosy_log_account_bytes", "argosy_log_account_bytes_max"})
    shown.insert(name);
  EXPECT_EQ(shown, documented);
}

}  // namespace argosy::tests
