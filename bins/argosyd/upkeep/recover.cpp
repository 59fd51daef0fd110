// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/upkeep/recover.hpp"

#include <iostream>
#include <set>
#include <string>

#include "bins/argosyd/convert.hpp"
#include "bins/argosyd/ground.hpp"
#include "bins/argosyd/lead.hpp"
#include "bins/argosyd/upkeep/backup.hpp"
#include "bins/argosyd/upkeep/check.hpp"
#include "bins/shared/ending.hpp"
#include "bins/shared/options.hpp"
#include "messages/view/recovery/log_rest.hpp"
#include "messages/view/recovery/log_state.hpp"
#include "messages/view/recovery/recovery.hpp"
#include "runtime/base/clock.hpp"
#include "runtime/logging/line.hpp"
#include "runtime/logging/logger.hpp"

namespace argosy::argosyd {

namespace {

result<view::view_position> position_of(store::database& database) {
  auto txn = database.begin_read();
  if (!txn) return fail(txn.error());
  auto position = view::read_position(**txn);
  if (!position) return fail(position.error());
  return position->value_or(view::view_position{});
}

/// Says whether the key that is there is the key of the store's log.
std::string_view key_text(const view::view_position& at, const codec::log_key& key) {
  if (at.key_print == 0) return "the store's log has no batch with a MAC yet";
  return at.key_print == key.print() ? "it is the key of the store's log"
                                     : "it is NOT the key of the store's log";
}

result<void> print_logs(eventlog::event_log& log, const view::view_position& at) {
  const auto all = log.generations();
  if (!all) return fail(all.error());
  if (all->empty()) std::cout << "log:    there is none\n";
  for (const auto generation : *all) {
    log.choose(generation,
               generation == at.generation ? at.generation_base : model::log_position{});
    const auto info = log.info();
    if (!info) return fail(info.error());
    std::cout << "log:    generation " << generation.value << ", made "
              << logging::utc_text(from_nanos(info->created_ns)) << ", records "
              << info->first_position.value << " to " << info->last_position.value;
    if (generation != at.generation) std::cout << " by its own count";
    std::cout << ", " << info->bytes << " bytes\n";
  }
  log.choose(at.generation, at.generation_base);
  return {};
}

/// Says in a sentence what the next start will do, or why it will refuse.
struct outlook {
  std::string text;
  bool refuses = false;
  bool changes_log = false;   ///< See view::claim_step.
  bool is_copy = false;       ///< The store comes from a backup.
  view::view_position end{};  ///< Where the store ends when it has applied the log.
};

/// Looks at what the next start reads beyond the store.
result<view::log_rest> look_at_all(ground& seams, view::view_position at, view::log_plan plan,
                                   const view::log_state& found,
                                   const std::optional<view::later_beginning>& later) {
  auto info = found.info;
  if (plan == view::log_plan::create || plan == view::log_plan::begin_anew) info = {};
  if (plan == view::log_plan::follow) {
    at.position = later->begun.position;
    seams.log->choose(later->begun.generation, at.position);
    const auto its = seams.log->info();
    if (!its) return fail(its.error());
    info = *its;
  }
  return view::look_at_rest(*seams.database, *seams.log, std::move(at), info, *seams.log_key);
}

result<outlook> look_ahead(ground& seams, const view::view_position& at) {
  auto& log = *seams.log;
  const auto& key = *seams.log_key;
  if (at.key_print != 0 && at.key_print != key.print())
    return outlook{"the key in " + key.place() + " is not that of the store's log", true};
  const auto later = view::find_later(log, at, key);
  if (!later) return fail(later.error());
  const auto found = view::look_at_log(*seams.database, log, at, key);
  if (!found) return fail(found.error());
  const auto how = view::relation(*later, at);
  const auto copy = view::read_copy_mark(*seams.database);
  if (!copy) return fail(copy.error());
  const auto plan =
      view::decide(at.position.is_zero(), found->match, how, false, copy->has_value());
  if (plan == view::log_plan::refuse)
    return outlook{view::why_refused(*found, at, *later, *copy), true};
  const auto rest = look_at_all(seams, at, plan, *found, *later);
  if (!rest) return fail(rest.error());
  if (!rest->problem.empty())
    return outlook{rest->problem + ". After " + std::to_string(rest->batches) +
                       " batches of the log that can be applied, it would give up " +
                       view::text_of_loss(*rest),
                   true};
  if (how != view::later_log::continues &&
      view::relation(*later, rest->end) == view::later_log::farther)
    return outlook{view::why_refused(*found, at, *later, *copy) + ". After " +
                       std::to_string(rest->batches) +
                       " batches of the log that can be applied, it would give up that generation",
                   true};
  outlook out;
  out.end = rest->end;
  out.is_copy = copy->has_value();
  out.changes_log = plan == view::log_plan::create || plan == view::log_plan::begin_anew ||
                    !found->missing.empty();
  if (plan == view::log_plan::create)
    out.text = "it makes the first log";
  else if (plan == view::log_plan::follow)
    out.text = "it goes over to generation " + to_string((*later)->begun.generation);
  else if (plan == view::log_plan::begin_anew)
    out.text = found->why + ": it begins a new generation from the store and loses nothing";
  else
    out.text = "it applies " + std::to_string(rest->batches) + " batches of the log, gives " +
               std::to_string(found->missing.size()) + " back to it, and steps over " +
               std::to_string(rest->foreign) + " foreign records";
  return out;
}

result<int> examine(ground& seams, const actors::candidacy& candidate) {
  const auto at = position_of(*seams.database);
  if (!at) return fail(at.error());
  std::cout << "store:  generation " << at->generation.value << ", record " << at->position.value
            << ", epoch " << at->epoch.value << '\n'
            << "key:    " << seams.log_key->place() << "; " << key_text(*at, *seams.log_key)
            << '\n';
  if (auto printed = print_logs(*seams.log, *at); !printed) return fail(printed.error());
  const auto next = look_ahead(seams, *at);
  if (!next) return fail(next.error());
  const auto bar = next->refuses ? std::string{}
                                 : candidate.why_not(next->end, next->is_copy, next->changes_log);
  if (!bar.empty()) {
    std::cout << "start:  argosyd waits and does not lead: " << bar << ".\n";
    if (at->position.is_zero())
      std::cout << "This store is empty: 'argosyd recover --accept-loss' would begin with nothing "
                   "but what the log has.\n";
    return found_code;
  }
  if (!next->refuses) {
    std::cout << "start:  " << next->text << ". There is nothing to decide.\n";
    return 0;
  }
  std::cout << "start:  argosyd refuses: " << next->text << ".\n"
            << "Restore what is missing from a backup if there is one. Otherwise 'argosyd recover "
               "--accept-loss' begins a new generation of the log from what the store has, after "
               "what can still be applied of the log, and gives up the rest.\n";
  return found_code;
}

result<int> examine_and_recover(const options& chosen, ground& seams) {
  if (auto joined = seams.connect(chosen); !joined) return fail(joined.error());
  if (another_leads(*seams.connection, true))
    return fail(ec::conflict, "an argosyd leads on this log; stop it first");
  auto candidate = open_candidacy(seams);
  if (!candidate) return fail(candidate.error());
  auto code = examine(seams, **candidate);
  // What is accepted where nothing is lost would count for what is lost later.
  if (!code || *code == 0 || !chosen.accept_loss) return code;
  const auto at = position_of(*seams.database);
  if (!at) return fail(at.error());
  std::set<std::string> asked{(*candidate)->plane().id};
  for (const auto& set : at->plane_sets())
    for (const auto& plane : set)
      if (asked.insert(plane.id).second && is_there(*seams.connection, plane))
        return fail(ec::conflict, "the plane of '" + plane.place +
                                      "' lives and can go on with this one: start argosyd here "
                                      "instead, or stop that one for good first");
  auto rules = ledger_rules(chosen.settings.value);
  rules.accept_loss = true;
  const auto done = view::recover(*seams.database, *seams.log, rules, *seams.log_key);
  if (!done) return fail(done.error());
  if (auto kept = (*candidate)->accept(done->position.epoch); !kept) return fail(kept.error());
  std::cout << "done:   the store has record " << done->position.position.value << " and "
            << done->live_jobs << " live jobs; the log goes on in generation "
            << done->position.generation.value << ". Start argosyd.\n";
  return 0;
}

/// Restores the backup, and prints what comes of it. Returns an exit code.
int put_back(const options& chosen) {
  const auto manifest = restore_backup(chosen);
  if (!manifest) return report("argosyd", manifest.error());
  std::cout << "store:  the backup of " << logging::utc_text(from_nanos(manifest->time_ns))
            << " was put into '" << chosen.settings.value.data_dir << "'; it ends at record "
            << manifest->position.value << " of generation " << manifest->generation.value << ".\n"
            << "log:    the next start applies what the log has beyond it. If the log is lost as "
               "well, whatever was accepted or ended after that time is lost; argosyd then refuses "
               "to start until 'argosyd recover --accept-loss' says so.\n";
  return 0;
}

/// Says whether the log still has what follows the backup: one that is older than the first
/// generation of the log that is left cannot be started. Returns an exit code.
int look_at_restored(const options& chosen, ground& seams) {
  if (auto joined = seams.connect(chosen); !joined) {
    std::cout << "start:  the log cannot be looked at now: " << joined.error().detail
              << ". 'argosyd recover' says what the next start will do.\n";
    return 0;
  }
  if (another_leads(*seams.connection, true)) {
    std::cout << "start:  an argosyd leads on this log; the one with this store would wait.\n";
    return 0;
  }
  const auto candidate = open_candidacy(seams);
  const auto code = candidate ? examine(seams, **candidate) : result<int>{fail(candidate.error())};
  return code ? *code : report("argosyd", code.error());
}

}  // namespace

int recover_log(const options& chosen) {
  block_signals();
  if (auto set = logging::setup(logging_options(chosen.settings.value.logging)); !set)
    return report("argosyd", set.error());
  if (!chosen.backup_folder.empty())
    if (const int code = put_back(chosen); code != 0) return code;
  ground seams;
  const auto opened = seams.open(chosen);
  if (opened && !chosen.backup_folder.empty() && !chosen.accept_loss) {
    const int code = look_at_restored(chosen, seams);
    seams.close();
    return code;
  }
  auto code = opened ? examine_and_recover(chosen, seams) : result<int>{fail(opened.error())};
  seams.close();
  return code ? *code : report("argosyd", code.error());
}

}  // namespace argosy::argosyd
