// SPDX-License-Identifier: Apache-2.0
// What the model says about its steps, for those who read a trace.
#include "tests/unit/takeover/takeover_model.hpp"

namespace argosy::takeover {
namespace {

std::string text_of_publish(const record_book& book, const publish& what) {
  if (!what.entry.mark) return book.text(what.entry.record);
  return "the mark of generation " + std::to_string(what.generation) + " (epoch " +
         std::to_string(what.entry.epoch) + ") after " + book.text(what.entry.record);
}

std::string server_name(int server) {
  return "server " + std::to_string(server + 1);
}

}  // namespace

std::string model::text(const step& what) const {
  const auto& it = world_.planes[what.who];
  const auto& other = world_.planes[what.other < most_planes ? what.other : 0];
  const auto p = plane_name(what.who);
  const auto q = plane_name(what.other);
  const auto epoch = std::to_string(it.epoch);
  switch (what.kind) {
    case step_kind::plane_starts:
      return p + " starts";
    case step_kind::plane_ends:
      return p + " ends in order";
    case step_kind::plane_joins:
      return plane_name(next_id()) + " starts with an empty store on the machine of " +
             plane_name(what.number);
    case step_kind::reads:
      return p + " reads and syncs the log after " + book_.text(it.end);
    case step_kind::sets_aside:
      return p + " sets aside what it has after " + book_.text(book_.fork(it.end, chain_.end)) +
             " (its store ends with " + book_.text(it.end) + ", the log with " +
             book_.text(chain_.end) + ", of epoch " + std::to_string(chain_.epoch) + ")";
    case step_kind::hears_of_commit:
      return p + " hears from " + q + " that " + book_.text(other.known_committed) +
             " is committed";
    case step_kind::fetches_store:
      return p + " fetches the store of " + q + ", which ends with " + book_.text(other.end) +
             (rules_.replaced_view_stays_the_same_plane ? ""
                                                        : ", and becomes " + plane_name(next_id()));
    case step_kind::becomes_candidate:
      return p + " becomes a candidate, its store ends with " + book_.text(it.end);
    case step_kind::answers:
      return refuses(what.who, what.other)
                 ? p + " refuses " + q + ", it is bound to epoch " + std::to_string(it.bound)
                 : p + " binds itself to epoch " + std::to_string(other.epoch) + " of " + q +
                       ", its store ends with " + book_.text(it.end);
    case step_kind::message_arrives: {
      const auto& message = world_.messages.members[what.number];
      return plane_name(message.to) + " gets from " + plane_name(message.from) +
             (message.answer ? " the answer for epoch " + std::to_string(message.epoch)
                             : " the confirmation of " + book_.text(message.record));
    }
    case step_kind::gives_up:
      return p + " gives up its candidacy for epoch " + epoch;
    default:
      return text_of_log_step(what);
  }
}

/// The steps of claims, of the log and of faults.
std::string model::text_of_log_step(const step& what) const {
  const auto& it = world_.planes[what.who];
  const auto& other = world_.planes[what.other < most_planes ? what.other : 0];
  const auto p = plane_name(what.who);
  const auto q = plane_name(what.other);
  const auto number = std::to_string(what.number);
  const auto epoch = std::to_string(it.epoch);
  switch (what.kind) {
    case step_kind::claims:
      return p + " claims epoch " + epoch + ", its store ends with " + book_.text(it.end) +
             (it.end == chain_.end
                  ? " as the log does"
                  : ", the log with " + book_.text(chain_.end) + ": a new generation");
    case step_kind::lands:
      return text_of_publish(book_, it.message) + " lands in the log";
    case step_kind::lands_on_one_server:
      return text_of_publish(book_, it.message) + " lands on one server only, " + p +
             " stands down";
    case step_kind::lands_in_old_generation:
      return text_of_publish(book_, it.message) + " lands in a generation that is no more read";
    case step_kind::is_refused:
      return text_of_publish(book_, it.message) + " is refused by the log, " + p + " stands down";
    case step_kind::syncs:
      return p + " syncs " + book_.text(it.in_flight);
    case step_kind::confirms:
      return p + " confirms " + book_.text(other.in_flight) + " to " + q;
    case step_kind::commits:
      return p + " COMMITS " + book_.text(it.in_flight);
    case step_kind::takes_command:
      return p + " takes a command";
    case step_kind::changes_planes:
      return p + " admits " + q;
    case step_kind::stands_down:
      return p + " sees the log changed, or hears of a higher epoch, and stands down";
    case step_kind::lands_late:
      return "LATE " + text_of_publish(book_, world_.late.members[what.other]) +
             " lands in the log";
    case step_kind::operator_recovers:
      return "OPERATOR: " + p + " recovers, losses accepted";
    case step_kind::server_starts:
      return server_name(what.number) + " starts";
    case step_kind::server_catches_up:
      return server_name(what.number) + " catches up";
    case step_kind::log_settles:
      return server_name(what.number) + " takes the end of the log";
    case step_kind::server_is_elected:
      return server_name(what.number) + " is elected by " + server_name(what.other);
    case step_kind::server_is_elected_without_need:
      return "FAULT " + server_name(what.number) + " is elected by " + server_name(what.other);
    case step_kind::copy_is_kept:
      return "somebody keeps a copy of the log";
    case step_kind::copy_is_restored:
      return "FAULT the log is replaced by the old copy";
    case step_kind::is_killed:
      return "FAULT " + p + " is killed";
    case step_kind::disk_is_lost:
      return "FAULT " + p + " loses its disk for good" +
             (what.number == 1 ? ", and its log server too" : "");
    case step_kind::log_is_set_back:
      return "FAULT " + server_name(what.other) + " restarts with " + number + " entries left";
    case step_kind::power_is_cut:
      return "FAULT the power is cut, servers have at most " + number + " entries left";
    default:
      break;
  }
  return "";
}

std::string model::state_text() const {
  std::string out;
  for (int p = 0; p < most_planes; ++p) {
    const auto& it = world_.planes[p];
    if (it.state == plane_state::absent) continue;
    static const char* const states[] = {"", "stopped", "running", "gone", "renamed"};
    static const char* const roles[] = {"follows", "asks", "claims", "leads"};
    out += "  " + plane_name(p) + " " + states[static_cast<int>(it.state)] + ", " +
           roles[static_cast<int>(it.role)] + ", bound to " + std::to_string(it.bound) +
           (view_fits(p) ? "" : ", does not fit") + ", named " + text_of(book_[it.end].named) +
           ", ends with " + book_.text(it.end) + ", knows " + book_.text(it.known_committed) + "\n";
  }
  const auto& log = world_.log;
  for (int i = 0; i < log.count; ++i) {
    const auto& server = log.servers[i];
    out += "  " + server_name(i) + (i == log.leader ? " leads" : "") + (server.up ? "" : " down") +
           ", generation " + std::to_string(server.generation) + ":";
    for (int k = 0; k < server.length; ++k) {
      out += server.entries[k].mark ? " mark" : "";
      out += " #" + std::to_string(server.entries[k].record);
    }
    out += "\n";
  }
  return out + "  acknowledged: " + book_.text(world_.acknowledged) + "\n";
}

}  // namespace argosy::takeover
