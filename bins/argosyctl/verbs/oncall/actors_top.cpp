// SPDX-License-Identifier: Apache-2.0
// The verb actors top shows what each actor of the server does now, those first whose messages wait
// for longest.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "bins/argosyctl/output/human.hpp"
#include "bins/argosyctl/output/json.hpp"
#include "bins/argosyctl/verbs/list_command.hpp"
#include "bins/argosyctl/verbs/oncall/oncall.hpp"
#include "messages/proto/argosy/diag.pb.h"
#include "runtime/trace/render_text.hpp"

namespace argosy::ctl {

namespace {

using argosy::v1::ActorReading;
using argosy::v1::ReadActorsResponse;

class actors_top final : public list_command {
 public:
  explicit actors_top(CLI::App& app) : list_command(app, goes_on::by_kind) {
    app.footer(
        "argosyctl actors top\n"
        "argosyctl actors top --once --type queue --sort-by=-MSGS/S\n"
        "argosyctl actors top -o json");
    app.add_flag("--once", once_,
                 "Print the list once; without it a table on a terminal is drawn again each second "
                 "until Ctrl-C");
    app.add_option("--type", type_, "Only actors of this type")->type_name("TYPE");
    app.add_option("--limit", limit_, "How many actors a printed table has; 0: all")
        ->type_name("N")
        ->capture_default_str();
  }
  result<exit_code> run(session& s) override {
    if (!once_ && s.out.where().out_is_terminal && is_table(s.as)) go_on();
    return list_command::run(s);
  }

 private:
  result<listing> fetch(session& s, client& server) override;
  result<void> print(session& s, client& server, const listing& items) override;
  result<ReadActorsResponse> read(client& server) const;

  bool once_ = false;
  std::string type_;
  std::uint32_t limit_ = 20;
  std::optional<ReadActorsResponse> before_{};  ///< The reading from which rates are counted.
};

result<ReadActorsResponse> actors_top::read(client& server) const {
  argosy::v1::ReadActorsRequest request;
  request.set_type(type_);
  auto answer = call<ReadActorsResponse>(server, "Diag.ReadActors", request);
  if (answer && answer->all() == 0 && !type_.empty())
    return fail(ec::not_found, "no actor of the type '" + type_ +
                                   "' lives; see the types with: argosyctl actors graph");
  return answer;
}

/// How busy an actor was between two readings.
struct rates {
  double messages = 0;  ///< A second.
  double busy = 0;      ///< The part of the time in which it was at work.
};

using speeds = std::map<std::uint64_t, rates>;

/// An actor that came in between has no rates yet.
speeds rates_of(const ReadActorsResponse& before, const ReadActorsResponse& now) {
  std::map<std::uint64_t, const ActorReading*> known;
  for (const auto& actor : before.actors()) known[actor.id()] = &actor;
  speeds out;
  const auto passed = static_cast<double>(now.time_ns() - before.time_ns());
  if (passed <= 0) return out;
  for (const auto& actor : now.actors()) {
    const auto found = known.find(actor.id());
    if (found == known.end() || found->second->handled() > actor.handled()) continue;
    const auto& earlier = *found->second;
    out[actor.id()] = {
        static_cast<double>(actor.handled() - earlier.handled()) * 1e9 / passed,
        static_cast<double>(actor.processing_ns() - earlier.processing_ns()) / passed};
  }
  return out;
}

cell time_cell(std::int64_t nanos) {
  return nanos == 0 ? cell{} : cell{trace::duration_text(nanos), static_cast<double>(nanos)};
}

std::int64_t each(std::int64_t sum, std::uint64_t count) {
  return count == 0 ? 0 : sum / static_cast<std::int64_t>(count);
}

listing listing_of(const ReadActorsResponse& reading, const speeds& known) {
  listing out{{{"ACTOR"},
               numbers("ID", {}, 3),
               numbers("DEPTH"),
               numbers("OLDEST"),
               {.title = "DOING", .yields_to = 10},
               numbers("FOR"),
               numbers("MSGS/S"),
               numbers("BUSY", {}, 1),
               numbers("HANDLED", {}, 4),
               numbers("WAITED", {}, 2),
               numbers("TOOK", {}, 2)}};
  for (const auto& actor : reading.actors()) {
    const auto found = known.find(actor.id());
    const auto speed = found == known.end() ? rates{} : found->second;
    out.rows.add({std::string{trace::short_actor_name(actor.type())}, number(actor.id()),
                  number(actor.depth()), time_cell(actor.oldest_ns()), actor.message(),
                  time_cell(actor.busy_ns()),
                  cell{fmt::format("{:.1f}", speed.messages), speed.messages},
                  cell{human_share(speed.busy), speed.busy}, number(actor.handled()),
                  time_cell(each(actor.waiting_ns(), actor.handled())),
                  time_cell(each(actor.processing_ns(), actor.handled()))});
    out.json.push_back(json_of(actor));
    out.names.push_back("actor/" + std::to_string(actor.id()));
  }
  return out;
}

result<listing> actors_top::fetch(session& s, client& server) {
  // The JSON has what was counted since the start, and no rates.
  const bool has_rates = is_table(s.as) || s.as == format::csv;
  if (has_rates && !before_) {
    auto first = read(server);
    if (!first) return fail(std::move(first.error()));
    before_ = std::move(*first);
    s.wait(s.refresh_period);
  }
  auto now = read(server);
  if (!now) return fail(std::move(now.error()));
  auto out = listing_of(*now, has_rates ? rates_of(*before_, *now) : speeds{});
  const auto given = static_cast<std::uint32_t>(now->actors_size());
  const auto shown = limit_ == 0 ? given : std::min(limit_, given);
  if (shown < now->all())
    out.notice = fmt::format("{} of {} actors are shown{}", shown, now->all(),
                             shown < given ? "; --limit 0 shows more" : "");
  before_ = std::move(*now);
  return out;
}

result<void> actors_top::print(session& s, client& server, const listing& items) {
  if (limit_ == 0 || limit_ >= items.rows.rows() || !is_table(s.as))
    return list_command::print(s, server, items);
  auto first = items;
  std::vector<std::size_t> rows(limit_);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  arrange(first, rows);
  return list_command::print(s, server, first);
}

}  // namespace

void define_actors_top(CLI::App& app, command_set& commands) {
  auto* top = app.add_subcommand("top", "What each actor does now, the slowest first.");
  top->allow_extras();
  commands.bind<actors_top>(*top);
}

}  // namespace argosy::ctl
