// SPDX-License-Identifier: Apache-2.0
// A model of three planes (argosyd with a synced store each) that lead, commit and take over, with
// `commit: standby`. It has no time: what is frozen or cut off is a plane whose steps are not
// taken. A walk takes steps at random, faults among them, and looks after each whether what was
// promised to callers still holds.
#pragma once

#include <string>
#include <vector>

#include "tests/unit/takeover/takeover_records.hpp"

namespace argosy::takeover {

/// The rules. Each can be left out, to see that the model notices.
struct rules {
  // Committing.
  bool commit_needs_a_second_store = true;
  bool confirmation_names_the_record = true;
  bool heartbeat_names_the_record = true;
  bool bound_plane_confirms_nothing_lower = true;
  bool only_named_planes_confirm = true;
  // Planes.
  bool change_is_synced_before_it_is_published = true;
  bool old_planes_confirm_a_change = true;
  /// Stricter than the former, and left out: who replaces a plane that lives would wait for ever
  /// for another that is gone.
  bool all_who_stay_confirm_a_change = false;
  bool old_and_new_planes_both_count = true;
  /// It may have the only copy of the change that replaces it.
  bool who_is_replaced_may_claim_until_it_counts = true;
  bool new_plane_reads_before_it_is_admitted = true;
  bool emptied_store_is_another_plane = true;
  // Binding.
  bool binding_is_durable = true;
  bool binding_goes_to_one_asker = true;
  bool binding_ends_leading = true;
  bool leader_that_hears_of_a_higher_epoch_ends = true;
  /// The log may have been set back and filled again: what lands in the place that was expected
  /// does not follow what it should, and readers skip it.
  bool leader_reads_what_it_published = true;
  // Claims.
  bool claim_asks_others = true;
  bool one_plane_may_be_missing = true;
  bool of_two_planes_both_answer = true;
  bool furthest_store_claims = true;
  bool epoch_comes_before_position = true;
  bool answer_names_the_epoch = true;
  /// Or else who was replaced may be needed by those who do not know it.
  bool answer_tells_what_is_committed = true;
  bool setting_aside_voids_answers = true;
  bool claim_waits_for_its_place_in_the_log = true;
  bool log_that_ends_elsewhere_gets_a_new_generation = true;
  /// A generation may begin after a record that no store has any more: the claimant lost its disk.
  bool generation_that_nobody_can_read_is_passed = true;
  bool mark_has_the_epoch_of_the_claim = true;
  bool reader_skips_lower_epochs = true;
  // What a candidate applies before it is committed.
  bool applied_is_not_known_to_be_committed = true;
  bool view_that_does_not_fit_is_replaced = true;
  /// Whose view does not fit stays the plane that it is when it has fetched a later leader's store:
  /// it keeps its id and its bindings.
  bool replaced_view_stays_the_same_plane = true;
  /// It may fetch the store of a leader whose claim is not committed yet.
  bool fetches_from_a_leader_that_waits = true;
  /// Nobody may lead the chain that does not fit.
  bool store_that_does_not_fit_may_claim = true;
  // A person decides.
  bool recovered_plane_has_a_new_id = true;
  bool recovered_plane_names_only_itself = true;
};

/// What is there, and what may break.
struct setting {
  int servers = 1;
  int faults = 4;
  int commands = 3;
  bool kills = true;
  bool lost_disks = true;
  bool log_set_back = true;
  bool power_cuts = true;
  bool old_copy_of_the_log = true;
  bool elections_without_need = true;
  /// An empty fourth plane waits on C's machine, to replace C, which lives. One order of events is
  /// known to wait for ever then (seed 1059354, on one server): the newcomer has read a record that
  /// came to nothing, is further for it than the only one who knows that it is admitted, and may
  /// not claim itself.
  bool another_beside_c = false;
  /// Two of three may be lost for good, and an operator may decide.
  bool operator_decides = false;
  /// A plane that became another one counts as lost, so that no disk may be lost beside it.
  bool renamed_counts_as_lost = false;
};

enum class plane_state : std::uint8_t { absent, stopped, running, gone, renamed };
enum class plane_role : std::uint8_t { following, asking, claiming, leading };

/// A message to the log that may still land after its sender has given up.
struct publish {
  log_entry entry;
  int generation = 0;
  int expected_length = 0;
};

struct plane {
  plane_state state = plane_state::absent;
  std::uint8_t machine = 0;

  // What its disk has.
  record_id end = 0;
  record_id known_committed = 0;
  record_id applied = 0;
  int bound = 0;
  int bound_to = -1;
  /// The id that it had before the operator's command.
  int former = -1;

  // What it has in memory.
  plane_role role = plane_role::following;
  int epoch = 0;
  int highest_heard = 0;
  plane_set answered = 0;
  bool another_is_further = false;
  bool serves = false;
  /// It goes on by the operator's command.
  bool recovering = false;

