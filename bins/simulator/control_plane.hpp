// SPDX-License-Identifier: Apache-2.0
// The machine of a control plane: what argosyd runs, over a log and a store that outlive it. It
// waits behind another one that leads. A process that ends, or that cannot start, is started again
// a while later, as systemd does.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "actors/root.hpp"
#include "actors/standby/lead_answers.hpp"
#include "actors/standby/standby.hpp"
#include "bins/simulator/machine.hpp"
#include "bins/simulator/settings_file.hpp"
#include "runtime/eventlog/in_memory.hpp"
#include "runtime/logging/log_clock.hpp"
#include "runtime/store/in_memory.hpp"

namespace argosy::sim {

class control_plane final : public machine {
 public:
  /// `server` is the log's server, which all control planes have in common. `together`: they decide
  /// together who leads.
  control_plane(std::size_t number, surroundings& around, std::uint64_t seed,
                const eventlog::memory_log& server, bool together);
  ~control_plane() override;

  /// Ends it in order, and starts it again.
  void restart();
  /// Loses so many of the newest records of the log while the process is down, as a server does
  /// whose machine lost power.
  void lose_log_tail(std::uint64_t records);
  /// Loses the machine with its disk, and has another one there after a while.
  void lose_disk(virtual_time::duration away);
  /// The plane that its store is.
  [[nodiscard]] std::string plane_id() const;
  /// Puts behind the end of the log what this control plane has not written: a copy of the record
  /// that is so far before the last one, or of none if that is 0.
  void write_foreign(std::uint64_t back);
  /// The position that is so far before the last one of the log.
  [[nodiscard]] model::log_position newest_but(std::uint64_t back);

  [[nodiscard]] settings_file& settings() noexcept { return settings_; }
  [[nodiscard]] eventlog::memory_log& log() { return *log_; }
  [[nodiscard]] store::memory_database& database() { return *database_; }
  [[nodiscard]] bool is_together() const noexcept { return together_; }
  [[nodiscard]] const codec::log_key& log_key() const { return *key_; }
  /// The highest leadership that it has held or heard of.
  [[nodiscard]] model::epoch known_epoch() const;
  [[nodiscard]] bool leads() const { return is_up() && epoch_ > 0; }
  /// A copy of its store for another plane; null: it neither leads nor claims.
  [[nodiscard]] std::unique_ptr<store::memory_database> give_store();
  [[nodiscard]] std::uint64_t starts() const noexcept { return starts_; }

 private:
  void launch() override;
  void let_go() override;
  void wait_for_lead();
  void lead();
  [[nodiscard]] actors::root_config make_root_config(view::recovered_state recovered);
  void answer_as_leader(const view::view_position& start,
                        const std::shared_ptr<eventlog::log_load>& load);
  void fetch_store();
  /// Does this in a fiber of its own, if the process lives then.
  void do_soon(void (control_plane::*what)());

  const std::uint64_t seed_;
  const std::shared_ptr<const codec::log_key> key_;
  const std::shared_ptr<eventlog::memory_log> log_;
  const bool together_;
  std::shared_ptr<store::memory_database> database_;
  settings_file settings_;
  view::state_rules rules_;
  std::string memory_;  ///< What its data directory keeps about leading; empty: nothing yet.
  struct parts {
    actors::candidate_ground ground{};
    std::shared_ptr<bus::connection> connection{};
    std::shared_ptr<actors::candidacy> candidate{};
    std::shared_ptr<probes::standby_probe> waiting{};
    actors::root_actor root{};
    std::shared_ptr<actors::journal_line> journal{};
    bool gives_up_planes = false;
    bus::subscription leading{};
  };
  parts now_;                                  ///< Those of the present process.
  std::unique_ptr<logging::log_clock> clock_;  ///< Actors have it until they end.
  std::uint64_t starts_ = 0;
  std::uint64_t planes_ = 0;  ///< How many ids it has made for its data directory.
  model::epoch led_{};        ///< The last epoch in which it led.
  std::uint64_t epoch_ = 0;   ///< 0: it does not serve.
  bool is_wanted_ = false;    ///< Another plane needs its store.
};

}  // namespace argosy::sim
