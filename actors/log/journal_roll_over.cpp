// SPDX-License-Identifier: Apache-2.0
// This file defines how the JOURNAL goes on in the next generation of the log without a restart:
// what is under way ends, a record that says so ends the old generation, and the view has applied
// that before the new one begins. Appends wait meanwhile.
#include "actors/log/journal_state.hpp"

namespace argosy::actors {

/// Whoever asks may not know yet that the generation has ended.
void journal_state::begin_roll_over(model::log_generation generation) {
  if (generation != core->end().generation) return;
  if (!alarm || core->is_stopped() || rolling != roll_over_stage::none) return;
  rolling = roll_over_stage::draining;
  if (core->open() == nullptr) seal();
}

/// Nothing has happened before the record is in the log: if the next log cannot be made, this one
/// goes on.
void journal_state::seal() {
  const auto prepared = view::prepare_next(*config.log, core->end());
  if (!prepared) {
    rolling = roll_over_stage::none;
    logger.warning("the log does not roll over; it goes on as it is",
                   logging::kv("error", to_string(prepared.error())));
    // The room that the next one would have had comes back.
    take_room();
    schedule_flush();
    return;
  }
  next = *prepared;
  rolling = roll_over_stage::sealing;
  const auto& end = core->end();
  write_alone(view::turn_event(end.generation, next.generation, end.position + 1,
                               to_nanos(config.clock->wall())));
}

void journal_state::turn() {
  const auto end = core->end();
  config.log->choose(next.generation, end.position);
  core->turn_to(next.generation, next.created_ns);
  watch->turned();
  rolling = roll_over_stage::beginning;
  write_alone(view::turn_event(end.generation, next.generation, end.position,
                               to_nanos(config.clock->wall())));
}

void journal_state::take_room() {
  if (const auto taken = config.log->apply_limits(); !taken)
    logger.warning("the limit of the log was not raised",
                   logging::kv("error", to_string(taken.error())));
}

void journal_state::finish_roll_over() {
  rolling = roll_over_stage::none;
  turning_position = 0;
  take_room();
  ++probe->roll_overs;
  probe->generation.set(core->end().generation.value);
  logger.info("the log has rolled over", logging::kv("generation", core->end().generation.value),
              logging::kv("position", core->end().position));
  schedule_flush();
}

void journal_state::write_alone(const native::append_ptr& request) {
  const auto& batch = core->begin_alone(request);
  turning_position = batch.position;
  write_tail(batch);
  publish(batch);
}

}  // namespace argosy::actors
