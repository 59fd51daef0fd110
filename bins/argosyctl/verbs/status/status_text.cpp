// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/status/status_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bins/argosyctl/output/console.hpp"
#include "bins/argosyctl/output/human.hpp"
#include "bins/argosyctl/output/json.hpp"
#include "bins/argosyctl/output/text.hpp"

namespace argosy::ctl {

namespace {

/// A screen has room for so many lines of a kind; JSON has all.
constexpr std::size_t findings_shown = 12;
constexpr std::size_t pools_shown = 8;
/// From here on a share is shown as one that asks for attention.
constexpr double nearly_full = 0.9;

look look_of(severity how_bad) {
  return how_bad == severity::bad       ? look::bad
         : how_bad == severity::warning ? look::warning
                                        : look::plain;
}

class lines {
 public:
  explicit lines(bool colours) : colours_(colours) {}

  void title(std::string_view text) {
    if (!out_.empty()) out_ += '\n';
    out_ += painted(text, look::strong, colours_) + "\n";
  }
  void add(const std::string& text, look as = look::plain) {
    out_ += "  " + painted(escaped(text), as, colours_) + "\n";
  }
  void more(std::size_t all, std::size_t shown) {
    if (all > shown) add(fmt::format("and {} more; -o json has all", all - shown), look::faint);
  }
  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  bool colours_;
  std::string out_;
};

/// Rounded down, so that 100% is full.
std::string percent(double share) {
  return fmt::format("{}%", static_cast<std::int64_t>(100 * share + 1e-9));
}

std::string bytes_text(std::uint64_t bytes) {
  return human_bytes(static_cast<std::int64_t>(bytes));
}

/// "the store: 41% of 1Gi; its file has taken 600Mi of 1Gi".
std::string room_text(const room_fill& room) {
  auto text = room.limit == 0
                  ? fmt::format("the {}: {}, without a limit", room.what, bytes_text(room.used))
                  : fmt::format("the {}: {} of {} in use", room.what, percent(room.share()),
                                bytes_text(room.limit));
  return room.more.empty() ? text : text + "; " + room.more;
}

void tell_fills(const status_facts& facts, lines& out) {
  out.title("What is full");
  const auto pools = fills_of(facts);
  if (pools.empty()) out.add("there are no nodes");
  for (std::size_t i = 0; i < std::min(pools.size(), pools_shown); ++i) {
    const auto& pool = pools[i];
    std::string used;
    double most = 0;
    for (const auto& [resource, share] : pool.used) {
      used += (used.empty() ? "" : ", ") + resource + " " + percent(share);
      most = std::max(most, share);
    }
    auto text = fmt::format("pool {}: {} in use", pool.pool, used.empty() ? "nothing" : used);
    if (pool.ready)
      text += fmt::format("; {} of {} take{} jobs", *pool.ready, counted(pool.nodes, "node"),
                          *pool.ready == 1 ? "s" : "");
    out.add(text, most >= nearly_full ? look::warning : look::plain);
  }
  out.more(pools.size(), pools_shown);
  for (const auto& room : room_of(facts))
    out.add(room_text(room),
            !room.setting.empty() && room.share() >= room_warning ? look::warning : look::plain);
}

bool knows_queues(const status_facts& facts) {
  return std::ranges::none_of(facts.unknown,
                              [](const auto& one) { return one.first == queues_asked; });
}

std::string waiting_jobs_line(const status_facts& facts) {
  if (!knows_queues(facts)) return "how many jobs wait is not known";
  const auto waiting = waiting_of(facts);
  if (waiting.all == 0) return "no job waits";
  auto text = counted(waiting.all, "job") + (waiting.all == 1 ? " waits" : " wait");
  if (waiting.held > 0) text += fmt::format(", {} of them held", waiting.held);
  if (waiting.cordoned > 0) text += fmt::format(", {} in cordoned queues", waiting.cordoned);
  if (facts.oldest)
    text += fmt::format(
        "; the oldest, {} of queue {}, has waited for {}", facts.oldest->job_id(),
        facts.oldest->queue(),
        human_duration(std::chrono::nanoseconds{waited_ns(*facts.oldest, facts.now_ns)}));
  return text;
}

std::string did_text(const argosy::v1::LastRound& round) {
  if (round.number() == 0) return {};
  return fmt::format("started {} and preempted {}", counted(round.started(), "job"),
                     counted(round.preempted(), "job"));
}

/// The longest wait and the oldest rounds come first.
void tell_times(const status_facts& facts, lines& out) {
  out.title("What is slow");
  out.add(waiting_jobs_line(facts));
  std::vector<argosy::v1::LastRound> rounds{facts.rounds.last().begin(), facts.rounds.last().end()};
  std::ranges::stable_sort(rounds, std::ranges::greater{},
                           [&](const auto& round) { return age_of(round, facts.now_ns); });
  for (std::size_t i = 0; i < std::min(rounds.size(), pools_shown); ++i) {
    const auto& round = rounds[i];
    if (round.number() == 0)
      out.add("pool " + round.pool() +
              ": no round to tell of; rounds take place while there are jobs");
    else
      out.add(fmt::format("pool {}: the last round, number {}, was {} ago and {}", round.pool(),
                          round.number(), human_duration(age_of(round, facts.now_ns)),
                          did_text(round)));
  }
  out.more(rounds.size(), pools_shown);
}

/// What the stores of other control plane processes lack would be lost with the leader's machine.
std::string standby_text(const argosy::v1::Standby& standby) {
  if (!standby.has_behind())
    return fmt::format("standby {} waits and does not follow the log", standby.holder());
  if (standby.behind() == 0)
    return fmt::format("standby {} follows and has all of the log", standby.holder());
  return fmt::format("standby {} follows and lacks {} of the log", standby.holder(),
                     counted(standby.behind(), "record"));
}

}  // namespace

std::string status_text(const status_facts& facts, bool colours) {
  lines out{colours};
  const auto& server = facts.server;
  out.title("What is wrong");
  const auto found = findings_of(facts);
  if (found.empty()) out.add("nothing", look::good);
  for (std::size_t i = 0; i < std::min(found.size(), findings_shown); ++i)
    out.add(found[i].text, look_of(found[i].how_bad));
  out.more(found.size(), findings_shown);
  tell_fills(facts, out);
  tell_times(facts, out);
  out.add(fmt::format("server {} {} has been up for {}", server.version(), server.commit(),
                      human_age(server.started_ns(), facts.now_ns)));
  for (const auto& one : server.standbys())
    out.add(standby_text(one), one.has_behind() ? look::plain : look::warning);
  return out.take();
}

namespace {

/// Joins the objects, which `of` makes of the items, to a list.
template <class Items, class Make>
std::string json_list(const Items& items, Make of) {
  std::string out = "[";
  for (const auto& item : items) out += (out.size() == 1 ? "" : ",") + of(item);
  return out + "]";
}

std::string fill_json(const pool_fill& pool) {
  std::string used;
  for (const auto& [resource, share] : pool.used)
    used += fmt::format("{}{}:{:.4g}", used.empty() ? "" : ",", json_string(resource), share);
  return fmt::format(R"({{"name":{},"nodes":{}{},"used":{{{}}}}})", json_string(pool.pool),
                     pool.nodes, pool.ready ? fmt::format(R"(,"readyNodes":{})", *pool.ready) : "",
                     used);
}

std::string room_json(const room_fill& room) {
  return fmt::format(R"({{"name":{},"usedBytes":"{}","limitBytes":"{}","used":{:.4g}}})",
                     json_string(room.what), room.used, room.limit, room.share());
}

std::string round_json(const argosy::v1::LastRound& round, std::int64_t now_ns) {
  return fmt::format(R"({{"pool":{},"number":"{}","ageSeconds":{},"did":{},"discarded":{}}})",
                     json_string(round.pool()), round.number(),
                     age_of(round, now_ns) / std::chrono::seconds{1}, json_string(did_text(round)),
                     json_string(round.discarded()));
}

std::string waiting_json(const status_facts& facts) {
  if (!knows_queues(facts)) return "null";
  const auto waiting = waiting_of(facts);
  auto out = fmt::format(R"({{"jobs":{},"held":{},"inCordonedQueues":{})", waiting.all,
                         waiting.held, waiting.cordoned);
  if (facts.oldest)
    out += fmt::format(R"(,"oldest":{{"jobId":{},"queue":{},"waitedSeconds":{}}})",
                       json_string(facts.oldest->job_id()), json_string(facts.oldest->queue()),
                       waited_ns(*facts.oldest, facts.now_ns) / 1'000'000'000);
  return out + "}";
}

}  // namespace

std::string status_json(const status_facts& facts) {
  const auto wrong = json_list(findings_of(facts), [](const finding& one) {
    return fmt::format(R"({{"severity":"{}","kind":{},"text":{}}})", to_string(one.how_bad),
                       json_string(one.kind), json_string(one.text));
  });
  const auto rounds = json_list(facts.rounds.last(),
                                [&](const auto& round) { return round_json(round, facts.now_ns); });
  return fmt::format(R"({{"server":{},"wrong":{},"pools":{},"room":{},"rounds":{},"waiting":{}}})",
                     json_of(facts.server), wrong, json_list(fills_of(facts), fill_json),
                     json_list(room_of(facts), room_json), rounds, waiting_json(facts));
}

}  // namespace argosy::ctl