  // A leader's batch in flight.
  record_id in_flight = 0;
  bool publishing = false;
  bool landed = false;
  bool synced = false;
  plane_set confirmed = 0;
  publish message;
  int generation = 0;
  int expected_length = 0;
};

/// A confirmation of a record, or an answer to a question.
struct message {
  bool answer = false;
  std::uint8_t from = 0;
  std::uint8_t to = 0;
  int epoch = 0;
  /// What is confirmed, or where the store of who answers ends.
  record_id record = 0;
  /// What who answers knows to be committed.
  record_id committed = 0;
};

struct world {
  std::array<plane, most_planes> planes{};
  replicated_log log;
  replicated_log old_copy;
  bool has_old_copy = false;
  short_list<publish, 3> late;
  short_list<message, 6> messages;
  int faults = 0;
  int commands = 0;
  /// The plane on which the operator gave the command.
  int recovered = -1;
  /// The last record that somebody was told is committed.
  record_id acknowledged = 0;
  /// The epoch and the writer of what was committed.
  short_list<std::pair<int, int>, 24> committers;
  const char* violation = nullptr;
};

enum class step_kind : std::uint8_t {
  plane_starts,
  plane_ends,
  plane_joins,
  reads,
  sets_aside,
  hears_of_commit,
  fetches_store,
  becomes_candidate,
  answers,
  message_arrives,
  gives_up,
  claims,
  lands,
  lands_on_one_server,
  lands_in_old_generation,
  is_refused,
  syncs,
  confirms,
  commits,
  takes_command,
  changes_planes,
  stands_down,
  lands_late,
  operator_recovers,
  server_starts,
  server_catches_up,
  log_settles,
  server_is_elected,
  copy_is_kept,
  // Faults.
  is_killed,
  disk_is_lost,
  log_is_set_back,
  power_is_cut,
  copy_is_restored,
  server_is_elected_without_need,
  count_of_kinds
};

struct step {
  step_kind kind{};
  std::uint8_t who = 0;
  std::uint8_t other = 0;
  std::uint8_t number = 0;
};

class model {
 public:
  model(const rules& rules, const setting& setting);

  /// What may happen next.
  const std::vector<step>& steps();
  /// Lets it happen; `text` gets a sentence about it.
  void take(const step& what, std::string* text = nullptr);

  const char* violation() const { return world_.violation; }

  /// Faults have stopped: from now on everything comes back, and only `favourite` asks (nobody, if
  /// it is negative), since the others hear a leader or wait.
  void calm(int favourite);
  /// Whether a command was committed since then.
  bool serves_again() const { return serves_again_; }
  /// Whether so many named planes are gone that a person must decide.
  bool needs_a_person() const;
  /// Whether the walk may go on: the model's log is short.
  bool has_room() const;
  std::string state_text() const;

  static bool is_fault(step_kind kind) { return kind >= step_kind::is_killed; }

 private:
  // What may happen (takeover_steps.cpp).
  void follower_steps(int p);
  void candidate_steps(int p);
  void publishing_steps(int p);
  void leader_steps(int p);
  void confirming_steps(int p);
  void message_steps();
  void log_steps();
  void fault_steps();
  void log_fault_steps();
  bool may_read(int p) const;
  bool must_set_aside(int p) const;
  /// False if the view has what the log's chain went on without.
  bool view_fits(int p) const;
  bool has_read_all(int p) const;
  bool may_answer(int p, int asker) const;
  bool hears_of_higher_epoch(int p) const;
  bool refuses(int p, int asker) const;
  bool may_claim(int p) const;
  bool may_commit(int p) const;
  bool may_fetch_from(int p, int leader) const;
  bool may_lose_disk(int p) const;
  bool may_recover(int p) const;
  /// Whether its store needs planes that are gone.
  bool is_stuck(int p) const;
  bool lacks_too_many(plane_set named) const;
  /// It was recovered before, which came to nothing: its store does not name it yet.
  bool was_recovered(int p) const;
  bool may_join(int machine) const;
  bool may_change_planes(int p, int newcomer) const;
  bool confirmed_enough(int p) const;
  bool answered_enough(int p) const;
  bool pending(const message& what) const;

  // What it does (takeover_model.cpp).
  void start(int p);
  void join(int machine);
  void read(int p);
  void set_aside(int p);
  void learn_of_commit(int p, record_id committed);
  void hear_of_commit(int p, int leader);
  void fetch_store(int p, int leader);
  void become_candidate(int p);
  void answer(int p, int asker);
  void deliver(int index);
  void claim(int p);
  void begin_publish(int p, const log_entry& entry, int generation, int expected);
  void publish_in_flight(int p);
  void land(int p, int helper);
  void commit(int p);
  void change_planes(int p, int newcomer);
  void recover(int p);
  void stand_down(int p, bool publish_may_land);
  void lose_disk(int p);
  void cut_power(int left);
  void put_in_log(const publish& what, int helper);
  bool would_land(const publish& what) const;
  bool is_refused(const publish& what) const;
  void check_agreement();
  void take_plane_step(const step& what);
  void take_log_step(const step& what);
  std::string text(const step& what) const;
  std::string text_of_log_step(const step& what) const;

  // What several of them need.
  template <class Function>
  void for_each_set_in_force(const plane& it, Function function) const;
  plane_set all_named(const plane& it) const;
  template <class Function>
  bool any_set(Function function) const;
  bool further(record_id one, record_id other) const;
  bool running(int p) const { return world_.planes[p].state == plane_state::running; }
  bool is_stopped(int p) const { return world_.planes[p].state == plane_state::stopped; }
  bool lost(int p) const;
  int next_id() const;
  void add(step_kind kind, int who = 0, int other = 0, int number = 0);

  rules rules_;
  setting setting_;
  record_book book_;
  world world_;
  log_chain chain_;
  bool available_ = false;
  std::vector<step> steps_;
  bool calm_ = false;
  int favourite_ = -1;
  bool serves_again_ = false;
  record_id calm_since_ = 0;
};

}  // namespace argosy::takeover
