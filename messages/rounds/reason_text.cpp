// SPDX-License-Identifier: Apache-2.0
#include "messages/rounds/reason_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include "runtime/scheduling/explain/amounts.hpp"
#include "runtime/scheduling/explain/exclusions.hpp"

namespace argosy::rounds {

namespace {

using scheduling::exclusion;
using scheduling::exclusion_cause;
using scheduling::reason;

constexpr std::string_view closed_to_job =
    "the nodes that could take it take no new jobs now; it starts when they do";
constexpr std::string_view closed_to_gang =
    "the nodes that could take its gang take no new jobs now; it starts when they do";

/// Whether the nodes stand in the job's way, rather than its turn or a limit.
bool is_about_room(reason code) {
  switch (code) {
    case reason::job_does_not_fit:
    case reason::gang_does_not_fit:
    case reason::no_uniform_value:
    case reason::no_single_cluster:
    case reason::no_node_has_label:
      return true;
    default:
      return false;
  }
}

bool is_larger_than_a_burst(const pool_facts& facts) {
  return facts.code == reason::gang_exceeds_burst || facts.code == reason::gang_exceeds_queue_burst;
}

/// Whether the nodes could not take it, or not enough of its gang, even if they were empty.
bool is_misfit(const pool_facts& facts) {
  return !facts.ever || (facts.gang && facts.gang->fit_ever < facts.gang->minimum);
}

const exclusion* find(const pool_facts& facts, exclusion_cause cause) {
  const auto& causes = facts.counts.causes;
  const auto at = std::find_if(causes.begin(), causes.end(),
                               [&](const auto& why) { return why.cause == cause; });
  return at == causes.end() ? nullptr : &*at;
}

bool is_closure(const exclusion& why) {
  return why.cause == exclusion_cause::closed || why.cause == exclusion_cause::quarantined ||
         why.passes;
}

/// Whether no node that takes new jobs could ever take this one.
bool only_closed_nodes_fit(const pool_facts& facts) {
  return std::ranges::any_of(facts.counts.causes, is_closure) &&
         find(facts, exclusion_cause::no_room) == nullptr &&
         find(facts, exclusion_cause::has_room) == nullptr;
}

int promise(const pool_facts& facts) {
  if (is_never(facts)) return 5;
  if (!facts.discarded.empty()) return 2;
  if (!facts.code) return 1;
  if (!is_about_room(*facts.code)) return 0;
  if (only_closed_nodes_fit(facts)) return 4;
  return !facts.gang && find(facts, exclusion_cause::has_room) != nullptr ? 1 : 3;
}

std::string ordinal(std::uint32_t number) {
  static constexpr std::array<std::string_view, 10> words{"first", "second", "third",   "fourth",
                                                          "fifth", "sixth",  "seventh", "eighth",
                                                          "ninth", "tenth"};
  if (number >= 1 && number <= words.size()) return std::string{words.at(number - 1)};
  return fmt::format("member number {}", number);
}

std::string members_that_fit(const scheduling::gang_room& room) {
  const auto where = room.where.empty() || room.fit_now == 0 ? "" : " " + room.where;
  if (room.fit_now == 0)
    return fmt::format("none of the {} members of its gang fits now", room.members);
  return fmt::format("{} of the {} members of its gang {} now{}", room.fit_now, room.members,
                     room.fit_now == 1 ? "fits" : "fit", where);
}

std::string members_that_ever_fit(const scheduling::gang_room& room) {
  if (room.fit_ever == 0)
    return fmt::format("none of the {} members of its gang fits, even if every node were empty",
                       room.members);
  const auto together =
      room.label.empty() ? "" : " under one value of the label '" + room.label + "'";
  return fmt::format(
      "at most {} of the {} members of its gang fit at once{}, even if every node "
      "were empty",
      room.fit_ever, room.members, together);
}

std::string no_such_label(const scheduling::gang_room& room) {
  const auto& label = room.label;
  if (!room.label_read)
    return "the members of its gang must share a value of the label '" + label +
           "', and preset current reads only the labels of scheduling.indexedNodeLabels";
  return "no node has the label '" + label + "', whose value the members of its gang must share";
}

// The sentences for jobs that can never run.

std::string gang_never(const std::vector<pool_facts>& pools) {
  const auto& best = *std::max_element(
      pools.begin(), pools.end(),
      [](const auto& a, const auto& b) { return a.gang->fit_ever < b.gang->fit_ever; });
  const auto& room = *best.gang;
  if (!room.label_read) return no_such_label(room);
  const auto nowhere = std::none_of(pools.begin(), pools.end(),
                                    [](const auto& each) { return each.gang->label_carried; });
  if (nowhere) return no_such_label(room) + "; name another label, or have the nodes labelled";
  const auto least = room.minimum < room.members
                         ? fmt::format(", and {} have to start together", room.minimum)
                         : std::string{};
  return members_that_ever_fit(room) + least + "; ask for less, or have nodes added";
}

/// The resource of which every node that the job may use has too little; null if that is not all.
std::optional<std::string> too_large(const std::vector<pool_facts>& pools) {
  const exclusion* largest = nullptr;
  const pool_facts* of = nullptr;
  for (const auto& facts : pools)
    for (const auto& why : facts.counts.causes) {
      if (why.cause != exclusion_cause::too_small) continue;
      if (largest != nullptr && largest->subject != why.subject) return {};
      if (largest != nullptr && largest->most >= why.most) continue;
      largest = &why;
      of = &facts;
    }
  if (largest == nullptr) return {};
  const auto& conf = *of->config;
  return fmt::format(
      "it needs {}, and no node that it may use has {}; ask for less, or have a larger node added",
      scheduling::amount_of(largest->need, largest->subject, conf, model::rounding::up),
      largest->most == 0 ? "any"
                         : "more than " + scheduling::amount_text(largest->most, largest->subject,
                                                                  conf, model::rounding::down));
}

/// The taint by which a node excludes the job, if all do so by one of this kind; else empty.
std::string all_by(const std::vector<pool_facts>& pools, bool (*is_of_kind)(std::string_view)) {
  std::string out;
  for (const auto& facts : pools)
    for (const auto& why : facts.counts.causes) {
      if (why.cause != exclusion_cause::taint || !is_of_kind(why.subject)) return {};
      out = why.subject;
    }
  return out;
}

std::string single_never(const std::vector<pool_facts>& pools) {
  std::set<exclusion_cause> causes;
  std::string unscheduled;
  for (const auto& facts : pools)
    for (const auto& why : facts.counts.causes) {
      causes.insert(why.cause);
      if (why.cause == exclusion_cause::unscheduled) unscheduled = why.subject;
    }
  if (causes == std::set{exclusion_cause::unscheduled})
    return "jobs that need " + unscheduled + " are not started here";
  if (causes == std::set{exclusion_cause::pool_short})
    return sentence(pools.front().counts.causes.front(), *pools.front().config) + "; ask for less";
  if (auto text = too_large(pools)) return *text;
  if (!all_by(pools, scheduling::is_of_namespace).empty())
    return "no cluster serves its namespace; submit it to another one, or have an agent serve this "
           "one";
  const auto of_nodes = [](exclusion_cause cause) {
    return cause == exclusion_cause::taint || cause == exclusion_cause::selector ||
           cause == exclusion_cause::affinity;
  };
  if (!causes.empty() && std::all_of(causes.begin(), causes.end(), of_nodes))
    return "no node matches its node selector, affinity and tolerations; change them, or have such "
           "a node added";
  return "no node could take it, even an empty one; change what it asks for, or have such a node "
         "added";
}

std::string never_sentence(const std::vector<pool_facts>& pools) {
  // A higher burst helps only where the nodes could take it.
  if (const auto barred = std::ranges::find_if_not(pools, is_misfit); barred != pools.end())
    return std::string{scheduling::sentence(*barred->code)};
  const auto gangs = std::all_of(pools.begin(), pools.end(),
                                 [](const auto& each) { return each.gang.has_value(); });
  if (const auto by = all_by(pools, scheduling::is_of_processes); !by.empty())
    return "it can never run as it is: " + scheduling::not_for_processes(scheduling::field_in(by)) +
           " cannot be carried out by processes, and no cluster of pods has joined; change the "
           "pod, or have such a cluster join";
  return "it can never run as it is: " + (gangs ? gang_never(pools) : single_never(pools));
}

// The sentences for jobs that have to wait.

std::string gang_sentence(const scheduling::gang_room& room) {
  if (room.fit_now >= room.minimum)
    return "there is room for its gang by now; a round tries it again";
  return members_that_fit(room) + "; it starts when there is room for " +
         (room.minimum < room.members ? fmt::format("{} of them", room.minimum) : "all of them");
}

std::string room_sentence(const waiting_job& job, const pool_facts& facts) {
  if (only_closed_nodes_fit(facts))
    return std::string{job.in_gang ? closed_to_gang : closed_to_job};
  if (facts.gang) return gang_sentence(*facts.gang);
  if (!facts.looked_at)
    return job.in_gang ? "the last round found no nodes for all members of its gang"
                       : "the last round found no node for it";
  if (job.in_gang)
    return "there is no room for all members of its gang now; it starts when there is";
  if (find(facts, exclusion_cause::has_room) != nullptr)
    return "a node has room for it by now; a round tries it again";
  return "no node has room for it now; it starts when other jobs end";
}

std::string limit_sentence(const waiting_job& job, reason code) {
  if (code == reason::queue_cordoned)
    return fmt::format(
        "its queue is cordoned and starts no jobs; open it with: argosyctl queue update {} "
        "--uncordon",
        job.queue);
  return std::string{scheduling::sentence(code)};
}

std::string discarded_sentence(const pool_facts& facts) {
  return "the last plan for pool " + facts.pool + " was discarded: " + facts.discarded;
}

// The lines of pools.

std::string node_clauses(const pool_facts& facts) {
  std::string text;
  for (const auto& why : facts.counts.causes) {
    // How many members of a gang a node has room for is told for the gang as a whole.
    if (facts.gang && why.cause == exclusion_cause::has_room) continue;
    text += (text.empty() ? "" : "; ") + sentence(why, *facts.config);
  }
  return text;
}

std::string gang_clauses(const scheduling::gang_room& room, bool never) {
  if (!room.label_read || !room.label_carried) return no_such_label(room);
  if (never) return "it can never run here: " + members_that_ever_fit(room);
  auto text = members_that_fit(room);
  if (!room.next_needs.empty() && room.fit_now > 0)
    text += fmt::format("; for the {}, which needs {}, no node has room left",
                        ordinal(room.fit_now + 1), room.next_needs);
  return text;
}

std::string joined(std::string text, const std::string& more) {
  if (!text.empty() && !more.empty()) text += "; ";
  return text + more;
}

std::string share_clause(const waiting_job& job, const native::queue_share& share) {
  return fmt::format("queue {} uses {:.1f}% of this pool, and its fair share is {:.1f}%", job.queue,
                     100 * share.actual, 100 * share.fair);
}

}  // namespace

bool is_never(const pool_facts& facts) {
  return is_misfit(facts) || is_larger_than_a_burst(facts);
}

bool is_about_closed_nodes(std::string_view sentence) noexcept {
  return sentence == closed_to_job || sentence == closed_to_gang;
}

void sort_by_promise(std::vector<pool_facts>& pools) {
  std::stable_sort(pools.begin(), pools.end(), [](const auto& a, const auto& b) {
    return std::tuple(promise(a), std::string_view{a.pool}) <
           std::tuple(promise(b), std::string_view{b.pool});
  });
}

std::string sentence(const waiting_job& job, const std::vector<pool_facts>& pools) {
  if (pools.empty()) return "no cluster has joined: there are no nodes";
  const auto& best = pools.front();
  if (is_never(best)) return never_sentence(pools);
  if (!best.discarded.empty()) return discarded_sentence(best);
  if (!best.code) return "no round has looked at it yet";
  return is_about_room(*best.code) ? room_sentence(job, best) : limit_sentence(job, *best.code);
}

std::string pool_line(const waiting_job& job, const pool_facts& facts) {
  const auto never = is_never(facts);
  const auto title = "pool " + facts.pool;
  if (!facts.discarded.empty()) return title + ": the last plan was discarded: " + facts.discarded;
  if (!never && !facts.code) return title + ": no round has looked at it yet";
  if (!is_misfit(facts) && facts.code && !is_about_room(*facts.code))
    return title + ": " + limit_sentence(job, *facts.code);
  auto text = facts.gang ? gang_clauses(*facts.gang, never) : never ? "it can never run here" : "";
  text = joined(std::move(text), node_clauses(facts));
  if (never && !facts.gang && facts.counts.nodes == 0) text += ", since the pool has no nodes";
  if (text.empty()) text = room_sentence(job, facts);
  const auto is_full = facts.gang || find(facts, exclusion_cause::no_room) != nullptr;
  if (!never && is_full && facts.share)
    text = joined(std::move(text), share_clause(job, *facts.share));
  return title + ": " + text;
}

}  // namespace argosy::rounds
