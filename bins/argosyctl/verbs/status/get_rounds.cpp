// SPDX-License-Identifier: Apache-2.0
// The verb get rounds: prints what the scheduling rounds of the last three days did. The server
// remembers them in spans, which are coarser the older they are.
#include <fmt/format.h>

#include <algorithm>

#include "bins/argosyctl/output/human.hpp"
#include "bins/argosyctl/output/json.hpp"
#include "bins/argosyctl/verbs/get.hpp"
#include "bins/argosyctl/verbs/list_command.hpp"
#include "bins/argosyctl/verbs/moment.hpp"
#include "messages/proto/argosy/explain.pb.h"
#include "runtime/scheduling/plan.hpp"

namespace argosy::ctl {

namespace {

using argosy::v1::PoolRounds;
using argosy::v1::RoundSpan;

class get_rounds_command final : public list_command {
 public:
  explicit get_rounds_command(CLI::App& app) : list_command(app) {
    app.footer(
        "argosyctl get rounds --pool default --since 10m\n"
        "argosyctl get rounds --since 1d --sort-by=-longest\n"
        "argosyctl get rounds -w");
    app.add_option(
           "names", names_,
           "Only the spans with these names, as POOL/BEGIN; below describe also a pool, for its "
           "newest one")
        ->type_name("ROUND");
    app.add_option("--pool", pool_, "Only rounds of this pool")->type_name("POOL");
    app.add_option("-q,--queue", queue_,
                   "Tell the shares of this queue, instead of those of the queues that had most")
        ->type_name("QUEUE");
    app.add_option("--since", since_, "Only rounds after this moment, or so long ago: 2h")
        ->type_name("TIME");
  }

 protected:
  result<listing> fetch(session& s, client& server) override;

 private:
  std::vector<std::string> names_;
  std::string pool_;
  std::string queue_;
  std::string since_;
};

std::vector<column> round_columns() {
  return {{.title = "POOL", .yields_to = 8},
          {.title = "BEGIN"},
          {.title = "AGE", .align = alignment::right, .spare = 3, .ticks = true},
          numbers("ROUNDS", {}, 2),
          numbers("MEAN"),
          numbers("LONGEST"),
          numbers("TRIED"),
          numbers("STARTED"),
          numbers("PREEMPTED", "PREE"),
          numbers("RETURNED", "RET", 1),
          {.title = "KEPT BACK", .yields_to = 12}};
}

/// "1.4 ms", of a time in nanoseconds.
cell time_cell(std::int64_t nanos) {
  const auto millis = static_cast<double>(nanos) / 1e6;
  return {millis < 1'000 ? fmt::format("{:.1f} ms", millis) : fmt::format("{:.1f} s", millis / 1e3),
          millis};
}

/// "12 JOB_DOES_NOT_FIT, 3 QUEUE_CORDONED": what kept jobs from starting, most jobs first.
std::string kept_text(const RoundSpan& span) {
  std::string text;
  for (const auto& kept : span.kept())
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", kept.jobs(), kept.code());
  return text;
}

/// With `describes`, what kept jobs back is told elsewhere, in words.
std::vector<cell> round_row(const std::string& pool, const RoundSpan& span, std::int64_t now,
                            bool describes) {
  const auto rounds = std::max<std::int64_t>(1, static_cast<std::int64_t>(span.rounds()));
  return {pool,
          utc_time(span.from_ns()),
          {human_age(span.to_ns(), now), static_cast<double>(now - span.to_ns())},
          number(span.rounds()),
          time_cell(span.duration_ns() / rounds),
          time_cell(span.longest_ns()),
          number(span.tried()),
          number(span.started()),
          number(span.preempted()),
          number(span.returned()),
          describes ? std::string{} : kept_text(span)};
}

/// Says what a code of the server means, as far as it is known here.
std::string_view words_of(std::string_view code) {
  using scheduling::reason;
  constexpr auto last = static_cast<std::size_t>(reason::queue_resource_rate_limit);
  for (std::size_t i = 0; i <= last; ++i)
    if (to_string(static_cast<reason>(i)) == code) return sentence(static_cast<reason>(i));
  return code;
}

std::vector<std::pair<std::string, std::string>> round_details(const PoolRounds& of,
                                                               const RoundSpan& span) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& kept : span.kept())
    out.emplace_back("Kept back", fmt::format("{} job{}: {}", kept.jobs(),
                                              kept.jobs() == 1 ? "" : "s", words_of(kept.code())));
  for (const auto& share : span.shares()) {
    const auto index = static_cast<int>(share.queue());
    if (index >= of.queues_size()) continue;
    out.emplace_back(
        "Share", fmt::format("queue {} has {} of the pool and asks for {}; its fair share is "
                             "{}",
                             of.queues(index), human_share(share.actual_share()),
                             human_share(share.demand_share()), human_share(share.fair_share())));
  }
  return out;
}

