// SPDX-License-Identifier: Apache-2.0
// The verb top: queues, nodes, rounds and clusters on the whole terminal, as they are now, with
// keys to sort them and to go into them.
#include <fmt/format.h>

#include <algorithm>

#include "bins/argosyctl/verbs/command.hpp"
#include "bins/argosyctl/verbs/top/background_reader.hpp"
#include "bins/argosyctl/verbs/top/curses_screen.hpp"
#include "bins/argosyctl/verbs/top/source_reader.hpp"
#include "bins/argosyctl/verbs/top/top_loop.hpp"

namespace argosy::ctl {

namespace {

class top_command final : public command {
 public:
  explicit top_command(CLI::App& app) {
    app.footer(
        "argosyctl top\n"
        "argosyctl top nodes --sort-by=-cpu\n"
        "argosyctl top rounds --once");
    std::vector<std::string> names;
    for (const auto& view : top_views) names.emplace_back(view.name);
    app.add_option("view", view_, "What is shown first: queues, nodes, rounds or clusters")
        ->type_name("VIEW")
        ->check(CLI::IsMember(names))
        ->capture_default_str();
    app.add_flag("--once", once_,
                 "Print the list once and end, as it is done where there is no terminal");
  }
  std::vector<std::string> formats() const override { return {"table", "wide"}; }
  bool waits() const override { return !once_; }
  std::string_view timeout_help() const override {
    return "End after this time, with exit code 124; without it there is no limit. A request has "
           "30s";
  }
  result<exit_code> run(session& s) override;

 private:
  result<exit_code> print_once(session& s, const screen_source& source);
  result<exit_code> show(session& s, const top_view& first);

  std::string view_ = std::string{top_views.front().name};
  bool once_ = false;
};

result<exit_code> top_command::print_once(session& s, const screen_source& source) {
  const std::atomic<bool> never{false};
  source_reader reader{s, s.interrupted == nullptr ? never : *s.interrupted};
  auto got = reader.read(source);
  if (got.trouble) return fail(std::move(*got.trouble));
  if (s.flags.sort_by.empty()) s.flags.sort_by = source.sort_by;
  if (auto done = settle_listing(s, *got.list); !done) return fail(std::move(done.error()));
  ctl::show(s, *got.list);
  show_remarks(s, *got.list);
  return exit_code::success;
}

result<exit_code> top_command::show(session& s, const top_view& first) {
  std::atomic<bool> stop{false};
  source_reader source{s, stop};
  top_state state{first, s.flags.sort_by};
  if (s.as == format::wide) state.press({key::character, 'w'});
  // The first look is taken before the terminal is, so that what is wrong stands where errors do.
  auto content = source.read(state.source());
  if (content.trouble) return fail(std::move(*content.trouble));
  if (!s.flags.sort_by.empty())
    if (auto sorted = content.list->rows.sorted_by(s.flags.sort_by); !sorted)
      return fail(std::move(sorted.error()));
  state.take(state.source(), std::move(content));
  auto terminal = open_terminal(s.env.variable("TERM").value_or(""), s.out.where().colours);
  if (!terminal) return fail(std::move(terminal.error()));
  // Progress that others would write to the terminal would stand in the middle of the screen.
  const auto is_terminal = std::exchange(s.out.where().err_is_terminal, false);
  exit_code code{};
  {
    background_reader reader{[&](const screen_source& from) { return source.read(from); },
                             s.refresh_period};
    code = run_top(s, **terminal, state, reader);
    stop = true;
  }
  terminal->reset();
  s.out.where().err_is_terminal = is_terminal;
  return code;
}

result<exit_code> top_command::run(session& s) {
  const auto* first = std::find_if(top_views.begin(), top_views.end(),
                                   [&](const auto& view) { return view.name == view_; });
  s.patient = waits();
  if (auto server = s.server(); !server) return fail(std::move(server.error()));
  const auto& where = s.out.where();
  if (once_ || !where.out_is_terminal || !where.in_is_terminal)
    return print_once(s, source_of(*first));
  return show(s, *first);
}

}  // namespace

void define_top(CLI::App& app, command_set& commands) {
  define_verb<top_command>(app, commands);
}

}  // namespace argosy::ctl