/// The span alone, with the names of the queues that it refers to.
PoolRounds alone(const PoolRounds& of, const RoundSpan& span) {
  PoolRounds out;
  out.set_pool(of.pool());
  *out.mutable_queues() = of.queues();
  *out.add_spans() = span;
  return out;
}

result<listing> get_rounds_command::fetch(session& s, client& server) {
  argosy::v1::ListRoundsRequest request;
  request.set_pool(pool_);
  request.set_queue(queue_);
  const auto since = moment_of(since_, "--since", s.now_ns());
  if (!since) return fail(since.error());
  request.set_since_ns(*since);
  auto answer = call<argosy::v1::ListRoundsResponse>(server, "Explain.ListRounds", request);
  if (!answer) return fail(std::move(answer.error()));
  std::vector<std::pair<const PoolRounds*, const RoundSpan*>> found;
  for (const auto& pool : answer->pools())
    for (const auto& span : pool.spans()) found.emplace_back(&pool, &span);
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return a.second->to_ns() > b.second->to_ns();
  });
  std::vector<std::string> plain;
  for (const auto& [pool, span] : found)
    plain.push_back(pool->pool() + "/" + utc_time(span->from_ns()));
  // The newest ones of all pools, or of those that are named alone, are what `describe` is for.
  std::vector<std::string> names = names_;
  if (describes() && names.empty() && since_.empty())
    for (const auto& pool : answer->pools())
      if (!pool.spans().empty()) names.push_back(pool.pool());
  for (auto& name : names)
    if (const auto newest =
            std::ranges::find(found, name, [](const auto& each) { return each.first->pool(); });
        newest != found.end())
      name = plain[static_cast<std::size_t>(newest - found.begin())];
  auto picked = pick_named(names, plain, "round");
  if (!picked) return fail(std::move(picked.error()));
  listing items{round_columns()};
  for (const auto index : *picked) {
    const auto& [pool, span] = found[index];
    items.rows.add(round_row(pool->pool(), *span, s.now_ns(), describes()));
    items.names.push_back("round/" + plain[index]);
    items.json.push_back(json_of(alone(*pool, *span)));
    items.details.push_back(round_details(*pool, *span));
  }
  items.bare = names.size() == 1 && items.json.size() == 1;
  if (plain.empty())
    items.hint = "the server remembers no such round; it forgets them when it ends";
  return items;
}

}  // namespace

void define_get_rounds(CLI::App& get, command_set& commands) {
  commands.bind<get_rounds_command>(add_kind(
      get, "rounds", "Scheduling rounds: how long they took, and what they did.", {"round"}));
}

void define_describe_rounds(CLI::App& describe, command_set& commands) {
  auto& kind = add_kind(
      describe, "round",
      "The newest round of each pool, what kept jobs back in it, and the shares then.", {"rounds"});
  commands.bind<get_rounds_command>(kind);
  kind.footer(
      "argosyctl describe round default                # the newest one of a pool\n"
      "argosyctl describe rounds --pool default --since 1m");
}

}  // namespace argosy::ctl
